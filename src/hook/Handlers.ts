// Handlers: the answer to each action. First the actions for which codex gives advice without a verdict: a thought, a
// failed command, a compacted session.
import { Cause, Clock, Effect, Option } from "effect"
import { note, recovered } from "../platform/Note.ts"
import { isFields, numberOrNull, textOf } from "../text/Json.ts"
import { labelAdvice, type Messages, shortenReview } from "./Answer.ts"
import {
  type HookAnswer,
  askModel,
  fitText,
  type HookCall,
  answerEvent,
  sessionOf,
  silence,
  reportUnreviewed
} from "./Call.ts"
import { thinkingStage, type HookAction } from "./Event.ts"
import { commandHints } from "./Hints.ts"
import { compactPrompt, failurePrompt, limits, thoughtPrompt } from "./Prompts.ts"
import { reviewEdit, reviewPlan } from "./Reviews.ts"
import type { SecondModel } from "./SecondModel.ts"
import { type SessionFailed, SessionFiles, Sessions } from "./Sessions.ts"
import { checkStop } from "./StopGate.ts"

// A session's transcript outgrows every prompt; its end matters most.
const transcript = 200_000

const isNothing = (text: string): boolean => /^\W*(?:nothing\W*)?$/i.test(text)

/** The advice of the second model, or silence if it has none. */
const advice = (call: HookCall, text: string, said: (words: string) => Messages): HookAnswer =>
  isNothing(text) ? silence : answerEvent(call, said(shortenReview(text)))

/** Reflects on one thought of a chain. */
export const reviewThought = Effect.fn("Handlers.reviewThought")(function*(call: HookCall) {
  const given = isFields(call.input.toolInput) ? call.input.toolInput : {}
  const number = numberOrNull(given["thoughtNumber"] ?? given["thought_number"]) ?? Number.NaN
  const total = numberOrNull(given["totalThoughts"] ?? given["total_thoughts"]) ?? Number.NaN
  const words = textOf(given["thought"]) || textOf(given["content"])
  if (words.trim() === "") return silence
  const thought = yield* fitText(call, words, limits.thought)
  const asked = { thought, number, total, stage: thinkingStage(number, total) }
  const reply = yield* askModel(call, { _tag: "Thinking" }, (tag) => thoughtPrompt({ tag, ...asked }))
  return reply._tag === "Unavailable"
    ? yield* reportUnreviewed(call, reply.why)
    : advice(call, reply.text, (text) => ({ user: null, claude: labelAdvice("this thought", text) }))
})

/** Says why a command failed. */
export const diagnoseCommand = Effect.fn("Handlers.diagnoseCommand")(function*(call: HookCall) {
  const { toolInput } = call.input
  const error = yield* fitText(call, call.input.error, limits.error)
  const command = isFields(toolInput) ? textOf(toolInput["command"]) : ""
  const asked = { command, error, hints: commandHints(command) }
  const reply = yield* askModel(call, { _tag: "BashFailure" }, (tag) => failurePrompt({ tag, ...asked }))
  return reply._tag === "Unavailable"
    ? yield* reportUnreviewed(call, reply.why)
    : advice(call, reply.text, (text) => ({
      user: `Codex on the failed command:\n${text}`,
      claude: labelAdvice("the command that failed", text)
    }))
})

/** Reflects on a session for the summary: Claude Code appends plain text to the instructions of whoever summarises. */
export const reviewSession = Effect.fn("Handlers.reviewSession")(function*(call: HookCall) {
  const text = yield* (yield* SessionFiles).transcript({ path: call.input.transcript }, transcript)
  if (text.trim() === "") return silence
  const { fails } = yield* (yield* Sessions).read(sessionOf(call))
  const open = fails.map(({ path, reason }) => `${path}: ${reason}`).join("\n")
  const reply = yield* askModel(call, { _tag: "PreCompact" }, (tag) => compactPrompt({ tag, transcript: text, open }))
  if (reply._tag === "Unavailable" || isNothing(reply.text)) return silence
  const words = labelAdvice("this session; keep of it what the summary needs", shortenReview(reply.text))
  return { stdout: `${words}\n`, block: null } satisfies HookAnswer
})

// Dispatch. A failure prints nothing and blocks nothing.

const ended = Effect.fnUntraced(function*(call: HookCall) {
  yield* (yield* Sessions).forget(sessionOf(call))
  return silence
})

const answered = <R>(
  call: HookCall,
  action: HookAction,
  ladder: (call: HookCall) => Effect.Effect<HookAnswer, never, R>
): Effect.Effect<HookAnswer, SessionFailed, R | SecondModel | SessionFiles | Sessions> => {
  switch (action) {
    case "code_change":
      return reviewEdit(call)
    case "plan_review":
      return reviewPlan(call)
    case "thinking":
      return reviewThought(call)
    case "bash_failure":
      return diagnoseCommand(call)
    case "stop":
      return checkStop(call, ladder)
    case "compact":
      return reviewSession(call)
    case "end":
      return ended(call)
  }
}

/** Answers within the deadline; a failure or a late answer prints nothing and blocks nothing. */
export const answerHook = <R>(
  call: HookCall,
  action: HookAction,
  ladder: (call: HookCall) => Effect.Effect<HookAnswer, never, R>
) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.timeoutOption(answered(call, action, ladder), Math.max(0, call.endsAt - now))
  ).pipe(
    Effect.tapError(recovered("the hook says nothing")),
    Effect.map(Option.getOrElse(() => silence)),
    Effect.catchCause((cause) => Effect.as(note("the hook failed", { cause: Cause.pretty(cause) }), silence))
  )
