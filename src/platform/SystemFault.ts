// SystemFault: why the operating system, a helper program or the guard refused: tagged reasons shared by many ports.
import { Schema } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { brief } from "../text/Untrusted.ts"

/** A call that the system refused. `code` (`ENOSPC`) and `call` are null where the error names none. */
export const SystemRefused = Schema.TaggedStruct("SystemRefused", {
  code: Schema.NullOr(Schema.String),
  call: Schema.NullOr(Schema.String),
  said: Schema.String
})
export type SystemRefused = typeof SystemRefused.Type

/**
 * A refusal of a database; `why` is a key of `ofDatabases`. `state` is the SQLSTATE, if there was one; `said` is the
 * database's own sentence, where it can hold no value of a row.
 */
export const DatabaseRefused = Schema.TaggedStruct("DatabaseRefused", {
  why: Schema.Literals([
    "unreachable",
    "closed",
    "unresolved",
    "missing",
    "password",
    "denied",
    "encryptedOnly",
    "unencrypted",
    "handshake",
    "untrusted",
    "otherHost",
    "expired",
    "clientCertificate",
    "certificateFile",
    "pooled",
    "unprepared",
    "busy",
    "other"
  ]),
  state: Schema.NullOr(Schema.String),
  said: Schema.optionalKey(Schema.String)
})
export type DatabaseRefused = typeof DatabaseRefused.Type

const lasting: ReadonlyArray<DatabaseRefused["why"]> = ["password", "denied", "pooled", "unprepared", "other"]

/** Whether a database that refused may answer later. */
export const isAway = ({ why }: DatabaseRefused): boolean => !lasting.includes(why)

/** Why the system, a lock or a database refused. */
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
  closed: "nothing listens at the database's address [start its server, or check host and port in the store's URL]",
  unresolved: "the database's host has no address [check its name in the store's URL, and the DNS]",
  missing: "the server has no database of this name [createdb NAME, or check the name in the store's URL]",
  password: "the database did not get this user's password [give the right one by $PGPASSWORD]",
  denied: "the database refused this user [check the user's name and rights, and pg_hba.conf of the server]",
  encryptedOnly: "the database takes encrypted connections only [sslmode=require in the store's URL]",
  unencrypted: "the database's server does not support SSL [set ssl = on there, or sslmode=disable in the store's URL]",
  handshake: "no encrypted connection came about [check ssl on the server, and sslcert and sslkey in the store's URL]",
  untrusted: "the database's certificate is not trusted [sslrootcert=FILE of its CA in the store's URL; " +
    "sslmode=no-verify encrypts without checking it]",
  otherHost: "the database's certificate is for another host name [that name in the store's URL, or sslmode=verify-ca]",
  expired: "the database's certificate is not valid now [renew it, or correct this machine's clock]",
  clientCertificate: "the database asks for another certificate of this user [sslcert and sslkey in the store's URL]",
  certificateFile: "is no certificate or key that can be used [check the path, and that it is PEM without passphrase]",
  pooled: "a pooler gives each transaction another session, and a fleet needs sessions that last " +
    "[connect to the database directly, or set pool_mode=session]",
  unprepared: "the database lacks the tables of this version [ooda-codex-review fleet init]",
  busy: "the database is busy [call again]",
  other: "the database refused this [its own log says why]"
} as const satisfies Record<DatabaseRefused["why"], string>

const showRights = (path: string | null): string =>
  "give this user access to it" +
  (path === null ? "" : `: ls -la ${shellWord(path.replace(/\/[^/]*$/, "") || "/")} shows the rights`)

// What to do about a refused call, for the codes that one thing helps against. `FullDisk` knows what helps a full disk.
const remedies: Readonly<Record<string, (path: string | null) => string>> = {
  EACCES: showRights,
  EPERM: showRights,
  EFBIG: () => "raise the limit: ulimit -f unlimited",
  EROFS: () => "mount it writable, or name another place",
  EIO: () => "check the disk: dmesg"
}

const remedyFor = ({ code }: SystemRefused, path: string | null): string => {
  const remedy = remedies[code ?? ""]
  return remedy === undefined ? "" : ` [${remedy(path)}; then call again]`
}

