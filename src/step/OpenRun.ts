// OpenRun: the run of an invocation: the one to resume, or a new one with its recorded reason.
// One candidate is examined, and only under the target's lock is a run created or `latest` moved.
import { Clock, Effect, Equal, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { Git } from "../code/Git.ts"
import { baseOrLast, presentIdentity, presentWith } from "../code/PresentIdentity.ts"
import { finishUndo } from "../code/Snapshots.ts"
import { EventLog } from "../log/EventLog.ts"
import { runIdAfter, type RunRef } from "../log/Refs.ts"
import type { Head } from "../log/StreamKind.ts"
import { shellWord } from "../text/Phrases.ts"
import { isKnownToDiffer } from "../run/Cover.ts"
import type { EventOf, ResumeReason } from "../run/Event.ts"
import { differs, sameInput } from "../run/Identity.ts"
import { underWay } from "../run/Batch.ts"
import { Level } from "../run/Level.ts"
import { initial, type Manifest } from "../run/Manifest.ts"
import { reviewRun } from "../run/ReviewRun.ts"
import { refuseJobs } from "../run/Jobs.ts"
import type { Run } from "../run/Run.ts"
import { RunStore } from "../run/RunStore.ts"
import type { Settings } from "../run/Settings.ts"
import { storeOf } from "../run/Owner.ts"
import { targetKey } from "../run/Target.ts"
import { waysOn } from "./CallLine.ts"
import { current, load, type WorkPlace, currentAfterUndo } from "./RunOfWorktree.ts"

/** The run and the call are not both strict or trust different commits, or a strict mark finds no run to answer. */
export class StrictnessRefused extends Schema.TaggedError<StrictnessRefused>()("StrictnessRefused", {
  reason: Schema.TaggedUnion({
    RunIsStrict: {},
    RunIsNotStrict: {},
    ReadsWorktree: { run: Schema.String },
    FloorDiffers: { floor: Level },
    TrustDiffers: { run: Schema.NullOr(Schema.String), call: Schema.NullOr(Schema.String) },
    TrustsNoCommit: { call: Schema.String },
    TrustsTheChange: { call: Schema.String },
    LadderBegun: {
      run: Schema.String,
      floor: Level,
      /** The commands that continue and that begin a new run; null if the call is unknown. */
      ways: Schema.NullOr(Schema.Struct({ goOn: Schema.String, fresh: Schema.String }))
    },
    NoRun: { run: Schema.NullOr(Schema.String) }
  })
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const { reason } = this
    switch (reason._tag) {
      case "RunIsStrict":
        return "this run is strict: repeat --strict"
      case "RunIsNotStrict":
        return "this run is not strict: a step with --strict opens one that is"
      case "ReadsWorktree":
        return `run ${reason.run} was begun by an earlier version, whose strict reviews read the worktree itself, which ` +
          "may change meanwhile: open another run with --fresh"
      case "FloorDiffers":
        return `this run begins at ${reason.floor}: repeat --level ${reason.floor}`
      case "TrustDiffers": {
        const { call, run } = reason
        return run === null
          ? `this run was begun without --trust-from: --fresh opens one that trusts ${call}`
          : `this run trusts ${run}: repeat --trust-from ${shellWord(run)}, or open another run with --fresh`
      }
      case "TrustsNoCommit":
        return `--trust-from ${reason.call} names no commit here: name a branch, a tag or a commit that is`
      case "TrustsTheChange":
        return `--trust-from ${reason.call} is the change under review itself: name a commit without it`
      case "LadderBegun":
        return `run ${reason.run} of this target began at ${reason.floor} and is not finished: ` +
          (reason.ways === null
            ? `add --level ${reason.floor} to continue it, or --fresh to begin a new run`
            : `continue it [${reason.ways.goOn}], or begin a new run [${reason.ways.fresh}]`)
      case "NoRun":
        return `there is no run${reason.run === null ? "" : ` ${reason.run}`} to answer: a strict mark never opens one`
    }
  }
}

type Reason = StrictnessRefused["reason"]

const reasonAgainst = (manifest: Manifest, settings: Settings, isMark: boolean): Reason | null => {
  const { start_level: floor, strict, trust_from: run = null } = manifest
  const { trustFrom: call } = settings
  if (strict !== undefined && !settings.strict) return { _tag: "RunIsStrict" }
  if (strict !== undefined && manifest.frozen !== true) return { _tag: "ReadsWorktree", run: manifest.run_id }
  // A run that trusted another commit is refused: the author of the change may have influenced its earlier reviews.
  if (strict !== undefined && run !== call) return { _tag: "TrustDiffers", run, call }
  if (!isMark || !settings.strict) return null
  if (strict === undefined) return { _tag: "RunIsNotStrict" }
  return floor === settings.floor ? null : { _tag: "FloorDiffers", floor }
}

/** Refuses a call that does not fit a run's strictness or trust; a strict mark must also name the run's floor. */
export const checkFits = (manifest: Manifest, settings: Settings, isMark: boolean) => {
  const reason = reasonAgainst(manifest, settings, isMark)
  return reason === null ? Effect.void : Effect.fail(new StrictnessRefused({ reason }))
}

/** The commit that a new run trusts, by its name and id. A change has no say in its own reviews. */
export const trustedCommit = Effect.fn("OpenRun.trustedCommit")(
  function*({ target, trustFrom: call }: Settings, root: string) {
    if (call === null) return {}
    const { commit } = yield* Git
    const trustCommit = yield* commit(root, call)
    if (trustCommit === null) return yield* new StrictnessRefused({ reason: { _tag: "TrustsNoCommit", call } })
    const reviewed = target._tag === "Commit" ? target.sha : "HEAD"
    if (target._tag !== "Uncommitted" && trustCommit === (yield* commit(root, reviewed))) {
      return yield* new StrictnessRefused({ reason: { _tag: "TrustsTheChange", call } })
    }
    return { trustFrom: call, trustCommit }
  }
)

/** Whether the code is known to differ from the batch that a strict run's fixed point names. */
export const isFixedPointStale = Effect.fn("OpenRun.isFixedPointStale")(function*(manifest: Manifest) {
  const { fixed_point, strict } = manifest
  const last = fixed_point === null || strict === undefined ? null : strict.last[fixed_point.level]
  return last !== null && isKnownToDiffer(last, yield* presentIdentity(manifest))
})

// Opening

const End = Schema.Struct({ seq: Schema.Int, hash: Schema.String })

/** The run does not end where the caller's `--expect-head` says; `actual` is null without a run. */
export class HeadMoved extends Schema.TaggedError<HeadMoved>()("HeadMoved", {
  expected: End,
  actual: Schema.NullOr(End)
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    const found = this.actual === null ? "no such run" : headText(this.actual)
    return `the run has moved on: expected head ${headText(this.expected)}, found ${found} [look at it with replay]`
  }
}

const headText = ({ hash, seq }: Head): string => `${seq}:${hash}`
/** Loop mode may replace a damaged or stale run, a mark never does, and an inspection creates nothing. */
export type OpenMode = "loop" | "fresh" | "mark" | "inspect"

type Candidate =
  | { readonly _tag: "Resume"; readonly run: Run }
  | { readonly _tag: "Create"; readonly because: ResumeReason; readonly previous: Run | null }

/**
 * Finds the repository and the target in its store: for a call that is not strict always the contract's. `making`: the
 * call may create the user's own store. Writes nothing.
 */
export const locate = Effect.fn("OpenRun.locate")(function*(
  settings: Pick<Settings, "stateRoot" | "strict" | "target">,
  cwd: string,
  making = false
) {
  const repository = yield* (yield* Git).repository(cwd)
  const store = yield* RunStore
  const { stateRoot, strict } = settings
  const roots = strict ? yield* store.roots(stateRoot, cwd, making) : [yield* store.open(stateRoot, cwd)]
  const named = { repoId: repository.id, targetKey: targetKey(settings.target) }
  const target = { ...named, root: yield* storeOf(roots, named, repository.root) }
  return { repository, target } satisfies WorkPlace
})

/** The run that the next step would continue, whatever its floor, or would end if `latest` is gone; or null. */
export const currentRun = Effect.fn("OpenRun.currentRun")(function*(located: WorkPlace) {
  const found = yield* current(located)
  if (found._tag === "Found") return found.run
  return found._tag === "Unreadable" ? null : found.left
})

const stale = Effect.fnUntraced(function*({ manifest }: Run) {
  if (manifest.strict !== undefined) return yield* isFixedPointStale(manifest)
  if (manifest.fixed_point === null || manifest.batch._tag === "NotStarted") return false
  const base = yield* baseOrLast(manifest, manifest.batch.base)
  const { identity } = yield* presentWith(manifest, base)
  return differs(manifest.batch.completed ?? manifest.batch.identity, identity)
})

/** Whether a run has running reviewers, or its last batch is about the present code without a fixed point. */
const isUnfinished = Effect.fnUntraced(function*({ manifest }: Run) {
  const { batch, fixed_point } = manifest
  if (fixed_point !== null || batch._tag === "NotStarted") return false
  return underWay(batch).length > 0 || sameInput(batch.identity, yield* presentIdentity(manifest)) !== "Different"
})

const candidate = Effect.fnUntraced(function*(settings: Settings, located: WorkPlace, mode: OpenMode) {
  const create = (because: ResumeReason, previous: Run | null = null): Candidate => ({
    _tag: "Create",
    because: mode === "fresh" ? "Forced" : because,
    previous
  })
  const found = yield* (mode === "inspect" ? current(located) : currentAfterUndo(located)).pipe(
    // Only loop mode replaces a missing or damaged log; a mark on it must not land on an empty new run.
    Effect.catchTag(["LogMissing", "LogDamaged"], (error) => {
      return mode === "mark" ? Effect.fail(error) : Effect.succeed({ _tag: "Unreadable" } as const)
    })
  )
  switch (found._tag) {
    case "None":
      return create("NoLatestPointer", found.left)
    case "Dangling":
      return create("LatestDangling", found.left)
    case "Unreadable":
      return create("ManifestUnreadable")
    case "Found": {
      const { run } = found
      if (mode === "fresh") return create("Forced", run)
      if (mode !== "inspect") yield* checkFits(run.manifest, settings, mode === "mark")
      if (run.manifest.start_level !== settings.floor) {
        if (mode === "loop" && settings.strict && (yield* isUnfinished(run))) {
          const { run_id, start_level } = run.manifest
          const ways = yield* waysOn(start_level)
          return yield* new StrictnessRefused({
            reason: { _tag: "LadderBegun", run: run_id, floor: start_level, ways }
          })
        }
        return create("LevelMismatch", run)
      }
      if (mode !== "mark" && settings.strict && run.manifest.strict === undefined) {
        return create("StrictnessMismatch", run)
      }
      if (mode !== "mark" && (yield* stale(run))) return create("FixedPointStale", run)
      return { _tag: "Resume", run } satisfies Candidate
    }
  }
})

const created = Effect.fnUntraced(function*(settings: Settings, at: WorkPlace, because: ResumeReason, mode: OpenMode) {
  const store = yield* RunStore
  const now = yield* Clock.currentTimeMillis
  const [newest] = yield* store.runs(at.target)
  const runId = runIdAfter(yield* store.newRunId, newest?.runId ?? null)
  return {
    _tag: "RunCreated",
    runId,
    repoId: at.repository.id,
    worktree: at.repository.root,
    target: settings.target,
    startLevel: settings.floor,
    batchSize: settings.batchSize,
    createdAt: new Date(now).toISOString(),
    because,
    nonce: yield* store.nonce,
    ...(settings.strict ? { strict: true, frozen: true } : {}),
    ...yield* trustedCommit(settings, at.repository.root),
    ...(mode === "mark" ? { by: "Mark" as const } : {})
  } satisfies EventOf<"RunCreated">
})

const pointerless: ReadonlyArray<ResumeReason> = ["NoLatestPointer", "LatestDangling"]

const refOf = ({ target }: WorkPlace, { runId }: EventOf<"RunCreated">): RunRef => ({ ...target, runId })

/** Fails with HeadMoved if the caller expects a head and the log of the run does not end there. */
export const expectHead = (expected: Head | null, run: Pick<Run, "head"> | null) => {
  if (expected === null || (run !== null && run.head.seq === expected.seq && run.head.hash === expected.hash)) {
    return Effect.void
  }
  return Effect.fail(new HeadMoved({ expected, actual: run?.head ?? null }))
}

/** Opens a strict run of this worktree by its id. Tests may fail after their run was replaced by another one. */
export const openNamed = Effect.fn("OpenRun.openNamed")(
  function*(settings: Settings, located: WorkPlace, runId: string) {
    yield* refuseJobs([located.target.root], located.repository.root)
    const none = new StrictnessRefused({ reason: { _tag: "NoRun", run: runId } })
    const ref = (yield* (yield* RunStore).runs(located.target)).find((one) => one.runId === runId)
    if (ref === undefined) return yield* none
    const found = yield* load(located, ref).pipe(Effect.catchTag("LogMissing", () => Effect.fail(none)))
    if (found._tag !== "Found") return yield* none
    const { start_level: floor, trust_from: trustFrom = null } = found.run.manifest
    yield* checkFits(found.run.manifest, { ...settings, floor, trustFrom }, true)
    yield* Effect.andThen(
      expectHead(settings.expectHead, found.run),
      finishUndo(found.run.ref, found.run.manifest.worktree)
    )
    return found.run
  }
)

/**
 * Opens the run of an invocation: resumes without a lock, creates under the target's lock. `previous` is the run that a
 * new one leaves behind. Inspecting a missing run gives a run that is not on disk. `ready` is what must be done before
 * a new run replaces that run; if it fails, nothing was created.
 */
export const openRun = Effect.fn("OpenRun.openRun")(function*<E, R>(
  settings: Settings,
  located: WorkPlace,
  mode: OpenMode,
  ready: (previous: Run | null) => Effect.Effect<unknown, E, R>
) {
  const store = yield* RunStore
  if (mode !== "inspect") yield* refuseJobs([located.target.root], located.repository.root)
  const first = yield* candidate(settings, located, mode)
  // A strict mark answers a run that exists. A mark for a mistyped target must not open an empty one.
  if (first._tag === "Create" && mode === "mark" && settings.strict) {
    return yield* new StrictnessRefused({ reason: { _tag: "NoRun", run: null } })
  }
  // Only `--fresh` may leave the run whose head it names. Any other new run is not the intended one.
  const left = (found: Candidate) => found._tag === "Resume" ? found.run : mode === "fresh" ? found.previous : null
  yield* expectHead(settings.expectHead, left(first))
  if (first._tag === "Resume") {
    // The rules that hide a store in the worktree from reviews may be gone.
    if (mode !== "inspect") yield* store.prepare(located.target, located.repository.root)
    return { run: first.run, previous: null }
  }
  if (mode === "inspect") {
    const event = yield* created(settings, located, first.because, mode)
    const manifest = initial(event)
    return { run: { ref: refOf(located, event), manifest, head: { seq: 0, hash: "" } } satisfies Run, previous: null }
  }
  // Another process may be creating an unreferenced run now: it sets `latest` under the lock.
  const isUnpointed = first.previous !== null && pointerless.includes(first.because)
  const sure = isUnpointed ? yield* store.locked(located.target, candidate(settings, located, mode)) : first
  if (sure._tag === "Create") yield* ready(sure.previous)
  yield* store.prepare(located.target, located.repository.root)
  return yield* store.locked(
    located.target,
    Effect.gen(function*() {
      const instead = yield* store.latest(located.target)
      // Another process may have created the run while this one waited for the lock.
      const again = yield* candidate(settings, located, mode)
      yield* expectHead(settings.expectHead, left(again))
      if (again._tag === "Resume") return { run: again.run, previous: null }
      const event = yield* created(settings, located, again.because, mode)
      const ref = refOf(located, event)
      yield* store.create(ref)
      const head = yield* (yield* EventLog).create(reviewRun, ref, [event], instead)
      // A database did so with the first line. By now the lock may be lost, and `latest` name another's run.
      if (Equal.equals(yield* store.latest(located.target), instead)) yield* store.point(ref)
      return { run: { ref, manifest: initial(event), head, opened: event.because }, previous: again.previous }
    })
  )
})
