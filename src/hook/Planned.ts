// Planned: a plan of Claude's, reviewed before or after a person has approved it.
import { Clock, Effect } from "effect"
import { planPath } from "../core/hook/PlanPath.ts"
import { limits } from "../core/hook/prompts/DataElement.ts"
import { planPrompt } from "../core/hook/prompts/PlanPrompt.ts"
import { reviewIn } from "../core/hook/Review.ts"
import { isFields, textOf } from "../core/text/Fields.ts"
import { variable } from "../services/Environment.ts"
import { SessionFiles } from "../services/SessionFiles.ts"
import { asking, fitted, type Hooking, randomTag, reviewed, silence, unasked } from "./Hooking.ts"

// A plan that no path names was written shortly before it was shown.
const recent = 10 * 60_000

/** Reviews the plan that an event is about; nothing where no plan can be found. */
export const planned = Effect.fn("Planned.planned")(function*(hooking: Hooking) {
  const { toolInput, toolResponse } = hooking.input
  const named = planPath(toolResponse, (yield* variable("HOME")) ?? "")
  const told = isFields(toolInput) ? textOf(toolInput["plan"]) : ""
  const since = (yield* Clock.currentTimeMillis) - recent
  const files = yield* SessionFiles
  const whole = named === null && told !== "" ? told : (yield* files.plan({ path: named, since })) ?? told
  if (whole.trim() === "") return silence
  const plan = yield* fitted(hooking, whole, limits.text)
  const reply = yield* asking(hooking, { _tag: "Plan" }, planPrompt({ tag: yield* randomTag, plan }))
  return reply._tag === "CouldNot"
    ? yield* unasked(hooking, reply.why)
    : reviewed(hooking, "the plan", reviewIn(reply.text))
})
