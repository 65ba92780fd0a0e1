// Binary: finds a program by its path, or by its name on PATH outside the worktree, or says why it is not found.
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { Schema } from "effect"
import { brief } from "../text/Untrusted.ts"
import type { Variables } from "./Environment.ts"
import { leadsInto, worktreesAround } from "./SearchPath.ts"
import { hasCode, systemRefused } from "./SystemError.ts"
import { SystemRefused } from "./SystemFault.ts"

/** Why a file cannot be run as a program. */
const Flaw = Schema.Union([
  SystemRefused,
  Schema.TaggedStruct("Absent", {}),
  Schema.TaggedStruct("NoFile", {}),
  Schema.TaggedStruct("NotExecutable", {}),
  Schema.TaggedStruct("Untrusted", {})
])
type Flaw = typeof Flaw.Type

const flawText = (flaw: Flaw): string => {
  switch (flaw._tag) {
    case "Absent":
      return "does not exist"
    case "NoFile":
      return "is not a file"
    case "NotExecutable":
      return "is not executable"
    case "Untrusted":
      return "is in the repository or in a relative directory of PATH, so it runs only if you name it by its path"
    case "SystemRefused":
      return brief(flaw.said, longest)
  }
}

const Unusable = Schema.Struct({ path: Schema.String, flaw: Flaw })

/**
 * Why there is no codex binary: an empty name, a problem with the named file, or nothing usable on the PATH `searched`.
 */
export const MissingReason = Schema.Union([
  Schema.TaggedStruct("NameEmpty", {}),
  Schema.TaggedStruct("Flawed", Unusable.fields),
  Schema.TaggedStruct("NotOnPath", { searched: Schema.String, unusable: Schema.Array(Unusable) })
])
export type MissingReason = typeof MissingReason.Type

// A path from the command line or the environment may be of any length.
const longest = 300
const mostPlaces = 3

const unusableText = ({ flaw, path }: typeof Unusable.Type): string => `${brief(path, longest)} ${flawText(flaw)}`

/** Why there is no such binary, for people. */
export const missingText = (binary: string, reason: MissingReason): string => {
  switch (reason._tag) {
    case "NameEmpty":
      return "the name is empty"
    case "Flawed":
      return reason.path === binary ? flawText(reason.flaw) : unusableText(reason)
    case "NotOnPath":
      if (reason.unusable.length > 0) {
        return `not found in PATH; ${reason.unusable.slice(0, mostPlaces).map(unusableText).join("; ")}`
      }
      return reason.searched === "" ? "PATH is empty" : `not found in PATH (${brief(reason.searched, longest)})`
  }
}

/** Why a path cannot be run as a program, or null if it can. */
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
 * The absolute path of a binary: relative to `cwd` if it has a slash, else the first executable file of that name in
 * the absolute directories of PATH that is outside the worktree of `cwd`. Otherwise the reason, with the places tried.
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
