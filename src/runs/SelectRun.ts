// SelectRun: which stored runs a command is about.
// The one rule: nothing is guessed: a prefix that fits several runs, or none, is said and nothing is read.
import { Effect, Schema, Stream } from "effect"
import { beginning } from "../core/log/Line.ts"
import { targetRoot } from "../core/run/Paths.ts"
import type { Selector } from "../commands/Subcommand.ts"
import { type Target, targetKey } from "../core/run/Target.ts"
import { EventLog } from "../services/EventLog.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import { type StoredRun, StoredRuns } from "../services/StoredRuns.ts"
import { eventsOf } from "../history/Walk.ts"

/** Where runs are looked for: the configured state root (null for the default) and the caller's directory. */
export interface Where {
  readonly stateRoot: string | null
  readonly cwd: string
}

/** There is no such run, or more than one. */
export class NoSuchRun extends Schema.TaggedError<NoSuchRun>()("NoSuchRun", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The worktree that the first line of a run names: null when it has no line yet, undefined when it cannot be read. */
const worktreeOf = Effect.fnUntraced(function*({ dir }: StoredRun) {
  const log = yield* EventLog
  const first = yield* log.stream(dir, beginning).pipe(
    Stream.take(1),
    Stream.runCollect,
    Effect.map(([part]) => part?.lines[0] ?? null),
    // A log without a line is what a crash while a run was being created leaves.
    Effect.catch((error) => Effect.succeed(error._tag === "LogMissing" ? null : undefined))
  )
  if (first === null || first === undefined) return first
  const created = eventsOf(first).find((event) => event?._tag === "RunCreated")
  return created?._tag === "RunCreated" ? created.worktree : undefined
})

const newest = Effect.fnUntraced(function*(root: string, { cwd }: Where) {
  const repository = yield* (yield* Git).repository(cwd)
  let other: StoredRun | null = null
  for (const run of yield* (yield* StoredRuns).list(root, repository.id)) {
    const worktree = yield* worktreeOf(run)
    // A run whose first line is damaged may well be the one that is asked for.
    if (worktree === repository.root || worktree === undefined) return run
    if (worktree !== null) other ??= run
  }
  return other ?? (yield* new NoSuchRun({ reason: `no run of this repository (${repository.id}) under ${root}` }))
})

const named = Effect.fnUntraced(function*(root: string, prefix: string, { cwd }: Where) {
  const runs = yield* StoredRuns
  const here = yield* Effect.option((yield* Git).repository(cwd))
  const fits = ({ runId }: StoredRun) => runId.startsWith(prefix)
  const near = here._tag === "Some" ? (yield* runs.list(root, here.value.id)).filter(fits) : []
  const found = near.length > 0 ? near : (yield* runs.list(root, null)).filter(fits)
  const [first, second] = found
  if (first === undefined) return yield* new NoSuchRun({ reason: `no run begins with ${prefix} under ${root}` })
  if (second !== undefined) {
    const names = found.slice(0, 3).map(({ repoId, runId, targetKey }) => `${runId} (${repoId}/${targetKey})`)
    const more = found.length > 3 ? " and more" : ""
    return yield* new NoSuchRun({ reason: `${prefix} is the beginning of several runs: ${names.join(", ")}${more}` })
  }
  return first
})

const latest = Effect.fnUntraced(function*(root: string, target: Target, { cwd }: Where) {
  const repository = yield* (yield* Git).repository(cwd)
  const key = targetKey(target)
  const at = targetRoot(root, repository.id, key)
  const pointer = yield* (yield* RunStore).latest(at)
  if (pointer._tag === "Run") {
    const { runId } = pointer
    return { runId, dir: `${at}/runs/${runId}`, repoId: repository.id, targetKey: key } satisfies StoredRun
  }
  const reason = pointer._tag === "None" ? `no run of ${key}` : `latest of ${key} leads nowhere`
  return yield* new NoSuchRun({ reason: `${reason} under ${at}` })
})

/** The run that a selector names. The newest is this worktree's, else the newest of the repository. */
export const select = Effect.fn("Selection.select")(function*(selector: Selector, where: Where) {
  const root = yield* (yield* RunStore).stateRoot(where.stateRoot, where.cwd)
  switch (selector._tag) {
    case "Newest":
      return yield* newest(root, where)
    case "Named":
      return yield* named(root, selector.prefix, where)
    case "Latest":
      return yield* latest(root, selector.target, where)
  }
})

/** Every run of the repository around the caller's directory, or every run of the state root; newest first. */
export const selectAll = Effect.fn("Selection.selectAll")(function*(where: Where, everywhere: boolean) {
  const root = yield* (yield* RunStore).stateRoot(where.stateRoot, where.cwd)
  const repository = everywhere ? null : (yield* (yield* Git).repository(where.cwd)).id
  return yield* (yield* StoredRuns).list(root, repository)
})
