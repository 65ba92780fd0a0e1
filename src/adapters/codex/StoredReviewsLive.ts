// StoredReviewsLive: what reviewers left on this machine's disk.
// The one rule: read within the same bounds and by the same means as when it was recorded, so that digests compare.
import { existsSync, readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import type { Sources } from "../../core/verdict/ChooseVerdict.ts"
import type { SlotFiles } from "../../core/run/Paths.ts"
import { type Evidence, ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import { type Fate, type StoredReview, StoredReviews } from "../../services/StoredReviews.ts"
import { digestOf } from "../store/Digests.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"
import { outputOf, textsOf } from "./ReviewerOutput.ts"
import { exitStatus } from "../process/ExitFile.ts"
import { readJournal } from "../process/Journal.ts"
import { lives } from "../process/Liveness.ts"

const attempt = <A>(files: SlotFiles, run: () => A): Effect.Effect<A, ReviewFilesFailed> =>
  Effect.try({ try: run, catch: (error) => new ReviewFilesFailed({ path: files.log, reason: systemFault(error) }) })

/** The kept copy of a session's review: its bytes for the digest, and what they say, if they say anything. */
const keptReview = (path: string): Pick<Evidence, "session"> & { readonly bytes: Buffer | null } => {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { session: { _tag: "Absent" }, bytes: null }
    throw error
  }
  try {
    return { session: { _tag: "Found", output: JSON.parse(bytes.toString("utf8")) }, bytes }
  } catch {
    // Not what was kept: its digest will say so.
    return { session: { _tag: "Absent" }, bytes }
  }
}

const read = (files: SlotFiles, options: { readonly session: boolean }): StoredReview => {
  const { digests, ...texts } = outputOf(files)
  const kept = options.session
    ? keptReview(files.review)
    : { session: { _tag: "Absent" } as const, bytes: null }
  const status = exitStatus(files.exit)
  const gone = (["log", "out", "exit"] as const).filter((name) => !existsSync(files[name]))
  return {
    missing: options.session && kept.bytes === null ? [...gone, "review"] : gone,
    status,
    evidence: {
      ...texts,
      session: kept.session,
      digests: { ...digests, review: kept.bytes === null ? null : digestOf(kept.bytes) }
    }
  }
}

const said = (files: SlotFiles, options: { readonly session: boolean }): Sources => ({
  ...textsOf(files),
  session: options.session ? keptReview(files.review).session : { _tag: "Absent" }
})

// Liveness first: a wrapper writes the exit file last, so one that was gone before has written all it ever will.
const fate = (files: SlotFiles): Fate => {
  const journal = readJournal(files.run)
  const alive = journal._tag === "Started" && lives(journal.wrapper)
  if (exitStatus(files.exit) !== null) return "Exited"
  return alive ? "Alive" : "Gone"
}

/** The live layer. */
export const layer: Layer.Layer<StoredReviews> = Layer.succeed(StoredReviews, {
  read: Effect.fn("StoredReviews.read")((files, options) => attempt(files, () => read(files, options))),
  said: Effect.fn("StoredReviews.said")((files, options) => attempt(files, () => said(files, options))),
  fate: Effect.fn("StoredReviews.fate")((files) => attempt(files, () => fate(files)))
})
