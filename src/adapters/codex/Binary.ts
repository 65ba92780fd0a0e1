// Binary: where the codex binary is.
// The one rule: found before anything is committed, and what was tried is said when it is not.
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { errorText, hasCode } from "../process/SystemError.ts"

/** Why a path is no program that can be run, or null when it is one. */
const flaw = (path: string): string | null => {
  try {
    if (!statSync(path).isFile()) return "is not a file"
    accessSync(path, constants.X_OK)
    return null
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return "does not exist"
    return hasCode(error, "EACCES") ? "is not executable" : errorText(error)
  }
}

/**
 * The absolute path of a binary: relative to `cwd` when it has a slash, else the first executable file of that name
 * in `path` (the value of PATH; an empty entry means `cwd`). Otherwise why not, naming what was tried.
 */
export const findBinary = (
  binary: string,
  cwd: string,
  path: string
): { readonly found: string } | { readonly reason: string } => {
  if (binary === "") return { reason: "the name is empty" }
  if (binary.includes("/")) {
    const full = resolve(cwd, binary)
    const reason = flaw(full)
    return reason === null ? { found: full } : { reason: full === binary ? reason : `${full} ${reason}` }
  }
  const unusable: Array<string> = []
  for (const directory of path === "" ? [] : path.split(delimiter)) {
    const full = resolve(cwd, directory, binary)
    const reason = flaw(full)
    if (reason === null) return { found: full }
    if (reason !== "does not exist") unusable.push(`${full} ${reason}`)
  }
  return {
    reason: unusable.length > 0
      ? `not found in PATH; ${unusable.join("; ")}`
      : path === "" ? "PATH is empty" : `not found in PATH (${path})`
  }
}
