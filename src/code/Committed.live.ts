// Committed.live: whether git would show a difference between frozen code and a commit.
// A frozen tree has the bytes that lie in the worktree. A commit may have another form of them: with other line ends, a
// pointer of LFS, the UTF-8 of a file in UTF-16. Then git is asked whether they differ, in a small git directory of
// ours, as in a copy (CopyGit.live.ts).
import { copyFileSync, lstatSync, mkdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { removeTree } from "../platform/Files.ts"
import { attributesOf, blobIdAt, committedIds, isProven, isShort, makeGit, type Part, pathIn } from "./CopyGit.live.ts"
import { type Frozen, indexEntry, isAbsent } from "./Frozen.ts"
import { directoryOf, isWithin, type Name } from "./Names.ts"
import { latin1Of, withIndex } from "./Nested.live.ts"
import { ours, utf8 } from "./SafeGit.live.ts"
import { contentsOf, entriesOf, scratchPath, sizesOf, type Store, tryFiles } from "./Store.live.ts"

/** A path where a frozen tree differs from a commit: the raw line of `git diff-tree`. */
interface Changed {
  readonly path: Name
  readonly status: string
  readonly then: { readonly mode: string; readonly id: string }
  readonly now: { readonly mode: string; readonly id: string }
}

/** The paths where a tree differs from a commit, byte for byte. */
export const rawChanges = Effect.fnUntraced(function*({ dir }: Store, treeish: string, tree: string) {
  const asked = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", treeish, tree]
  const parts = (yield* ours({ gitDirectory: dir }, asked)).out.split("\0")
  const found: Array<Changed> = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [was = "", mode = "", before = "", id = "", status = ""] = (parts[at] ?? "").slice(1).split(" ")
    found.push({ path: parts[at + 1] ?? "", status, then: { mode: was, id: before }, now: { mode, id } })
  }
  return found
})

/**
 * The paths where the frozen files differ from a commit. `Shown`: those for which git would show a difference, which
 * depends on the index too: it shows none for files that a sparse checkout leaves out, for modes that the file system
 * does not keep, and for submodules that are not checked out. With `submodule` its files are compared with a commit of
 * it.
 */
export const changedFrom = Effect.fnUntraced(function*(
  store: Store,
  frozen: Frozen,
  treeish: string,
  which: "Exact" | "Shown",
  submodule: Name = ""
) {
  const below = submodule === "" ? "" : `${submodule}/`
  const tree = submodule === "" ? frozen.tree : `${frozen.tree}:${utf8(submodule)}`
  const found = (yield* rawChanges(store, treeish, tree)).map((one) => ({ ...one, path: below + one.path }))
  const submodules = frozen.nested.filter(({ isSubmodule }) => isSubmodule)
  // Where a commit names a submodule's commit, a frozen tree has its files.
  const headOf = (path: Name) => submodules.find((one) => one.path === path)?.head ?? null
  const { settings } = store.repository
  // If the file system keeps no modes, git takes them from the index.
  const isModeKept = settings.get("filemode") !== "false" && settings.get("symlinks") !== "false"
  const absent = new Set(frozen.index.filter(isAbsent).map((line) => indexEntry(line).path))
  const differing = found.filter(({ now, path, status, then }) => {
    if (then.mode === "160000") return headOf(path) !== then.id && (which === "Exact" || headOf(path) !== null)
    if (submodules.some((one) => one.path !== path && one.path.startsWith(below) && isWithin(path, one.path))) {
      return false
    }
    if (which === "Exact") return true
    // A file that a sparse checkout leaves out is not deleted.
    if (status === "D" && absent.has(path)) return false
    return isModeKept || now.id !== then.id
  })
  if (which === "Shown" && submodule === "") differing.push(...gitlinksOf(frozen, found))
  return (yield* areOtherForms(store, frozen, differing)) ? [] : differing
})

/** The paths of which the index holds neither what HEAD does nor what the frozen files do. */
export const stagedApart = Effect.fnUntraced(function*(store: Store, frozen: Frozen) {
  const from = latin1Of(store.repository.index)
  const tree = yield* withIndex(store, from, (index) =>
    index === null
      ? Effect.succeed(null)
      : ours({ gitDirectory: store.dir, index }, ["write-tree", "--missing-ok"], { copyOf: from }))
  if (tree === null) return []
  const index = tree.out.trim()
  const staged = new Set(
    frozen.head === null ? [] : (yield* rawChanges(store, frozen.head, index)).map(({ path }) => path)
  )
  const differing = (yield* changedFrom(store, frozen, index, "Shown")).filter(({ path }) =>
    frozen.head === null || staged.has(path)
  )
  const isForm = (one: Changed) => areOtherForms(store, frozen, [one])
  const apart = yield* Effect.filter(differing, (one) => Effect.map(isForm(one), (is) => !is))
  return apart.map(({ path }) => path)
})

