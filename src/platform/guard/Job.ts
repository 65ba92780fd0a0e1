// Job: a command under guard: what is run, how it is identified, and what one look at it shows.
//
// Reviews hang, survive as orphans and die without a trace. A step may be killed at any moment, and a review costs
// money: none may be lost or run twice. So every reviewer, agent and test runs under a wrapper that outlives its
// starter.
//
// Start (Launch). The caller commits its intent to a log first. The lock file of the job is locked, earlier jobs in the
// same place are ended and their files moved away, then `/bin/sh` runs the wrapper in a session of its own, with the
// locked descriptor at 3. The wrapper creates the journal with O_EXCL. Whoever finds a job that never began creates
// that same file with `fenced`, so a job either starts once or never.
//
// End (Wrapper). The command has a process group of its own and writes to files, so no byte passes through us. The
// wrapper enforces the deadline and the size limit, ends what is left of the group and whatever carries the job's mark,
// notes status and file sizes in the journal, appends standard output to the log, syncs, and renames the exit file into
// place, last. That file has had its bytes since the start, so a full disk loses no review.
//
// Look. Any later process can distinguish the states. An exit file is the end. Without one, the job lives while its
// wrapper does (pid, start and boot are the recorded ones, since pids are used again) or its lock is held.
// Liveness is read before the exit file, so that an end in between is not taken for a loss. Without either, an end in
// the journal counts only in the same boot and while standard output has the noted size; anything less is Lost, never
// clean.
//
// Stop. A job's processes are known by their group, their parents and two marks that children inherit: a variable, and
// a limit that Linux does not enforce, which is still there when a process has cleared its variables and opened a
// session of its own (`env -i setsid`). They get SIGTERM, a grace, then SIGKILL, even if the command itself ended long
// ago. A process that lifts that limit as well cannot be recognised, and nothing here claims to end it. Where there is
// no /proc (macOS, the BSDs), ps shows start and variables, not the limit; the lock of a job says whether it lives.
//
// Wake (Guard). A wrapper touches `wake/<slot>` after its exit file, and only that directory is watched, since
// transcripts grow all the time. Watching begins before the first look, so no end falls between. A touch may never come
// (a killed wrapper, no inotify watch left, a network file system), so exit files are also checked four times a second.
//
// Rejected: children that die with the step (an outer agent's shell limit would throw away half an hour of paid work);
// a daemon (one more thing to die and to upgrade); pid files alone; a wrapper in Node (sixty-four of them must cost
// nothing).
import { Data, Effect } from "effect"
import type { Variables } from "../Environment.ts"
import { systemFault } from "../SystemError.ts"
import { type GuardReason, guardReasonText } from "../SystemFault.ts"

/** `what` is the caller's name of what was being done. */
export class GuardFault extends Data.TaggedError("GuardFault")<{
  readonly what: string
  readonly reason: GuardReason
}> {
  override get message() {
    return `${this.what}: ${guardReasonText(this.reason)}`
  }
}

/** Runs a synchronous step against the operating system; what it throws is a GuardFault. */
export const trySync = <A>(what: string, step: () => A): Effect.Effect<A, GuardFault> =>
  Effect.try({ try: step, catch: (error) => new GuardFault({ what, reason: systemFault(error) }) })

/** Where a guarded command's records are kept. The journal and the lock belong to one job alone. */
export interface JobFiles {
  /** Which wrapper guards the command, and what happened to it (see Journal.ts). */
  readonly journal: string
  /** Locked by the wrapper for as long as it lives. */
  readonly lock: string
  /** Standard error; once the command has ended, standard output follows in it. */
  readonly log: string
  /** Standard output. */
  readonly out: string
  /** The exit status, written last. */
  readonly exit: string
}

export interface LogLine {
  readonly seq: number
  readonly hash: string
}

/** What is needed to look at a guarded command or to end it. With an empty id it is found by its files alone. */
export interface Job {
  readonly id: string
  readonly files: JobFiles
}

/** An earlier job that used the same files: it must be over before the next one starts, and its files move away. */
export interface EarlierJob extends Job {
  readonly moves: ReadonlyArray<{ readonly from: string; readonly to: string }>
}

/** What is to be run under guard. Times in milliseconds, sizes in bytes. */
export interface Order extends Job {
  /** What a fault of this start is called: "starting <name>". */
  readonly label: string
  readonly command: readonly [program: string, ...args: ReadonlyArray<string>]
  readonly cwd: string
  /** The line of a log that committed to the job, which the journal is to name; null for none. */
  readonly line: LogLine | null
  /** All variables of the command and its wrapper, which needs PATH; the mark of the job is added. */
  readonly environment: Variables
  /** The file that the command reads as its standard input, or null for `/dev/null`. */
  readonly input: string | null
  /** Touched once the exit file is in place (see Listen.ts). */
  readonly wake: string
  readonly deadline: number
  /** The command is ended when its log or its standard output is larger than this. */
  readonly maxBytes: number
  /** Whether the command is ended when the process that starts it dies, because no other process would adopt it. */
  readonly tied: boolean
  /** Newest first. */
  readonly earlier: ReadonlyArray<EarlierJob>
}

/**
 * What one look at a job shows. `silentFor` is the time since its transcript last made progress. `deadline` and
 * `oversize` say why the wrapper ended it. A Lost job had begun, an Unstarted one had not; neither will ever report an
 * end.
 */
export type Sighting =
  | { readonly _tag: "Alive"; readonly silentFor: number; readonly waitingForNetwork: number; readonly bytes: number }
  | { readonly _tag: "Exited"; readonly status: number; readonly deadline: boolean; readonly oversize: boolean }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Unstarted" }

/**
 * What ended a command early, by its journal: the deadline, or `transcript`, the size of what the command wrote; or
 * `stopped`, a signal to the wrapper. Whoever sends that signal may have noted why: the command was `idle`, or somebody
 * `asked` for its end.
 */
export type EarlyEnd = "deadline" | "transcript" | "stopped" | "idle" | "asked"

/** The sighting of a job that has ended. A status of 0 is no proof: some commands end well when they are ended. */
export const exitedWith = (status: number, struck: ReadonlyArray<EarlyEnd>): Sighting => ({
  _tag: "Exited",
  status,
  deadline: struck.includes("deadline"),
  oversize: struck.includes("transcript")
})
