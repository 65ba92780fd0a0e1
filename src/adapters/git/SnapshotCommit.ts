// SnapshotCommit: the commits of snapshots and the refs that keep them: `refs/ooda/<run>/<n>`.
// A ref is written once its commit is whole, the innermost repository first, so that what is listed can be undone.
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { readSnapshotMessage, type Snapshot, type SnapshotFacts, snapshotMessage } from "../../core/agent/Snapshot.ts"
import { headOf } from "./Capture.ts"
import { nameOf } from "./Index.ts"
import { inOwn } from "./Isolate.ts"
import { must } from "./Must.ts"
import { type Scratch, scratchOf } from "./Scratch.ts"
import { type Filed, fileAll } from "./SnapshotFiles.ts"
import { ourRefs, stateOf } from "./SnapshotState.ts"

/** What a snapshot is taken for. */
export type Purpose = Pick<SnapshotFacts, "run" | "number" | "at" | "cause">

/** A snapshot of one repository that no ref keeps yet, with those of the repositories in it. */
export interface Prepared {
  readonly root: string
  readonly scratch: Scratch
  readonly filed: Filed
  readonly snapshot: Snapshot
  readonly inner: ReadonlyArray<Prepared & { readonly name: string }>
}

/** The paths that a snapshot has to hold if they are there, in one of the repositories. */
export type Also = (root: string) => Effect.Effect<Iterable<string>, string>

const author = {
  GIT_AUTHOR_NAME: "ooda-codex-review",
  GIT_AUTHOR_EMAIL: "ooda-codex-review@localhost",
  GIT_COMMITTER_NAME: "ooda-codex-review",
  GIT_COMMITTER_EMAIL: "ooda-codex-review@localhost"
}

const refOf = ({ number, run }: Pick<SnapshotFacts, "run" | "number">): string => `${ourRefs}${run.runId}/${number}`

/** Makes the commit of a snapshot of the worktree at `root`, and of the repositories in it. */
export const prepare = (root: string, purpose: Purpose, also: Also): Effect.Effect<Prepared, string, Scope.Scope> =>
  Effect.gen(function*() {
    const scratch = yield* scratchOf(root, "kept")
    const filed = yield* fileAll(root, scratch, yield* also(root))
    const state = yield* stateOf(root, scratch, filed.index)
    const inner: Array<Prepared & { readonly name: string }> = []
    const unread: Array<string> = []
    for (const name of filed.repositories) {
      const one = prepare(join(root, nameOf(name)), purpose, also)
      // A directory that is no repository to git any more still has files, which no snapshot holds.
      const made = yield* Effect.option(inOwn(one))
      if (made._tag === "Some") inner.push({ ...made.value, name })
      else unread.push(`${name}/`)
    }
    const facts: SnapshotFacts = {
      schema: 1,
      ...purpose,
      worktree: root,
      leftOut: [
        ...filed.leftOut,
        ...unread,
        ...inner.flatMap(({ name, snapshot }) => snapshot.leftOut.map((one) => `${name}/${one}`))
      ],
      repositories: inner.map(({ name, snapshot }) => ({ name, commit: snapshot.commit })),
      git: [
        ...state,
        ...inner.flatMap(({ name, snapshot }) =>
          snapshot.git.map(({ digest, part }) => ({ part: `${part} of ${name}`, digest }))
        )
      ]
    }
    const { head } = yield* headOf(root)
    const when = `${Math.floor(Date.parse(purpose.at) / 1000)} +0000`
    const env = { ...scratch.env, ...author, GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when }
    const parents = head === null ? [] : ["-p", head]
    const message = Buffer.from(snapshotMessage(facts)).toString("latin1")
    const command = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", filed.tree, ...parents]
    const commit = yield* must(root, command, env, message)
    return { root, scratch, filed, snapshot: { ...facts, commit }, inner }
  })

/** Writes the refs of a snapshot. The outermost one comes last: with it the snapshot exists. */
export const publish = ({ inner, root, snapshot }: Prepared, isOuter = true): Effect.Effect<void, string> =>
  Effect.gen(function*() {
    for (const one of inner) yield* inOwn(publish(one, false))
    // A ref of a snapshot that was cut off may be left in an inner repository; an outer one is never replaced.
    const before = isOuter ? ["0".repeat(snapshot.commit.length)] : []
    yield* must(root, ["update-ref", refOf(snapshot), snapshot.commit, ...before])
  })

/** The facts in some commits, by their ids. Those that are no snapshots are left out. */
export const readCommits = Effect.fnUntraced(function*(root: string, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return []
  const text = yield* must(root, ["cat-file", "--batch"], {}, ids.map((id) => `${id}\n`).join(""))
  const found: Array<Snapshot> = []
  let at = 0
  while (at < text.length) {
    const end = text.indexOf("\n", at)
    const [commit = "", kind, size] = text.slice(at, end < 0 ? text.length : end).split(" ")
    at = end < 0 ? text.length : end + 1
    if (kind !== "commit") continue
    const body = Buffer.from(text.slice(at, at + Number(size)), "latin1").toString("utf8")
    at += Number(size) + 1
    const facts = readSnapshotMessage(body.slice(body.indexOf("\n\n") + 2))
    if (facts !== null) found.push({ ...facts, commit })
  }
  return found
})

/** The snapshots that the refs below a name keep, oldest first. */
export const snapshotsBelow = Effect.fnUntraced(function*(root: string, runId: string | null) {
  const below = runId === null ? ourRefs : `${ourRefs}${runId}/`
  const listed = yield* must(root, ["for-each-ref", "--format=%(objectname)", below])
  const found = yield* readCommits(root, listed.split("\n").filter((id) => id !== ""))
  return [...found].sort((a, b) => a.number - b.number)
})

/** Deletes the refs of a run's snapshots, in the repositories within first. */
export const forgetRefs = (root: string, runId: string): Effect.Effect<void, string> =>
  Effect.gen(function*() {
    const snapshots = yield* snapshotsBelow(root, runId)
    const names = new Set(snapshots.flatMap(({ repositories }) => repositories.map(({ name }) => name)))
    for (const name of names) {
      const inner = inOwn(forgetRefs(join(root, nameOf(name)), runId))
      // A repository that is gone has taken its refs with it.
      yield* Effect.ignore(inner)
    }
    const refs = yield* must(root, ["for-each-ref", "--format=delete %(refname)", `${ourRefs}${runId}/`])
    if (refs !== "") yield* must(root, ["update-ref", "--stdin"], {}, `${refs}\n`)
  })
