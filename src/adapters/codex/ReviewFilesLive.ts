// ReviewFilesLive: what reviewers left on this machine's disk, and their sessions in codex's home.
// Files are always read in the same way and within the same bounds, so that their digests can be compared later.
import { Effect, Layer } from "effect"
import type { ReviewRef } from "../../core/run/Refs.ts"
import type { Sources } from "../../core/verdict/ChooseVerdict.ts"
import { sessionId } from "../../core/verdict/Transcript.ts"
import { type Evidence, type Fate, ReviewFiles, ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import { statusWithoutFile } from "../process/Ending.ts"
import { exitStatus } from "../process/ExitFile.ts"
import { readJournal } from "../process/Journal.ts"
import { lives } from "../process/Liveness.ts"
import { onDisk } from "../process/Slices.ts"
import { systemFault } from "../process/SystemError.ts"
import { type AttemptFiles, attemptFiles } from "../store/Layout.ts"
import { codexHome } from "./CodexHome.ts"
import { keepReview } from "./KeptReview.ts"
import { saidIn, storedIn } from "./LeftFiles.ts"
import { outputOf } from "./ReviewerOutput.ts"
import { reviewerUsage } from "./ReviewerUsage.ts"
import { findSession, reviewOutput } from "./SessionFile.ts"

const reading = <A>(review: ReviewRef, read: (files: AttemptFiles) => A): Effect.Effect<A, ReviewFilesFailed> => {
  const files = attemptFiles(review)
  return Effect.try({
    try: () => read(files),
    catch: (error) => new ReviewFilesFailed({ path: files.log, reason: systemFault(error) })
  })
}

const session = (path: string): Sources["session"] => {
  try {
    const output = reviewOutput(path)
    return output === undefined ? { _tag: "Absent" } : { _tag: "Found", output }
  } catch {
    // Moved or unreadable meanwhile: the verdict then comes from what codex printed.
    return { _tag: "Absent" }
  }
}

const evidence = (files: AttemptFiles, acting: boolean, home: string): Evidence => {
  const { digests, ...texts } = outputOf(onDisk, files)
  const id = sessionId(texts.logHead)
  const path = id === null ? null : findSession(home, id)
  if (id === null || path === null) {
    return { ...texts, session: { _tag: "Absent" }, digests: { ...digests, review: null } }
  }
  const found = session(path)
  const keeps = acting && found._tag === "Found" && found.output !== null
  const review = keeps ? keepReview(files.review, found.output) : null
  const usage = reviewerUsage(path, id)
  return { ...texts, session: found, digests: { ...digests, review }, ...(usage === null ? {} : { usage }) }
}

// Liveness is asked first. A wrapper writes the exit file last, so a wrapper that is gone by now will write nothing
// more.
const fate = (files: AttemptFiles): Fate => {
  const journal = readJournal(files.journal)
  const alive = journal._tag === "Started" && lives(journal.wrapper)
  if (exitStatus(files.exit) !== null) return "Exited"
  if (alive || journal._tag !== "Started") return alive ? "Alive" : "Gone"
  return statusWithoutFile(files, journal) === null ? "Gone" : "Exited"
}

/** The live files of reviewers. */
export const layer: Layer.Layer<ReviewFiles> = Layer.succeed(
  ReviewFiles,
  ReviewFiles.of({
    evidence: Effect.fn("ReviewFiles.evidence")(function*(review, options) {
      const home = yield* codexHome
      return yield* reading(review, (files) => evidence(files, options?.acting ?? true, home))
    }),
    stored: Effect.fn("ReviewFiles.stored")((review, options) =>
      reading(review, (files) => storedIn(onDisk, files, options))
    ),
    said: Effect.fn("ReviewFiles.said")((review, options) =>
      reading(review, (files) => saidIn(onDisk, files, options))
    ),
    fate: Effect.fn("ReviewFiles.fate")((review) => reading(review, fate))
  })
)
