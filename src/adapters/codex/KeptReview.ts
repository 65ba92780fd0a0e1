// KeptReview: the copy of a session's review that a run keeps, because codex may delete its own session one day.
import type { Digest } from "../../core/run/Event.ts"
import type { Sources } from "../../core/verdict/ChooseVerdict.ts"
import type { Opened } from "../process/Slices.ts"
import { digestOf } from "../store/Digests.ts"
import { replaceFile } from "../store/SmallFile.ts"

/** Keeps a copy of a review, the same however often it is kept. Throws what the system throws. */
export const keepReview = (path: string, output: unknown): Digest => {
  const text = `${JSON.stringify(output)}\n`
  replaceFile(path, text)
  return digestOf(Buffer.from(text))
}

/** A copy that was kept: the review in it, if it holds one, and its digest, or null where there is no copy. */
export interface KeptReview {
  readonly session: Sources["session"]
  readonly digest: Digest | null
}

/** No copy. */
export const notKept: KeptReview = { session: { _tag: "Absent" }, digest: null }

/** Reads a copy. A file that holds no review gives none; its digest shows that it is not the one that was kept. */
export const readKept = (file: Opened | null): KeptReview => {
  if (file === null) return notKept
  const bytes = file.slice(0, file.size)
  const digest = digestOf(bytes)
  try {
    return { session: { _tag: "Found", output: JSON.parse(bytes.toString("utf8")) }, digest }
  } catch {
    return { ...notKept, digest }
  }
}
