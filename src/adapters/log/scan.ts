// scan: goes through an open log line by line, in constant memory, and verifies each.
// The one rule: what follows the last newline is torn; anything else that is wrong is refused, never skipped.
import { Result } from "effect"
import { type Envelope, type LineProblem, maxLineBytes, suffixBytes, verifyLine } from "../../core/Line.ts"
import { LogDamaged, LogRewound, LogTooNew } from "../../services/EventLog.ts"
import { type Files, readRange } from "./files.ts"
import { sha256 } from "./hash.ts"
import type { Anchor } from "./head.ts"

const chunkBytes = 1024 * 1024
const newline = 0x0a

/** Where a scan ended: the last committed line, and how many bytes of a torn tail follow it. */
export interface Scanned {
  readonly end: Anchor
  readonly torn: number
}

/** The error for a line that cannot be used. */
export const lineError = (path: string, problem: LineProblem, after: Anchor): LogDamaged | LogTooNew =>
  problem._tag === "TooNew"
    ? new LogTooNew({ path, what: problem.what })
    : new LogDamaged({ path, kind: problem.kind, line: after.seq + 1, offset: after.offset })

/** Whether the line that ends at this place of an open log carries this hash. */
export const endsAt = (files: Files, fd: number, at: Anchor): boolean => {
  if (at.seq === 0) return true
  const ending = `,"hash":"${at.hash}"}\n`
  const bytes = readRange(files, fd, at.offset - suffixBytes - 1, at.offset)
  return new TextDecoder("latin1").decode(bytes) === ending
}

/** What no newline ends: torn, unless the anchor says that a line was acknowledged there. */
const tail = (path: string, end: Anchor, size: number, anchor: Anchor | null): Scanned => {
  if (anchor === null || end.offset >= anchor.offset) return { end, torn: size - end.offset }
  if (size < anchor.offset) throw new LogRewound({ path, kind: "rolled back" })
  throw new LogDamaged({ path, kind: "no newline", line: end.seq + 1, offset: end.offset })
}

/** Whether a newline follows: it decides if bytes that no line can have are a torn tail, without keeping them. */
const hasNewline = (files: Files, fd: number, from: number, size: number): boolean => {
  for (let position = from; position < size; position += chunkBytes) {
    if (readRange(files, fd, position, Math.min(size, position + chunkBytes)).includes(newline)) return true
  }
  return false
}

const checkAnchor = (files: Files, fd: number, path: string, anchor: Anchor, end: Anchor): void => {
  if (anchor.seq > end.seq) throw new LogRewound({ path, kind: "rolled back" })
  if (!endsAt(files, fd, anchor)) throw new LogRewound({ path, kind: "rewritten" })
}

/**
 * Verifies every line after `from` and hands it to `each`, together with the place it begins at. `anchor` is head.json,
 * read before the log was. Throws LogDamaged, LogTooNew, LogRewound, or the system's error.
 */
export const scan = (
  files: Files,
  fd: number,
  path: string,
  from: Anchor,
  anchor: Anchor | null,
  each: (line: Envelope, begin: Anchor) => void
): Scanned => {
  const size = files.size(fd)
  let end = from
  let position = from.offset
  let rest: Uint8Array = new Uint8Array(0)
  while (position < size) {
    const chunk = readRange(files, fd, position, Math.min(size, position + chunkBytes))
    // A writer has cut a torn tail since the size was taken.
    if (chunk.length === 0) break
    position += chunk.length
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let begin = 0
    for (let stop = bytes.indexOf(newline); stop !== -1; stop = bytes.indexOf(newline, begin)) {
      const verified = verifyLine(bytes.subarray(begin, stop), end, sha256)
      const offset = end.offset + stop - begin + 1
      if (Result.isFailure(verified)) {
        const problem = verified.failure
        const mayBeTorn = problem._tag === "Damaged" && problem.torn && offset === size
        if (mayBeTorn && (anchor === null || end.offset >= anchor.offset)) return { end, torn: size - end.offset }
        throw lineError(path, problem, end)
      }
      each(verified.success, end)
      end = { seq: verified.success.seq, hash: verified.success.hash, offset }
      begin = stop + 1
    }
    rest = bytes.subarray(begin)
    if (rest.length >= maxLineBytes && hasNewline(files, fd, position, size)) {
      throw lineError(path, { _tag: "Damaged", kind: "too long", torn: false }, end)
    }
  }
  const scanned = tail(path, end, position, anchor)
  if (anchor !== null) checkAnchor(files, fd, path, anchor, end)
  return scanned
}
