// SessionState: what the hook knows of one session: open FAILs, reviews under way, verdicts seen, edits of the turn.
// In whatever order reviews end, what is open is the same: each edit has a number, and a pass clears what came before.
import { Option, Schema } from "effect"

const Natural = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** An edit by its path, its key and its number; `at` is when that was, in milliseconds. */
const Edit = { path: Schema.String, change: Schema.String, seq: Natural, at: Natural } as const

/** A FAIL that nothing has cleared, and why. */
const OpenFail = Schema.Struct({ ...Edit, reason: Schema.String })
export type OpenFail = typeof OpenFail.Type

/** A review under way. After `until` nobody waits for it any more. */
const Pending = Schema.Struct({ ...Edit, until: Natural })
export type Pending = typeof Pending.Type

/** The last pass of a path. */
const Passed = Schema.Struct({ path: Schema.String, seq: Natural, at: Natural })

/** A verdict by the key of its edit, for when the same edit comes again. */
const Seen = Schema.Struct({
  key: Schema.String,
  verdict: Schema.Literals(["PASS", "FAIL"]),
  reason: Schema.String,
  at: Natural
})
export type Seen = typeof Seen.Type

/** A FAIL that a person has dismissed, and why. */
const Dismissed = Schema.Struct({ path: Schema.String, change: Schema.String, why: Schema.String, at: Natural })

/** The file of a session. */
export const SessionState = Schema.Struct({
  version: Schema.Literal(1),
  /** The number of the last edit. */
  seq: Natural,
  fails: Schema.Array(OpenFail),
  pending: Schema.Array(Pending),
  passed: Schema.Array(Passed),
  seen: Schema.Array(Seen),
  dismissed: Schema.Array(Dismissed),
  /** Who was told that no reviews happen: a hook in the background reaches Claude alone. */
  told: Schema.Literals(["Nobody", "Claude", "User"]),
  /** Why none happened when one was asked for last; empty where all could be made. */
  unasked: Schema.String,
  /** The turn by the client's name for it, and the paths edited in it. */
  turn: Schema.Struct({ id: Schema.String, paths: Schema.Array(Schema.String) }),
  /** The last turn whose edits a gate has looked at. */
  judged: Schema.optionalKey(Schema.String)
})
export type SessionState = typeof SessionState.Type

/** A session of which nothing is known. */
export const empty: SessionState = {
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

/** Reads the text of a session's file; null where it is none. */
export const decodeSessionState = (text: string): SessionState | null => Option.getOrNull(decode(text))

/** The text of a session's file. */
export const encodeSessionState = (state: SessionState): string => `${encode(state)}\n`

const heard = { Nobody: 0, Claude: 1, User: 2 } as const satisfies Record<SessionState["told"], number>

/** Keeps why no review happens, and tells whether `whom` has to hear of it: each of them once a session. */
export const tellOnce = (
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
 * The paths edited in a turn, and before it in turns that ended without a look at them: of work in the background the
 * client tells in a turn of its own, and a turn that a person interrupts has no Stop.
 */
export const editedIn = ({ judged, turn: { id, paths } }: SessionState, turn: string): ReadonlyArray<string> =>
  id === turn || id !== judged ? paths : []

/** A gate has looked at the edits of a turn. The next turn forgets them. */
export const recordJudged = (state: SessionState, turn: string): SessionState => ({
  ...state,
  turn: { id: turn, paths: editedIn(state, turn) },
  judged: turn
})
