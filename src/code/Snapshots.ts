// Snapshots: snapshots as values, and their port.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunRef } from "../log/Refs.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { Ordinal } from "../run/Event.ts"
import { counted } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"
import { type Name, shownName } from "./Names.ts"
import type { Left } from "./Undo.ts"

// A snapshot is the frozen code of a worktree at one moment of a run, kept in the private repository of the run.
// Names of files are bytes: each byte is one character here.

/** Why a snapshot was taken: before or after an agent, marks in a plan or an undo, or after tests. */
export const SnapshotCause = Schema.Union([
  Schema.TaggedStruct("BeforeAgent", { agent: Ordinal }),
  Schema.TaggedStruct("AfterAgent", { agent: Ordinal }),
  Schema.TaggedStruct("AfterTests", {}),
  Schema.TaggedStruct("BeforeMarks", {}),
  Schema.TaggedStruct("AfterMarks", {}),
  Schema.TaggedStruct("BeforeUndo", {}),
  Schema.TaggedStruct("AfterUndo", {})
])
export type SnapshotCause = typeof SnapshotCause.Type

/** What is kept of a snapshot beside its tree. */
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
  /** What is not in the tree although it is not ignored, and why. `code`: whether it may hold code. */
  skipped: Schema.Array(Schema.Struct({ path: Schema.String, why: Schema.String, code: Schema.Boolean })),
  /** A digest of each part of git's own state. */
  git: Schema.Array(Schema.Struct({ part: Schema.String, digest: Schema.String }))
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

/** The names of what a snapshot does not hold though it may be code. */
export const leftOutOf = ({ skipped }: Pick<SnapshotFacts, "skipped">): ReadonlyArray<Name> =>
  skipped.flatMap(({ code, path }) => code ? [path] : [])

/** The range of commits between two snapshots, as a result names it. */
export const rangeBetween = (before: Pick<Snapshot, "commit">, after: Pick<Snapshot, "commit">): string =>
  `${before.commit}..${after.commit}`

/** The parts of git's own state that differ between two moments, by name. */
export const changedParts = (before: SnapshotFacts["git"], now: SnapshotFacts["git"]): ReadonlyArray<string> => {
  const then = new Map(before.map(({ digest, part }) => [part, digest]))
  const present = new Map(now.map(({ digest, part }) => [part, digest]))
  return [...new Set([...then.keys(), ...present.keys()])].filter((part) => then.get(part) !== present.get(part))
}

// What an undo takes back: stretches of the run, each from one snapshot to another.

/** The work of an agent with its tests, or an undo: from the snapshot before it to the last one after it. */
export interface Stretch {
  readonly round: number | null
  readonly first: Snapshot
  /** The snapshot after it; null where it is the present. */
  readonly last: Snapshot | null
}

const ends = (cause: SnapshotCause): boolean => cause._tag.startsWith("After")

const isOf = (snapshot: Snapshot, before: Snapshot): boolean => ends(snapshot.cause) && snapshot.round === before.round

/** The stretches of a run from a snapshot on, the newest first; `snapshots` come the oldest first. */
export const stretchesFrom = (snapshots: ReadonlyArray<Snapshot>, number: number): ReadonlyArray<Stretch> => {
  const all: Array<{ round: number | null; first: Snapshot; last: Snapshot | null }> = []
  for (const snapshot of snapshots.filter((one) => one.number >= number)) {
    const open = all.at(-1)
    if (open !== undefined && isOf(snapshot, open.last ?? open.first)) {
      open.last = snapshot
      continue
    }
    // Where a call died no snapshot was taken after it: the next one shows what it left.
    if (open !== undefined && !ends((open.last ?? open.first).cause)) open.last = snapshot
    all.push({ round: snapshot.round, first: snapshot, last: null })
  }
  const newest = all.at(-1)
  if (newest?.last !== null && newest !== undefined && !ends(newest.last.cause)) newest.last = null
  // One that only ends there changed nothing since.
  return all.filter(({ first, last }) => last !== null || !ends(first.cause)).reverse()
}

/** Where an undo goes back to: before a round, or to a snapshot. */
export type UndoTo =
  | { readonly _tag: "Round"; readonly round: number }
  | { readonly _tag: "LastRound" }
  | { readonly _tag: "AllRounds" }
  | { readonly _tag: "Snapshot"; readonly number: number }

