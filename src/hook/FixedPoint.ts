// FixedPoint: a Stop held to the fixed point.
import { Effect } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { make } from "../run/Invocation.ts"
import { type Outcome, stderrText } from "../run/Outcome.ts"
import { answerFlags } from "../run/words.ts"
import { Target } from "../run/Target.ts"
import { read } from "../run/Run.ts"
import { select } from "../step/Selection.ts"
import { recovered } from "../platform/Note.ts"
import { inspectStep } from "../step/InspectStep.ts"
import { type HookAnswer, type HookCall, silence } from "./Call.ts"
import { blockStop } from "./StopGate.ts"

// A Stop that is held to the fixed point of the present code. It is looked at, and never reviewed in the hook.

const uncommitted = { target: { _tag: "Uncommitted" }, strict: true } as const

const mode = Target.match({
  Uncommitted: () => "--uncommitted",
  Base: ({ branch }) => `--base ${shellWord(branch)}`,
  Commit: ({ sha }) => `--commit ${sha}`,
  PullRequest: ({ number }) => `--pr ${number}`
})

/**
 * The target and the settings of the worktree's newest run; the working tree if there is none. The run of a commit does
 * not count: a commit stays as it is whatever is edited, so its run says nothing about the present code.
 */
const asked = Effect.fnUntraced(function*({ cwd, flags: { stateRoot } }: HookCall) {
  const run = yield* Effect.option(Effect.flatMap(select({ _tag: "Newest" }, { stateRoot, cwd }, false), read))
  if (run._tag === "None" || run.value.manifest.target._tag === "Commit") {
    return make({ ...uncommitted, ...(stateRoot === null ? {} : { stateRoot }) }).settings
  }
  const { batch_size, fixed_point, start_level, strict, target } = run.value.manifest
  const given = { target, strict: strict !== undefined, batchSize: batch_size, floor: start_level }
  // Somebody who drove the run to a lower ceiling has said that this is enough.
  const ceiling = fixed_point === null ? {} : { ceiling: fixed_point.ceiling }
  return make({ ...given, ...ceiling, ...(stateRoot === null ? {} : { stateRoot }) }).settings
})

/** Tells the session what to do next. `outcome` is what the next step would come to, `step` is its command line. */
const next = (outcome: Outcome, target: Target, step: string): string => {
  if (outcome._tag !== "HandoffAgent") {
    const run = `Run the next step, give it ten minutes, and act on its exit code:\n\n    ${step} --step-timeout 8m`
    return target._tag === "Uncommitted"
      ? `${run}\n\nWhere all of it is committed already, give it --base and the branch that this one came from instead.`
      : run
  }
  const mark = [step, answerFlags(outcome.prompt)].filter((part) => part !== "").join(" ")
  return outcome.action === "AddressBatch"
    ? "Do what the prompt says. When the tests pass, answer with the first of these, and else with the second:\n\n" +
      `    ${mark} --mark-address-passed\n    ${mark} --mark-address-failed "what fails"`
    : "Do what the prompt says. Answer with the first of these, or with the second where you changed something:\n\n" +
      `    ${mark} --mark-retro-clean\n    ${mark} --mark-retro-changes "what you changed"`
}

/** Lets go at a fixed point of the present code; otherwise says what comes next. */
export const ladder = Effect.fn("FixedPoint.ladder")(
  function*(call: HookCall) {
    const settings = yield* asked(call)
    const { outcome } = yield* inspectStep(settings, call.cwd)
    if (outcome._tag === "DoneFixedPoint") return silence
    const what = `This code is not at its fixed point: ${stderrText(outcome).trimEnd()}`
    // The session may have gone elsewhere, or edited a worktree that it is not in.
    const away = `${call.input.cwd}/`.startsWith(`${call.cwd}/`) ? "" : `cd ${shellWord(call.cwd)} && `
    const step = `${away}ooda-codex-review ${mode(settings.target)}${settings.strict ? " --strict" : ""}`
    return yield* blockStop(`${what}\n\n${next(outcome, settings.target, step)}`)
  },
  (self) =>
    Effect.catch(self, (error) =>
      Effect.as(
        recovered("the gate lets go, because the fixed point cannot be looked at")(error),
        silence satisfies HookAnswer
      ))
)
