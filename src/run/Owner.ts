// Owner: which worktree owns a run, and the error of a name that leads to no run or to several.
import { Array as Arrays, Effect, Option, Schema, Stream } from "effect"
import { exits } from "../platform/Failure.ts"
import { EventLog } from "../log/EventLog.ts"
import { newestFirst, type RunRef, type TargetRef } from "../log/Refs.ts"
import { beginning, type StreamKind } from "../log/StreamKind.ts"
import { recovered } from "../platform/Note.ts"
import { brief } from "../text/Untrusted.ts"
import { reviewRun } from "./ReviewRun.ts"
import { type Place, readerCall, unnamed } from "./Naming.ts"
import { isPlanRun, planLog } from "./RunKind.ts"
import { RunStore } from "./RunStore.ts"

const TargetPlace = { targetKey: Schema.String, place: Schema.String }
const Names = Schema.Array(Schema.Struct({ repoId: Schema.String, targetKey: Schema.String, runId: Schema.String }))

/**
 * Why there is no such run, or no single one. `OnlyElsewhere`: another checkout has runs, `newest` among them.
 * `NotBegun`: a run without a first line. `place` is where a target's runs lie.
 */
export const NoSuchRunReason = Schema.Union([
  Schema.TaggedStruct("NoneHere", { repoId: Schema.String, root: Schema.String }),
  Schema.TaggedStruct("OnlyElsewhere", { worktree: Schema.String, newest: Schema.String }),
  Schema.TaggedStruct("NoneBegins", { prefix: Schema.String, root: Schema.String }),
  Schema.TaggedStruct("Several", { prefix: Schema.String, runs: Names }),
  Schema.TaggedStruct("SeveralUnderWay", { runs: Names }),
  Schema.TaggedStruct("NoneOfTarget", TargetPlace),
  Schema.TaggedStruct("LatestDangling", TargetPlace),
  Schema.TaggedStruct("NotBegun", { runId: Schema.String })
])
export type NoSuchRunReason = typeof NoSuchRunReason.Type

// How many runs a message names if a prefix fits several.
const most = 3

const runNames = (runs: typeof Names.Type): string => {
  const names = runs.slice(0, most).map(({ repoId, runId, targetKey }) => `${runId} (${repoId}/${targetKey})`)
  return `${names.join(", ")}${runs.length > most ? " and more" : ""}`
}

const longest = 300

const reasonText = (reason: NoSuchRunReason, place: Place): string => {
  const call = (words: string): string => readerCall(words, { ...place, run: null })
  // `converge` begins runs on this machine only.
  const begin = place.store === null ? `begin one: ${call("converge --uncommitted")}; ` : ""
  const none = `[${begin}those of other repositories: ${call("runs --all")}]`
  const found = `[\`${call("runs --all")}\` lists those that are there${
    place.store === null ? "; --state-root names another place" : ""
  }]`
  switch (reason._tag) {
    case "NoneHere":
      return `no run of this repository (${reason.repoId}) under ${brief(reason.root, longest)} ${none}`
    case "OnlyElsewhere":
      return `no such run of ${reason.worktree}; name the run of another checkout, such as --run ${reason.newest}`
    case "NoneBegins":
      return `no run begins with ${brief(reason.prefix, 80)} under ${brief(reason.root, longest)} ${found}`
    case "Several":
      return `${reason.prefix} is the beginning of several runs: ${runNames(reason.runs)}; name more of one`
    case "SeveralUnderWay":
      return `several runs of this worktree are under way: ${runNames(reason.runs)}; name one`
    case "NoneOfTarget":
      return `no run of ${reason.targetKey} under ${brief(reason.place, longest)} ${found}`
    case "LatestDangling":
      return `latest of ${reason.targetKey} names a run that does not exist under ${
        brief(reason.place, longest)
      } [a step opens a new one]`
    case "NotBegun":
      return `run ${reason.runId} has not begun [call the step again]`
  }
}

/** There is no such run, or more than one. `place` is the one that the caller named. */
export class NoSuchRun extends Schema.TaggedError<NoSuchRun>()("NoSuchRun", {
  reason: NoSuchRunReason,
  place: Schema.optionalKey(Schema.Struct({
    stateRoot: Schema.NullOr(Schema.String),
    store: Schema.NullOr(Schema.String)
  }))
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return reasonText(this.reason, this.place ?? unnamed)
  }
}

