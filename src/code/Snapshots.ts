// Snapshots: snapshots as values, and their port.
import { Context, type Effect, Option, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunRef } from "../log/Refs.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { Ordinal } from "../run/Event.ts"
import { jsonText } from "../text/Json.ts"
import { counted } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

// A worktree as it was at one moment of a run, and how the commit that holds it describes itself.
// Names of files are bytes: each byte is one character here, so that a name that is no UTF-8 comes back as it was.

/** Why a snapshot was taken: an agent is about to work or has worked, or an undo is about to change the worktree. */
export const SnapshotCause = Schema.Union([
  Schema.TaggedStruct("BeforeAgent", { agent: Ordinal }),
  Schema.TaggedStruct("AfterAgent", { agent: Ordinal }),
  Schema.TaggedStruct("BeforeUndo", { to: Ordinal })
])
export type SnapshotCause = typeof SnapshotCause.Type

/** What a commit says of the snapshot in it. */
export const SnapshotFacts = Schema.Struct({
  schema: Schema.Literal(1),
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
  /** Untracked files and folders (with `/` at their end) that it does not hold. */
  leftOut: Schema.Array(Schema.String),
  /** The repositories in the worktree, with the commits that hold their own snapshots. */
  repositories: Schema.Array(Schema.Struct({ name: Schema.String, commit: Schema.String })),
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
    case "BeforeUndo":
      return `before the undo to ${cause.to}`
  }
}

/** The message of a snapshot's commit: a line for people, then all facts. */
export const snapshotMessage = (facts: SnapshotFacts): string =>
  `Snapshot ${facts.number} of run ${facts.run.runId}, ${causeText(facts.cause)}\n\n${jsonText(facts)}\n`

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SnapshotFacts))

/** The facts in a commit's message, or null where it is none of a snapshot. */
export const readSnapshotMessage = (text: string): SnapshotFacts | null =>
  Option.getOrNull(decode(text.slice(text.indexOf("\n\n") + 2)))

const utf8 = new TextDecoder()

/** A name of bytes as people read it. */
export const shownName = (name: string): string =>
  oneLine(utf8.decode(Uint8Array.from(name, (character) => character.charCodeAt(0))))

/** The snapshot that `undo` goes back to by itself: the last one that was taken before an agent worked. */
export const beforeLastAgent = (snapshots: ReadonlyArray<Snapshot>): Snapshot | null =>
  snapshots.findLast(({ cause }) => cause._tag === "BeforeAgent") ?? null

/** The range of commits between two snapshots, as a result names it. */
export const rangeBetween = (before: Pick<Snapshot, "commit">, after: Pick<Snapshot, "commit">): string =>
  `${before.commit}..${after.commit}`

/** The parts of git's own state that differ between two moments, by name. */
export const changedParts = (before: SnapshotFacts["git"], now: SnapshotFacts["git"]): ReadonlyArray<string> => {
  const then = new Map(before.map(({ digest, part }) => [part, digest]))
  const present = new Map(now.map(({ digest, part }) => [part, digest]))
  return [...new Set([...then.keys(), ...present.keys()])].filter((part) => then.get(part) !== present.get(part))
}

// The port to the snapshots of a run's worktree, and to putting the worktree back to one of them.
// A snapshot leaves HEAD, index, stash and hooks as they are, and so does an undo.

/** Why there is no snapshot, or why the worktree was not put back. Names are of bytes, as in `Snapshot`. */
export const SnapshotReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("GitComplained", { why: Schema.String }),
  Schema.TaggedStruct("Partial", { leftOut: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("NoneOfRun", { run: Schema.String }),
  Schema.TaggedStruct("NoSuchNumber", { number: Schema.Int, last: Schema.Int }),
  Schema.TaggedStruct("InTheWay", { name: Schema.String, by: Schema.String }),
  Schema.TaggedStruct("Interrupted", { to: Schema.Int, why: Schema.String })
])
export type SnapshotReason = typeof SnapshotReason.Type

// So many of the names that were left out are told.
const most = 3

