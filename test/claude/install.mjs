// The real Claude Code at the version this repository pins: found, or installed once, without running its scripts.
// The pin is test/claude/package.json; only the binary that OODA_CLAUDE_BIN names is used in its place.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** @param {string} claude path of the binary */
const versionOf = (claude) =>
  /^(\S+) \(Claude Code\)/.exec(spawnSync(claude, ["--version"], { encoding: "utf8" }).stdout)?.[1]

// The binary lies in the package for this platform; of two for one system, the one that runs here counts.
/** @param {string} packages @param {string} pin */
const binary = (packages, pin) =>
  (existsSync(packages) ? readdirSync(packages) : []).filter((name) => name.startsWith("claude-code-"))
    .map((name) => join(packages, name, "claude")).find((path) => existsSync(path) && versionOf(path) === pin)

/**
 * @param {string} root the repository
 * @returns {{ readonly claude: string, readonly version: string, readonly installed: boolean }} the binary's path
 */
export const pinnedClaude = (root) => {
  const named = process.env["OODA_CLAUDE_BIN"]
  if (named !== undefined) {
    const version = versionOf(named)
    if (version === undefined) throw new Error(`OODA_CLAUDE_BIN names no Claude Code: ${named}`)
    return { claude: named, version, installed: false }
  }
  const directory = join(root, "test", "claude")
  const { dependencies } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
  const version = dependencies["@anthropic-ai/claude-code"]
  const packages = join(directory, "node_modules", "@anthropic-ai")
  const found = binary(packages, version)
  if (found !== undefined) return { claude: found, version, installed: false }
  const args = ["ci", "--prefix", directory, "--no-audit", "--no-fund", "--ignore-scripts"]
  if (spawnSync("npm", args, { stdio: "inherit" }).status !== 0) throw new Error("npm ci for Claude Code failed")
  const claude = binary(packages, version)
  if (claude === undefined) throw new Error(`expected Claude Code ${version} below ${packages}`)
  return { claude, version, installed: true }
}
