// OpenRun: which run an invocation works on: the one to resume, or a new one with its recorded reason.
// The one rule: one candidate is looked at, and only under the target's lock is a run created or `latest` moved.
import { Clock, Effect, Equal, Schema } from "effect"
import { differs } from "../core/run/Identity.ts"
import type { Head } from "../core/log/Head.ts"
import type { EventOf, ResumeReason } from "../core/run/Event.ts"
import type { Settings } from "../core/loop/Settings.ts"
import { initial } from "../core/run/Manifest.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { runIdAfter } from "../core/run/RunId.ts"
import { targetKey } from "../core/run/Target.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { baseOrLast, presentWith } from "./PresentIdentity.ts"
import { current, finishUndo, load, type Located, undone } from "./RunOfWorktree.ts"
import type { Run } from "./Run.ts"
import { fitting, isFixedPointStale, StrictnessRefused, trusted } from "./Strictness.ts"
import { EventLog } from "../services/EventLog.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"

const End = Schema.Struct({ seq: Schema.Int, hash: Schema.String })

/** The run does not end where the caller's `--expect-head` says; `actual` is null where there is no run. */
export class HeadMoved extends Schema.TaggedError<HeadMoved>()("HeadMoved", {
  expected: End,
  actual: Schema.NullOr(End)
}) {
  override get message() {
    const found = this.actual === null ? "no such run" : headText(this.actual)
    return `the run has moved on: expected head ${headText(this.expected)}, found ${found} [look at it with replay]`
  }
}

const headText = ({ hash, seq }: Head): string => `${seq}:${hash}`
/**
 * Who opens the run. Loop mode may replace a damaged or stale run, a mark never does, and an inspection creates
 * nothing.
 */
export type OpenMode = "loop" | "fresh" | "mark" | "inspect"

type Candidate =
  | { readonly _tag: "Resume"; readonly run: Run }
  | { readonly _tag: "Create"; readonly because: ResumeReason; readonly previous: Run | null }

/** Finds the repository and the target in the store. Writes nothing. */
export const locate = Effect.fn("OpenRun.locate")(function*(settings: Settings, cwd: string) {
  const repository = yield* (yield* Git).repository(cwd)
  const root = yield* (yield* RunStore).open(settings.stateRoot, cwd)
  const target = { root, repoId: repository.id, targetKey: targetKey(settings.target) }
  return { repository, target } satisfies Located
})

/** The run that the next step would go on with, whatever its floor, or would end where `latest` is gone; or null. */
export const currentRun = Effect.fn("OpenRun.currentRun")(function*(located: Located) {
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

const candidate = Effect.fnUntraced(function*(settings: Settings, located: Located, mode: OpenMode) {
  const create = (because: ResumeReason, previous: Run | null = null): Candidate => ({
    _tag: "Create",
    because: mode === "fresh" ? "Forced" : because,
    previous
  })
  const found = yield* (mode === "inspect" ? current(located) : undone(located)).pipe(
    // A missing or damaged log is replaced by loop mode only; a mark on it must not land on an empty new run.
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
      if (mode !== "inspect") yield* fitting(run.manifest, settings, mode === "mark")
      if (run.manifest.start_level !== settings.floor) return create("LevelMismatch", run)
      if (mode !== "mark" && settings.strict && run.manifest.strict === undefined) {
        return create("StrictnessMismatch", run)
      }
      if (mode !== "mark" && (yield* stale(run))) return create("FixedPointStale", run)
      return { _tag: "Resume", run } satisfies Candidate
    }
  }
})

const created = Effect.fnUntraced(function*(settings: Settings, at: Located, because: ResumeReason, mode: OpenMode) {
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
    ...(settings.strict ? { strict: true } : {}),
    ...yield* trusted(settings, at.repository.root),
    ...(mode === "mark" ? { by: "Mark" as const } : {})
  } satisfies EventOf<"RunCreated">
})

const pointerless: ReadonlyArray<ResumeReason> = ["NoLatestPointer", "LatestDangling"]

const refOf = ({ target }: Located, { runId }: EventOf<"RunCreated">): RunRef => ({ ...target, runId })

/** Fails with HeadMoved if the caller expects a head and the log of the run does not end there. */
export const expectHead = (expected: Head | null, run: Pick<Run, "head"> | null) => {
  if (expected === null || (run !== null && run.head.seq === expected.seq && run.head.hash === expected.hash)) {
    return Effect.void
  }
  return Effect.fail(new HeadMoved({ expected, actual: run?.head ?? null }))
}

/** Opens a strict run of this worktree by its id. Tests may turn red after their run was replaced by another one. */
export const openNamed = Effect.fn("OpenRun.openNamed")(function*(settings: Settings, located: Located, runId: string) {
  const none = new StrictnessRefused({ reason: { _tag: "NoRun", run: runId } })
  const ref = (yield* (yield* RunStore).runs(located.target)).find((one) => one.runId === runId)
  if (ref === undefined) return yield* none
  const found = yield* load(located, ref).pipe(Effect.catchTag("LogMissing", () => Effect.fail(none)))
  if (found._tag !== "Found") return yield* none
  const { start_level: floor, trust_from: trustFrom = null } = found.run.manifest
  yield* fitting(found.run.manifest, { ...settings, floor, trustFrom }, true)
  yield* Effect.andThen(expectHead(settings.expectHead, found.run), finishUndo(found.run))
  return found.run
})

/**
 * Opens the run of an invocation: resumes without a lock, creates under the target's lock. `previous` is the
 * run that a new one leaves behind. Inspecting a run that does not exist yields a run that is not on disk. `ready` is
 * what must be done before a new run takes that run's place; where it fails, nothing was created.
 */
export const openRun = Effect.fn("OpenRun.openRun")(function*<E, R>(
  settings: Settings,
  located: Located,
  mode: OpenMode,
  ready: (previous: Run | null) => Effect.Effect<unknown, E, R>
) {
  const store = yield* RunStore
  const first = yield* candidate(settings, located, mode)
  // A strict mark answers a run that exists. A mark for a mistyped target must not open an empty one.
  if (first._tag === "Create" && mode === "mark" && settings.strict) {
    return yield* new StrictnessRefused({ reason: { _tag: "NoRun", run: null } })
  }
  // Only `--fresh` is meant to leave the run whose head it names. Any other new run is not the one that was meant.
  const left = (found: Candidate) => found._tag === "Resume" ? found.run : mode === "fresh" ? found.previous : null
  yield* expectHead(settings.expectHead, left(first))
  if (first._tag === "Resume") {
    // What hides a store in the worktree from its reviews may be gone.
    if (mode !== "inspect") yield* store.prepare(located.target, located.repository.root)
    return { run: first.run, previous: null }
  }
  if (mode === "inspect") {
    const event = yield* created(settings, located, first.because, mode)
    const manifest = initial(event)
    return { run: { ref: refOf(located, event), manifest, head: { seq: 0, hash: "" } } satisfies Run, previous: null }
  }
  // A run that nothing points to may be one that another process creates now: it points to it under the lock.
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
