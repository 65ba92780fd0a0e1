// Subcommand: a valid command line of a subcommand as data.
// The one rule: it exists only once the subcommand's own rules hold; the state root is null where none is configured.
import type { Head } from "./Event.ts"
import type { Target } from "./Target.ts"

/** How a run is named: the newest one, one whose id begins with a text, or the latest of a target. */
export type Selector =
  | { readonly _tag: "Newest" }
  | { readonly _tag: "Named"; readonly prefix: string }
  | { readonly _tag: "Latest"; readonly target: Target }

/** `runs`: the runs of this repository, or of every repository. */
export interface RunsCommand {
  readonly _tag: "Runs"
  readonly stateRoot: string | null
  readonly all: boolean
  readonly json: boolean
}

/** `replay`: a run event by event, its manifest after line `at`, or a live tail of it. */
export interface ReplayCommand {
  readonly _tag: "Replay"
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly at: number | null
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

export type Subcommand = RunsCommand | ReplayCommand | AuditCommand