// Owners, from the first line of a log. Every mark loads this, so it needs no event of a plan and no walk.

/**
 * `Unbegun`: the log has no line yet, because a crash cut the creation short. `Unknown`: its first line cannot be read.
 */
type Owner =
  | { readonly _tag: "Worktree"; readonly path: string }
  | { readonly _tag: "Unbegun" }
  | { readonly _tag: "Unknown" }

const unbegun: Owner = { _tag: "Unbegun" }
const unknown: Owner = { _tag: "Unknown" }

/** The owner fields of a run's first event, whatever else it holds. */
const Creation = Schema.TaggedUnion({
  PlanStarted: { worktree: Schema.String },
  RunCreated: { worktree: Schema.String }
})

const planCreation: StreamKind<typeof Creation.Type, null> = {
  ...planLog,
  event: Creation,
  fold: { initial: () => null, evolve: () => null }
}

const creationIn = Schema.decodeUnknownOption(Creation)

/** The lines of a run's own log, whatever they hold. */
const linesOf = (run: RunRef) =>
  Stream.unwrap(
    EventLog.useSync((log) =>
      isPlanRun(run) ? log.stream(planCreation, run, beginning) : log.stream(reviewRun, run, beginning)
    )
  ).pipe(
    Stream.map(({ lines }) => lines),
    Stream.filter(Arrays.isReadonlyArrayNonEmpty),
    Stream.flattenArray
  )

const Tagged = Schema.Struct({ _tag: Schema.String })
const isTagged = Schema.is(Tagged)
const work: ReadonlySet<string> = new Set(["BatchStarted", "CycleStarted"])

/** Whether a run has begun a review or a round. The run of a refused call has not; a damaged log counts as begun. */
export const hasWork = Effect.fn("Owner.hasWork")((run: RunRef) =>
  linesOf(run).pipe(
    Stream.filter(({ events }) => events.some((event) => isTagged(event) && work.has(event._tag))),
    Stream.runHead,
    Effect.map(Option.isSome),
    Effect.tapError(recovered("the run counts as begun")),
    Effect.orElseSucceed(() => true)
  )
)

const read = Effect.fnUntraced(function*(run: RunRef) {
  const first = yield* Stream.runHead(linesOf(run))
  if (Option.isNone(first)) return unbegun
  const [created] = Arrays.getSomes(first.value.events.map((event) => creationIn(event)))
  return created === undefined ? unknown : { _tag: "Worktree", path: created.worktree } as const
})

/** Reads the first line of a run's log. Never fails: if that line cannot be read, the owner is unknown. */
export const ownerOf = Effect.fn("Owner.ownerOf")((run: RunRef) =>
  read(run).pipe(
    Effect.tapError(recovered("the run's owner is unknown")),
    Effect.catch((error) => Effect.succeed<Owner>(error._tag === "LogMissing" ? unbegun : unknown))
  )
)

/**
 * The store in which the runs of a target in a worktree continue: the newest run's, else the preferred one. A store
 * inside the worktree is skipped if there is another: agents may not write where runs are stored.
 */
export const storeOf = Effect.fn("Owner.storeOf")(
  function*(roots: ReadonlyArray<string>, target: Omit<TargetRef, "root">, worktree: string) {
    const outside = roots.filter((root) => !root.startsWith(`${worktree}/`))
    const [preferred = "", ...others] = outside.length === 0 ? roots : outside
    if (others.length === 0) return preferred
    const newest = yield* Effect.forEach([preferred, ...others], (root) => newestIn({ ...target, root }, worktree))
    const [first] = newest.filter((run) => run !== null).sort(newestFirst)
    return first?.root ?? preferred
  }
)

/** Whether a run may be of a worktree: where its first line is damaged, reading it reports the damage. */
export const isOf = (worktree: string, owner: Owner): boolean =>
  owner._tag === "Unknown" || (owner._tag === "Worktree" && owner.path === worktree)

/** The newest run of a target that a worktree has begun, or null: other worktrees may have runs of the same target. */
export const newestIn = Effect.fn("Owner.newestIn")(function*(target: TargetRef, worktree: string) {
  for (const run of yield* (yield* RunStore).runs(target)) {
    if (isOf(worktree, yield* ownerOf(run))) return run
  }
  return null
})
