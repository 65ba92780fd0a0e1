// SnapshotState: a digest of each part of git's own state in a repository, so that a change of any is seen.
// Agents may change files. HEAD, refs, index, settings and hooks decide what git does with them, and are a person's.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import type { SnapshotFacts } from "../../core/agent/Snapshot.ts"
import { variable } from "../../services/Environment.ts"
import { git } from "./Command.ts"
import type { Listed } from "./Index.ts"
import { sharedOf } from "./Moves.ts"
import { must } from "./Must.ts"
import { gitPaths, type Scratch } from "./Scratch.ts"

/** Below this all our refs lie. */
export const ourRefs = "refs/ooda/"

const digestOf = (texts: ReadonlyArray<string>): string =>
  createHash("sha256").update(texts.map((text) => `${text.length}:${text}`).join(""), "latin1").digest("hex")

const textOf = (path: string): string => {
  try {
    return statSync(path).isFile() ? readFileSync(path, "latin1") : ""
  } catch {
    return ""
  }
}

const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()
  } catch {
    return []
  }
}

const modeOf = (path: string): string => {
  try {
    return `${statSync(path).mode}`
  } catch {
    return ""
  }
}

/** Every file below a directory, with its contents and rights. */
const treeText = (directory: string): ReadonlyArray<string> =>
  namesIn(directory).flatMap((name) => {
    const path = join(directory, name)
    return [name, modeOf(path), textOf(path)]
  })

/** The directories of hooks: the repository's own, and one that a setting names. Our own commands use none. */
const hookDirectories = Effect.fnUntraced(function*(root: string, shared: string, settings: string) {
  const home = (yield* variable("HOME")) ?? "/"
  const parts = settings.split("\0")
  const named = parts.flatMap((origin, i) => {
    const [, path] = /^core\.hookspath\n([^]*)$/.exec(parts[i + 1] ?? "") ?? []
    return i % 2 === 1 || origin.startsWith("command line") || path === undefined ? [] : [path]
  })
  return [join(shared, "hooks"), ...named.map((path) => resolve(root, path.replace(/^~(?=\/)/, home)))]
})

/** The digests of HEAD, refs, index, settings and hooks of the repository at `root`. Fails with one line why not. */
export const stateOf = Effect.fnUntraced(function*(root: string, { headDirectory }: Scratch, index: Listed) {
  const [branch, commit, refs, settings, paths] = yield* Effect.all([
    git(root, ["symbolic-ref", "--quiet", "HEAD"]),
    git(root, ["rev-parse", "--quiet", "--verify", "HEAD"]),
    must(root, ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]),
    must(root, ["config", "--list", "--show-origin", "-z"]),
    gitPaths(root, ["logs/refs/stash", "info/exclude", "info/attributes", "info/sparse-checkout"])
  ], { concurrency: "unbounded" })
  const [stash = "", ...rules] = paths
  const others = refs.split("\n").filter((line) => line !== "" && !line.startsWith(ourRefs))
  const { assumed, skipped } = index.hidden
  const hooks = yield* hookDirectories(root, sharedOf(headDirectory), settings)
  const state: SnapshotFacts["git"] = [
    { part: "HEAD", digest: digestOf([branch.stdout, commit.stdout]) },
    { part: "refs", digest: digestOf([...others, textOf(stash)]) },
    { part: "index", digest: digestOf([index.text, ...assumed, "", ...skipped]) },
    { part: "configuration", digest: digestOf([settings, ...rules.map(textOf)]) },
    { part: "hooks", digest: digestOf(hooks.flatMap(treeText)) }
  ]
  return state
})
