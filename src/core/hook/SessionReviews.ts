// SessionReviews: how reviews begin and end in a session, what they leave open, and what is no longer of interest.
// Only a verdict changes what is open. A pass clears the earlier FAILs of its path and no later one.
import type { OpenFail, Pending, Seen, SessionState } from "./SessionState.ts"

/** An edit whose review begins. */
export interface Entered {
  readonly path: string
  readonly change: string
  readonly at: number
  /** When nobody waits for the review any more. */
  readonly until: number
}

/** A review that ended, by the number under which it was entered. */
export interface Ended {
  readonly path: string
  readonly change: string
  readonly seq: number
  readonly at: number
}

const mostSeen = 100
const mostPassed = 500
const seenFor = 300_000
const week = 7 * 24 * 3_600_000

/** Enters a review as under way and gives its number. */
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

/** A pass: earlier FAILs of the path are cleared, also those whose reviews end after this one. */
export const recordPass = (state: SessionState, { at, path, seq }: Ended): SessionState => {
  const before = state.passed.find((one) => one.path === path)
  const passed = before !== undefined && before.seq > seq ? before : { path, seq, at }
  return {
    ...settlePending(state, seq),
    fails: state.fails.filter((one) => one.path !== path || one.seq > seq),
    passed: [...state.passed.filter((one) => one.path !== path), passed].slice(-mostPassed)
  }
}

const isSame = (one: { readonly path: string; readonly change: string }, other: Ended): boolean =>
  one.path === other.path && one.change === other.change

/** A FAIL, unless the path has passed since, or a person has dismissed this one. */
export const recordFail = (state: SessionState, ended: Ended, reason: string): SessionState => {
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
export const recordUncertain = (state: SessionState, { seq }: Ended): SessionState => settlePending(state, seq)

const leastName = 6

/** The open FAILs that a name stands for: a path, or the beginning of a change's key. */
export const failsNamed = (state: SessionState, name: string): ReadonlyArray<OpenFail> =>
  state.fails.filter(({ change, path }) => path === name || (name.length >= leastName && change.startsWith(name)))

/** Dismisses a FAIL: it is open no more, and the same change of the same path opens none again. */
export const dismiss = (state: SessionState, fail: OpenFail, why: string, at: number): SessionState => ({
  ...state,
  fails: state.fails.filter((one) => !isSame(one, fail)),
  dismissed: [...state.dismissed, { path: fail.path, change: fail.change, why, at }]
})

// Time that went backwards tells nothing, so what it would say is not believed.
const isWithin = (at: number, now: number, span: number): boolean => now >= at && now - at < span

/** The verdict of the same edit, while it is fresh. */
export const seenVerdict = (state: Pick<SessionState, "seen">, key: string, now: number): Seen | null =>
  state.seen.find((one) => one.key === key && isWithin(one.at, now, seenFor)) ?? null

/** Keeps a verdict for when the same edit comes again. */
export const rememberVerdict = (state: SessionState, seen: Seen): SessionState => ({
  ...state,
  seen: [...state.seen.filter(({ key }) => key !== seen.key), seen].slice(-mostSeen)
})

/** The reviews that somebody still waits for. */
export const pendingAt = (state: SessionState, now: number): ReadonlyArray<Pending> =>
  state.pending.filter(({ at, until }) => now >= at && now < until)

/** A review of the same edit that is under way. */
export const pendingFor = (state: SessionState, change: string, now: number): Pending | null =>
  pendingAt(state, now).find((one) => one.change === change) ?? null

/** The state without what is over: FAILs of a week ago, old verdicts, and reviews that nobody waits for. */
export const expire = (state: SessionState, now: number): SessionState => {
  const isRecent = ({ at }: { readonly at: number }): boolean => now - at < week
  return {
    ...state,
    fails: state.fails.filter(isRecent),
    passed: state.passed.filter(isRecent),
    dismissed: state.dismissed.filter(isRecent),
    pending: state.pending.filter(({ until }) => now < until),
    seen: state.seen.filter(({ at }) => isWithin(at, now, seenFor))
  }
}
