// EarlierSnapshots.live: what version 0.1.0 left in users' repositories: snapshots under `refs/ooda/<run>/<number>`.
// Only their runs are read. git restores them, and `runs --prune` removes them.
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { jsonText } from "../text/Json.ts"
import type { CodeFailed } from "./CodeFailed.ts"
import { nameBytes } from "./Names.ts"
import { repositoryAt } from "./Repository.live.ts"
import { theirs } from "./SafeGit.live.ts"
import type { Snapshotted } from "./Snapshots.ts"

const Facts = Schema.Struct({
  schema: Schema.Literal(1),
  run: Schema.Struct({
    root: Schema.String,
    repoId: Schema.String,
    targetKey: Schema.String,
    runId: Schema.String
  }),
  at: Schema.String,
  cause: Schema.Struct({ _tag: Schema.String }),
  repositories: Schema.Array(Schema.Struct({ name: Schema.String }))
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Facts))
const below = "refs/ooda/"

/** The snapshots in the repository around a directory, in the order of their numbers; of one run or of all. */
const listed = Effect.fnUntraced(function*(cwd: string, runId: string | null) {
  const { gitDirectory } = yield* repositoryAt(cwd)
  const under = runId === null ? below : `${below}${runId}/`
  const format = "--format=%(refname)%00%(contents:body)%00%00"
  const { out } = yield* theirs(gitDirectory, ["for-each-ref", "--sort=version:refname", format, under])
  const found = out.split("\0\0\n").flatMap((entry) => {
    const [ref = "", body = ""] = entry.split("\0")
    const facts = Option.getOrNull(decode(Buffer.from(body, "latin1").toString()))
    return facts === null ? [] : [{ ref, ...facts }]
  })
  return { gitDirectory, found }
})

/** The runs that left snapshots in the repository around a directory. */
export const earlierRuns = Effect.fnUntraced(function*(cwd: string) {
  const byRun = new Map<string, Snapshotted>()
  for (const { at, run } of (yield* listed(cwd, null)).found) {
    const key = jsonText([run.root, run.repoId, run.targetKey, run.runId])
    byRun.set(key, { run, at: Math.max(Date.parse(at), byRun.get(key)?.at ?? 0) })
  }
  return [...byRun.values()]
})

/** The git commands that show and restore the state before the last agent of a run; empty without snapshots. */
export const earlierCommands = Effect.fnUntraced(function*(cwd: string, runId: string) {
  const { found } = yield* listed(cwd, runId)
  const last = found.findLast(({ cause }) => cause._tag === "BeforeAgent")
  return last === undefined
    ? []
    : [`git diff --stat ${last.ref}`, `git restore --source=${last.ref} --worktree -- :/`]
})

/**
 * Removes the snapshots of a run from the repository around a directory and from the nested repositories that they
 * name. Whoever can write a ref chooses these names, so each repository is visited once, wherever they lead.
 */
export const forgetEarlier = (worktree: string, runId: string): Effect.Effect<void, CodeFailed> => {
  const visited = new Set<string>()
  const forget = (cwd: string): Effect.Effect<void, CodeFailed> =>
    Effect.gen(function*() {
      const { found, gitDirectory } = yield* listed(cwd, runId)
      if (visited.has(gitDirectory)) return
      visited.add(gitDirectory)
      const names = new Set(found.flatMap(({ repositories }) => repositories.map(({ name }) => name)))
      for (const name of names) {
        // A removed repository has taken its snapshots along.
        yield* Effect.ignore(forget(join(cwd, Buffer.from(nameBytes(name)).toString())))
      }
      const input = found.map(({ ref }) => `delete ${ref}\n`).join("")
      if (input !== "") yield* theirs(gitDirectory, ["update-ref", "--stdin"], { input })
    })
  return forget(worktree)
}
