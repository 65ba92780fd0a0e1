// Hooking: one call of the hook: its event, what it was told, and until when it must be over.
import { Clock, Effect, Random } from "effect"
import type { HookFlags } from "./Flags.ts"
import type { HookInput } from "./Event.ts"
import { answer, reviewSaid, type Said } from "./Answer.ts"
import { type Asked, effortOf, modelFor, type Reply, SecondModel } from "./SecondModel.ts"
import { type Review, reviewSchema } from "./Verdict.ts"
import { summaryPrompt } from "./Prompts.ts"
import { tellOnce } from "./Session.ts"
import { joined, partsOf, redact } from "../text/redaction/Redaction.ts"
import { cut } from "../text/Untrusted.ts"
import { variable } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import { type SessionRef, Sessions } from "./Sessions.ts"

/** A call. `endsAt` in epoch milliseconds. */
export interface Hooking {
  readonly input: HookInput
  readonly flags: HookFlags
  readonly cwd: string
  readonly endsAt: number
}

/** What a call says. `block` is why a Stop is blocked; null lets the session go on. */
export interface Answered {
  readonly stdout: string
  readonly block: string | null
}

/** The session of a call. */
export const sessionOf = ({ cwd, flags: { stateRoot }, input: { session } }: Hooking): SessionRef => ({
  session,
  stateRoot,
  cwd
})

export const silence: Answered = { stdout: "", block: null }

/** An answer to the event of a call. */
export const saying = ({ flags, input }: Hooking, said: Said): Answered => ({
  stdout: answer(input.event, said, flags.quiet),
  block: null
})

// Milliseconds that are kept for what is written after an answer, and the least in which codex can answer.
const reserve = 2_000
const least = 3_000

/** The tag of a prompt's data element: nobody who wrote the data could know it. */
export const randomTag = Effect.map(
  Effect.all([Random.nextIntBetween(0, 2 ** 31), Random.nextIntBetween(0, 2 ** 31)]),
  (parts) => parts.map((part) => part.toString(16).padStart(8, "0")).join("")
)

const verdicts: ReadonlyArray<Asked["_tag"]> = ["Change", "Plan", "Stop"]

/** Asks the second model in the time that is left. What comes back holds no secrets. */
export const asking = Effect.fn("Hooking.asking")(
  function*({ cwd, endsAt, flags }: Hooking, about: Asked, prompt: string) {
    const within = endsAt - (yield* Clock.currentTimeMillis) - reserve
    if (within < least) return { _tag: "CouldNot", why: "there is no time left to ask codex" } satisfies Reply
    const override = yield* variable("CODEX_REFLECTOR_MODEL")
    const fast = about._tag === "BashFailure" || about._tag === "Summary"
    const { effort, model } = modelFor({ ...flags, override }, effortOf(about), fast)
    const schema = verdicts.includes(about._tag) ? reviewSchema : null
    const reply = yield* (yield* SecondModel).ask({ prompt, effort, model, cwd, within, schema })
    return reply._tag === "Said" ? { ...reply, text: redact(reply.text) } : reply
  }
)

// A summary is made only where more than its share of the time is left for the review itself.
const forSummary = { least: 45_000, share: 0.4, characters: 2000 } as const

/** A text that fits into a prompt. A longer one gives its head, its tail, and a summary if there is time for it. */
export const fitted = Effect.fn("Hooking.fitted")(function*(hooking: Hooking, text: string, limit: number) {
  const parts = partsOf(text, limit)
  if (parts === null) return text
  const now = yield* Clock.currentTimeMillis
  const left = hooking.endsAt - now
  if (left < forSummary.least) return joined(parts)
  const share = { ...hooking, endsAt: now + forSummary.share * left }
  const asked = summaryPrompt({ tag: yield* randomTag, text: parts.middle })
  const reply = yield* asking(share, { _tag: "Summary" }, asked)
  return joined(parts, reply._tag === "Said" ? cut(reply.text.trim(), forSummary.characters) : null)
})

/** Says that no reviews happen, and why: once a session to the user, and to Claude from the background. */
export const unasked = Effect.fn("Hooking.unasked")(function*(hooking: Hooking, why: string) {
  const [whom, reason] = [hooking.flags.quiet ? "Claude" : "User", redact(why)] as const
  const first = yield* (yield* Sessions).change(sessionOf(hooking), (state) => {
    const { first, state: next } = tellOnce(state, whom, reason)
    return [first, next]
  }).pipe(Effect.tapError(recovered("nobody is told that no reviews happen")), Effect.orElseSucceed(() => false))
  const words = `Codex reviews nothing in this session: ${reason} [ooda-codex-review hook status says more]`
  return first ? saying(hooking, { user: words, claude: whom === "Claude" ? words : null }) : silence
})

/** What is answered to a review. */
export const reviewed = (hooking: Hooking, about: string, { text, verdict }: Review): Answered =>
  saying(hooking, reviewSaid(verdict, about, text))
