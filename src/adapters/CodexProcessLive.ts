// CodexProcessLive: reviewers as real processes, each guarded by a wrapper that outlives the step.
// The one rule: nothing here decides; what was seen is told, and policy stands elsewhere.
import { Clock, Effect, Layer } from "effect"
import { CodexMissing, CodexProcess } from "../services/CodexProcess.ts"
import { attempted } from "./codex/attempted.ts"
import { launchAll } from "./codex/launching.ts"
import { findBinary } from "./codex/locating.ts"
import { type Memory, sightings } from "./codex/looking.ts"
import { stopAll } from "./codex/stopping.ts"

const locate = Effect.fn("CodexProcess.locate")(function*(binary: string, cwd: string) {
  const answer = findBinary(binary, cwd, process.env["PATH"] ?? "")
  if ("found" in answer) return answer.found
  return yield* new CodexMissing({ binary, reason: answer.reason })
})

/** The live reviewers of this machine. */
export const layer: Layer.Layer<CodexProcess> = Layer.sync(CodexProcess, () => {
  const memories = new Map<string, Memory>()
  return CodexProcess.of({
    locate,
    launch: launchAll,
    look: Effect.fn("CodexProcess.look")(function*(attempts, options) {
      const now = yield* Clock.currentTimeMillis
      const acting = options?.acting ?? true
      return yield* attempted("looking at reviewers", () => sightings(attempts, memories, { now, acting }))
    }),
    stop: stopAll
  })
})
