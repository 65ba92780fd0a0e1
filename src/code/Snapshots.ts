// Snapshots: snapshots as values, and the port to them.
import { Context, Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunRef } from "../log/Refs.ts"
import { SystemFault } from "../platform/SystemFault.ts"
import { Ordinal } from "../run/Event.ts"
import { CallPlace, readerCall } from "../run/Naming.ts"
import { counted, size } from "../text/Phrases.ts"
import { oneLine, someNames } from "../text/Untrusted.ts"
import type { GitChanges } from "./GitChanges.ts"
import { type Name, shownName } from "./Names.ts"
import type { Left } from "./Undo.ts"

// A snapshot is the frozen code of a worktree at one moment of a run, kept in the private repository of the run.
// File names are bytes: each byte is one character here.

/** Why a snapshot was taken: before or after an agent, tests, marks in a plan or an undo. */
export const SnapshotCause = Schema.Union([
  Schema.TaggedStruct("BeforeAgent", { agent: Ordinal }),
  Schema.TaggedStruct("AfterAgent", { agent: Ordinal }),
  Schema.TaggedStruct("BeforeTests", {}),
  Schema.TaggedStruct("AfterTests", {}),
  Schema.TaggedStruct("BeforeMarks", {}),
  Schema.TaggedStruct("AfterMarks", {}),
  Schema.TaggedStruct("BeforeUndo", {}),
  /** `rounds`: those that were taken back. Earlier versions did not record them. */
  Schema.TaggedStruct("AfterUndo", { rounds: Schema.optionalKey(Schema.Array(Ordinal)) })
])
export type SnapshotCause = typeof SnapshotCause.Type

/** The facts of a snapshot beside its tree. */
export const SnapshotFacts = Schema.Struct({
  schema: Schema.Literal(2),
  run: Schema.Struct({
    root: Schema.String,
    repoId: Schema.String,
    targetKey: Schema.String,
    runId: Schema.String
  }),
  /** Snapshots of a run are counted from 1. */
  number: Ordinal,
  at: Schema.String,
  worktree: Schema.String,
  cause: SnapshotCause,
  /** The round of the run that the agent worked in; null for an undo. */
  round: Schema.NullOr(Ordinal),
  tree: Schema.String,
  /** The object that holds the ignore rules that were followed. */
  rules: Schema.String,
  /** What is missing in the tree although it is not ignored, and why. `code`: whether it may hold code. */
  skipped: Schema.Array(Schema.Struct({ path: Schema.String, why: Schema.String, code: Schema.Boolean })),
  /** What changed after the agent or the tests since the snapshot before had ended: it may be a person's work. */
  later: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether that is everything since the snapshot before, because nothing shows when they ended, or that they began. */
  unseen: Schema.optionalKey(Schema.Boolean),
  /**
   * A digest of each part of git's own state that must stay as it is, and the object with what worktrees share
   * (`sharedValues`). `refs`: of a git directory within the worktree, a digest of HEAD, branches, tags and stash.
   */
  git: Schema.Array(
    Schema.Struct({ part: Schema.String, digest: Schema.String, refs: Schema.optionalKey(Schema.String) })
  )
})
export type SnapshotFacts = typeof SnapshotFacts.Type

/** A snapshot of a run. */
export interface Snapshot extends SnapshotFacts {
  readonly commit: string
}

/** Why a snapshot was taken, in a few words. */
export const causeText = (cause: SnapshotCause): string => {
  switch (cause._tag) {
    case "BeforeAgent":
      return `before agent ${cause.agent}`
    case "AfterAgent":
      return `after agent ${cause.agent}`
    case "BeforeTests":
      return "before the tests"
    case "AfterTests":
      return "after the tests"
    case "BeforeMarks":
      return "before marks in the plan"
    case "AfterMarks":
      return "after marks in the plan"
    case "BeforeUndo":
      return "before an undo"
    case "AfterUndo":
      return "after an undo"
  }
}

/** The names of files that may be code but are not in the snapshot. */
export const leftOutOf = ({ skipped }: Pick<SnapshotFacts, "skipped">): ReadonlyArray<Name> =>
  skipped.flatMap(({ code, path }) => code ? [path] : [])

/** The range of commits between two snapshots, as a result names it. */
export const rangeBetween = (before: Pick<Snapshot, "commit">, after: Pick<Snapshot, "commit">): string =>
  `${before.commit}..${after.commit}`

/** The name of what worktrees share among the parts of git's state. It is compared by value; see `GitChanges`. */
export const sharedValues = "shared values"

