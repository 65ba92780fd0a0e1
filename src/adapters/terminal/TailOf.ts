// TailOf: the end of a transcript that is being written, for people to look at.
// The one rule: one bounded read; a file that is missing or moves away meanwhile is an empty one.
import { fstatSync } from "node:fs"
import { Effect } from "effect"
import type { ReviewRef } from "../../core/run/Refs.ts"
import { attemptFiles } from "../store/Layout.ts"
import { sliceOf, textOf, withFile } from "../process/Slices.ts"

const tailBytes = 4096

const read = (path: string): string => {
  try {
    return withFile(path, (fd) => {
      const { size } = fstatSync(fd)
      const length = Math.min(size, tailBytes)
      return textOf(sliceOf(fd, size - length, length))
    })
  } catch {
    return ""
  }
}

/** The last 4 KiB of an attempt's transcript as text; empty when it cannot be read. */
export const tailOf = (review: ReviewRef): Effect.Effect<string> => Effect.sync(() => read(attemptFiles(review).log))
