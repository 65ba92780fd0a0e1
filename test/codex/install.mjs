// The real Codex CLI at the version this repository pins: found, or installed once.
// The pin is test/codex/package.json; no other version is ever used.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** @param {string} path @returns {{ readonly version?: string, readonly dependencies?: Record<string, string> }} */
const readPackage = (path) => {
  try {
    return JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
  } catch {
    return {}
  }
}

/** @param {string} codex path of its launcher */
const versionOf = (codex) =>
  /codex-cli (\S+)/.exec(spawnSync(process.execPath, [codex, "--version"], { encoding: "utf8" }).stdout)?.[1]

/**
 * @param {string} root the repository
 * @returns {{ readonly codex: string, readonly version: string, readonly installed: boolean }} the launcher's path
 */
export const pinnedCodex = (root) => {
  const directory = join(root, "test", "codex")
  const pin = readPackage(directory).dependencies?.["@openai/codex"]
  if (pin === undefined) throw new Error(`${directory}/package.json pins no @openai/codex`)
  const codex = join(directory, "node_modules", "@openai", "codex", "bin", "codex.js")
  if (versionOf(codex) === pin) return { codex, version: pin, installed: false }
  const npm = spawnSync("npm", ["ci", "--prefix", directory, "--no-audit", "--no-fund"], { stdio: "inherit" })
  if (npm.status !== 0) throw new Error("npm ci for the Codex CLI failed")
  const version = versionOf(codex)
  if (version !== pin) throw new Error(`expected Codex CLI ${pin}, found ${version ?? "none"}`)
  return { codex, version: pin, installed: true }
}