/** The parts of git's own state that differ between two moments, by name. */
export const changedParts = (before: SnapshotFacts["git"], now: SnapshotFacts["git"]): ReadonlyArray<string> => {
  const then = new Map(before.map(({ digest, part }) => [part, digest]))
  const present = new Map(now.map(({ digest, part }) => [part, digest]))
  return [...new Set([...then.keys(), ...present.keys()])].filter((part) =>
    part !== sharedValues && then.get(part) !== present.get(part)
  )
}

// What an undo takes back: spans of the run, each from one snapshot to another.

/** The work of an agent with its tests, or an undo: from the snapshot before it to the last one after it. */
export interface Stretch {
  readonly round: number | null
  readonly first: Snapshot
  /** The snapshot after it; null for the present. */
  readonly last: Snapshot | null
}

/** Whether a snapshot shows what came of an agent, tests, marks or an undo. */
export const ends = (cause: SnapshotCause): boolean => cause._tag.startsWith("After")

const isOf = (snapshot: Snapshot, before: Snapshot): boolean => ends(snapshot.cause) && snapshot.round === before.round

/** The numbers of a run's snapshots that are lost: they begin at 1, and `next` is the first that none has had. */
export const lostOf = (known: ReadonlyArray<Snapshot>, next: number): ReadonlyArray<number> => {
  const numbers = new Set(known.map(({ number }) => number))
  return Array.from({ length: next - 1 }, (_, i) => i + 1).filter((number) => !numbers.has(number))
}

/**
 * The spans of a run since a snapshot, the newest first; `snapshots` are oldest first, and `next` is the number of the
 * next one. One after which a snapshot is lost reaches over it.
 */
export const stretchesFrom = (
  snapshots: ReadonlyArray<Snapshot>,
  number: number,
  next: number
): ReadonlyArray<Stretch> => {
  const isOpen = (one: Snapshot, following: number) => !ends(one.cause) || following > one.number + 1
  const all: Array<{ round: number | null; first: Snapshot; last: Snapshot | null }> = []
  for (const snapshot of snapshots.filter((one) => one.number >= number)) {
    const open = all.at(-1)
    if (open !== undefined && isOf(snapshot, open.last ?? open.first)) {
      open.last = snapshot
      continue
    }
    // If a call died, no snapshot was taken after it: the next one shows what it left.
    if (open !== undefined && isOpen(open.last ?? open.first, snapshot.number)) open.last = snapshot
    all.push({ round: snapshot.round, first: snapshot, last: null })
  }
  const newest = all.at(-1)
  const present = newest !== undefined && isOpen(newest.last ?? newest.first, next) ? newest : null
  if (present !== null) present.last = null
  // A span that only ends there changed nothing since.
  return all.filter((one) => one.last !== null || one === present).reverse()
}

/** Where an undo goes back to: before a round, or to a snapshot. */
export type UndoTo =
  | { readonly _tag: "Round"; readonly round: number }
  | { readonly _tag: "LastRound" }
  | { readonly _tag: "AllRounds" }
  | { readonly _tag: "Snapshot"; readonly number: number }

/** Whether the round of a snapshot is over and changed nothing, as one of an agent that only reads. */
const isVoid = (snapshots: ReadonlyArray<Snapshot>, { round, tree }: Snapshot): boolean => {
  const all = snapshots.filter((one) => round !== null && one.round === round)
  return ends(all.at(-1)?.cause ?? { _tag: "BeforeUndo" }) && all.every((one) => one.tree === tree)
}

/** The snapshot that an undo goes back to, or null. */
export const targetOf = (snapshots: ReadonlyArray<Snapshot>, to: UndoTo): Snapshot | null => {
  // An agent without a round counts as a round by itself.
  const begun = snapshots.filter(({ cause, round }) => round !== null || cause._tag === "BeforeAgent")
  const last = begun.findLast((one) => !isVoid(snapshots, one)) ?? begun.at(-1)
  switch (to._tag) {
    case "Snapshot":
      return snapshots.find(({ number }) => number === to.number) ?? null
    case "Round":
      return snapshots.find(({ round }) => round === to.round) ?? null
    case "LastRound":
      return (last === undefined || last.round === null ? last : begun.find(({ round }) => round === last.round)) ??
        null
    case "AllRounds":
      return begun[0] ?? null
  }
}

// The port to the snapshots of a run's worktree, and to undo.
// A snapshot does not change the user's repository, and an undo changes only files of the worktree.