const reasonText = (reason: SnapshotReason): string => {
  switch (reason._tag) {
    case "GitComplained":
      return oneLine(reason.why)
    case "Partial": {
      const { leftOut } = reason
      const names = leftOut.slice(0, most).map(shownName).join(", ")
      const more = leftOut.length > most ? ` and ${leftOut.length - most} more` : ""
      return `an undo could not put back ${names}${more}: ${counted(leftOut.length, "untracked path")} too large ` +
        "or unreadable; have git ignore them, or go on without them with --allow partial-snapshot"
    }
    case "NoneOfRun":
      return `run ${reason.run} has no snapshots: no agent has worked on it here`
    case "NoSuchNumber":
      return `there is no snapshot ${reason.number}; the last one is ${reason.last} [undo --list shows them]`
    case "InTheWay":
      return `${shownName(reason.name)} cannot be put back: ${shownName(reason.by)}, which no snapshot holds, is in ` +
        "its place; move that away and call again"
    case "Interrupted":
      return `the worktree is only partly back at snapshot ${reason.to}: ${oneLine(reason.why)}; mend that, and the ` +
        "next call finishes it"
    default:
      return systemFaultText(reason)
  }
}

/** No snapshot could be taken or read, or the worktree could not be put back. */
export class SnapshotFailed extends Schema.TaggedError<SnapshotFailed>()("SnapshotFailed", {
  reason: SnapshotReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return reasonText(this.reason)
  }
}

/** What an undo did. */
export interface Restored {
  readonly to: Snapshot
  /** The snapshot of what was there before; null where nothing had to be changed. */
  readonly saved: Snapshot | null
  readonly written: number
  readonly removed: number
  /** Repositories in the worktree that came since, or that are gone and cannot be put back; by their names. */
  readonly left: ReadonlyArray<string>
}

/** What differs between two snapshots: the names of the files, and the beginning of the diff as git writes it. */
export interface SnapshotDiff {
  readonly files: ReadonlyArray<string>
  readonly text: string
  readonly whole: boolean
}

/** A run that has snapshots in a repository, and when the last one was taken (epoch milliseconds). */
export interface Snapshotted {
  readonly run: RunRef
  readonly at: number
}

export class Snapshots extends Context.Service<Snapshots, {
  /**
   * Takes the next snapshot of a run. What is too large or unreadable is left out, and then it fails unless `partial`
   * allows that. An undo that was cut off is finished first.
   */
  readonly take: (
    run: RunRef,
    worktree: string,
    cause: SnapshotCause,
    options: { readonly partial: boolean }
  ) => Effect.Effect<Snapshot, SnapshotFailed>
  /** The snapshots of a run, oldest first. */
  readonly list: (run: RunRef, worktree: string) => Effect.Effect<ReadonlyArray<Snapshot>, SnapshotFailed>
  /** The parts of git's own state that are not what they were at a snapshot: HEAD, refs, index and so on. */
  readonly gitChanges: (snapshot: Snapshot) => Effect.Effect<ReadonlyArray<string>, SnapshotFailed>
  /**
   * The files that differ between two snapshots of a run and that git's glob patterns match; a pattern without a slash
   * matches at any depth. Names are relative to the worktree's root.
   */
  readonly changed: (
    run: RunRef,
    worktree: string,
    between: { readonly before: number; readonly after: number },
    patterns: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, SnapshotFailed>
  /** What differs between two snapshots of a run: at most about `most` characters of the diff. */
  readonly diff: (
    run: RunRef,
    worktree: string,
    between: { readonly before: number; readonly after: number },
    most: number
  ) => Effect.Effect<SnapshotDiff, SnapshotFailed>
  /** Puts the worktree back to a snapshot. What is there now is snapshotted first. */
  readonly restore: (run: RunRef, worktree: string, number: number) => Effect.Effect<Restored, SnapshotFailed>
  /** Finishes an undo that was cut off; null where none was. Costs one look at a file where none was. */
  readonly finish: (run: RunRef, worktree: string) => Effect.Effect<Restored | null, SnapshotFailed>
  /** Whether an undo of a run was cut off and is still to be finished. */
  readonly unfinished: (run: RunRef) => Effect.Effect<boolean>
  /** The runs that have snapshots in the repository around a worktree, whether or not they still exist. */
  readonly snapshotted: (worktree: string) => Effect.Effect<ReadonlyArray<Snapshotted>, SnapshotFailed>
  /** Forgets the snapshots of a run; git removes what they held when it tidies up. */
  readonly forget: (run: RunRef, worktree: string) => Effect.Effect<void, SnapshotFailed>
}>()("ooda-codex-review/services/Snapshots") {}
