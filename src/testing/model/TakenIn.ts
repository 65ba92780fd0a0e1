// TakenIn: a run after the reviewers that have ended by themselves were recorded.
// The one rule: it shares no code with the program; where the two differ, the contract says which one is wrong.
import { count, type Model, retries, type Run, type Slot } from "./Model.ts"

/** What becomes of a slot when its reviewer has ended. */
export const over = ({ attempts, says, tries }: Extract<Slot, { readonly is: "running" }>): Slot => {
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
