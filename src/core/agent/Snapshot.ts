// Snapshot: a worktree as it was at one moment of a run, and how the commit that holds it describes itself.
// Names of files are bytes: each byte is one character here, so that a name that is no UTF-8 comes back as it was.
import { Option, Schema } from "effect"
import { jsonText } from "../text/JsonText.ts"
import { oneLine } from "../text/Text.ts"
import { Ordinal } from "../run/Event.ts"

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
