// SystemFault: what the operating system or a file lock refused: a tagged reason in the errors of several ports.
import { Schema } from "effect"
import { brief } from "../core/text/Untrusted.ts"

/** A call that the system refused. `code` (`ENOSPC`) and `call` are null where the error names none. */
export const SystemRefused = Schema.TaggedStruct("SystemRefused", {
  code: Schema.NullOr(Schema.String),
  call: Schema.NullOr(Schema.String),
  said: Schema.String
})
export type SystemRefused = typeof SystemRefused.Type

/**
 * What a database refused, and why: nobody answers there, it does not let this user in, it lacks the tables, it is
 * busy, or something else, which its own log tells. `state` is the SQLSTATE, where it gave one.
 */
export const DatabaseRefused = Schema.TaggedStruct("DatabaseRefused", {
  why: Schema.Literals(["unreachable", "denied", "unprepared", "busy", "other"]),
  state: Schema.NullOr(Schema.String)
})
export type DatabaseRefused = typeof DatabaseRefused.Type

/** Whether a database that refused may answer when it is asked again. */
export const isAway = ({ why }: DatabaseRefused): boolean => why === "unreachable" || why === "busy"

/**
 * A refused call, no program that can lock, a file system whose locks do not hold, a lock that is held elsewhere, a
 * database that refused.
 */
export const SystemFault = Schema.Union([
  SystemRefused,
  Schema.TaggedStruct("NoLockProgram", {}),
  Schema.TaggedStruct("NetworkFileSystem", { name: Schema.String }),
  Schema.TaggedStruct("LockHeld", { seconds: Schema.Number }),
  DatabaseRefused
])
export type SystemFault = typeof SystemFault.Type

const explained: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file size limit is reached",
  EROFS: "the file system is read-only",
  EACCES: "no permission",
  EPERM: "no permission",
  EIO: "the disk reported an input/output error",
  EMFILE: "too many open files; raise the limit (ulimit -n)",
  ENFILE: "too many open files on this machine",
  EAGAIN: "no more processes can be started; raise the limit (ulimit -u)"
}

const ofDatabases = {
  unreachable: "the database cannot be reached [check that it runs, and the address of the store]",
  denied: "the database refused this user [check the user's password and rights]",
  unprepared: "the database lacks the tables of this version [ooda-codex-review fleet init]",
  busy: "the database is busy [call again]",
  other: "the database refused this [its own log says why]"
} as const satisfies Record<DatabaseRefused["why"], string>

/** A fault in words for people; a refused call names its own code too. */
export const systemFaultText = (fault: SystemFault): string => {
  switch (fault._tag) {
    case "SystemRefused": {
      const words = explained[fault.code ?? ""]
      return words === undefined ? brief(fault.said, 500) : `${words} (${fault.code}: ${fault.call ?? "file call"})`
    }
    case "NoLockProgram":
      return "none of flock, perl and python3 could take a lock; install util-linux's flock, or put it on PATH"
    case "NetworkFileSystem":
      return `cannot write safely on a network file system (${fault.name}); keep runs on a local disk with --state-root`
    case "LockHeld":
      return `another process has held the lock for ${fault.seconds} seconds; call again when it has ended`
    case "DatabaseRefused":
      return fault.state === null ? ofDatabases[fault.why] : `SQLSTATE ${fault.state}: ${ofDatabases[fault.why]}`
  }
}

/** Whether the system refused for want of permission. */
export const isDenied = (fault: SystemFault): boolean =>
  fault._tag === "SystemRefused" && (fault.code === "EACCES" || fault.code === "EPERM")
