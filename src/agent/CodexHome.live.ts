// Binary: where the codex binary is.
// It is looked for before anything is committed. Where it is not found, the message names the places that were tried.
import * as fs from "node:fs"
import { accessSync, constants, statSync } from "node:fs"
import { userInfo } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { Effect } from "effect"
import { variable, type Variables } from "../platform/Environment.ts"
import { leadsInto, worktreesAround } from "../platform/SearchPath.ts"
import { hasCode, systemFault, systemRefused } from "../platform/SystemError.ts"
import { isDenied, systemFaultText } from "../platform/SystemFault.ts"
import type { CodexHomeFacts } from "../read/doctor/Checks.ts"
import type { Flaw, MissingReason } from "../review/Reviewers.ts"

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

// CodexHome: the directory where codex keeps its files, and what it is like.

/**
 * The home directory that the system's list of users names. A user who is not listed has none, and so no files of
 * codex.
 */
const listedHome = (): string => {
  try {
    return userInfo().homedir
  } catch {
    return "/"
  }
}

/** Where codex keeps its files: CODEX_HOME, else `.codex` in HOME, else in the home that the user is listed with. */
export const codexHome = Effect.gen(function*() {
  return codexHomeIn({ CODEX_HOME: (yield* variable("CODEX_HOME")) ?? "", HOME: (yield* variable("HOME")) ?? "" })
})

/** The same by variables that are at hand. An empty one counts as none. */
export const codexHomeIn = ({ CODEX_HOME, HOME }: Variables): string =>
  CODEX_HOME || join(HOME || listedHome(), ".codex")

/** The result of a look, or the given answer when the system refuses the look. */
const orElse = <A>(fallback: (error: unknown) => A, look: () => A): A => {
  try {
    return look()
  } catch (error) {
    return fallback(error)
  }
}

/** The newest entry of a directory, by name. */
const newest = (path: string): string | null => {
  const last = fs.readdirSync(path).sort().at(-1)
  return last === undefined ? null : join(path, last)
}

const problemOf = (error: unknown): CodexHomeFacts["sessionsProblem"] => {
  const fault = systemFault(error)
  return { kind: isDenied(fault) ? "Denied" : "Broken", text: systemFaultText(fault) }
}

/** The session files: how many were found on the way to the newest one, and why that one could not be read. */
const sessionFacts = (home: string): Pick<CodexHomeFacts, "sessions" | "sessionsProblem"> =>
  orElse(
    (error) => ({ sessions: 0, sessionsProblem: hasCode(error, "ENOENT") ? null : problemOf(error) }),
    () => {
      let path: string | null = join(home, "sessions")
      // Down the years, months and days.
      for (let depth = 0; depth < 4 && path !== null; depth++) path = newest(path)
      if (path === null) return { sessions: 0, sessionsProblem: null }
      fs.closeSync(fs.openSync(path, "r"))
      return { sessions: 1, sessionsProblem: null }
    }
  )

/** Whether a path belongs to this user. A path where nothing is counts as this user's. */
const ownedByUs = (path: string): boolean =>
  orElse(() => true, () => {
    const facts = fs.statSync(path, { throwIfNoEntry: false })
    return facts === undefined || facts.uid === process.getuid?.()
  })

/** The `model_provider` of a configuration. Only top-level keys count; they come before the first table. */
const providerIn = (config: string): string | null =>
  /^\s*model_provider\s*=\s*["']([^"'\n]+)["']/m.exec(config.split(/^\s*\[/m)[0] ?? "")?.[1] ?? null

/** The facts about codex's home, even if it does not exist. */
export const codexHomeFacts = Effect.gen(function*() {
  const home = yield* codexHome
  const named = (yield* variable("CODEX_HOME")) !== null
  return yield* Effect.sync((): CodexHomeFacts => ({
    home,
    named,
    exists: fs.existsSync(home),
    own: ownedByUs(home) && ownedByUs(join(home, "sessions")),
    ...sessionFacts(home),
    provider: orElse(() => null, () => providerIn(fs.readFileSync(join(home, "config.toml"), "utf8")))
  }))
})
