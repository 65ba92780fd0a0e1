// SessionState: what the hook keeps of one session: open FAILs, reviews under way, recent verdicts, edited files.
// Reviews end in any order, so each gets its number when it begins, and numbers decide which verdict is the later one.
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Text = Schema.String.check(Schema.isMaxLength(4096))
const about = { key: Text, path: Text, seq: Count }

/** A FAIL that nothing has cleared. `key` is that of the change, `at` in epoch milliseconds. */
const Fail = Schema.Struct({ ...about, reason: Text, at: Count })
export type Fail = typeof Fail.Type

/** A review under way: by which process, and until when at the latest (epoch milliseconds). */
const Pending = Schema.Struct({ ...about, pid: Count, until: Count })

/** The verdict on a change. */
const Known = Schema.Struct({ ...about, verdict: Schema.Literals(["PASS", "FAIL"]), reason: Text, at: Count })
export type Known = typeof Known.Type

/** What is kept of a session. */
export const SessionState = Schema.Struct({
  v: Schema.Literal(1),
  /** The number of the last review that began. */
  seq: Count,
  /** The files that were edited since a Stop was last let go. */
  edited: Schema.Array(Text),
  fails: Schema.Array(Fail),
  pending: Schema.Array(Pending),
  known: Schema.Array(Known),
  /** The number of the last review of a path that passed. */
  passed: Schema.Array(Schema.Struct({ path: Text, seq: Count })),
  /** Why no reviews happen, each told to the user once. */
  told: Schema.Array(Text)
})
export type SessionState = typeof SessionState.Type

/** A session of which nothing is known. */
export const fresh: SessionState = { v: 1, seq: 0, edited: [], fails: [], pending: [], known: [], passed: [], told: [] }

/** How long things are kept, in milliseconds, and how many of each. */
export const bounds = { known: 300_000, fail: 7 * 24 * 3_600_000, entries: 100, files: 1000, reason: 1500 } as const

const last = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<A> => all.slice(Math.max(0, all.length - most))

/** A clock that went backwards misses too. */
const isWithin = (at: number, now: number, span: number): boolean => at <= now && now - at < span

/** The state without what is too old, or too much. */
export const present = (state: SessionState, now: number): SessionState => ({
  ...state,
  edited: last(state.edited, bounds.files),
  fails: last(state.fails.filter(({ at }) => now - at < bounds.fail), bounds.entries),
  pending: state.pending.filter(({ until }) => now < until),
  known: last(state.known.filter(({ at }) => isWithin(at, now, bounds.known)), bounds.entries),
  passed: last(state.passed, bounds.entries),
  told: last(state.told, bounds.entries)
})

/** What is known of a change: its verdict, who reviews it now, or nothing. */
export const found = (state: SessionState, key: string, now: number) => {
  const { known, pending } = present(state, now)
  return { known: known.findLast((one) => one.key === key) ?? null, pending: pending.some((one) => one.key === key) }
}

/** An edit, by the digest of its input and the path of its file. */
export interface Edit {
  readonly key: string
  readonly path: string
}

/** The state with an edit of this turn. */
export const edited = (state: SessionState, path: string): SessionState => ({
  ...state,
  edited: [...state.edited.filter((one) => one !== path), path]
})

/** The state once a review of an edit has begun, and the number of that review. */
export const entered = (state: SessionState, edit: Edit, pid: number, until: number) => {
  const seq = state.seq + 1
  const next = edited({ ...state, seq, pending: [...state.pending, { ...edit, seq, pid, until }] }, edit.path)
  return { state: next, seq }
}

const without = (state: SessionState, seq: number): SessionState => ({
  ...state,
  pending: state.pending.filter((one) => one.seq !== seq)
})

/** How a review ended; UNCERTAIN, and what could not run, change nothing else. */
export interface Settled extends Edit {
  readonly seq: number
  readonly verdict: "PASS" | "FAIL" | "UNCERTAIN" | null
  readonly reason: string
  readonly at: number
}

/** The state once the review with this number has ended. A PASS clears earlier FAILs of its path, and no later one. */
export const settled = (before: SessionState, { at, key, path, reason: said, seq, verdict }: Settled): SessionState => {
  const state = without(before, seq)
  if (verdict === null || verdict === "UNCERTAIN") return state
  const reason = said.slice(0, bounds.reason)
  const known = [...state.known, { key, path, seq, verdict, reason, at }]
  const passedAt = state.passed.find((one) => one.path === path)?.seq ?? 0
  if (verdict === "FAIL") {
    const fails = state.fails.filter((one) => one.path !== path || one.key !== key)
    return { ...state, known, fails: passedAt > seq ? fails : [...fails, { key, path, seq, reason, at }] }
  }
  return {
    ...state,
    known,
    fails: state.fails.filter((one) => one.path !== path || one.seq > seq),
    passed: [...state.passed.filter((one) => one.path !== path), { path, seq: Math.max(seq, passedAt) }]
  }
}

/** The state without the FAILs of a path, or, where null, without any. */
export const dismissed = (state: SessionState, path: string | null): SessionState => ({
  ...state,
  fails: path === null ? [] : state.fails.filter((one) => one.path !== path)
})

/** The state of a session whose Stop was let go: what was edited until then was looked at. */
export const letGo = (state: SessionState): SessionState => ({ ...state, edited: [] })

/** The state once the user was told why no reviews happen. */
export const told = (state: SessionState, why: string): SessionState => ({ ...state, told: [...state.told, why] })
