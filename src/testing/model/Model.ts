// Model: a second implementation of the contract: a run with its level, its batch and its slots.
// It shares no code with the program; where the two differ, the contract says which one is wrong.

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
const slow = 13_000
export const idleTimeout = 8_000
export const stepTimeout = 6_000
/** How often a failure that passes is tried again. */
export const retries = 1
// The longest that a quick reviewer takes with all its retries, and the looks in between.
const longestQuickReview = 5_000

/** A slot as the log must report it. A reviewer that was never started ends, without a verdict, at `endsAt`. */
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

const up = (level: Rung): Rung => rungs[Math.min(3, rungs.indexOf(level) + 1)] ?? "xhigh"
const down = (level: Rung, floor: Rung): Rung =>
  rungs[Math.max(rungs.indexOf(floor), rungs.indexOf(level) - 1)] ?? floor

const moved = (run: Run, level: Rung): Run => ({
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

const changed = ({ began, ended }: Run, code: string): boolean =>
  began !== null && (began !== code || (ended !== null && ended !== code))

/** The run that an invocation works on. */
export const opened = (model: Model, floor: Rung, mode: "loop" | "fresh" | "mark"): Run => {
  const { code, run } = model
  if (run === null || mode === "fresh" || run.floor !== floor) return newRun(floor)
  return mode === "loop" && run.fixed && run.slots !== null && (run.ended ?? run.began) !== code ? newRun(floor) : run
}

/** How many slots are in a state. */
const count = (slots: ReadonlyArray<Slot> | null, is: Slot["is"]): number =>
  (slots ?? []).filter((slot) => slot.is === is).length

// Recording the reviewers that have ended

/** What becomes of a slot when its reviewer has ended. */
const over = ({ attempts, says, tries }: Extract<Slot, { readonly is: "running" }>): Slot => {
  if (says === "clean" || says === "issues") return { is: says, attempts }
  const passes = says === "transient failure" || says.startsWith("nothing")
  return passes && tries <= retries ? { is: "retrying", attempts, tries } : { is: "failed", attempts }
}

/**
 * The run with what has ended by now taken in: a mark that leaves a batch does so first. A batch whose every slot has
 * ended is complete, or has failed.
 */
export const takenIn = ({ code, now, run }: Model): Run | null => {
  if (run === null || run.slots === null) return run
  const slots = run.slots.map((slot) => slot.is === "running" && slot.endsAt <= now ? over(slot) : slot)
  const open = count(slots, "running") + count(slots, "retrying") + count(slots, "queued")
  if (open > 0) return { ...run, slots }
  return count(slots, "failed") > 0
    ? { ...run, slots, reported: true }
    : { ...run, slots, ended: run.ended ?? code }
}

// Marks, from the contract's tables

/** The seven side-effect flags, without their dashes. */
export type Flag =
  | "mark-retro-clean"
  | "mark-retro-changes"
  | "mark-address-passed"
  | "mark-address-failed"
  | "advance-level"
  | "drop-level"
  | "restart-from-floor"

/** The expected result of a side-effect flag. */
export const marked = (model: Model, flag: Flag, floor: Rung, ceiling: Rung): Expected => {
  const run = opened(model, floor, "mark")
  const { level } = run
  const recorded = (what: string): Run => ({ ...run, history: [...run.history, `${level}/${run.batch} ${what}`] })
  const to = (next: Run, outcome = "Idle"): Expected => ({ run: next, outcome, unsure: false })
  switch (flag) {
    case "mark-retro-clean":
      if (level === ceiling) return to({ ...recorded("Clean"), fixed: true }, "DoneFixedPoint")
      return to(level === "xhigh" ? recorded("Clean") : moved(recorded("Clean"), up(level)))
    case "mark-retro-changes":
      return to(moved(recorded("RetrospectiveChanges"), floor))
    case "mark-address-passed": {
      const ended = takenIn({ ...model, run })?.slots ?? null
      return to(moved(recorded(`Addressed ${count(ended, "issues")}`), down(level, floor)))
    }
    case "mark-address-failed":
      return to(run, "HandoffHuman")
    case "advance-level":
      return to(level === "xhigh" ? run : moved(run, up(level)))
    case "drop-level":
      return to(level === floor ? run : moved(run, down(level, floor)))
    case "restart-from-floor":
      return to(moved(run, floor))
  }
}

// Calls of loop mode, slot by slot, without events, loop or ports

const running = (slot: number, attempts: number, tries: number, parts: ReadonlyArray<Part>, at: number): Slot => {
  const part = partOf(parts, slot, attempts)
  const endsAt = at + (part.says === "silence" ? idleTimeout : duration(part))
  return { is: "running", attempts, tries, says: part.says, endsAt }
}

/** A slot followed to its end or to `until`, and when the last attempt of it was begun. */
const followed = (slot: Slot, number: number, parts: ReadonlyArray<Part>, from: number, until: number) => {
  let [now, at, begun] = [slot, from, 0]
  for (;;) {
    if (now.is === "retrying") {
      begun = at
      now = running(number, now.attempts + 1, now.tries + 1, parts, at)
    }
    if (now.is !== "running" || now.endsAt > until) return { slot: now, at, begun }
    at = Math.max(at, now.endsAt)
    now = over(now)
  }
}

/** The expected result of `--inspect`: one look, one decision. */
export const inspected = (model: Model, { ceiling, floor }: Call): string => {
  const { code, now } = model
  const run = opened(model, floor, "loop")
  const slots =
    run.slots?.map((slot) =>
      slot.is === "running" && slot.endsAt <= now && !slot.says.startsWith("nothing") ? over(slot) : slot
    ) ?? null
  const open = count(slots, "running") + count(slots, "retrying") + count(slots, "queued")
  if (slots === null || open > 0) return "WouldAdvance"
  if (count(slots, "failed") > 0) return run.reported ? "WouldAdvance" : "BinaryError"
  return count(slots, "issues") === 0 && changed(run, code) ? "WouldAdvance" : verdict(run, slots, ceiling)
}

/** The expected result of a complete batch. */
const verdict = ({ level }: Run, slots: ReadonlyArray<Slot>, ceiling: Call["ceiling"]): string => {
  const found = count(slots, "issues")
  if (found > 0) return `HandoffAgent: AddressBatch of ${found} at ${level}`
  return level === ceiling ? "DoneFixedPoint" : `HandoffAgent: Retrospective at ${level}`
}

/** The expected result of the program's loop. */
export const called = (model: Model, call: Call): Expected => {
  const { code, now } = model
  const { ceiling, parts, size } = call
  const until = call.bounded ? now + stepTimeout : Number.POSITIVE_INFINITY
  let run = opened(model, call.floor, call.fresh ? "fresh" : "loop")
  let at = now
  let lastStart = now
  const reportedBefore = run.reported
  const answer = (outcome: string, last: Run = run): Expected => ({
    run: last,
    outcome,
    unsure: lastStart > until - longestQuickReview
  })
  const start = (slots: ReadonlyArray<Slot>, which: Slot["is"]): void => {
    lastStart = Math.max(lastStart, at)
    run = {
      ...run,
      reported: false,
      slots: slots.map((slot, i) => slot.is === which ? running(i + 1, slot.attempts + 1, 1, parts, at) : slot)
    }
  }
  const anew = (): void => {
    run = { ...run, began: code, ended: null }
    start(Array.from({ length: size }, () => ({ is: "queued", attempts: 0 })), "queued")
  }
  for (;;) {
    if (run.slots === null) anew()
    const ends = (run.slots ?? []).map((slot, i) => followed(slot, i + 1, parts, at, until))
    const slots = ends.map((end) => end.slot)
    at = Math.max(at, ...ends.map((end) => end.at))
    lastStart = Math.max(lastStart, ...ends.map((end) => end.begun))
    run = { ...run, slots }
    if (count(slots, "running") > 0) return answer("Idle")
    // Stopped slots come first. A failure that was not reported yet is reported before its slots run again.
    const again = count(slots, "queued") > 0 ? "queued" : run.reported && reportedBefore ? "failed" : null
    if (again !== null && count(slots, again) > 0) {
      if (changed(run, code)) run = moved(run, run.level)
      else start(slots, again)
      continue
    }
    if (count(slots, "failed") > 0) return answer("BinaryError", { ...run, reported: true })
    if (run.ended === null) run = { ...run, ended: code }
    if (count(slots, "issues") === 0 && changed(run, code)) {
      run = moved(run, run.level)
      continue
    }
    const outcome = verdict(run, slots, ceiling)
    return answer(outcome, { ...run, fixed: run.fixed || outcome === "DoneFixedPoint" })
  }
}