/** A fault in words for people; a refused call names its own code too. With its `path` it says also what to do. */
export const systemFaultText = (fault: SystemFault, path?: string): string => {
  switch (fault._tag) {
    case "SystemRefused": {
      const words = explained[fault.code ?? ""]
      const why = words === undefined
        ? brief(fault.said, 500)
        : `${words} (${fault.code}: ${fault.call ?? "file call"})`
      return path === undefined ? why : why + remedyFor(fault, path)
    }
    case "NoLockProgram":
      return "none of flock, perl and python3 could take a lock; install util-linux's flock, or put it on PATH"
    case "NetworkFileSystem":
      return `cannot write safely on a network file system (${fault.name}); keep runs on a local disk with --state-root`
    case "LockHeld":
      return `another process has held the lock for ${fault.seconds} seconds; call again when it has ended`
    case "DatabaseRefused": {
      const { said, state, why } = fault
      const quoted = said === undefined ? "" : ` "${brief(said, 300)}"`
      return state === null ? ofDatabases[why] : `SQLSTATE ${state}${quoted}: ${ofDatabases[why]}`
    }
  }
}

/** Whether the system refused because of missing permission. */
export const isDenied = (fault: SystemFault): boolean =>
  fault._tag === "SystemRefused" && (fault.code === "EACCES" || fault.code === "EPERM")

/**
 * The program is missing (or only at `skipped`, in a directory of PATH that is not searched), was too slow, or failed:
 * `said` is its complaint, `status` is null for a death by signal.
 */
export const ProgramFault = Schema.Union([
  Schema.TaggedStruct("ProgramMissing", { program: Schema.String, skipped: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("ProgramTooSlow", { program: Schema.String }),
  Schema.TaggedStruct("ProgramFailed", {
    program: Schema.String,
    status: Schema.NullOr(Schema.Int),
    said: Schema.String,
    signal: Schema.optionalKey(Schema.String)
  })
])
export type ProgramFault = typeof ProgramFault.Type

/** The fault in one line. */
export const programFaultText = (fault: ProgramFault): string => {
  switch (fault._tag) {
    case "ProgramMissing":
      if (fault.skipped === undefined) return `${fault.program} is not installed or not on PATH`
      return `${fault.skipped} is not run, because its directory in PATH is relative, leads into the repository, ` +
        "or has programs that are links into it"
    case "ProgramTooSlow":
      return `${fault.program} did not answer in time`
    case "ProgramFailed": {
      if (fault.said !== "") return fault.said
      const { signal = "a signal", status } = fault
      const why = signal === "SIGXFSZ" ? ": the file size limit is reached [raise the limit: ulimit -f unlimited]" : ""
      return `${fault.program} ended with ${status === null ? signal + why : `exit status ${status}`}`
    }
  }
}

/**
 * `NoDirectory` concerns the directory of a command; `why` is null if the path exists but is no directory.
 * `CannotBeEnded` names the processes that live on.
 */
export const GuardReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoDirectory", { path: Schema.String, why: Schema.NullOr(SystemRefused) }),
  Schema.TaggedStruct("BeingStarted", {}),
  Schema.TaggedStruct("LockHeldUnseen", {}),
  Schema.TaggedStruct("CannotBeEnded", { pids: Schema.Array(Schema.Int) })
])
export type GuardReason = typeof GuardReason.Type

/** A reason in words for people. */
export const guardReasonText = (reason: GuardReason): string => {
  switch (reason._tag) {
    case "NoDirectory":
      return reason.why === null ? "is not a directory" : guardReasonText(reason.why)
    case "BeingStarted":
      return "they are already being started; call again"
    case "LockHeldUnseen":
      return "a process that cannot be seen from here still holds its lock; end it where it runs"
    case "CannotBeEnded":
      return `cannot be ended: ${reason.pids.join(", ")}; end them as the user that owns them`
    case "SystemRefused":
      // Only node's own message names the file.
      return brief(reason.said, 500) + remedyFor(reason, null)
    default:
      return systemFaultText(reason)
  }
}
