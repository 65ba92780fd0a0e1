// FixedPoint: the gate that holds a Stop until the present code is at its fixed point.
import { Effect } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"
import { make } from "../run/Invocation.ts"
import { type Outcome, stderrText } from "../run/Outcome.ts"
import { answerFlags } from "../run/words.ts"
import { settingsOf, settingWords } from "../run/RunSettings.ts"
import type { Target } from "../run/Target.ts"
import { read } from "../run/Run.ts"
import { select } from "../step/Selection.ts"
import { recovered } from "../platform/Note.ts"
import { inspectStep } from "../step/InspectStep.ts"
import { type HookAnswer, type HookCall, silence } from "./Call.ts"
import { blockStop } from "./StopGate.ts"

// The gate only looks at the run; it never reviews in the hook.

const uncommitted = { target: { _tag: "Uncommitted" }, strict: true } as const

/**
 * The settings of the worktree's newest run, or of one of the working tree without one. A run of a commit does not
 * count: a commit never changes, so its run says nothing about the present code.
 */
const asked = Effect.fnUntraced(function*({ cwd, flags: { stateRoot } }: HookCall) {
  const run = yield* Effect.option(Effect.flatMap(select({ _tag: "Newest" }, { stateRoot, cwd }, false), read))
  return run._tag === "None" || run.value.manifest.target._tag === "Commit"
    ? uncommitted
    : settingsOf(run.value.manifest)
})

/** The next thing for the session to do. `outcome` is what the next step would return, `step` is its command line. */
const next = (outcome: Outcome, target: Target, step: string): string => {
  if (outcome._tag !== "HandoffAgent") {
    const run = `Run the next step, give it ten minutes, and act on its exit code:\n\n    ${step} --step-timeout 8m`
    return target._tag === "Uncommitted"
      ? `${run}\n\nIf everything is committed already, use --base and the branch that this one came from instead.`
      : run
  }
  const mark = [step, answerFlags(outcome.prompt)].filter((part) => part !== "").join(" ")
  return outcome.action === "AddressBatch"
    ? "Do what the prompt says. When the tests pass, answer with the first of these, otherwise with the second:\n\n" +
      `    ${mark} --mark-address-passed\n    ${mark} --mark-address-failed "what fails"`
    : "Do what the prompt says. Answer with the first of these, or with the second if you changed something:\n\n" +
      `    ${mark} --mark-retro-clean\n    ${mark} --mark-retro-changes "what you changed"`
}

/** Lets go at a fixed point of the present code; otherwise returns the next thing to do. */
export const ladder = Effect.fn("FixedPoint.ladder")(
  function*(call: HookCall) {
    const given = yield* asked(call)
    const { stateRoot } = call.flags
    const { settings } = make({ ...given, ...(stateRoot === null ? {} : { stateRoot }) })
    const { outcome } = yield* inspectStep(settings, call.cwd)
    if (outcome._tag === "DoneFixedPoint") return silence
    const what = `This code is not at its fixed point: ${stderrText(outcome).trimEnd()}`
    // The session may have changed directory, or edited a worktree that it is not in.
    const away = `${call.input.cwd}/`.startsWith(`${call.cwd}/`) ? "" : `cd ${shellWord(call.cwd)} && `
    const step = `${away}${
      ["ooda-codex-review", ...settingWords(given, "step")].map((word) => shellWord(oneLine(word))).join(" ")
    }`
    return yield* blockStop(`${what}\n\n${next(outcome, settings.target, step)}`)
  },
  (self) =>
    Effect.catch(self, (error) =>
      Effect.as(
        recovered("the gate lets go, because the fixed point cannot be looked at")(error),
        silence satisfies HookAnswer
      ))
)
