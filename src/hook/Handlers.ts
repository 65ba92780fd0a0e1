// Advised: what asks for advice without a verdict: a thought, a command that failed, a session that is compacted.
import { Cause, Clock, Effect, Option } from "effect"
import { note, recovered } from "../platform/Note.ts"
import { isFields, numberOrNull, textOf } from "../text/Json.ts"
import { labelled, type Said, shortened } from "./Answer.ts"
import { type Answered, asking, fitted, type Hooking, randomTag, saying, sessionOf, silence, unasked } from "./Call.ts"
import { thinkingStage, type Wanted } from "./Event.ts"
import { commandHints } from "./Hints.ts"
import { compactPrompt, failurePrompt, limits, thoughtPrompt } from "./Prompts.ts"
import { edited, planned } from "./Reviews.ts"
import type { SecondModel } from "./SecondModel.ts"
import { type SessionFailed, SessionFiles, Sessions } from "./Sessions.ts"
import { stopped } from "./StopGate.ts"

// A session's transcript outgrows every prompt; what comes last matters most.
const transcript = 200_000

const isNothing = (text: string): boolean => /^\W*(?:nothing\W*)?$/i.test(text)

/** The answer of the second model as it is told, or silence if it says nothing. */
const advice = (hooking: Hooking, text: string, said: (words: string) => Said): Answered =>
  isNothing(text) ? silence : saying(hooking, said(shortened(text)))

/** Reflects on one thought of a chain. */
export const thought = Effect.fn("Advised.thought")(function*(hooking: Hooking) {
  const given = isFields(hooking.input.toolInput) ? hooking.input.toolInput : {}
  const number = numberOrNull(given["thoughtNumber"] ?? given["thought_number"]) ?? Number.NaN
  const total = numberOrNull(given["totalThoughts"] ?? given["total_thoughts"]) ?? Number.NaN
  const words = textOf(given["thought"]) || textOf(given["content"])
  if (words.trim() === "") return silence
  const thought = yield* fitted(hooking, words, limits.thought)
  const asked = { tag: yield* randomTag, thought, number, total, stage: thinkingStage(number, total) }
  const reply = yield* asking(hooking, { _tag: "Thinking" }, thoughtPrompt(asked))
  return reply._tag === "CouldNot"
    ? yield* unasked(hooking, reply.why)
    : advice(hooking, reply.text, (text) => ({ user: null, claude: labelled("this thought", text) }))
})

/** Says why a command failed. */
export const commandFailed = Effect.fn("Advised.commandFailed")(function*(hooking: Hooking) {
  const { toolInput } = hooking.input
  const error = yield* fitted(hooking, hooking.input.error, limits.error)
  const command = isFields(toolInput) ? textOf(toolInput["command"]) : ""
  const prompt = failurePrompt({ tag: yield* randomTag, command, error, hints: commandHints(command) })
  const reply = yield* asking(hooking, { _tag: "BashFailure" }, prompt)
  return reply._tag === "CouldNot"
    ? yield* unasked(hooking, reply.why)
    : advice(hooking, reply.text, (text) => ({
      user: `Codex on the failed command:\n${text}`,
      claude: labelled("the command that failed", text)
    }))
})

/** Reflects on a session for whoever summarises it: the client appends plain text to its instructions. */
export const compacting = Effect.fn("Advised.compacting")(function*(hooking: Hooking) {
  const text = yield* (yield* SessionFiles).transcript({ path: hooking.input.transcript }, transcript)
  if (text.trim() === "") return silence
  const { fails } = yield* (yield* Sessions).read(sessionOf(hooking))
  const open = fails.map(({ path, reason }) => `${path}: ${reason}`).join("\n")
  const prompt = compactPrompt({ tag: yield* randomTag, transcript: text, open })
  const reply = yield* asking(hooking, { _tag: "PreCompact" }, prompt)
  if (reply._tag === "CouldNot" || isNothing(reply.text)) return silence
  const words = labelled("this session; keep of it what the summary needs", shortened(reply.text))
  return { stdout: `${words}\n`, block: null } satisfies Answered
})

// Answering: what is said to an event that somebody looks at. Nothing that goes wrong here stands in anybody's way.

const ended = Effect.fnUntraced(function*(hooking: Hooking) {
  yield* (yield* Sessions).forget(sessionOf(hooking))
  return silence
})

const answered = <R>(
  hooking: Hooking,
  wanted: Wanted,
  ladder: (hooking: Hooking) => Effect.Effect<Answered, never, R>
): Effect.Effect<Answered, SessionFailed, R | SecondModel | SessionFiles | Sessions> => {
  switch (wanted) {
    case "code_change":
      return edited(hooking)
    case "plan_review":
      return planned(hooking)
    case "thinking":
      return thought(hooking)
    case "bash_failure":
      return commandFailed(hooking)
    case "stop":
      return stopped(hooking, ladder)
    case "compact":
      return compacting(hooking)
    case "end":
      return ended(hooking)
  }
}

/** Answers within the deadline; whatever fails, and whatever is too late, says nothing and blocks nothing. */
export const answering = <R>(
  hooking: Hooking,
  wanted: Wanted,
  ladder: (hooking: Hooking) => Effect.Effect<Answered, never, R>
) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.timeoutOption(answered(hooking, wanted, ladder), Math.max(0, hooking.endsAt - now))
  ).pipe(
    Effect.tapError(recovered("the hook says nothing")),
    Effect.map(Option.getOrElse(() => silence)),
    Effect.catchCause((cause) => Effect.as(note("the hook failed", { cause: Cause.pretty(cause) }), silence))
  )
