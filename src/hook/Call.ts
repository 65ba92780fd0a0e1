// Call: one call of the hook: its event, its flags and its deadline; questions to codex and the shape of answers.
import { Clock, Effect, Random } from "effect"
import type { HookFlags } from "./Flags.ts"
import type { HookInput } from "./Event.ts"
import { answer, reviewMessages, type Messages } from "./Answer.ts"
import { type Subject, effortOf, modelFor, type Reply, SecondModel } from "./SecondModel.ts"
import { type Review, reviewSchema } from "./Verdict.ts"
import { summaryPrompt } from "./Prompts.ts"
import { reportOnce } from "./Session.ts"
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

/** The tag of a prompt's data element, which the authors of the data cannot know. */
export const randomTag = Effect.map(
  Effect.all([Random.nextIntBetween(0, 2 ** 31), Random.nextIntBetween(0, 2 ** 31)]),
  (parts) => parts.map((part) => part.toString(16).padStart(8, "0")).join("")
)

const verdicts: ReadonlyArray<Subject["_tag"]> = ["Change", "Plan", "Stop"]

/** Asks the second model in the remaining time. The reply holds no secrets. */
export const askModel = Effect.fn("Call.asking")(
  function*({ cwd, endsAt, flags }: HookCall, about: Subject, prompt: string) {
    const within = endsAt - (yield* Clock.currentTimeMillis) - reserve
    if (within < least) return { _tag: "Unavailable", why: "there is no time left to ask codex" } satisfies Reply
    const override = yield* variable("CODEX_REFLECTOR_MODEL")
    const fast = about._tag === "BashFailure" || about._tag === "Summary"
    const { effort, model } = modelFor({ ...flags, override }, effortOf(about), fast)
    const schema = verdicts.includes(about._tag) ? reviewSchema : null
    const reply = yield* (yield* SecondModel).ask({ prompt, effort, model, cwd, within, schema })
    return reply._tag === "Answer" ? { ...reply, text: redact(reply.text) } : reply
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
  const asked = summaryPrompt({ tag: yield* randomTag, text: parts.middle })
  const reply = yield* askModel(share, { _tag: "Summary" }, asked)
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