/** The submodules that are not checked out and whose commit in the index differs from the one in a commit. */
const gitlinksOf = ({ index, nested }: Frozen, found: ReadonlyArray<Changed>): ReadonlyArray<Changed> => {
  const committed = new Map(
    found.flatMap(({ path, then }) => then.mode === "160000" ? [[path, then] as const] : [])
  )
  const open = new Set(nested.filter(({ head }) => head !== null).map(({ path }) => path))
  return index.map(indexEntry).flatMap(({ id, mode, path }) => {
    if (mode !== "160000" || open.has(path)) return []
    const then = committed.get(path)
    const isSame = then?.id === id
    return isSame
      ? []
      : [{ path, status: then === undefined ? "A" : "M", then: then ?? { mode: "000000", id: "" }, now: { mode, id } }]
  })
}

// Other forms

// The most paths that are read at once, and bytes: a larger file can only be one of LFS.
const atOnce = 32
const mostBytes = 1 << 23

const withoutReturns = (bytes: Buffer): string => bytes.toString("latin1").replaceAll("\r\n", "\n")

/** Whether a file may be another form of the committed one; asked before git is. */
const mayBeForm = (committed: Buffer, path: string | Buffer): boolean => {
  if (committed.toString("latin1", 0, 40).startsWith("version https://git-lfs.github.com/spec/")) return true
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file?.isFile() !== true || file.size > mostBytes) return false
  const present = readFileSync(path)
  return present.includes(0) || withoutReturns(present) === withoutReturns(committed)
}

/** Whether each of these files is another form of the committed one. */
const areOtherForms = Effect.fnUntraced(function*(store: Store, frozen: Frozen, changed: ReadonlyArray<Changed>) {
  const { top } = store.repository
  if (!changed.every(({ now, status, then }) => status === "M" && now.mode === then.mode && now.mode !== "120000")) {
    return false
  }
  for (let at = 0; at < changed.length; at += atOnce) {
    const some = changed.slice(at, at + atOnce)
    const sizes = yield* sizesOf(store, some.map(({ then }) => then.id))
    if (sizes.some((size) => size === null || size > mostBytes)) return false
    const committed = yield* contentsOf(store, some.map(({ then }) => then.id))
    const isCandidate = yield* tryFiles(top, () =>
      some.every(({ path }, i) => {
        const content = committed[i] ?? null
        return content !== null && mayBeForm(content, pathIn(top, path))
      }))
    if (!isCandidate) return false
  }
  return changed.length === 0 || (yield* areProven(store, frozen, changed))
})

/** Asks git, in a directory that holds only these files and the frozen files of attributes. */
const areProven = Effect.fnUntraced(function*(store: Store, frozen: Frozen, changed: ReadonlyArray<Changed>) {
  const place = scratchPath(store, "forms")
  const part: Part = {
    prefix: "",
    own: { gitDirectory: `${place}/.git`, worktree: place },
    within: (path) => path,
    whole: (inner) => inner,
    index: [],
    head: null,
    objects: [store.repository.objects]
  }
  const attributeFiles = [...yield* entriesOf(store, frozen.tree)].filter(([path, { mode }]) =>
    mode !== "120000" && /(?:^|\/)\.gitattributes$/.test(path)
  )
  const wanted = new Map<Name, string>([
    ...attributeFiles.map(([path, { id }]) => [path, id] as const),
    ...changed.map(({ now, path }) => [path, now.id] as const)
  ])
  if (![...wanted.keys()].every((path) => isShort(place, path))) return false
  const proving = Effect.gen(function*() {
    const areFrozen = yield* tryFiles(place, () => {
      makeGit(store, part)
      return [...wanted].every(([path, id]) => {
        const to = pathIn(place, path)
        mkdirSync(pathIn(place, directoryOf(path)), { recursive: true })
        const from = pathIn(store.repository.top, path)
        if (lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return false
        copyFileSync(from, to)
        return blobIdAt(store, to) === id
      })
    })
    if (!areFrozen) return false
    const entries = changed.map(({ path, then }) => ({ flag: "H", mode: then.mode, id: then.id, stage: "0", path }))
    const attributes = yield* attributesOf(store, part, entries.map(({ path }) => path))
    const plain = entries.filter(({ path }) => !attributes.has(path))
    const ids = yield* committedIds(part, plain.map(({ path }) => path))
    if (!plain.every(({ path, id }) => ids.get(path) === id)) return false
    for (const entry of entries) {
      const own = attributes.get(entry.path)
      if (own !== undefined && !(yield* isProven(part, entry, own))) return false
    }
    return true
  })
  return yield* Effect.ensuring(proving, Effect.ignore(tryFiles(place, () => removeTree(place))))
})
