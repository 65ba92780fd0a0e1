// Subcommand: a valid command line of a subcommand as data.
// The one rule: it exists only once the subcommand's own rules hold; the state root is null where none is configured.
import type { Head } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import type { Target } from "../core/run/Target.ts"
import type { Selector } from "../runs/SelectRun.ts"

/** `runs`: the runs of this repository, or of every repository. */
export interface RunsCommand {
  readonly _tag: "Runs"
  readonly stateRoot: string | null
  readonly all: boolean
  readonly json: boolean
}

/** `replay`: a run event by event from behind line `after`, its manifest after line `at`, or a live tail of it. */
export interface ReplayCommand {
  readonly _tag: "Replay"
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly at: number | null
  readonly after: number
  readonly follow: boolean
  readonly json: boolean
}

/** `audit`: one run, or every run of the state root (a null selector). */
export interface AuditCommand {
  readonly _tag: "Audit"
  readonly stateRoot: string | null
  readonly selector: Selector | null
  readonly expectHead: Head | null
  readonly logOnly: boolean
  readonly reclassify: boolean
  readonly json: boolean
}

/** `findings`: a batch of a run, the last one started where `batch` is null. */
export interface FindingsCommand {
  readonly _tag: "Findings"
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly batch: { readonly level: Level; readonly batch: number } | null
  readonly format: "Table" | "Json" | "Sarif" | "Markdown" | "GitHub"
}

/** `runs --prune AGE`: removes the runs that are over and were last touched `age` milliseconds ago or earlier. */
export interface PruneCommand {
  readonly _tag: "Prune"
  readonly stateRoot: string | null
  readonly all: boolean
  readonly age: number
  readonly dryRun: boolean
  readonly json: boolean
}

/** `stop`: the current run of a target; a null floor means whatever its floor. */
export interface StopCommand {
  readonly _tag: "Stop"
  readonly stateRoot: string | null
  readonly target: Target
  readonly floor: Level | null
  readonly expectHead: Head | null
  readonly json: boolean
}

/** `watch`: the current batch of a run. */
export interface WatchCommand {
  readonly _tag: "Watch"
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly json: boolean
}

/** `doctor`: the machine, as a step with the same options would find it. */
export interface DoctorCommand {
  readonly _tag: "Doctor"
  readonly stateRoot: string | null
  readonly codexBin: string
  readonly json: boolean
}

/** The commands that only read what runs have left. */
export type HistoryCommand = RunsCommand | ReplayCommand | AuditCommand | FindingsCommand
/** The commands that attend to reviewers, runs and the machine. */
export type TendingCommand = PruneCommand | WatchCommand | DoctorCommand
export type Subcommand = HistoryCommand | TendingCommand | StopCommand
