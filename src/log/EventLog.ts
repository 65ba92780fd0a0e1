// EventLog: the port to a run's append-only logs, of whatever kind, and the faults they can have.
import { Context, type Effect, Schema, type Stream } from "effect"
import { exits } from "../platform/Failure.ts"
import { Damage, type Envelope, LineRefusal, lineRefusalText, Newer, newerText } from "./Frame.ts"
import type { Commit, Head, StreamKind, TaggedEvent } from "./StreamKind.ts"
import type { Latest, RunRef } from "./Refs.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"

/** There is no log: the run was never begun, or its log was removed. */
export class LogMissing extends Schema.TaggedError<LogMissing>()("LogMissing", { path: Schema.String }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.path}: the log is missing [a step opens a new run]`
  }
}

/** A log whose bytes break the rules; it is neither written nor folded. `line` counts from 1, `offset` in bytes. */
export class LogDamaged extends Schema.TaggedError<LogDamaged>()("LogDamaged", {
  path: Schema.String,
  kind: Damage,
  line: Schema.Int,
  offset: Schema.Int
}) {
  readonly exitCode = exits.wrong
  override get message() {
    return `${this.path}: damaged at line ${this.line}, byte ${this.offset}: ${this.kind} ` +
      "[audit says more; --fresh starts another run]"
  }
}

/** A log that was rolled back or rewritten against its head anchor. */
export class LogRewound extends Schema.TaggedError<LogRewound>()("LogRewound", {
  path: Schema.String,
  kind: Schema.Literals(["rolled back", "rewritten"])
}) {
  readonly exitCode = exits.wrong
  override get message() {
    return `${this.path}: the log was ${this.kind} against its head; refusing to go on from it ` +
      "[--fresh starts another run]"
  }
}

/** A log written by a newer version of this program. */
export class LogTooNew extends Schema.TaggedError<LogTooNew>()("LogTooNew", {
  path: Schema.String,
  reason: Newer
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.path}: ${
      newerText(this.reason)
    }: needs a newer version of ooda-codex-review [update it, then call again]`
  }
}

/** Why a log could not be read or written. A line may be refused for what it holds, or be written only in part. */
export const UnavailableReason = Schema.Union([
  SystemFault,
  LineRefusal,
  Schema.TaggedStruct("ShortWrite", { written: Schema.Int, bytes: Schema.Int })
])
export type UnavailableReason = typeof UnavailableReason.Type

/** Why a log is unavailable, for people; with its `path` also what to do. */
export const unavailableText = (reason: UnavailableReason, path?: string): string => {
  switch (reason._tag) {
    case "ShortWrite":
      return `only ${reason.written} of ${reason.bytes} bytes could be written: the disk is full or a limit is reached`
    case "NotOfSchema":
    case "NotGenesis":
    case "LineTooLong":
      return lineRefusalText(reason)
    default:
      return systemFaultText(reason, path)
  }
}

/** The log could not be read or written: an operating system fault, a full disk, no lock program. */
export class LogUnavailable extends Schema.TaggedError<LogUnavailable>()("LogUnavailable", {
  path: Schema.String,
  reason: UnavailableReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.path}: ${unavailableText(this.reason, this.path)}`
  }
}

/** Another process committed first: the decision must be made again from what it wrote. */
export class LogConflict extends Schema.TaggedError<LogConflict>()("LogConflict", {
  path: Schema.String,
  expected: Schema.Int,
  actual: Schema.Int
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.path}: expected line ${this.expected}, found ${this.actual}: another process committed first ` +
      "[call again]"
  }
}

export type LogReadError = LogMissing | LogDamaged | LogRewound | LogTooNew | LogUnavailable
export type LogError = LogReadError | LogConflict

/** The result of a read: the verified lines, the head they end at, and the bytes of a torn tail (0 for none). */
export interface LogContents<E> {
  readonly commits: ReadonlyArray<Commit<E>>
  readonly head: Head
  readonly torn: number
}

/** A part of a log as it streams: verified lines in order, their events as parsed, and the head they end at. */
export interface LogPart {
  readonly lines: ReadonlyArray<Envelope>
  readonly head: Head
  /** Only on the last part: the bytes of a torn tail (0 for none), and whether an anchor shows that nothing was cut. */
  readonly end: { readonly torn: number; readonly anchored: boolean } | null
}

/** The logs of runs: each run has one of each kind. */
export class EventLog extends Context.Service<EventLog, {
  /** Reads and verifies the whole log. Takes no lock and repairs nothing. A missing log is LogMissing. */
  readonly read: <E extends TaggedEvent, S>(
    kind: StreamKind<E, S>,
    run: RunRef
  ) => Effect.Effect<LogContents<E>, LogReadError>
  /** Reads only what was committed after `head`, as long as the log still begins with it. */
  readonly readFrom: <E extends TaggedEvent, S>(
    kind: StreamKind<E, S>,
    run: RunRef,
    head: Head
  ) => Effect.Effect<LogContents<E>, LogReadError>
  /** The verified lines after `after`, part by part in constant memory, up to the end of the log at the last part. */
  readonly stream: <E extends TaggedEvent, S>(
    kind: StreamKind<E, S>,
    run: RunRef,
    after: Head
  ) => Stream.Stream<LogPart, LogReadError>
  /**
   * Creates the log with its first line. Durable when it returns. `instead` is the answer of the target's `latest` when
   * this was decided. A store whose locks can be lost fails with LogConflict if that has changed.
   */
  readonly create: <E extends TaggedEvent, S>(
    kind: StreamKind<E, S>,
    run: RunRef,
    events: ReadonlyArray<E>,
    instead?: Latest
  ) => Effect.Effect<Head, LogError>
  /** Appends one line if the log still ends at `expected`; durable when it returns. Repairs a torn tail first. */
  readonly append: <E extends TaggedEvent, S>(
    kind: StreamKind<E, S>,
    run: RunRef,
    expected: Head,
    events: ReadonlyArray<E>
  ) => Effect.Effect<Head, LogError>
}>()("ooda-codex-review/services/EventLog") {}
