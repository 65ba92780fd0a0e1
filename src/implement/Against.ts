// Against: what stands against working on a plan at all: names that no task has, changes that would be committed.
import { Effect } from "effect"
import { unknownNames } from "../core/implement/InPlay.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { brief } from "../core/text/Untrusted.ts"
import { dirtyWorktree } from "../driving/Against.ts"
import { planNow, type Working } from "./Working.ts"

/** The outcome of a call that cannot begin; null where nothing stands against it. Writes nothing. */
export const against = Effect.fn("Against.against")(function*(working: Working) {
  const { asked: { wanted }, driver: { state }, run, settings } = working
  const { plan } = yield* planNow(working)
  const unknown = unknownNames(plan, wanted)
  if (unknown.length > 0) {
    const names = unknown.map((name) => brief(name, 80)).join(", ")
    const message = `no task of the plan is called so: ${names} [name a title or an index from 0]`
    return { _tag: "BinaryError", message } satisfies Outcome
  }
  return yield* dirtyWorktree(settings, run.manifest, state.cycles.length === 0)
})
