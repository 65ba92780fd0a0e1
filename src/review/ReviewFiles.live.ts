// ReviewFiles.live: the files of an ended reviewer, read within limits, on a disk or in a database.
// The limits are the same everywhere, so that digests can be compared.
import { Effect, Layer } from "effect"
import { codexHome } from "../agent/CodexHome.live.ts"
import { attemptIdIn, type ReviewRef } from "../run/Refs.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { eachLine, openOnDisk, type Open, type OpenFile, textOf } from "../platform/Files.ts"
import { systemFault } from "../platform/SystemError.ts"
import { endIn, exitStatus, journalIn, readJournal, statusIn, statusWithoutFile } from "../platform/guard/Journal.ts"
import { lives } from "../platform/guard/Liveness.ts"
import type { Digest } from "../run/Event.ts"
import { type AttemptFiles, attemptFiles } from "../run/Layout.live.ts"
import { isCut } from "../run/Removal.live.ts"
import { digestOf, digestOfOpened } from "../run/SmallFile.live.ts"
import {
  type Evidence,
  type Fate,
  type AttemptJournal,
  ReviewFiles,
  ReviewFilesFailed,
  type StoredReview,
  type StoredOptions
} from "./ReviewFiles.ts"
import { findSession, keepReview, notKept, readKept, readSession, type SessionReview } from "./Session.live.ts"
import type { Sources } from "./verdict/Judge.ts"
import { type CommandCounts, transcriptReader } from "./verdict/Reading.ts"
import { sessionId } from "./verdict/Transcript.ts"

/** How much of each end of standard error is read. */
export const logBytes = 64 * 1024
/** How much of standard output is read. The end of a cut text names both sizes. */
export const outBytes = 8 * 1024 * 1024

/** The largest transcript whose commands are read. */
const transcriptBytes = 64 * 1024 * 1024

/** The text that replaces the rest of a standard output that is too large. */
export const cutMarker = (size: number): string => `\n[cut: the first ${outBytes} of ${size} bytes]\n`

/** Where a reviewer's streams are. */
export type StreamFiles = Pick<AttemptFiles, "log" | "out" | "exit" | "journal">

interface ReviewerOutput {
  readonly logHead: string
  readonly logTail: string
  readonly out: string
  /** The commands that standard error shows. */
  readonly transcript: CommandCounts | null
  readonly digests: { readonly log: Digest; readonly out: Digest }
}

const nothing = digestOf(Buffer.alloc(0))

const isThere = (file: OpenFile | null): boolean => file !== null

/** The commands in the first `end` bytes of a transcript; null if they are too many to be read. */
const ranIn = (file: OpenFile, end: number): CommandCounts | null => {
  const reader = transcriptReader()
  const standardError = { size: end, slice: (at: number, length: number) => file.slice(at, Math.min(length, end - at)) }
  return eachLine(standardError, transcriptBytes, reader.take) ? reader.ran() : null
}

const read = (
  open: Open,
  files: StreamFiles,
  digest: (file: OpenFile) => Digest,
  shows: (file: OpenFile, end: number) => CommandCounts | null
): ReviewerOutput => {
  const out = open(files.out, (file) => {
    if (file === null) return { text: "", size: 0, digest: nothing }
    const { size } = file
    const text = textOf(file.slice(0, Math.min(size, outBytes))) + (size > outBytes ? cutMarker(size) : "")
    return { text, size, digest: digest(file) }
  })
  // The wrapper appends standard output to standard error before it writes the exit file. The journal may lack the
  // length of standard error before that.
  const recorded = endIn(open(files.journal, journalIn))?.logBytes ?? null
  const appended = open(files.exit, isThere) ? out.size : 0
  const log = open(files.log, (file) => {
    if (file === null) return { head: "", tail: "", ran: null, digest: nothing }
    const end = Math.min(file.size, recorded ?? Math.max(0, file.size - appended))
    const head = Math.min(end, logBytes)
    return {
      head: textOf(file.slice(0, head)),
      tail: textOf(file.slice(end - head, head)),
      ran: shows(file, end),
      digest: digest(file)
    }
  })
  return {
    logHead: log.head,
    logTail: log.tail,
    out: out.text,
    transcript: log.ran,
    digests: { log: log.digest, out: out.digest }
  }
}

