// Session: the hook's state of one session: open FAILs, reviews under way, verdicts seen, edits of the turn.
import { Option, Schema } from "effect"

// The open FAILs do not depend on the order in which reviews end: each edit has a number, and a PASS clears FAILs with
// lower numbers.

const Natural = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** An edit by its path, its key and its number; `at` is its time in milliseconds. */
const Edit = { path: Schema.String, change: Schema.String, seq: Natural, at: Natural } as const

/** A FAIL that nothing has cleared, and its reason. */
const OpenFail = Schema.Struct({ ...Edit, reason: Schema.String })
export type OpenFail = typeof OpenFail.Type

/** A review under way. It counts until `until`. */
const Pending = Schema.Struct({ ...Edit, until: Natural })
type Pending = typeof Pending.Type

/** The last pass of a path. */
const Passed = Schema.Struct({ path: Schema.String, seq: Natural, at: Natural })

/** A verdict by the key of its edit, for when the same edit comes again. */
const Seen = Schema.Struct({
  key: Schema.String,
  verdict: Schema.Literals(["PASS", "FAIL"]),
  reason: Schema.String,
  at: Natural,
  /** The number of the review that gave it. States of earlier versions lack it. */
  seq: Schema.optionalKey(Natural)
})
export type KnownVerdict = typeof Seen.Type

/** A question to the second model by the key of its text, and the answer; null while it is asked, until `until`. */
const Question = Schema.Struct({
  key: Schema.String,
  at: Natural,
  until: Natural,
  answer: Schema.NullOr(Schema.String)
})
export type Question = typeof Question.Type

/** A FAIL that a person has dismissed, and why. */
const Dismissed = Schema.Struct({ path: Schema.String, change: Schema.String, why: Schema.String, at: Natural })

export const SessionState = Schema.Struct({
  version: Schema.Literal(1),
  /** The number of the last edit. */
  seq: Natural,
  fails: Schema.Array(OpenFail),
  pending: Schema.Array(Pending),
  passed: Schema.Array(Passed),
  seen: Schema.Array(Seen),
  dismissed: Schema.Array(Dismissed),
  /** Who has heard that no reviews happen: a hook in the background reaches only Claude. */
  told: Schema.Literals(["Nobody", "Claude", "User"]),
  /** Why the last requested review did not happen; empty if it did. */
  unasked: Schema.String,
  /** The turn by Claude Code's id for it, and the paths edited in it. */
  turn: Schema.Struct({ id: Schema.String, paths: Schema.Array(Schema.String) }),
  /** The last turn whose edits a gate has checked. */
  judged: Schema.optionalKey(Schema.String),
  asked: Schema.optionalKey(Schema.Array(Question)),
  /** The tasks that ran in the background at the last Stop, each with the turn in which it was first seen there. */
  tasks: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.String, turn: Schema.String })))
})
export type SessionState = typeof SessionState.Type

/** A session without any state. */
export const emptySession: SessionState = {
  version: 1,
  seq: 0,
  fails: [],
  pending: [],
  passed: [],
  seen: [],
  dismissed: [],
  told: "Nobody",
  unasked: "",
  turn: { id: "", paths: [] }
}

const Text = Schema.fromJsonString(SessionState)
const decode = Schema.decodeUnknownOption(Text)
const encode = Schema.encodeSync(Text)

/** Reads the text of a session's file; null if it is malformed. */
export const decodeSessionState = (text: string): SessionState | null => Option.getOrNull(decode(text))

/** The text of a session's file. */
export const encodeSessionState = (state: SessionState): string => `${encode(state)}\n`

const heard = { Nobody: 0, Claude: 1, User: 2 } as const satisfies Record<SessionState["told"], number>

/** Records why no review happens, and returns whether `whom` must hear of it: each of them once a session. */
export const reportOnce = (
  state: SessionState,
  whom: "Claude" | "User",
  why: string
): { readonly state: SessionState; readonly first: boolean } => {
  const first = heard[state.told] < heard[whom]
  return { state: { ...state, unasked: why, told: first ? whom : state.told }, first }
}

const mostPaths = 500

/** An edit of a path in a turn. */
export const recordEdit = (state: SessionState, turn: string, path: string): SessionState => {
  const paths = editedIn(state, turn)
  return { ...state, turn: { id: turn, paths: paths.includes(path) ? paths : [...paths, path].slice(-mostPaths) } }
}

/**
 * The paths edited in a turn, and in earlier turns that no gate checked: Claude Code reports work in the background in
 * a turn of its own, and a turn that a person interrupts has no Stop.
 */
export const editedIn = ({ judged, turn: { id, paths } }: SessionState, turn: string): ReadonlyArray<string> =>
  id === turn || id !== judged ? paths : []

/** A gate has checked the edits of a turn. The next turn forgets them. */
export const recordJudged = (state: SessionState, turn: string): SessionState => ({
  ...state,
  turn: { id: turn, paths: editedIn(state, turn) },
  judged: turn
})

/** The tasks that run in the background at a Stop; `begun` says whether one of them was begun in this turn. */
export const recordTasks = (
  state: SessionState,
  turn: string,
  ids: ReadonlyArray<string>
): { readonly state: SessionState; readonly begun: boolean } => {
  const tasks = ids.slice(-mostPaths).map((id) => state.tasks?.find((one) => one.id === id) ?? { id, turn })
  return { state: { ...state, tasks }, begun: tasks.some((one) => one.turn === turn) }
}

// How reviews begin and end in a session, which FAILs they leave open, and what expires.
// Only a verdict changes what is open. A PASS clears the earlier FAILs of its path and no later one.

/** An edit whose review begins. */
interface Entered {
  readonly path: string
  readonly change: string
  readonly at: number
  /** When the review no longer counts. */
  readonly until: number
}

