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
import { findSession, readSession, type SessionReview } from "./SessionFile.ts"

const reading = <A>(review: ReviewRef, read: (files: AttemptFiles) => A): Effect.Effect<A, ReviewFilesFailed> => {
  const files = attemptFiles(review)
  return Effect.try({
    try: () => read(files),
    catch: (error) => new ReviewFilesFailed({ path: files.log, reason: systemFault(error) })
  })
}

const notFound: SessionReview = { output: undefined, ran: null, usage: null }

const session = (home: string, logHead: string): SessionReview => {
  const id = sessionId(logHead)
  try {
    const path = id === null ? null : findSession(home, id)
    return id === null || path === null ? notFound : readSession(path, id)
  } catch {
    // Moved or unreadable meanwhile: the verdict then comes from what codex printed.
    return notFound
  }
}

const evidence = (files: AttemptFiles, acting: boolean, home: string): Evidence => {
  const { digests, transcript, ...texts } = outputOf(onDisk, files)
  const { output, ran, usage } = session(home, texts.logHead)
  const found: Sources["session"] = output === undefined ? { _tag: "Absent" } : { _tag: "Found", output }
  const kept = found._tag === "Found" && output !== null
  return {
    ...texts,
    session: found,
    // Only what is kept counts, so that an audit judges by the same.
    reading: { session: kept ? ran : null, transcript },
    digests: { ...digests, review: kept && acting ? keepReview(files.review, output, ran) : null },
    ...(usage === null ? {} : { usage })
  }
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
