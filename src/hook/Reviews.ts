// Change: what an edit of a file took away, and what it put in its place, by the names that tools give these.
import { Clock, Effect, Schedule } from "effect"
import { variable } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import { isFields, objectsOf, textOf } from "../text/Json.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { shortened } from "./Answer.ts"
import {
  type Answered,
  asking,
  fitted,
  type Hooking,
  randomTag,
  reviewed,
  sessionOf,
  silence,
  unasked
} from "./Call.ts"
import { editedPath, editKey, type HookInput, planPath, shownPath } from "./Event.ts"
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
  type Seen,
  seenVerdict,
  type SessionState,
  settlePending
} from "./Session.ts"
import { SessionFiles, Sessions } from "./Sessions.ts"
import { type Review, reviewIn } from "./Verdict.ts"

/** A change of a file. */
interface Change {
  /** Where the file is: whole where the event tells it, and without secrets. */
  readonly path: string
  readonly before: string
  readonly after: string
}

/** The change that an event of an edit is about. */
export const changeOf = (input: HookInput): Change => {
  const { toolInput, toolResponse } = input
  const given = isFields(toolInput) ? toolInput : {}
  const answered = isFields(toolResponse) ? toolResponse : {}
  const parts = [given, ...objectsOf(given["edits"])]
  const all = (...names: ReadonlyArray<string>) =>
    parts.flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  const before = all("old_string", "old_source").join("\n")
  return {
    path: redact(editedPath(input)),
    // A file that is written whole says nothing of what stood there; the tool's answer does.
    before: before === "" && textOf(given["content"]) !== "" ? textOf(answered["originalFile"]) : before,
    after: all("new_string", "content", "new_source", "code_edit", "patch").join("\n")
  }
}

// Edited: an edit of a file: reviewed once, and kept in the session so that a Stop knows of it.

/** How an edit stands when it comes in. */
type Standing =
  | { readonly _tag: "Seen"; readonly seen: Seen }
  | { readonly _tag: "UnderWay" }
  | { readonly _tag: "New"; readonly seq: number }

/** A verdict that was given before counts for the same edit again: it is the later one now. */
const again = (state: SessionState, change: string, path: string, seen: Seen, at: number): SessionState => {
  const { seq, state: entered } = enterPending(state, { path, change, at, until: at })
  const ended = { path, change, seq, at }
  return seen.verdict === "PASS" ? recordPass(entered, ended) : recordFail(entered, ended, seen.reason)
}

const enter = (
  before: SessionState,
  { flags, input }: Hooking,
  key: string,
  path: string,
  now: number
): readonly [Standing, SessionState] => {
  const state = recordEdit(expire(before, now), input.turn, path)
  const seen = seenVerdict(state, key, now)
  if (seen !== null) return [{ _tag: "Seen", seen }, again(state, key, path, seen, now)]
  if (pendingFor(state, key, now) !== null) return [{ _tag: "UnderWay" }, state]
  const entered = enterPending(state, { path, change: key, at: now, until: now + flags.deadline })
  return [{ _tag: "New", seq: entered.seq }, entered.state]
}

const settle = (state: SessionState, key: string, path: string, seq: number, review: Review | null, at: number) => {
  if (review === null) return settlePending(state, seq)
  const ended = { path, change: key, seq, at }
  const { verdict } = review
  // A session whose file has grown too large counts as new.
  const reason = shortened(review.text)
  switch (verdict) {
    case "UNCERTAIN":
      return recordUncertain(state, ended)
    case "PASS":
      return rememberVerdict(recordPass(state, ended), { key, verdict, reason: "", at })
    case "FAIL":
      return rememberVerdict(recordFail(state, ended, reason), { key, verdict, reason, at })
  }
}

const known = (hooking: Hooking, path: string, { reason, verdict }: Seen): Answered =>
  verdict === "PASS" ? silence : reviewed(hooking, shownPath(hooking.input.cwd, path), { verdict, text: reason })

/** Waits for the review of the same edit that another process makes. */
const waited = Effect.fnUntraced(function*(hooking: Hooking, key: string, path: string) {
  const sessions = yield* Sessions
  const looked = Effect.gen(function*() {
    const state = yield* sessions.read(sessionOf(hooking))
    const now = yield* Clock.currentTimeMillis
    return {
      seen: seenVerdict(state, key, now),
      over: pendingFor(state, key, now) === null || now > hooking.endsAt - 1000
    }
  })
  const { seen } = yield* Effect.repeat(looked, {
    schedule: Schedule.spaced(300),
    until: ({ over, seen }) => over || seen !== null
  })
  return seen === null ? silence : known(hooking, path, seen)
})

/** Asks for the review of an edit. */
const reviewOf = Effect.fnUntraced(function*(hooking: Hooking, change: Change) {
  const { path } = change
  const size = { before: change.before.length, after: change.after.length }
  // Folders above the project tell nothing of the file.
  const [focus, sizes] = [focusHints(shownPath(hooking.input.cwd, path)), sizeHints(size)]
  const before = yield* fitted(hooking, change.before, limits.text)
  const after = yield* fitted(hooking, change.after, limits.text)
  const said = { tool: hooking.input.tool, path, before, after, response: null }
  const prompt = codePrompt({ tag: yield* randomTag, ...said, focus, size: sizes })
  return yield* asking(hooking, { _tag: "Change", size, hints: focus.length + sizes.length }, prompt)
})

/** Reviews an edit, or says again what was said of the same one. */
export const edited = Effect.fn("Edited.edited")(function*(hooking: Hooking) {
  const [session, { tool, toolInput }] = [sessionOf(hooking), hooking.input]
  const change = changeOf(hooking.input)
  const { path } = change
  const key = editKey(tool, toolInput)
  const sessions = yield* Sessions
  const entered = yield* sessions.change(session, (state, now) => enter(state, hooking, key, path, now)).pipe(
    Effect.tapError(recovered("the edit is reviewed, and not remembered")),
    Effect.orElseSucceed((): Standing => ({ _tag: "New", seq: 0 }))
  )
  if (entered._tag === "Seen") return known(hooking, path, entered.seen)
  if (entered._tag === "UnderWay") return yield* waited(hooking, key, path)
  const ended = (review: Review | null) =>
    sessions.change(session, (state, at) => [null, settle(state, key, path, entered.seq, review, at)]).pipe(
      Effect.tapError(recovered("the review is told, and not remembered")),
      Effect.ignore
    )
  const reply = yield* Effect.onInterrupt(reviewOf(hooking, change), () => ended(null))
  const review = reply._tag === "Said" ? reviewIn(reply.text) : null
  yield* ended(review)
  if (reply._tag === "CouldNot") return yield* unasked(hooking, reply.why)
  return review === null ? silence : reviewed(hooking, shownPath(hooking.input.cwd, path), review)
})

// Planned: a plan of Claude's, reviewed before or after a person has approved it.

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
