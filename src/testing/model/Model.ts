// Model: a run as the contract speaks of it: its level, its batch, its slots; and how it is opened and moved on.
// The one rule: it shares no code with the program; where the two differ, the contract says which one is wrong.

export const rungs = ["low", "medium", "high", "xhigh"] as const
export type Rung = (typeof rungs)[number]

/** How a reviewer ends, and whether it is slow. */
export type Says = "clean" | "issues" | "no review" | "failure" | "transient failure" | "silence"
export interface Part {
  readonly says: Says
  readonly slow: boolean
}

/** Milliseconds; so far apart from one another that no retry or look in between can change the order of things. */
const quick = 300
export const slow = 13_000
export const idleTimeout = 8_000
export const stepTimeout = 6_000
/** How often a failure that passes is tried again. */
export const retries = 1
// The longest that a quick reviewer takes with all its retries, and the looks in between.
export const longestQuickReview = 5_000

/** A slot as the log must tell it. A reviewer that was never started ends, without a verdict, at `endsAt`. */
export type Slot =
  | { readonly is: "queued"; readonly attempts: number }
  | {
    readonly is: "running"
    readonly attempts: number
    readonly tries: number
    readonly says: Says | "nothing, for it was never started"
    readonly endsAt: number
  }
  | { readonly is: "retrying"; readonly attempts: number; readonly tries: number }
  | { readonly is: "clean" | "issues" | "failed"; readonly attempts: number }

export interface Run {
  readonly floor: Rung
  readonly level: Rung
  readonly batch: number
  /** The highest batch number opened so far at each level. */
  readonly top: Readonly<Record<Rung, number>>
  readonly history: ReadonlyArray<string>
  readonly slots: ReadonlyArray<Slot> | null
  /** The code when the batch was started, and when it was complete. */
  readonly began: string | null
  readonly ended: string | null
  /** Whether the failure of the batch has been reported. */
  readonly reported: boolean
  readonly fixed: boolean
}

/** What the model knows of the world: the run that is current, the code and the time. */
export interface Model {
  readonly run: Run | null
  readonly code: string
  readonly now: number
}

/** A call of loop mode. `parts` are played by slot and attempt. */
export interface Call {
  readonly floor: Rung
  readonly ceiling: Rung
  readonly size: number
  readonly fresh: boolean
  readonly bounded: boolean
  readonly parts: ReadonlyArray<Part>
}

/** The expected result of a call. `unsure`: reviewers were started so late that the step may have ended before them. */
export interface Expected {
  readonly run: Run
  readonly outcome: string
  readonly unsure: boolean
}

/** The part of an attempt: reviewers of a slot play the parts in turn, and neighbours play different ones. */
export const partOf = (parts: ReadonlyArray<Part>, slot: number, attempt: number): Part =>
  parts[(slot + attempt - 2) % Math.max(1, parts.length)] ?? { says: "clean", slow: false }

/** How long a part takes. What passes is always quick, so that retries never decide about a time limit. */
export const duration = ({ says, slow: slowly }: Part): number =>
  says === "silence" ? Number.POSITIVE_INFINITY : slowly && says !== "transient failure" ? slow : quick

const newRun = (floor: Rung): Run => ({
  floor,
  level: floor,
  batch: 1,
  top: { low: 0, medium: 0, high: 0, xhigh: 0, [floor]: 1 },
  history: [],
  slots: null,
  began: null,
  ended: null,
  reported: false,
  fixed: false
})

export const up = (level: Rung): Rung => rungs[Math.min(3, rungs.indexOf(level) + 1)] ?? "xhigh"
export const down = (level: Rung, floor: Rung): Rung =>
  rungs[Math.max(rungs.indexOf(floor), rungs.indexOf(level) - 1)] ?? floor

export const moved = (run: Run, level: Rung): Run => ({
  ...run,
  level,
  batch: run.top[level] + 1,
  top: { ...run.top, [level]: run.top[level] + 1 },
  slots: null,
  began: null,
  ended: null,
  reported: false,
  fixed: false
})

export const changed = ({ began, ended }: Run, code: string): boolean =>
  began !== null && (began !== code || (ended !== null && ended !== code))

/** The run that an invocation works on. */
export const opened = (model: Model, floor: Rung, mode: "loop" | "fresh" | "mark"): Run => {
  const { code, run } = model
  if (run === null || mode === "fresh" || run.floor !== floor) return newRun(floor)
  return mode === "loop" && run.fixed && run.slots !== null && (run.ended ?? run.began) !== code ? newRun(floor) : run
}

/** How many slots are in a state. */
export const count = (slots: ReadonlyArray<Slot> | null, is: Slot["is"]): number =>
  (slots ?? []).filter((slot) => slot.is === is).length
