// Tail.live: the end of a file that is being written.
import { fstatSync } from "node:fs"
import { Effect } from "effect"
import type { AgentRef, TestRef } from "../../log/Refs.ts"
import type { ReviewRef } from "../../run/Refs.ts"
import { nothingPrinted, type PrintedTail, silent, type Watcher } from "../../review/Progress.ts"
import { agentFiles, attemptFiles, testFiles } from "../../run/Layout.live.ts"
import { sliceOf, textOf, withFile } from "../../platform/Files.ts"

// The last output of reviewers, agents and tests, for people to look at.
// One bounded read; a missing or moved file counts as empty.

const tailBytes = 4096
// An agent prints a whole event on one line, with the output of a command in it.
const eventBytes = 64 * 1024

const read = (path: string, most: number): PrintedTail => {
  try {
    return withFile(path, (fd) => {
      const { mtimeMs, size } = fstatSync(fd)
      const length = Math.min(size, most)
      return { end: textOf(sliceOf(fd, size - length, length)), at: size === 0 ? null : mtimeMs }
    })
  } catch {
    return nothingPrinted
  }
}

/** The last 4 KiB of an attempt's transcript as text; empty if it cannot be read. */
export const tailOf = (review: ReviewRef): Effect.Effect<string> =>
  Effect.sync(() => read(attemptFiles(review).log, tailBytes).end)

/** The end of an agent's or a test's output: 64 KiB of an agent's events, 4 KiB of a test. */
export const printedBy = (work: AgentRef | TestRef): Effect.Effect<PrintedTail> =>
  Effect.sync(() => "agent" in work ? read(agentFiles(work).out, eventBytes) : read(testFiles(work).out, tailBytes))

/** Reads the output, and draws nothing. */
export const undrawn: Watcher = { ...silent, tail: tailOf, printed: printedBy }