/** The snapshot that an undo goes back to; null where there is none such. */
export const targetOf = (snapshots: ReadonlyArray<Snapshot>, to: UndoTo): Snapshot | null => {
  // An agent whose task is of no round is one by itself.
  const begun = snapshots.filter(({ cause, round }) => round !== null || cause._tag === "BeforeAgent")
  const last = begun.at(-1)
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

// The port to the snapshots of a run's worktree, and to taking back what agents did.
// A snapshot leaves the user's repository as it is, and an undo changes files of the worktree alone.

/** Why there is no snapshot, or why nothing was undone. Names are of bytes. */
export const SnapshotReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("CodeFailed", { why: Schema.String }),
  Schema.TaggedStruct("Partial", { leftOut: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("NoneOfRun", { run: Schema.String }),
  Schema.TaggedStruct("OfEarlierVersion", { run: Schema.String, commands: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("NoSuchNumber", { number: Schema.Int, last: Schema.Int }),
  Schema.TaggedStruct("NoSuchRound", { round: Schema.Int }),
  Schema.TaggedStruct("Interrupted", { why: Schema.String })
])
export type SnapshotReason = typeof SnapshotReason.Type

// So many of the names that were left out are named.
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
      return `run ${reason.run} has no snapshots: no agent has worked on it here`
    case "OfEarlierVersion":
      return `run ${reason.run} is of an earlier version, whose snapshots git puts back: ${reason.commands.join("; ")}`
    case "NoSuchNumber":
      return `there is no snapshot ${reason.number}; the last one is ${reason.last} [undo --list shows them]`
    case "NoSuchRound":
      return `no agent worked in round ${reason.round} [undo --list shows the rounds]`
    case "Interrupted":
      return `the undo is not finished: ${oneLine(reason.why)}; fix that, and the next call finishes it`
    default:
      return systemFaultText(reason)
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

/** A file that an undo wrote or removed. `merged`: without losing what a person changed there. */
export interface UndoneFile {
  readonly path: Name
  readonly change: "Written" | "Removed"
  readonly merged: boolean
}

/** What an undo did, or would do. */
export interface Restored {
  readonly to: Snapshot
  /** The rounds that were taken back, the newest first. */
  readonly rounds: ReadonlyArray<number>
  /** The snapshot of what was there before; null where nothing was changed. */
  readonly saved: Snapshot | null
  readonly files: ReadonlyArray<UndoneFile>
  readonly left: ReadonlyArray<Left>
}

/** How an undo goes on: `force` where a person changed the same files; `partial` where the present cannot be saved. */
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
   * Takes the next snapshot of a run. Where something cannot be saved, it fails unless `partial` allows that. An undo
   * that was cut off is finished first.
   */
  readonly take: (
    run: RunRef,
    worktree: string,
    cause: SnapshotCause,
    options: { readonly partial: boolean; readonly round: number | null }
  ) => Effect.Effect<Snapshot, SnapshotFailed>
  /** The same, only where the files are not those of the last snapshot of a round that has any; else null. */
  readonly takeChanged: (
    run: RunRef,
    worktree: string,
    cause: SnapshotCause,
    round: number
  ) => Effect.Effect<Snapshot | null, SnapshotFailed>
  /** The snapshots of a run, oldest first. */
  readonly list: (run: RunRef) => Effect.Effect<ReadonlyArray<Snapshot>, SnapshotFailed>
  /** What differs between two snapshots of a run: at most about `most` characters of the diff. */
  readonly diff: (
    run: RunRef,
    between: { readonly before: number; readonly after: number },
    most: number
  ) => Effect.Effect<SnapshotDiff, SnapshotFailed>
  /**
   * The paths that no agent may change and that are not what they were when this was first asked in the run: `.ooda`,
   * what engines obey, and what git's glob patterns match. A pattern without a slash matches at any depth.
   */
  readonly protectedChanges: (
    run: RunRef,
    worktree: string,
    patterns: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Name>, SnapshotFailed>
  /** Takes a path of `.ooda` for what it is now, because a person changed it by this program. */
  readonly acceptProtected: (run: RunRef, worktree: string, path: Name) => Effect.Effect<void, SnapshotFailed>
  /** Takes back what agents did since a snapshot. What is there now is snapshotted first. */
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
  /** Finishes an undo that was cut off; null where none was. Costs one look at a file where none was. */
  readonly finish: (run: RunRef, worktree: string) => Effect.Effect<Restored | null, SnapshotFailed>
  /** Whether an undo of a run was cut off and is still to be finished. */
  readonly unfinished: (run: RunRef) => Effect.Effect<boolean>
  /** The runs of an earlier version that have snapshots in the repository around a worktree. */
  readonly snapshotted: (worktree: string) => Effect.Effect<ReadonlyArray<Snapshotted>, SnapshotFailed>
  /** Removes the snapshots that an earlier version left in a user's repository for a run. */
  readonly forget: (run: RunRef, worktree: string) => Effect.Effect<void, SnapshotFailed>
}>()("ooda-codex-review/services/Snapshots") {}
