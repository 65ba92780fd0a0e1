// happenings: lines and events as a reader of a log meets them, from lines that nothing has written.
import { walkStart, walker } from "../../src/log/Walk.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { at } from "../unit/run/events.ts"

/** These lines as a walk gives them; what is no event is one of a newer version. */
export const walkedLines = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const walk = walker(reviewRun)
  let walked: Parameters<typeof walk>[0] = walkStart
  return lines.map((events, i) => {
    const seq = i + 1
    const by = { version: "0.1.0", pid: 7 }
    const line = walk(walked, { seq, at: at(seq), by, prev: "", hash: `hash-${seq}`, events })
    walked = line.after
    return line
  })
}

/** The events of these lines, with the state before and after each. */
export const happenings = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) =>
  walkedLines(...lines).flatMap(({ happenings }) => happenings)
