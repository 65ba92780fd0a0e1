// Undo: how the work of agents is taken back, path by path.
//
// A round of agents changed a path from B (before) to A (after); N is what is there now. Undo works on the result of
// the next round, from the newest round to the oldest:
//
//   N is A                          B
//   N is B                          nothing to do
//   N is what the oldest round had  nothing to do, unless a person wrote between two of the rounds
//   N, A and B are files            mode: N's if it differs from A's, else B's; contents: N's without what
//                                   changed from B to A, if git can merge that; else left
//   anything else, or B not saved   left
//   whatever N is, if the path changed after the agents had ended, or their end is unknown  left
//
// A path that is left stays left for older rounds. With `force` it becomes B, unless B was not saved. If the present
// cannot be saved, it is left too, unless `partial` says that it may be replaced.
//
// Undo destroys nothing: what no snapshot holds, and what may be a person's, as everything that is older than the agents
// and would be nowhere in the worktree, is moved into the directory of the run (Aside.live). Git directories are never removed: one that an agent made is moved there too, and one that an agent moved
// is moved back.
import { Effect } from "effect"
import { isWithin, type Name } from "./Names.ts"
import type { Entry } from "./Store.live.ts"

/** The files and links of a tree. */
export type Entries = ReadonlyMap<Name, Entry>

/** Why undo leaves a path as it is. */
export const leftReasons = [
  "NotSaved",
  "ChangedLater",
  "Conflict",
  "Binary",
  "Removed",
  "NewFileEdited",
  "MadeAnew",
  "OtherType",
  "Unsaved",
  "ChangedMeanwhile",
  "InTheWay",
  "Unreadable",
  "Special",
  "GitDirectory",
  "Refused"
] as const
export type LeftReason = typeof leftReasons[number]

/** The words for each, in a message that begins with the path. */
export const leftTexts = {
  NotSaved: "it could not be saved before the agent worked",
  ChangedLater: "it may have changed after the agent ended",
  Conflict: "your change and the agent's touch",
  Binary: "both you and the agent changed it, and it is binary",
  Removed: "you removed it",
  NewFileEdited: "the agent made it, and you changed it",
  MadeAnew: "the agent removed it, and you made it anew",
  OtherType: "it is no file or no longer the same kind of file",
  Unsaved: "what is there cannot be saved first",
  ChangedMeanwhile: "it changed while undo worked",
  InTheWay: "something that no snapshot holds is in its place",
  Unreadable: "it cannot be read",
  Special: "no snapshot holds such a file",
  GitDirectory: "git's own files there changed",
  Refused: "the system refused"
} as const satisfies Record<LeftReason, string>

/** A path that undo leaves; `detail` is the system's code where it refused, or what cannot be saved. */
export interface Left {
  readonly path: Name
  readonly reason: LeftReason
  readonly detail?: string
}

/** Why a path is left, in a few words. */
export const leftText = ({ detail, reason }: Left): string =>
  detail === undefined ? leftTexts[reason] : `${leftTexts[reason]} (${detail})`

/** What one path becomes; null for no file. `aside`: what is there is moved into the directory of the run. */
export interface UndoStep {
  readonly path: Name
  readonly from: Entry | null
  readonly to: Entry | null
  readonly aside?: true
}

/**
 * What is moved as a whole: to another path of the worktree, or into the directory of the run (`to` is null); or `back`
 * from there, where the undo with this snapshot had moved it.
 */
export interface UndoMove {
  readonly path: Name
  readonly to: Name | null
  readonly back: number | null
  /** The digest of a git directory; null for anything else. */
  readonly digest: string | null
}

/** What an undo does, what it leaves, and the paths whose contents it merged. */
export interface UndoPlan {
  readonly steps: ReadonlyArray<UndoStep>
  readonly left: ReadonlyArray<Left>
  readonly merged: ReadonlyArray<Name>
}

/** A round: the entries before and after it, what could not be saved before it, and what changed after its agents. */
export interface UndoRound {
  readonly before: Entries
  readonly after: Entries
  readonly notSaved: ReadonlyArray<Name>
  readonly later: Pick<ReadonlySet<Name>, "has">
}

/** The result of a merge: the id of the merged contents, or why it failed. */
export type Merged =
  | { readonly _tag: "Merged"; readonly id: string }
  | { readonly _tag: "Conflict" }
  | { readonly _tag: "Binary" }

/** The ids of three contents: the present one, and the two between which the change to take back lies. */
export interface MergeSides {
  readonly now: string
  readonly after: string
  readonly before: string
}

const same = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.mode === other?.mode && one?.id === other?.id

const isFile = (entry: Entry | undefined): entry is Entry => entry?.mode.startsWith("100") === true

