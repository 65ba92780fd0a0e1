// The real Codex CLI at the version this repository pins: found, or installed once.
// The pin is test/codex/package.json; only the launcher that OODA_CODEX_BIN names is used in its place.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** @param {string} path @returns {{ readonly version?: string, readonly dependencies?: Record<string, string> }} */
const readPackage = (path) => {
  try {
    return JSON.parse(readFileSync(join(path, "package.json"), "utf8"))
  } catch {
    return {}
  }
}

/** @param {string} codex path of its launcher */
export const versionOf = (codex) =>
  /codex-cli (\S+)/.exec(spawnSync(process.execPath, [codex, "--version"], { encoding: "utf8" }).stdout)?.[1]

/** The launcher that the tests run. @param {string} root the repository */
export const launcherOf = (root) =>
  resolve(process.env["OODA_CODEX_BIN"] ?? join(root, "test/codex/node_modules/@openai/codex/bin/codex.js"))

/**
 * @param {string} root the repository
 * @returns {{ readonly codex: string, readonly version: string, readonly installed: boolean }} the launcher's path
 */
export const pinnedCodex = (root) => {
  const codex = launcherOf(root)
  if (process.env["OODA_CODEX_BIN"] !== undefined) {
    const version = versionOf(codex)
    if (version === undefined) throw new Error(`OODA_CODEX_BIN names no Codex CLI: ${codex}`)
    return { codex, version, installed: false }
  }
  const directory = join(root, "test", "codex")
  const pin = readPackage(directory).dependencies?.["@openai/codex"]
  if (pin === undefined) throw new Error(`${directory}/package.json pins no @openai/codex`)
  if (versionOf(codex) === pin) return { codex, version: pin, installed: false }
  const npm = spawnSync("npm", ["ci", "--prefix", directory, "--no-audit", "--no-fund"], { stdio: "inherit" })
  if (npm.status !== 0) throw new Error("npm ci for the Codex CLI failed")
  const version = versionOf(codex)
  if (version !== pin) throw new Error(`expected Codex CLI ${pin}, found ${version ?? "none"}`)
  return { codex, version: pin, installed: true }
}
