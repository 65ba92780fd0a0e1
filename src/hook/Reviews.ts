// Reviews: an edit and a plan, each reviewed once.
import { Clock, Effect, Schedule } from "effect"
import { variable } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import { isFields, listOf, textOf } from "../text/Json.ts"
import { hasHidden } from "../text/Untrusted.ts"
import { shortenReview } from "./Answer.ts"
import {
  type HookAnswer,
  askModel,
  fitText,
  type HookCall,
  answerReview,
  sessionOf,
  silence,
  reportUnreviewed
} from "./Call.ts"
import { answeredText, type Change, changeOf, editedPath, editKey, shownPath } from "./Edit.ts"
import { focusHints, sizeHints } from "./Hints.ts"
import { codePrompt, limits, planPrompt } from "./Prompts.ts"
import {
  enterPending,
  expire,
  pendingFor,
  recordEdit,
  recordFail,
  recordPass,
  recordUncertain,
  rememberVerdict,
  type KnownVerdict,
  knownVerdict,
  type SessionState,
  settlePending
} from "./Session.ts"
import { type HookInput, unnamedPlan } from "./Event.ts"
import type { Reply } from "./SecondModel.ts"
import { SessionFiles, Sessions } from "./Sessions.ts"
import { type Review, readHookReview } from "./Verdict.ts"

// An edit of a file: reviewed once, and stored in the session for the gate at Stop.

/** What is known of an edit when it arrives. */
type Standing =
  | { readonly _tag: "Seen"; readonly seen: KnownVerdict }
  | { readonly _tag: "UnderWay" }
  | { readonly _tag: "New"; readonly seq: number }

/** An earlier verdict on the same edit counts again: a PASS clears what was open before the review that gave it. */
const again = (state: SessionState, change: string, path: string, seen: KnownVerdict, at: number): SessionState => {
  if (seen.verdict === "PASS") return recordPass(state, { path, change, seq: seen.seq ?? 0, at })
  const { seq, state: entered } = enterPending(state, { path, change, at, until: at })
  return recordFail(entered, { path, change, seq, at }, seen.reason)
}

const enter = (
  before: SessionState,
  { flags, input }: HookCall,
  { isEdit, key, path }: Reviewed,
  now: number
): readonly [Standing, SessionState] => {
  const present = expire(before, now)
  const state = isEdit ? recordEdit(present, input.turn, path) : present
  const seen = knownVerdict(state, key, now)
  if (seen !== null) return [{ _tag: "Seen", seen }, again(state, key, path, seen, now)]
  if (pendingFor(state, key, now) !== null) return [{ _tag: "UnderWay" }, state]
  const entered = enterPending(state, { path, change: key, at: now, until: now + flags.deadline })
  return [{ _tag: "New", seq: entered.seq }, entered.state]
}

const settle = (state: SessionState, key: string, path: string, seq: number, review: Review | null, at: number) => {
  if (review === null) return settlePending(state, seq)
  const ended = { path, change: key, seq, at }
  const { verdict } = review
  // A session whose file is too large counts as new.
  const reason = shortenReview(review.text)
  switch (verdict) {
    case "UNCERTAIN":
      return recordUncertain(state, ended)
    case "PASS":
      return rememberVerdict(recordPass(state, ended), { key, verdict, reason: "", at, seq })
    case "FAIL":
      return rememberVerdict(recordFail(state, ended, reason), { key, verdict, reason, at, seq })
  }
}

const known = (call: HookCall, { name }: Reviewed, { reason, verdict }: KnownVerdict): HookAnswer =>
  verdict === "PASS" ? silence : answerReview(call, name, { verdict, text: reason })

/** Waits for another process's review of the same edit. */
const waited = Effect.fnUntraced(function*(call: HookCall, what: Reviewed) {
  const { key } = what
  const sessions = yield* Sessions
  const looked = Effect.gen(function*() {
    const state = yield* sessions.read(sessionOf(call))
    const now = yield* Clock.currentTimeMillis
    return {
      seen: knownVerdict(state, key, now),
      over: pendingFor(state, key, now) === null || now > call.endsAt - 1000
    }
  })
  const { seen } = yield* Effect.repeat(looked, {
    schedule: Schedule.spaced(300),
    until: ({ over, seen }) => over || seen !== null
  })
  return seen === null ? silence : known(call, what, seen)
})

const reviewOf = Effect.fnUntraced(function*(call: HookCall, change: Change) {
  const { path } = change
  const size = { before: change.before.length, after: change.after.length }
  // Folders above the project say nothing about the file.
  const [focus, sizes] = [focusHints(shownPath(call.input.cwd, path)), sizeHints(size)]
  const before = yield* fitText(call, change.before, limits.text)
  const after = yield* fitText(call, change.after, limits.text)
  const said = { tool: call.input.tool, path, before, after, response: answeredText(call.input.toolResponse) }
  const about = { _tag: "Change", size, hints: focus.length + sizes.length } as const
  return yield* askModel(call, about, (tag) => codePrompt({ tag, ...said, focus, size: sizes }))
})

/**
 * The subject of a review: its key, its path among the open FAILs, whether it is one of the turn's edits, and its name.
 */
interface Reviewed {
  readonly key: string
  readonly path: string
  readonly isEdit: boolean
  readonly name: string
}

