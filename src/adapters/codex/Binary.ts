// Binary: where the codex binary is.
// It is looked for before anything is committed. Where it is not found, the message names the places that were tried.
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import type { Variables } from "../../services/Environment.ts"
import type { Flaw, MissingReason } from "../../services/Reviewers.ts"
import { leadsInto, worktreesAround } from "../process/SearchPath.ts"
import { hasCode, systemRefused } from "../process/SystemError.ts"

/** Why a path cannot be run as a program, or null when it can. */
const flawOf = (path: string): Flaw | null => {
  try {
    if (!statSync(path).isFile()) return { _tag: "NoFile" }
    accessSync(path, constants.X_OK)
    return null
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return { _tag: "Absent" }
    return hasCode(error, "EACCES") ? { _tag: "NotExecutable" } : systemRefused(error)
  }
}

/**
 * The absolute path of a binary: relative to `cwd` when it has a slash, else the first executable file of that name
 * in the absolute directories of PATH that is outside the worktree of `cwd`. Otherwise why not, naming what was tried.
 */
export const findBinary = (
  binary: string,
  cwd: string,
  variables: Variables
): { readonly found: string } | { readonly reason: MissingReason } => {
  if (binary === "") return { reason: { _tag: "NameEmpty" } }
  if (binary.includes("/")) {
    const path = resolve(cwd, binary)
    const flaw = flawOf(path)
    return flaw === null ? { found: path } : { reason: { _tag: "Flawed", path, flaw } }
  }
  const [searched = "", worktrees] = [variables["PATH"], worktreesAround([cwd], variables)]
  const unusable: Array<{ readonly path: string; readonly flaw: Flaw }> = []
  for (const directory of searched === "" ? [] : searched.split(delimiter)) {
    const path = resolve(cwd, directory, binary)
    const outside = directory.startsWith("/") && !leadsInto(worktrees, path)
    const flaw: Flaw | null = flawOf(path) ?? (outside ? null : { _tag: "Untrusted" })
    if (flaw === null) return { found: path }
    if (flaw._tag !== "Absent") unusable.push({ path, flaw })
  }
  return { reason: { _tag: "NotOnPath", searched, unusable } }
}
