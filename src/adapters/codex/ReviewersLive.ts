// ReviewersLive: reviewers as real processes, each guarded by a wrapper that outlives the step.
// The one rule: nothing here decides; what was seen is told, and policy stands elsewhere.
import { Clock, Effect, Layer } from "effect"
import { Environment, variable } from "../../services/Environment.ts"
import { CodexMissing, Reviewers } from "../../services/Reviewers.ts"
import { trySync } from "../process/TrySync.ts"
import { launchAll } from "../process/Launch.ts"
import { findBinary } from "./Binary.ts"
import { type Memory, sightings } from "../process/Look.ts"
import { stopAll } from "../process/Stop.ts"

const locate = Effect.fn("Reviewers.locate")(function*(binary: string, cwd: string) {
  const answer = findBinary(binary, cwd, (yield* variable("PATH")) ?? "")
  if ("found" in answer) return answer.found
  return yield* new CodexMissing({ binary, reason: answer.reason })
})

/** The live reviewers of this machine. */
export const layer: Layer.Layer<Reviewers> = Layer.sync(Reviewers, () => {
  const memories = new Map<string, Memory>()
  return Reviewers.of({
    locate,
    launch: launchAll,
    look: Effect.fn("Reviewers.look")(function*(attempts, options) {
      const now = yield* Clock.currentTimeMillis
      const acting = options?.acting ?? true
      const env = yield* Environment
      return yield* trySync("looking at reviewers", () => sightings(attempts, memories, { now, acting, env }))
    }),
    stop: stopAll
  })
})
