// happenings: events one by one as a reader of a log meets them, from lines that nothing has written.
import { unwalked, walker } from "../../../src/core/log/Walk.ts"
import { reviewRun } from "../../../src/core/run/ReviewRun.ts"
import { at } from "../core/run/events.ts"

/** The events of these lines with the state before and after each; what is no event is one of a newer version. */
export const happenings = (...lines: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const walk = walker(reviewRun)
  let walked: Parameters<typeof walk>[0] = unwalked
  return lines.flatMap((events, i) => {
    const seq = i + 1
    const by = { version: "0.1.0", pid: 7 }
    const line = walk(walked, { seq, at: at(seq), by, prev: "", hash: `hash-${seq}`, events })
    walked = line.after
    return line.happenings
  })
}