/** Why there is no snapshot, or why nothing was undone. Names are of bytes. */
export const SnapshotReason = Schema.Union([
  /** `fault` is the system's, if it was the cause. */
  Schema.TaggedStruct("CodeFailed", { why: Schema.String, fault: Schema.NullOr(SystemFault) }),
  Schema.TaggedStruct("Partial", { leftOut: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("NoneOfRun", { run: Schema.String }),
  Schema.TaggedStruct("OfEarlierVersion", { run: Schema.String, commands: Schema.Array(Schema.String) }),
  /** `later`: the next snapshot that can be read. */
  Schema.TaggedStruct("Lost", { number: Schema.Int, later: Schema.NullOr(Schema.Int) }),
  Schema.TaggedStruct("NoSuchNumber", { number: Schema.Int, last: Schema.Int }),
  Schema.TaggedStruct("NoSuchRound", { round: Schema.Int }),
  Schema.TaggedStruct("Interrupted", { why: Schema.String }),
  Schema.TaggedStruct("Left", { call: Schema.String, left: Schema.Array(Schema.String) })
])
export type SnapshotReason = typeof SnapshotReason.Type

// The most names of left-out files in a message.
const most = 3

const reasonText = (reason: SnapshotReason): string => {
  switch (reason._tag) {
    case "CodeFailed":
      return oneLine(reason.why)
    case "Partial": {
      const { leftOut } = reason
      const names = leftOut.slice(0, most).map(shownName).join(", ")
      const more = leftOut.length > most ? ` and ${leftOut.length - most} more` : ""
      return `an undo could not put back ${names}${more}: ${
        counted(leftOut.length, "path")
      } unreadable or too large; ` +
        "have git ignore them, or go on without them with --allow partial-snapshot"
    }
    case "NoneOfRun":
      return `run ${reason.run} has no snapshots: no agent has worked on it here [name another run; \`ooda-codex-review runs\` lists them]`
    case "OfEarlierVersion":
      return `run ${reason.run} is of an earlier version, whose snapshots git puts back: ${reason.commands.join("; ")}`
    case "Lost":
      return `snapshot ${reason.number} is missing or damaged: what changed right after it cannot be taken back [${
        reason.later === null ? "no later one can be read" : `undo --to ${reason.later} takes back what came later`
      }]`
    case "NoSuchNumber":
      return `there is no snapshot ${reason.number}; the last one is ${reason.last}`
    case "NoSuchRound":
      return `no agent worked in round ${reason.round}`
    case "Left":
      return `an undo that had been interrupted is finished now, but it left ${
        someNames(reason.left.map(shownName))
      } ` +
        `[call again to work with that; ${reason.call} takes it back too]`
    case "Interrupted":
      return `the undo is not finished: ${oneLine(reason.why)}; fix that, and the next call finishes it`
  }
}

/** No snapshot could be taken or read, or nothing could be undone. */
export class SnapshotFailed extends Schema.TaggedError<SnapshotFailed>()("SnapshotFailed", {
  reason: SnapshotReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return reasonText(this.reason)
  }
}

/** What an undo did to a path: `MovedBack` to it, or `MovedAside` from it into the directory of the run. */
export const undoneChanges = ["Written", "Removed", "MovedBack", "MovedAside"] as const

/** A path that an undo changed. `merged`: without losing what a person changed there. */
export interface UndoneFile {
  readonly path: Name
  readonly change: typeof undoneChanges[number]
  readonly merged: boolean
}

/** What an undo did, or would do. */
export interface Restored {
  readonly to: Snapshot
  /** The rounds that were taken back, the newest first. */
  readonly rounds: ReadonlyArray<number>
  /** The snapshot of the state before; null if nothing was changed. */
  readonly saved: Snapshot | null
  readonly files: ReadonlyArray<UndoneFile>
  readonly left: ReadonlyArray<Left>
  /** The directory with what was moved aside; null if nothing was. */
  readonly aside: string | null
}

/** What undos of a run moved aside: the directory, its size in bytes, and the paths in the worktree. */
export interface Aside {
  readonly directory: string
  readonly bytes: number
  readonly files: ReadonlyArray<Name>
}

/** What was moved aside, in a few words. */
export const asideText = ({ bytes, directory, files }: Aside): string =>
  `${counted(files.length, "path")} moved aside by undo, ${size(bytes)} in ${oneLine(directory)}`

/** Options of an undo: `force` if a person changed the same files; `partial` if the present cannot be saved. */
export interface RestoreOptions {
  readonly force: boolean
  readonly partial: boolean
}

/** What differs between two snapshots: the names of the files, and the beginning of the diff as git writes it. */
export interface SnapshotDiff {
  readonly files: ReadonlyArray<string>
  readonly text: string
  readonly whole: boolean
}

/**
 * A run of an earlier version that has snapshots in a user's repository, and when the last was taken (milliseconds).
 */
export interface Snapshotted {
  readonly run: RunRef
  readonly at: number
}

export class Snapshots extends Context.Service<Snapshots, {
  /**
   * Takes the next snapshot of a run. If something cannot be saved, it fails unless `partial` allows that. First
   * finishes an undo that was cut off.
   */
  readonly take: (
    run: RunRef,
    worktree: string,
    cause: SnapshotCause,
    options: { readonly partial: boolean; readonly round: number | null }
  ) => Effect.Effect<Snapshot, SnapshotFailed>
  /**
   * The same, unless the files equal the last snapshot that belongs to a round, and nothing that it was taken before has
   * ended since; then null.
   */
  readonly takeChanged: (
    run: RunRef,
    worktree: string,
    cause: SnapshotCause,
    round: number
  ) => Effect.Effect<Snapshot | null, SnapshotFailed>
  /** The snapshots of a run, oldest first. */
  readonly list: (run: RunRef) => Effect.Effect<ReadonlyArray<Snapshot>, SnapshotFailed>
  /** The last snapshot of a run if it was taken after a moment (epoch milliseconds), else null; cheap in that case. */
  readonly lastAfter: (run: RunRef, moment: number) => Effect.Effect<Snapshot | null, SnapshotFailed>
  /** What differs between two snapshots of a run: at most about `most` characters of the diff. */
  readonly diff: (
    run: RunRef,
    between: { readonly before: number; readonly after: number },
    most: number
  ) => Effect.Effect<SnapshotDiff, SnapshotFailed>
  /** The git directories within a worktree, ignored or not, each with a digest. */
  readonly gitDirectories: (run: RunRef, worktree: string) => Effect.Effect<SnapshotFacts["git"], SnapshotFailed>
  /** What differs in git's state between two snapshots of a run: what an agent answers for, and what is only noted. */
  readonly gitChanges: (
    run: RunRef,
    before: Snapshot,
    after: Snapshot
  ) => Effect.Effect<Omit<GitChanges, "moved">, SnapshotFailed>
  /**
   * The protected paths that changed since this was first asked in the run: `.ooda`, files that engines obey, and
   * matches of git's glob patterns. A pattern without a slash matches at any depth.
   */
  readonly protectedChanges: (
    run: RunRef,
    worktree: string,
    patterns: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Name>, SnapshotFailed>
  /** Accepts the present content of a path of `.ooda`, because a person changed it through this program. */
  readonly acceptProtected: (run: RunRef, worktree: string, path: Name) => Effect.Effect<void, SnapshotFailed>
  /** Takes back what agents did since a snapshot, after a snapshot of the present. */
  readonly restore: (
    run: RunRef,
    worktree: string,
    to: UndoTo,
    options: RestoreOptions
  ) => Effect.Effect<Restored, SnapshotFailed>
  /** What `restore` would do, and the beginning of the diff of the files; changes nothing. */
  readonly preview: (
    run: RunRef,
    worktree: string,
    to: UndoTo,
    options: RestoreOptions,
    most: number
  ) => Effect.Effect<Restored & { readonly diff: SnapshotDiff }, SnapshotFailed>
  /** Finishes an undo that was cut off; null if none was, at the cost of one look at a file. */
  readonly finish: (run: RunRef, worktree: string) => Effect.Effect<Restored | null, SnapshotFailed>
  /** Whether an undo of a run was cut off and is not finished. */
  readonly unfinished: (run: RunRef) => Effect.Effect<boolean>
  /** What undos of a run moved aside, which nothing else holds; null for nothing, at the cost of one look at a directory. */
  readonly aside: (run: RunRef) => Effect.Effect<Aside | null, SnapshotFailed>
  /** The runs of an earlier version that have snapshots in the repository around a worktree. */
  readonly snapshotted: (worktree: string) => Effect.Effect<ReadonlyArray<Snapshotted>, SnapshotFailed>
  /** Removes the snapshots that an earlier version left in a user's repository for a run. */
  readonly forget: (run: RunRef, worktree: string) => Effect.Effect<void, SnapshotFailed>
}>()("ooda-codex-review/services/Snapshots") {}

/** Finishes an undo of a run that was interrupted; fails once if it left something, because code and log may not agree. */
export const finishUndo = Effect.fn("Snapshots.finishUndo")(function*(run: RunRef, worktree: string) {
  const restored = yield* Snapshots.use(({ finish }) => finish(run, worktree))
  const left = restored === null ? [] : restored.left.map(({ path }) => path)
  if (left.length === 0) return
  const call = readerCall(`undo ${run.runId} --force`, { ...(yield* CallPlace), run: null })
  return yield* new SnapshotFailed({ reason: { _tag: "Left", call, left } })
})
