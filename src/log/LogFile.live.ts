// LogFile: one log of a run on this machine: its files, its anchor, its codec.
import { hostname } from "node:os"
import { hasCode } from "../platform/SystemError.ts"
import { version } from "../platform/Version.ts"
import { LogDamaged, LogMissing, LogTooNew } from "./EventLog.ts"
import { close, type Files, type OpenMode, readRange, withFile, writeWhole } from "./Files.live.ts"
import { type Author, type LineProblem, suffixBytes } from "./Frame.ts"
import { type LineCodec, lineCodec } from "./Line.ts"
import type { RunRef, TargetRef } from "./Refs.ts"
import type { Head, StreamKind, TaggedEvent } from "./StreamKind.ts"

/** A committed line and the byte after it. */
export interface Anchor extends Head {
  readonly offset: number
}

/** Before any line. */
export const start: Anchor = { seq: 0, hash: "", offset: 0 }

const isIntegerAbove = (least: number, value: unknown): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value > least

const isAnchor = (value: unknown): value is Anchor =>
  typeof value === "object" && value !== null && "seq" in value && "hash" in value && "offset" in value &&
  isIntegerAbove(0, value.seq) && isIntegerAbove(suffixBytes, value.offset) && typeof value.hash === "string" &&
  /^[0-9a-f]{64}$/.test(value.hash)

/**
 * The stored anchor, or null. It has no checksum: one that does not parse (its rename reached the disk before its bytes
 * did) counts as missing, and the next append writes it anew.
 */
export const readAnchor = (files: Files, path: string): Anchor | null => {
  try {
    return withFile(files, path, "read", (fd) => {
      const text = new TextDecoder().decode(readRange(files, fd, 0, Math.min(files.size(fd), 4096)))
      const value: unknown = JSON.parse(text)
      return isAnchor(value) ? value : null
    })
  } catch (error) {
    if (hasCode(error, "ENOENT") || error instanceof SyntaxError) return null
    throw error
  }
}

/** Writes the next anchor beside the current one, so that a full disk is met before the line is written. */
export const prepareAnchor = (files: Files, path: string, { hash, offset, seq }: Anchor): void =>
  withFile(
    files,
    path,
    "replace",
    (fd) => writeWhole(files, fd, path, new TextEncoder().encode(`${JSON.stringify({ seq, offset, hash })}\n`))
  )

/** The author of the lines of this process: only information, it decides nothing. */
export const thisProcess: Author = { version, pid: process.pid, host: hostname() }

/** The error for an unusable line after `after`. */
export const lineError = (path: string, problem: LineProblem, after: Anchor): LogDamaged | LogTooNew =>
  problem._tag === "TooNew"
    ? new LogTooNew({ path, reason: problem.newer })
    : new LogDamaged({ path, kind: problem.kind, line: after.seq + 1, offset: after.offset })

// Where the logs of a run lie below a state root; `run/Layout.live.ts` has the rest of it

/** The name of the directory of a target's runs. */
export const runsName = "runs"

/** `<state-root>/<repo-id>`. */
export const repositoryDirectory = ({ repoId, root }: Pick<TargetRef, "root" | "repoId">): string => `${root}/${repoId}`

/** `<state-root>/<repo-id>/<target-key>`. */
export const targetDirectory = (target: TargetRef): string => `${repositoryDirectory(target)}/${target.targetKey}`

/** The directory of a target's runs. */
export const runsDirectory = (target: TargetRef): string => `${targetDirectory(target)}/${runsName}`

/** `<target-root>/runs/<run-id>`. */
export const runDirectory = (run: RunRef): string => `${runsDirectory(run)}/${run.runId}`

/** The files of one log in a run's directory. The log is the truth; the others are aids or evidence. */
export interface LogFiles {
  readonly directory: string
  readonly log: string
  readonly head: string
  readonly newHead: string
  readonly lock: string
  readonly torn: string
}

/** The files of a run's log of one kind; throws if the kind's name is invalid or taken by the log of reviews. */
export const logFiles = (run: RunRef, kind: string): LogFiles => {
  if (!/^[a-z]+(-[a-z]+)*$/.test(kind) || kind === "manifest") throw new Error(`no kind of log can be called "${kind}"`)
  const directory = runDirectory(run)
  const [log, prefix] = kind === "review" ? ["manifest", ""] : [kind, `${kind}.`]
  return {
    directory,
    log: `${directory}/${log}.jsonl`,
    head: `${directory}/${prefix}head.json`,
    newHead: `${directory}/${prefix}head.json.new`,
    lock: `${directory}/${prefix}lock`,
    torn: `${directory}/${prefix}torn`
  }
}

/**
 * A log: the file calls for it, its files, the codec of its lines, and the memory that scans read into. A scan keeps no
 * byte of it, and scans do not overlap.
 */
export interface LogFile<E extends TaggedEvent> {
  readonly files: Files
  readonly names: LogFiles
  readonly codec: LineCodec<E>
  /** Memory for at least so many bytes. Its contents are kept. */
  readonly room: (bytes: number) => Buffer
}

/** One shared memory: fresh memory for each part of a long log costs as much as reading the part. */
const growing = (): LogFile<TaggedEvent>["room"] => {
  let memory = Buffer.alloc(0)
  return (bytes) => {
    if (bytes > memory.length) {
      const larger = Buffer.allocUnsafeSlow(bytes)
      memory.copy(larger)
      memory = larger
    }
    return memory
  }
}

/** The log of one kind of a run. */
export const logFile = <E extends TaggedEvent, S>(files: Files, run: RunRef, kind: StreamKind<E, S>): LogFile<E> => ({
  files,
  names: logFiles(run, kind.kind),
  codec: lineCodec(kind),
  room: growing()
})

/** Opens a log. Throws LogMissing if there is no log. */
export const openLog = ({ files, names }: Pick<LogFile<TaggedEvent>, "files" | "names">, mode: OpenMode): number => {
  try {
    return files.open(names.log, mode)
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new LogMissing({ path: names.log })
    throw error
  }
}

/** Opens a log for the length of `use`. */
export const withLog = <A>(
  log: Pick<LogFile<TaggedEvent>, "files" | "names">,
  mode: OpenMode,
  use: (fd: number) => A
): A => {
  const fd = openLog(log, mode)
  try {
    return use(fd)
  } finally {
    close(log.files, fd)
  }
}
