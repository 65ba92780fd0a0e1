// Runs once before the suite: each pinned Node is there, installed if need be.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { binaryOf, lines } from "./support.ts"

export const setup = (): void => {
  if (lines.every((line) => existsSync(binaryOf(line)))) return
  const npm = spawnSync("npm", ["ci", "--prefix", import.meta.dirname, "--no-audit", "--no-fund"], { stdio: "inherit" })
  if (npm.status !== 0) throw new Error("npm ci for the versions of Node failed")
}
