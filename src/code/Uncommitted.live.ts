// Uncommitted.live: the uncommitted changes of some files, shown by git without running anything of the repository.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { asked } from "./Asked.live.ts"
import { shownAttributes, viewFlags, writeExcludes } from "./CopyGit.live.ts"
import { latin1Of, listIndex, namesIn, otherWorktrees } from "./Nested.live.ts"
import { ours, parts, utf8 } from "./SafeGit.live.ts"
import { type Store, tryFiles } from "./Store.live.ts"

/** The changes of some files: their diff against HEAD, and the paths of untracked files. */
export interface Uncommitted {
  readonly diff: string
  readonly untracked: ReadonlyArray<string>
}

const plain = ["--no-color", "--no-ext-diff", "--no-textconv"]

const changesIn = (paths: ReadonlyArray<string>, hidden: ReadonlyArray<string>) =>
  Effect.fnUntraced(function*(store: Store) {
    const { dir, repository } = store
    const { head } = repository
    // If nothing is committed yet, all files are new.
    if (head === null) return { diff: "", untracked: paths } satisfies Uncommitted
    yield* tryFiles(dir, () => {
      writeFileSync(join(dir, "info/attributes"), shownAttributes)
      writeExcludes(dir, repository, true)
    })
    const own = { gitDirectory: dir, worktree: latin1Of(repository.top), index: join(dir, "index") }
    yield* ours({ ...own, worktree: dir }, ["read-tree", head])
    const flags = [...viewFlags(repository), "-c", "core.bare=false", "--literal-pathspecs"]
    const { out: diff } = yield* ours(own, [...flags, "diff", ...plain, head, "--", ...paths])
    const { out } = yield* ours(own, [...flags, "ls-files", "--others", "--exclude-standard", "-z", "--", ...paths])
    const others = parts(out).map(utf8).filter((path) => !hidden.includes(path))
    if (hidden.length === 0) return { diff: utf8(diff), untracked: others } satisfies Uncommitted
    const known = parts((yield* ours(own, [...flags, "ls-files", "-z", "--", ...hidden])).out).map(utf8)
    const lacked = hidden.filter((path) => !known.includes(path))
    return { diff: utf8(diff), untracked: [...others.filter((path) => !path.endsWith("/")), ...lacked] }
  })

/**
 * Whether a directory below the root of a repository is another one for that: a submodule that HEAD names, or a linked
 * worktree of it, over nothing that HEAD or the index has.
 */
export const isApart = Effect.fn("Uncommitted.isApart")((root: string, path: string) =>
  asked(root, (store) =>
    Effect.gen(function*() {
      const { dir, repository: { head, index } } = store
      const names = namesIn(yield* listIndex(store, latin1Of(index)))
      if ((yield* otherWorktrees(store, () => names, [head])).has(latin1Of(path))) return true
      if (head === null) return false
      const { out } = yield* ours({ gitDirectory: dir }, ["--literal-pathspecs", "ls-tree", head, "--", path])
      return out.startsWith("160000 ")
    }))
)

/**
 * The uncommitted changes of files of the repository at `root`, whose paths are relative to it. Those of them that are
 * `hidden`, since git takes a directory above them for another repository, are untracked if HEAD lacks them.
 */
export const uncommittedOf = Effect.fn("Uncommitted.uncommittedOf")(
  (root: string, paths: ReadonlyArray<string>, hidden: ReadonlyArray<string> = []) =>
    asked(root, changesIn(paths, hidden))
)
