// KeptReview: the copy of a session's review that a run keeps, because codex may delete its own session one day.
import type { Digest } from "../../core/run/Event.ts"
import { isFields } from "../../core/text/Fields.ts"
import { type Ran, ranFrom } from "../../core/verdict/Reading.ts"
import type { Sources } from "../../core/verdict/ChooseVerdict.ts"
import type { Opened } from "../process/Slices.ts"
import { digestOf } from "../store/Digests.ts"
import { replaceFile } from "../store/SmallFile.ts"

/** Keeps a review with the commands of its reviewer, the same however often. Throws what the system throws. */
export const keepReview = (path: string, output: unknown, ran: Ran | null): Digest => {
  const text = `${JSON.stringify({ review_output: output, ran })}\n`
  replaceFile(path, text)
  return digestOf(Buffer.from(text))
}

/** A copy that was kept: the review in it and the commands of its reviewer, and its digest, null without a copy. */
export interface KeptReview {
  readonly session: Sources["session"]
  readonly ran: Ran | null
  readonly digest: Digest | null
}

/** No copy. */
export const notKept: KeptReview = { session: { _tag: "Absent" }, ran: null, digest: null }

/**
 * Reads a copy. A file that holds no review gives none; its digest shows that it is not the one that was kept. Version
 * 0.1.0 kept the review alone.
 */
export const readKept = (file: Opened | null): KeptReview => {
  if (file === null) return notKept
  const bytes = file.slice(0, file.size)
  const digest = digestOf(bytes)
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"))
    return isFields(value) && Object.hasOwn(value, "review_output")
      ? { session: { _tag: "Found", output: value["review_output"] }, ran: ranFrom(value["ran"]), digest }
      : { session: { _tag: "Found", output: value }, ran: null, digest }
  } catch {
    return { ...notKept, digest }
  }
}