const reasonFor = (
  now: Entry | undefined,
  before: Entry | undefined,
  after: Entry | undefined
): LeftReason => {
  if (now === undefined) return "Removed"
  if (before === undefined) return "NewFileEdited"
  return after === undefined ? "MadeAnew" : "OtherType"
}

/** What a path becomes: an entry, nothing, or the reason why it is left. */
type Outcome = { readonly becomes: Entry | undefined; readonly merged: boolean } | LeftReason

const plainly = (becomes: Entry | undefined): Outcome => ({ becomes, merged: false })

/**
 * How to undo: `unsaved` paths cannot be saved in the present state, and may be replaced with `partial`. `isOld`:
 * whether what is at a path was somewhere before all rounds, though it may be where another file was.
 */
interface UndoOptions {
  readonly force: boolean
  readonly partial: boolean
  readonly unsaved: ReadonlyArray<Name>
  readonly isOld: (path: Name, isReplaced: boolean) => boolean
}

const isAmong = (path: Name, places: ReadonlyArray<Name>): boolean => places.some((one) => isWithin(path, one))

/** The plan that takes rounds back, the newest first. `merge` is called only if all three contents differ. */
export const planUndo = Effect.fnUntraced(function*<E, R>(
  present: Entries,
  rounds: ReadonlyArray<UndoRound>,
  merge: (sides: MergeSides) => Effect.Effect<Merged, E, R>,
  { force, isOld, partial, unsaved }: UndoOptions
) {
  const result = new Map(present)
  const left = new Map<Name, LeftReason>()
  const merged = new Set<Name>()
  const aside = new Set<Name>(unsaved)

  const mergedFile = Effect.fnUntraced(function*(now: Entry, before: Entry, after: Entry) {
    const mode = now.mode === after.mode ? before.mode : now.mode
    if (now.id === after.id) return plainly({ mode, id: before.id })
    if (before.id === after.id || now.id === before.id) return plainly({ mode, id: now.id })
    const done = yield* merge({ now: now.id, after: after.id, before: before.id })
    return done._tag === "Merged" ? { becomes: { mode, id: done.id }, merged: true } : done._tag
  })

  const outcomeOf = (
    path: Name,
    { later, notSaved }: UndoRound,
    before: Entry | undefined,
    after: Entry | undefined
  ): Effect.Effect<Outcome, E, R> => {
    const now = result.get(path)
    if (isAmong(path, notSaved)) return Effect.succeed("NotSaved")
    if (later.has(path)) {
      if (!force) return Effect.succeed("ChangedLater")
      if (now !== undefined) aside.add(path)
    }
    if (isAmong(path, unsaved)) return Effect.succeed(partial ? plainly(before) : "Unsaved")
    if (force || same(now, after)) return Effect.succeed(plainly(before))
    return isFile(now) && isFile(before) && isFile(after)
      ? mergedFile(now, before, after)
      : Effect.succeed(reasonFor(now, before, after))
  }

  const oldest = rounds.at(-1)?.before
  /** Whether a path is as before all rounds, and only agents wrote it since then. */
  const isBack = (path: Name): boolean =>
    same(present.get(path), oldest?.get(path)) &&
    rounds.every(({ before }, i) => same(before.get(path), (rounds[i + 1]?.after ?? before).get(path)))
  for (const round of rounds) {
    for (const path of new Set([...round.before.keys(), ...round.after.keys()])) {
      const [before, after] = [round.before.get(path), round.after.get(path)]
      if (same(before, after) || same(result.get(path), before) || left.has(path) || isBack(path)) continue
      const outcome = yield* outcomeOf(path, round, before, after)
      if (typeof outcome === "string") {
        left.set(path, outcome)
        continue
      }
      if (outcome.becomes === undefined) result.delete(path)
      else result.set(path, outcome.becomes)
      if (outcome.merged) merged.add(path)
      else merged.delete(path)
    }
  }

  const held = new Set([...result.values()].map(({ id }) => id))
  const steps = [...new Set([...present.keys(), ...result.keys()])].flatMap((path): ReadonlyArray<UndoStep> => {
    const [from, to] = [present.get(path), result.get(path)]
    if (same(from, to)) return []
    const isKept = aside.has(path) || (from !== undefined && !held.has(from.id) && isOld(path, to !== undefined))
    return [{ path, from: from ?? null, to: to ?? null, ...(isKept ? { aside: true } : {}) }]
  })
  return {
    steps,
    left: [...left].map(([path, reason]) => ({ path, reason })),
    merged: steps.flatMap(({ path }) => merged.has(path) ? [path] : [])
  } satisfies UndoPlan
})
