// SnapshotPlan: what has to be done in one repository so that its files are those of a snapshot again.
// Whatever the snapshot did not hold, or its rules ignored, is not in a plan. A plan is refused before it begins.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { Snapshot } from "../../core/agent/Snapshot.ts"
import { git } from "./Command.ts"
import { placeOf } from "./Index.ts"
import { must, trying } from "./Must.ts"
import type { Scratch } from "./Scratch.ts"
import type { Entry } from "./SnapshotBytes.ts"
import { factsAt, isWithin } from "./SnapshotFiles.ts"
import { whyNot } from "../process/Exec.ts"

/** What is to be removed and written. Names are bytes. Where `rightsOnly`, the bytes are there already. */
export interface Plan {
  readonly removed: ReadonlyArray<string>
  readonly written: ReadonlyArray<Entry & { readonly rightsOnly: boolean }>
}

/** A file or directory that nobody may overwrite, because no snapshot holds it, and the path whose place it is in. */
export interface Obstacle {
  readonly name: string
  readonly by: string
}

const isFile = (mode: string): boolean => mode !== "000000" && mode !== "160000"

interface Change {
  readonly before: Entry
  readonly after: Entry
}

/** The changes from one tree to another. */
export const changesBetween = Effect.fnUntraced(function*(root: string, from: string, to: string, scratch: Scratch) {
  const told = yield* must(
    root,
    ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to],
    scratch.env,
    ""
  )
  const parts = told.split("\0")
  return parts.flatMap((head, i): ReadonlyArray<Change> => {
    const name = parts[i + 1] ?? ""
    const [, old = "", mode = "", oldId = "", id = ""] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(head) ?? []
    return i % 2 === 1 || mode === "" ? [] : [{ before: { mode: old, id: oldId, name }, after: { mode, id, name } }]
  })
})

/** The paths among some that the rules of a snapshot ignore: those in its files, and those of the repository itself. */
const ignoredBy = Effect.fnUntraced(
  function*(root: string, tree: string, names: ReadonlyArray<string>, scratch: Scratch) {
    if (names.length === 0) return new Set<string>()
    const rules = join(scratch.dir, "rules")
    const listed = (yield* must(root, ["ls-tree", "-r", "-z", "--full-tree", tree], scratch.env, "")).split("\0")
    yield* trying(() => mkdirSync(rules))
    for (const line of listed) {
      const [, id = "", name = ""] = /^100\d+ blob ([0-9a-f]+)\t((?:[^]*\/)?\.gitignore)$/.exec(line) ?? []
      if (name === "") continue
      const text = Buffer.from(
        (yield* git(root, ["cat-file", "blob", id], {}, { encoding: "latin1" })).stdout,
        "latin1"
      )
      yield* trying(() => {
        mkdirSync(placeOf(rules, dirname(name)), { recursive: true })
        writeFileSync(placeOf(rules, name), text)
      })
    }
    const own = yield* must(root, ["rev-parse", "--absolute-git-dir"])
    // Without an index: what is tracked by now says nothing about what was ignored then.
    const env = { GIT_DIR: own, GIT_WORK_TREE: rules, GIT_INDEX_FILE: join(scratch.dir, "none") }
    const asked = { input: names.map((name) => `${name}\0`).join(""), encoding: "latin1" } as const
    const done = yield* git(rules, ["check-ignore", "--no-index", "-z", "--stdin"], env, asked)
    if (done.code !== 0 && done.code !== 1) return yield* Effect.fail(whyNot("git", done))
    return new Set(done.stdout.split("\0"))
  }
)

/** Everything below a directory that is no directory itself. */
const below = (root: string, name: string): ReadonlyArray<string> =>
  readdirSync(placeOf(root, name), { withFileTypes: true, encoding: "buffer" }).flatMap((entry) => {
    const path = `${name}/${entry.name.toString("latin1")}`
    return entry.isDirectory() ? below(root, path) : [path]
  })

/** The directories on the way to a path, the outermost first. */
export const directoriesTo = (name: string): ReadonlyArray<string> => {
  const parts = name.split("/")
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"))
}

/** The path of something that no snapshot holds and that lies in the place of a file to be written; null for none. */
const obstacleOf = (root: string, name: string, held: boolean, removed: ReadonlySet<string>): string | null => {
  for (const directory of directoriesTo(name)) {
    const facts = factsAt(root, directory)
    if (facts === null) return null
    if (!facts.isDirectory()) return removed.has(directory) ? null : directory
  }
  const facts = factsAt(root, name)
  if (facts === null || (held && (facts.isFile() || facts.isSymbolicLink()))) return null
  return facts.isDirectory() ? below(root, name).find((one) => !removed.has(one)) ?? null : name
}

/**
 * What has to be done in the worktree at `root`, whose present files are those of the tree `present`. Fails with one
 * line where it cannot be told, or with what is in the way.
 */
export const planOf = Effect.fnUntraced(function*(root: string, present: string, to: Snapshot, scratch: Scratch) {
  const changes = yield* changesBetween(root, present, to.commit, scratch)
  const gone = changes.filter(({ after, before }) => isFile(before.mode) && !isFile(after.mode)).map(({ before }) =>
    before.name
  )
  const ignored = yield* ignoredBy(root, to.commit, gone, scratch)
  const removed = gone.filter((name) => !ignored.has(name) && !to.leftOut.some((one) => isWithin(name, one)))
  const going = new Set(removed)
  const wanted = changes.filter(({ after }) => isFile(after.mode))
  for (const { after: { name }, before } of wanted) {
    const by = obstacleOf(root, name, isFile(before.mode), going)
    if (by !== null) return yield* Effect.fail({ name, by } satisfies Obstacle)
  }
  const written = wanted.map(({ after, before }) => ({
    ...after,
    rightsOnly: before.id === after.id && before.mode.startsWith("100") && after.mode.startsWith("100")
  }))
  return { removed, written } satisfies Plan
})

/** The directories in which files of one tree lie that the other lacks. They go where they become empty. */
export const emptied = Effect.fnUntraced(function*(root: string, from: string, to: string, scratch: Scratch) {
  const changes = yield* changesBetween(root, from, to, scratch)
  const gone = changes.filter(({ after, before }) => isFile(before.mode) && !isFile(after.mode))
  const kept = new Set(
    changes.filter(({ after }) => isFile(after.mode)).flatMap(({ after }) => directoriesTo(after.name))
  )
  const left = new Set(gone.flatMap(({ before }) => directoriesTo(before.name)))
  return [...left].filter((name) => !kept.has(name)).sort().reverse()
})
