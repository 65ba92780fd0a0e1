// Called: computes the result of a call of loop mode a second time: slot by slot, without events, loop or ports.
// The one rule: it shares no code with the program; where the two differ, the contract says which one is wrong.
import {
  type Call,
  changed,
  count,
  duration,
  longestQuickReview,
  type Expected,
  idleTimeout,
  type Model,
  moved,
  opened,
  type Part,
  partOf,
  type Run,
  type Slot,
  stepTimeout
} from "./Model.ts"
import { over } from "./TakenIn.ts"

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
    // Stopped slots come first. A failure that nobody has been told of is told before its slots run again.
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