/** Reviews a subject once, or repeats an earlier verdict on the same one, and stores the verdict. */
const reviewOnce = Effect.fnUntraced(
  function*<E, R>(call: HookCall, what: Reviewed, asking: Effect.Effect<Reply, E, R>) {
    const session = sessionOf(call)
    const { key, path } = what
    const sessions = yield* Sessions
    const entered = yield* sessions.change(session, (state, now) => enter(state, call, what, now)).pipe(
      Effect.tapError(recovered("the review is made, but not stored")),
      Effect.orElseSucceed((): Standing => ({ _tag: "New", seq: 0 }))
    )
    if (entered._tag === "Seen") return known(call, what, entered.seen)
    if (entered._tag === "UnderWay") return yield* waited(call, what)
    const ended = (review: Review | null) =>
      sessions.change(session, (state, at) => [null, settle(state, key, path, entered.seq, review, at)]).pipe(
        Effect.tapError(recovered("the review was printed, but not stored")),
        Effect.ignore
      )
    const reply = yield* Effect.onInterrupt(asking, () => ended(null))
    const review = reply._tag === "Answer" ? readHookReview(reply.text) : null
    yield* ended(review)
    if (reply._tag === "Unavailable") return yield* reportUnreviewed(call, reply.why)
    return review === null ? silence : answerReview(call, what.name, review)
  }
)

/** Reviews an edit, or repeats the verdict on the same edit. */
export const reviewEdit = Effect.fn("Reviews.reviewEdit")(function*(call: HookCall) {
  const { cwd, tool, toolInput } = call.input
  const change = changeOf(call.input)
  const { path } = change
  const content = yield* (yield* SessionFiles).digest(cwd, editedPath(call.input))
  const what = { key: editKey(tool, toolInput, content), path, isEdit: true, name: shownPath(cwd, path) }
  return yield* reviewOnce(call, what, reviewOf(call, change))
})

// A plan of Claude's, reviewed before or after a person has approved it.

// This checks only the letters of the path. The code that opens the file checks where it really leads.
const longestPlanPath = 4096
const most = { depth: 6, places: 100 } as const
const saved = /^[ \t]*["'`]?(\/[^\n\r"'`]*?\.md)(?=["'`)\].,;:!?]*(?:\s|$))/

/** The paths after "saved to" in a text. */
const savedIn = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const mention = /saved to:/gi
  for (let count = 0; count < most.places && mention.exec(text) !== null; count++) {
    const path = saved.exec(text.slice(mention.lastIndex, mention.lastIndex + longestPlanPath))?.[1]
    if (path !== undefined) found.push(path)
  }
  return found
}

const textsOf = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (depth >= most.depth) return []
  const inner = isFields(value) ? Object.values(value) : listOf(value)
  return inner.slice(0, most.places).flatMap((one) => textsOf(one, depth + 1))
}

/** The path if it is a file directly in the folder of plans, else null. */
const below = (path: string, home: string): string | null => {
  if (!path.startsWith("/") || path.length > longestPlanPath || hasHidden(path)) return null
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  const plans = [...home.split("/").filter((part) => part !== "" && part !== "."), ".claude", "plans"]
  const name = parts[plans.length] ?? ""
  const inside = parts.length === plans.length + 1 && plans.every((part, i) => part === parts[i])
  return inside && /^[^.].*\.md$/.test(name) ? `/${parts.join("/")}` : null
}

/**
 * The plan's file: `filePath` of the response, else a path after "saved to:" in it. It is an absolute path of a
 * Markdown file directly in `<home>/.claude/plans`; null if the response names no such file.
 */
export const planPath = (toolResponse: unknown, home: string): string | null => {
  if (!home.startsWith("/")) return null
  const named = isFields(toolResponse) ? toolResponse["filePath"] : undefined
  const paths = [...(typeof named === "string" ? [named] : []), ...textsOf(toolResponse).flatMap(savedIn)]
  for (const path of paths) {
    const plan = below(path, home)
    if (plan !== null) return plan
  }
  return null
}

// A plan without a path was written shortly before it was shown.
const recent = 10 * 60_000

/** The plan of an event: its own text, else the file that it names or the newest one; empty without any. */
const planOf = Effect.fnUntraced(function*({ toolInput, toolResponse }: HookInput, named: string | null) {
  const [answered, given] = [toolResponse, toolInput].map((one) => isFields(one) ? textOf(one["plan"]) : "")
  const own = answered?.trim() ? answered : given ?? ""
  if (own.trim() !== "") return own
  const since = (yield* Clock.currentTimeMillis) - recent
  return (yield* (yield* SessionFiles).plan({ path: named, since })) ?? ""
})

const askedOfPlan = Effect.fnUntraced(function*(call: HookCall, whole: string) {
  const plan = yield* fitText(call, whole, limits.text)
  return yield* askModel(call, { _tag: "Plan" }, (tag) => planPrompt({ tag, plan }))
})

/** Reviews the plan of an event, if there is one. */
export const reviewPlan = Effect.fn("Reviews.reviewPlan")(function*(call: HookCall) {
  const named = planPath(call.input.toolResponse, (yield* variable("HOME")) ?? "")
  const plan = yield* planOf(call.input, named)
  if (plan.trim() === "") return silence
  const what = { key: editKey("plan", plan), path: named ?? unnamedPlan, isEdit: false, name: unnamedPlan }
  return yield* reviewOnce(call, what, askedOfPlan(call, plan))
})
