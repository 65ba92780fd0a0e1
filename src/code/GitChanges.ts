// GitChanges: what a difference of git's state between two moments means for the agent that worked in between.
// Others use the same repository: they commit in other worktrees, fetch, pack, collect. What decides here or is lost
// counts as the agent's, and the rest is a note.
import { Schema } from "effect"
import { brief } from "../text/Untrusted.ts"
import { type Name, shownName } from "./Names.ts"

const Pairs = <S extends Schema.Top>(value: S) => Schema.Array(Schema.Tuple([Schema.String, value]))

/** What worktrees share in one git directory, and the moves of this one, by value. Names are of bytes. */
export const GitValues = Schema.Struct({
  /** The path of a git directory within the worktree; "" for the worktree's own. */
  part: Schema.String,
  /** The ref that HEAD names, or its commit. */
  on: Schema.String,
  refs: Pairs(Schema.String),
  stash: Schema.Array(Schema.String),
  /** Of each other worktree its HEAD, and the branches that it is on or rebases. */
  worktrees: Pairs(Schema.Array(Schema.String)),
  /** The notes on moves of HEAD and its branch; each begins with its second. */
  moves: Schema.Array(Schema.String)
})
export type GitValues = typeof GitValues.Type

/** A ref that was moved: whether its old commit is kept has to be asked. */
export interface Moved {
  readonly name: Name
  readonly from: string
  readonly to: string
}

/** What differs: what ends a round, what is at most a note, and what is one of both. */
export interface GitChanges {
  readonly changed: ReadonlyArray<string>
  readonly noted: ReadonlyArray<string>
  readonly moved: ReadonlyArray<Moved>
}

// Git's own limit for moves to commits that nothing else names: it removes older notes when it collects.
const keptSeconds = 30 * 24 * 3600
/** The id of an object, in hex. */
export const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const shown = (name: Name): string => brief(shownName(name), 60)

/** The text of a change that ends a round, with the old id. */
export const movedText = ({ from, name, to }: Moved): string =>
  `${shown(name)} ${to === "" ? "is gone" : `is ${to.slice(0, 12)}`}${from === "" ? "" : `, was ${from}`}`

const fate = (from: string, to: string): string => from === "" ? "is new" : to === "" ? "is gone" : "moved"

/** The text of a change that is only noted. */
export const notedText = ({ from, name, to }: Moved): string =>
  `${shown(name.replace(/^refs\/(?:heads|remotes|tags)\//, ""))} ${fate(from, to)}`

/** Whether a ref decides nothing here, whatever happens to it. */
const isOthers = (name: Name, worktrees: ReadonlySet<string>): boolean =>
  /^refs\/(?:remotes|prefetch)\//.test(name) || worktrees.has(name)

/** Whether a ref is this worktree's, or replaces objects in all of them. */
const isEqual = (name: Name, on: string): boolean =>
  name === on || name === `${on}.lock` || /^refs\/(?:bisect|replace|rewritten|worktree)\//.test(name)

/** What differs in one git directory between two moments, of which the second is `at` (seconds). */
export const gitChanges = (
  before: Omit<GitValues, "part">,
  now: Omit<GitValues, "part">,
  at: number
): GitChanges => {
  const changed: Array<string> = []
  const noted: Array<string> = []
  const moved: Array<Moved> = []
  const there = new Set(before.worktrees.map(([id]) => id))
  const used = [...before.worktrees, ...now.worktrees].flatMap(([id, names]) => there.has(id) ? names : [])
  const others = new Set(used)
  const [then, present] = [new Map(before.refs), new Map(now.refs)]
  for (const name of new Set([...then.keys(), ...present.keys()])) {
    const [from, to] = [then.get(name) ?? "", present.get(name) ?? ""]
    if (from === to) continue
    const one = { name, from, to }
    if (isEqual(name, before.on)) changed.push(movedText(one))
    else if (from === "" || isOthers(name, others)) noted.push(notedText(one))
    else if (name.startsWith("refs/tags/") || !objectId.test(from) || !objectId.test(to)) changed.push(movedText(one))
    else moved.push(one)
  }
  const stash = new Set(now.stash)
  for (const id of before.stash) if (!stash.has(id)) changed.push(`stash entry ${id} is gone`)
  if (now.stash.some((id) => !before.stash.includes(id))) noted.push("a stash entry is new")
  const [was, is] = [new Map(before.worktrees), new Map(now.worktrees)]
  for (const id of new Set([...was.keys(), ...is.keys()])) {
    const [from, to] = [was.get(id)?.[0] ?? "", is.get(id)?.[0] ?? ""]
    if (from !== to) noted.push(`worktree ${shown(id)} ${fate(from, to)}`)
  }
  const [notes, left] = [new Set(before.moves), new Set(now.moves)]
  const isRecent = (note: string) => at - Number.parseInt(note) < keptSeconds
  const isSame = now.moves.every((note) => notes.has(note)) &&
    before.moves.every((note) => left.has(note) || !isRecent(note))
  if (!isSame) changed.push("reflog")
  return { changed, noted, moved }
}