/** A review that ended, by the number under which it was entered. */
export interface ReviewEnd {
  readonly path: string
  readonly change: string
  readonly seq: number
  readonly at: number
}

const mostSeen = 100
const mostPassed = 500
const mostQuestions = 20
const seenFor = 300_000
const week = 7 * 24 * 3_600_000

/** Enters a review as under way and returns its number. */
export const enterPending = (
  state: SessionState,
  entered: Entered
): { readonly state: SessionState; readonly seq: number } => {
  const seq = state.seq + 1
  return { state: { ...state, seq, pending: [...state.pending, { ...entered, seq }] }, seq }
}

/** Ends a review without a verdict: it was uncertain, or could not run. */
export const settlePending = (state: SessionState, seq: number): SessionState => ({
  ...state,
  pending: state.pending.filter((one) => one.seq !== seq)
})

/** A PASS: earlier FAILs of the path are cleared, also those whose reviews end after this one. */
export const recordPass = (state: SessionState, { at, path, seq }: ReviewEnd): SessionState => {
  const before = state.passed.find((one) => one.path === path)
  const passed = before !== undefined && before.seq > seq ? before : { path, seq, at }
  return {
    ...settlePending(state, seq),
    fails: state.fails.filter((one) => one.path !== path || one.seq > seq),
    passed: [...state.passed.filter((one) => one.path !== path), passed].slice(-mostPassed)
  }
}

const isSame = (one: { readonly path: string; readonly change: string }, other: ReviewEnd): boolean =>
  one.path === other.path && one.change === other.change

/** A FAIL, unless the path has passed since, or a person has dismissed this one. */
export const recordFail = (state: SessionState, ended: ReviewEnd, reason: string): SessionState => {
  const settled = settlePending(state, ended.seq)
  const cleared = state.passed.some(({ path, seq }) => path === ended.path && seq > ended.seq) ||
    state.dismissed.some((one) => isSame(one, ended)) ||
    state.fails.some((one) => isSame(one, ended) && one.seq > ended.seq)
  if (cleared) return settled
  const { at, change, path, seq } = ended
  const others = state.fails.filter((one) => !isSame(one, ended))
  return { ...settled, fails: [...others, { path, change, seq, at, reason }].sort((a, b) => a.seq - b.seq) }
}

/** No verdict: what is open stays open, and nothing is opened. */
export const recordUncertain = (state: SessionState, { seq }: ReviewEnd): SessionState => settlePending(state, seq)

const leastName = 6

/** The open FAILs with a name: a path, or the beginning of a change's key. */
export const failsNamed = (state: SessionState, name: string): ReadonlyArray<OpenFail> =>
  state.fails.filter(({ change, path }) => path === name || (name.length >= leastName && change.startsWith(name)))

/** Dismisses a FAIL: it is no longer open, and the same change of the same path opens none again. */
export const dismiss = (state: SessionState, fail: OpenFail, why: string, at: number): SessionState => ({
  ...state,
  fails: state.fails.filter((one) => !isSame(one, fail)),
  dismissed: [...state.dismissed, { path: fail.path, change: fail.change, why, at }]
})

// After the clock was set back, a time in the future proves nothing, so it does not count.
const isWithin = (at: number, now: number, span: number): boolean => now >= at && now - at < span

/** The verdict of the same edit, while it is recent. */
export const knownVerdict = (state: SessionState, key: string, now: number): KnownVerdict | null =>
  state.seen.find((one) => one.key === key && isWithin(one.at, now, seenFor)) ?? null

/** Stores a verdict for when the same edit comes again. */
export const rememberVerdict = (state: SessionState, seen: KnownVerdict): SessionState => ({
  ...state,
  seen: [...state.seen.filter(({ key }) => key !== seen.key), seen].slice(-mostSeen)
})

// Questions to the second model. The same event may arrive twice at once; its question is asked and paid once.

// Both calls of an event begin together. Later the same text may be a new question.
const answeredFor = 10_000

/** A question that is being asked, or was just answered. */
export const questionOf = ({ asked = [] }: SessionState, key: string, now: number): Question | null =>
  asked.find((one) =>
    one.key === key && (one.answer === null ? now >= one.at && now < one.until : isWithin(one.at, now, answeredFor))
  ) ?? null

/** Records a question as asked or answered; null forgets it. */
export const recordQuestion = (state: SessionState, key: string, question: Omit<Question, "key"> | null) => {
  const others = (state.asked ?? []).filter((one) => one.key !== key)
  return { ...state, asked: question === null ? others : [...others, { key, ...question }].slice(-mostQuestions) }
}

/** The reviews that are still waited for. */
export const pendingAt = (state: SessionState, now: number): ReadonlyArray<Pending> =>
  state.pending.filter(({ at, until }) => now >= at && now < until)

/** A review of the same edit that is under way. */
export const pendingFor = (state: SessionState, change: string, now: number): Pending | null =>
  pendingAt(state, now).find((one) => one.change === change) ?? null

/** The state without expired entries: FAILs of a week ago, old verdicts, and late reviews. */
export const expire = (state: SessionState, now: number): SessionState => {
  const isRecent = ({ at }: { readonly at: number }): boolean => now - at < week
  return {
    ...state,
    fails: state.fails.filter(isRecent),
    passed: state.passed.filter(isRecent),
    dismissed: state.dismissed.filter(isRecent),
    pending: state.pending.filter(({ until }) => now < until),
    seen: state.seen.filter(({ at }) => isWithin(at, now, seenFor)),
    ...(state.asked === undefined
      ? {}
      : { asked: state.asked.filter(({ key }) => questionOf(state, key, now) !== null) })
  }
}
