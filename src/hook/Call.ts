// Call: one call of the hook: its event, its flags and its deadline; questions to codex and the shape of answers.
import { Clock, Effect, Exit, Random, Schedule } from "effect"
import type { HookFlags } from "./Flags.ts"
import type { HookInput } from "./Event.ts"
import { answer, reviewMessages, type Messages } from "./Answer.ts"
import { type Subject, effortOf, modelFor, type Reply, SecondModel } from "./SecondModel.ts"
import { type Review, reviewSchema } from "./Verdict.ts"
import { summaryPrompt } from "./Prompts.ts"
import { expire, questionOf, recordQuestion, reportOnce } from "./Session.ts"
import { sha256 } from "../platform/Sha256.ts"
import { canonicalJson } from "../text/Json.ts"
import { joined, partsOf, redact } from "../text/redaction/Redaction.ts"
import { cut } from "../text/Untrusted.ts"
import { variable } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import { type SessionRef, Sessions } from "./Sessions.ts"

/** A call. `endsAt` in epoch milliseconds. */
export interface HookCall {
  readonly input: HookInput
  readonly flags: HookFlags
  readonly cwd: string
  readonly endsAt: number
}

/** The result of a call. `block` says why a Stop is blocked; null lets the session continue. */
export interface HookAnswer {
  readonly stdout: string
  readonly block: string | null
}

/** The session of a call. */
export const sessionOf = ({ cwd, flags: { stateRoot }, input: { session } }: HookCall): SessionRef => ({
  session,
  stateRoot,
  cwd
})

export const silence: HookAnswer = { stdout: "", block: null }

/** An answer to the event of a call. */
export const answerEvent = ({ flags, input }: HookCall, said: Messages): HookAnswer => ({
  stdout: answer(input.event, said, flags.quiet),
  block: null
})

// Milliseconds reserved for writing after an answer, and the least time in which codex can answer.
const reserve = 2_000
const least = 3_000

// The tag of a prompt's data element, which the authors of the data cannot know.
const randomTag = Effect.map(
  Effect.all([Random.nextIntBetween(0, 2 ** 31), Random.nextIntBetween(0, 2 ** 31)]),
  (parts) => parts.map((part) => part.toString(16).padStart(8, "0")).join("")
)

// The characters of an answer that another call repeats.
const mostKept = 8000

const noAnswer: Reply = { _tag: "Unavailable", why: "codex gave no answer to this event" }

/** The answer to a question that another call of the same event asks. */
const awaited = Effect.fnUntraced(function*(call: HookCall, key: string) {
  const sessions = yield* Sessions
  const looked = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const question = questionOf(yield* sessions.read(sessionOf(call)), key, now)
    return { answer: question?.answer ?? null, over: question === null || now > call.endsAt - 1000 }
  })
  const { answer } = yield* Effect.repeat(looked, {
    schedule: Schedule.spaced(300),
    until: ({ answer, over }) => over || answer !== null
  })
  return answer === null ? noAnswer : { _tag: "Answer", text: answer } satisfies Reply
})

/** Asks a question of the session once: another call with the same question waits for the answer. */
const askOnce = Effect.fnUntraced(function*<E, R>(call: HookCall, key: string, asking: Effect.Effect<Reply, E, R>) {
  const { change } = yield* Sessions
  const asked = yield* change(sessionOf(call), (before, at) => {
    const state = expire(before, at)
    const question = questionOf(state, key, at)
    return [
      question,
      question === null ? recordQuestion(state, key, { at, until: Math.ceil(call.endsAt), answer: null }) : state
    ]
  }).pipe(
    Effect.tapError(recovered("the question is asked, but not stored")),
    Effect.orElseSucceed(() => null)
  )
  if (asked !== null) return yield* awaited(call, key)
  return yield* Effect.onExit(asking, (exit) => {
    const answer = Exit.isSuccess(exit) && exit.value._tag === "Answer" ? cut(exit.value.text, mostKept) : null
    return change(
      sessionOf(call),
      (state, at) => [null, recordQuestion(state, key, answer === null ? null : { at, until: at, answer })]
    ).pipe(Effect.tapError(recovered("the answer was not stored")), Effect.ignore)
  })
})

const verdicts: ReadonlyArray<Subject["_tag"]> = ["Change", "Plan", "Stop"]

/** Asks the second model in the remaining time, once for an event that arrives twice. The reply holds no secrets. */
export const askModel = Effect.fn("Call.asking")(
  function*(call: HookCall, about: Subject, promptOf: (tag: string) => string) {
    const { cwd, endsAt, flags } = call
    const within = endsAt - (yield* Clock.currentTimeMillis) - reserve
    if (within < least) return { _tag: "Unavailable", why: "there is no time left to ask codex" } satisfies Reply
    const override = yield* variable("CODEX_REFLECTOR_MODEL")
    const fast = about._tag === "BashFailure" || about._tag === "Summary"
    const { effort, model } = modelFor({ ...flags, override }, effortOf(about), fast)
    const schema = verdicts.includes(about._tag) ? reviewSchema : null
    const question = { prompt: promptOf(yield* randomTag), effort, model, cwd, within, schema }
    const asking = Effect.map(
      (yield* SecondModel).ask(question),
      (reply): Reply => reply._tag === "Answer" ? { ...reply, text: redact(reply.text) } : reply
    )
    // A change and a plan are entered as reviews of the session before they are asked about.
    if (about._tag === "Change" || about._tag === "Plan") return yield* asking
    return yield* askOnce(call, sha256(canonicalJson([about._tag, cwd, promptOf("")])), asking)
  }
)

// A summary is made only if more than its share of the time is left for the review itself.
const forSummary = { least: 45_000, share: 0.4, characters: 2000 } as const

/** A text that fits into a prompt: of a longer one the head, the tail, and a summary if there is time for it. */
export const fitText = Effect.fn("Call.fitted")(function*(call: HookCall, text: string, limit: number) {
  const parts = partsOf(text, limit)
  if (parts === null) return text
  const now = yield* Clock.currentTimeMillis
  const left = call.endsAt - now
  if (left < forSummary.least) return joined(parts)
  const share = { ...call, endsAt: now + forSummary.share * left }
  const reply = yield* askModel(share, { _tag: "Summary" }, (tag) => summaryPrompt({ tag, text: parts.middle }))
  return joined(parts, reply._tag === "Answer" ? cut(reply.text.trim(), forSummary.characters) : null)
})

/** Reports that no reviews happen, and why: once a session to the user, and to Claude from the background. */
export const reportUnreviewed = Effect.fn("Call.unasked")(function*(call: HookCall, why: string) {
  if (call.input.session === "") return silence
  const [whom, reason] = [call.flags.quiet ? "Claude" : "User", redact(why)] as const
  const first = yield* (yield* Sessions).change(sessionOf(call), (state) => {
    const { first, state: next } = reportOnce(state, whom, reason)
    return [first, next]
  }).pipe(
    Effect.tapError(recovered("the warning that no reviews happen was not recorded")),
    Effect.orElseSucceed(() => false)
  )
  const words = `Codex reviews nothing in this session: ${reason} [ooda-codex-review hook status says more]`
  return first ? answerEvent(call, { user: words, claude: whom === "Claude" ? words : null }) : silence
})

/** The answer for a review. */
export const answerReview = (call: HookCall, about: string, { text, verdict }: Review): HookAnswer =>
  answerEvent(call, reviewMessages(verdict, about, text))
