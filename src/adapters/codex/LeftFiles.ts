// LeftFiles: what a run keeps of a review, read from its files wherever they lie: on a disk or in a database.
// The one rule: every place reads within the same bounds, so that the digests of one can be compared with another's.
import { attemptIdIn } from "../../core/run/Refs.ts"
import type { Sources } from "../../core/verdict/ChooseVerdict.ts"
import type { Journalled, StoredReview, WithSession } from "../../services/ReviewFiles.ts"
import { statusIn } from "../process/ExitFile.ts"
import { journalIn } from "../process/Journal.ts"
import type { Open, Opened } from "../process/Slices.ts"
import type { AttemptFiles } from "../store/Layout.ts"
import { isCut } from "../store/Transcripts.ts"
import { notKept, readKept } from "./KeptReview.ts"
import { isJoined, outputOf, textsOf } from "./ReviewerOutput.ts"

const journalled = (file: Opened | null): Journalled | null => {
  const journal = journalIn(file)
  if (journal._tag !== "Started") return null
  return { id: attemptIdIn(journal.wrapper.id), line: journal.line, end: journal.end }
}

/** The exit status in a file; null where there is none. */
export const exitIn = (file: Opened | null): number | null =>
  file === null ? null : statusIn(file.slice(0, file.size).toString("latin1"))

/** What a run keeps of a review, with the digests. Throws what opening throws. */
export const storedIn = (open: Open, files: AttemptFiles, options: WithSession): StoredReview => {
  const { digests, transcript, ...texts } = outputOf(open, files)
  const kept = options.session ? open(files.review, readKept) : notKept
  const gone = (["log", "out", "exit"] as const).filter((name) => open(files[name], (file) => file === null))
  return {
    missing: options.session && kept.digest === null ? [...gone, "review"] : gone,
    status: open(files.exit, exitIn),
    journal: open(files.journal, journalled),
    joined: isJoined(open, files),
    ...(open(files.log, isCut) ? { pruned: true } : {}),
    evidence: {
      ...texts,
      session: kept.session,
      reading: { session: kept.ran, transcript },
      digests: { ...digests, review: kept.digest }
    }
  }
}

/** The same without the digests. Throws what opening throws. */
export const saidIn = (open: Open, files: AttemptFiles, options: WithSession): Sources => {
  const { transcript, ...texts } = textsOf(open, files)
  const { ran, session } = options.session ? open(files.review, readKept) : notKept
  return { ...texts, session, reading: { session: ran, transcript } }
}
