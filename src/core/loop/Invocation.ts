// Invocation: a valid command line as data: what is reviewed, between which levels, with which limits.
// The one rule: an Invocation exists only once every rule of the contract's command line holds.
import { compare, type Level } from "../run/Level.ts"
import type { Mark } from "./Mark.ts"
import type { Target } from "../run/Target.ts"

/** What every non-help invocation names. Times in milliseconds; null means not given. */
export interface Settings {
  readonly target: Target
  readonly floor: Level
  readonly ceiling: Level
  readonly batchSize: number
  /** `--max-iter`; `explicit` says whether it was given (waiting counts toward the cap only then). */
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

/** One of the two modes, or the inspecting variant of the loop (`--inspect`). */
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

type Given = Pick<Settings, "target"> & Partial<Settings>

const problem = ({ batchSize, ceiling, floor, maxIter, retries }: Settings): string | null => {
  if (compare(ceiling, floor) < 0) return `the ceiling ${ceiling} lies below the floor ${floor}`
  const counted = [batchSize, maxIter.value].every((count) => Number.isSafeInteger(count) && count > 0)
  return counted && Number.isSafeInteger(retries) && retries >= 0 ? null : "a count is not a whole number in its range"
}

/**
 * An invocation for programs: what `given` leaves out is the contract's default, and loop mode is the default action.
 * Throws, as a schema's `make` does, when the ceiling lies below the floor or a count is out of its range.
 */
export const make = (given: Given, action: Action = { _tag: "Loop", fresh: false }): Invocation => {
  const { batchSize, ceiling, codexBin, floor, idleTimeout, maxIter, retries, reviewTimeout } = defaults
  const settings: Settings = {
    floor,
    ceiling,
    batchSize,
    maxIter: { value: maxIter, explicit: false },
    stateRoot: null,
    codexBin,
    strictTarget: false,
    json: false,
    retries,
    reviewTimeout,
    idleTimeout,
    stepTimeout: null,
    maxBatches: null,
    jobs: null,
    expectHead: null,
    ...given
  }
  const wrong = problem(settings)
  if (wrong !== null) throw new RangeError(wrong)
  return { settings, action }
}
