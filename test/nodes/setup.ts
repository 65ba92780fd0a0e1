// Runs once before the suite: each pinned Node and the oracle of redaction are there, installed if need be.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { binaryOf, lines } from "./support.ts"

export const setup = (): void => {
  const oracle = join(import.meta.dirname, "node_modules/@secretlint/core")
  if ([oracle, ...lines.map(binaryOf)].every((path) => existsSync(path))) return
  const npm = spawnSync("npm", ["ci", "--prefix", import.meta.dirname, "--no-audit", "--no-fund"], { stdio: "inherit" })
  if (npm.status !== 0) throw new Error("npm ci for the versions of Node failed")
}
