// Invocation: a valid command line as data: what is reviewed, between which levels, with which limits.
// The one rule: an Invocation exists only once every rule of the contract's command line holds.
import type { Level } from "./Level.ts"
import type { Mark } from "./Mark.ts"
import type { Target } from "./Target.ts"

/** What every non-help invocation names. Times in milliseconds; null means not given. */
export interface Settings {
  readonly target: Target
  readonly floor: Level
  readonly ceiling: Level
  readonly batchSize: number
  /** `--max-iter`; `explicit` says whether it was given (waiting counts toward the cap only then, L4). */
  readonly maxIter: { readonly value: number; readonly explicit: boolean }
  readonly stateRoot: string | null
  readonly codexBin: string
  readonly strictTarget: boolean
  readonly json: boolean
  readonly retries: number
  readonly reviewTimeout: number
  readonly idleTimeout: number
  readonly stepTimeout: number | null
  readonly maxBatches: number | null
  readonly jobs: number | null
  readonly expectHead: { readonly seq: number; readonly hash: string } | null
}

/** One of the two modes, or the inspecting variant of the loop (`--inspect`, L9). */
export type Action =
  | { readonly _tag: "Loop"; readonly fresh: boolean }
  | { readonly _tag: "Inspect" }
  | { readonly _tag: "SideEffect"; readonly mark: Mark }

/** A parsed and validated step. */
export interface Invocation {
  readonly settings: Settings
  readonly action: Action
}

/** The defaults of the contract and of our own options. */
export const defaults = {
  floor: "low",
  ceiling: "xhigh",
  batchSize: 3,
  maxIter: 50,
  codexBin: "codex",
  retries: 2,
  reviewTimeout: 60 * 60_000,
  idleTimeout: 20 * 60_000,
  pollInterval: 30_000
} as const