/** Reads the files of a slot's current attempt. Throws the system's error. */
export const outputOf = (open: Open, files: StreamFiles): ReviewerOutput => read(open, files, digestOfOpened, ranIn)

/** Whether the log ends with standard output, as far as both are read. Throws the system's error. */
const isJoined = (open: Open, { log, out }: StreamFiles): boolean =>
  open(out, (printed) =>
    printed === null || open(log, (whole) => {
      if (whole === null) return false
      const from = whole.size - printed.size
      const read = Math.min(printed.size, outBytes)
      return from >= 0 && printed.slice(0, read).equals(whole.slice(from, read))
    }))

/** The same without digests and commands, so that only the ends of a transcript are read. */
export const textsOf = (open: Open, files: StreamFiles): Omit<ReviewerOutput, "digests"> => {
  const { digests: _, ...texts } = read(open, files, () => nothing, () => null)
  return texts
}

const journalled = (file: OpenFile | null): AttemptJournal | null => {
  const journal = journalIn(file)
  if (journal._tag !== "Started") return null
  return { id: attemptIdIn(journal.wrapper.id), line: journal.line, end: journal.end }
}

/** The exit status in a file; null if missing. */
export const exitIn = (file: OpenFile | null): number | null =>
  file === null ? null : statusIn(file.slice(0, file.size).toString("latin1"))

/** The stored files of a review, with the digests. Throws the error of opening. */
export const storedIn = (open: Open, files: AttemptFiles, options: StoredOptions): StoredReview => {
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

/** The same without the digests. Throws the error of opening. */
export const sourcesIn = (open: Open, files: AttemptFiles, options: StoredOptions): Sources => {
  const { transcript, ...texts } = textsOf(open, files)
  const { ran, session } = options.session ? open(files.review, readKept) : notKept
  return { ...texts, session, reading: { session: ran, transcript } }
}

const reading = <A>(review: ReviewRef, read: (files: AttemptFiles) => A): Effect.Effect<A, ReviewFilesFailed> => {
  const files = attemptFiles(review)
  return Effect.try({
    try: () => read(files),
    catch: (error) => new ReviewFilesFailed({ path: files.log, reason: systemFault(error) })
  })
}

const notFound: SessionReview = { output: undefined, ran: null, usage: null, error: null }

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
  const { digests, transcript, ...texts } = outputOf(openOnDisk, files)
  const { error, output, ran, usage } = session(home, texts.logHead)
  const found: Sources["session"] = output === undefined ? { _tag: "Absent" } : { _tag: "Found", output }
  const kept = found._tag === "Found" && output !== null
  return {
    ...texts,
    session: found,
    // Only the stored copy counts, so that an audit judges by the same data.
    reading: { session: kept ? ran : null, transcript },
    digests: { ...digests, review: kept && acting ? keepReview(files.review, output, ran) : null },
    ...(error === null ? {} : { error }),
    ...(usage === null ? {} : { usage })
  }
}

// Liveness is checked first: a wrapper writes the exit file last, so a dead wrapper will write nothing more.
const fate = (files: AttemptFiles, env: Variables): Fate => {
  const journal = readJournal(files.journal)
  const alive = journal._tag === "Started" && lives(journal.wrapper, env) !== false
  if (exitStatus(files.exit) !== null) return "Exited"
  if (alive || journal._tag !== "Started") return alive ? "Alive" : "Gone"
  return statusWithoutFile(files, journal, env) === null ? "Gone" : "Exited"
}

export const layer: Layer.Layer<ReviewFiles> = Layer.succeed(
  ReviewFiles,
  ReviewFiles.of({
    evidence: Effect.fn("ReviewFiles.evidence")(function*(review, options) {
      const home = yield* codexHome
      return yield* reading(review, (files) => evidence(files, options?.acting ?? true, home))
    }),
    stored: Effect.fn("ReviewFiles.stored")((review, options) =>
      reading(review, (files) => storedIn(openOnDisk, files, options))
    ),
    said: Effect.fn("ReviewFiles.said")((review, options) =>
      reading(review, (files) => sourcesIn(openOnDisk, files, options))
    ),
    fate: Effect.fn("ReviewFiles.fate")(function*(review) {
      const env = yield* Environment
      return yield* reading(review, (files) => fate(files, env))
    })
  })
)
