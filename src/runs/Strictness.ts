// Strictness: whether a call fits the run it finds, and when a strict run's fixed point is stale.
// The one rule: a call that is strict never works on a run that is not, nor the other way round.
import { Effect, Schema } from "effect"
import { shellWord } from "../core/doctor/Check.ts"
import type { Settings } from "../core/loop/Settings.ts"
import { isKnownToDiffer } from "../core/run/Cover.ts"
import { Level } from "../core/run/Level.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import { Git } from "../services/Git.ts"
import { presentIdentity } from "./PresentIdentity.ts"

/** The run and the call are not both strict or trust different commits, or a strict mark finds no run to answer. */
export class StrictnessRefused extends Schema.TaggedError<StrictnessRefused>()("StrictnessRefused", {
  reason: Schema.TaggedUnion({
    RunIsStrict: {},
    RunIsNotStrict: {},
    FloorDiffers: { floor: Level },
    TrustDiffers: { run: Schema.NullOr(Schema.String), call: Schema.NullOr(Schema.String) },
    TrustsNoCommit: { call: Schema.String },
    TrustsTheChange: { call: Schema.String },
    NoRun: { run: Schema.NullOr(Schema.String) }
  })
}) {
  override get message() {
    const { reason } = this
    switch (reason._tag) {
      case "RunIsStrict":
        return "this run is strict: repeat --strict"
      case "RunIsNotStrict":
        return "this run is not strict: a step with --strict opens one that is"
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
  // A run that trusted another commit is refused: the author of the change may have influenced its earlier reviews.
  if (strict !== undefined && run !== call) return { _tag: "TrustDiffers", run, call }
  if (!isMark || !settings.strict) return null
  if (strict === undefined) return { _tag: "RunIsNotStrict" }
  return floor === settings.floor ? null : { _tag: "FloorDiffers", floor }
}

/**
 * Refuses a call that does not fit the strictness of a run, or trusts another commit. A strict mark must also name the
 * run's floor.
 */
export const fitting = (manifest: Manifest, settings: Settings, isMark: boolean) => {
  const reason = reasonAgainst(manifest, settings, isMark)
  return reason === null ? Effect.void : Effect.fail(new StrictnessRefused({ reason }))
}

/** The commit that a new run trusts, by its name and id. A change has no say in its own reviews. */
export const trusted = Effect.fn("Strictness.trusted")(function*({ target, trustFrom: call }: Settings, root: string) {
  if (call === null) return {}
  const { commit } = yield* Git
  const trustCommit = yield* commit(root, call)
  if (trustCommit === null) return yield* new StrictnessRefused({ reason: { _tag: "TrustsNoCommit", call } })
  const reviewed = target._tag === "Commit" ? target.sha : "HEAD"
  if (target._tag !== "Uncommitted" && trustCommit === (yield* commit(root, reviewed))) {
    return yield* new StrictnessRefused({ reason: { _tag: "TrustsTheChange", call } })
  }
  return { trustFrom: call, trustCommit }
})

/** Whether the code is known to differ from what the batch saw that a strict run's fixed point names. */
export const isFixedPointStale = Effect.fn("Strictness.isFixedPointStale")(function*(manifest: Manifest) {
  const { fixed_point, strict } = manifest
  const last = fixed_point === null || strict === undefined ? null : strict.last[fixed_point.level]
  return last !== null && isKnownToDiffer(last, yield* presentIdentity(manifest))
})
