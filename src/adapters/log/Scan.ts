// Scan: goes through an open log line by line, in constant memory, and verifies each.
// The bytes after the last newline are a torn tail. A log that is wrong in any other way is refused.
import { Result } from "effect"
import { type Envelope, maxLineBytes, suffix, suffixBytes } from "../../core/log/Frame.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { LogRewound } from "../../services/EventLog.ts"
import { type Files, readFully, readRange } from "./Files.ts"
import type { Anchor } from "./Head.ts"
import { lineError, sha256 } from "./Line.ts"
import type { LogFile } from "./LogFile.ts"

const chunkBytes = 1024 * 1024
const newline = 0x0a

/** Where a scan ended: the last committed line, and how many bytes of a torn tail follow it. */
export interface Scanned {
  readonly end: Anchor
  readonly torn: number
}

/** Whether the line that ends at this place of an open log carries this hash. */
export const endsAt = (files: Files, fd: number, at: Anchor): boolean => {
  if (at.seq === 0) return true
  const ending = `${suffix(at.hash)}\n`
  const bytes = readRange(files, fd, at.offset - suffixBytes - 1, at.offset)
  return new TextDecoder("latin1").decode(bytes) === ending
}

/** Whether a newline follows. Without one, bytes that no line can have are a torn tail. The bytes are not kept. */
const hasNewline = (files: Files, fd: number, from: number, size: number): boolean => {
  for (let position = from; position < size; position += chunkBytes) {
    if (readRange(files, fd, position, Math.min(size, position + chunkBytes)).includes(newline)) return true
  }
  return false
}

/** The end of a scan: what follows it is torn, unless the anchor says that a line was acknowledged there. */
const finish = (
  files: Files,
  fd: number,
  path: string,
  { anchor, end, size }: { readonly anchor: Anchor | null; readonly end: Anchor; readonly size: number }
): Scanned => {
  if (anchor === null) return { end, torn: size - end.offset }
  if (end.offset < anchor.offset && size >= anchor.offset) {
    throw lineError(path, { _tag: "Damaged", kind: "no newline", torn: false }, end)
  }
  if (end.seq < anchor.seq) throw new LogRewound({ path, kind: "rolled back" })
  if (!endsAt(files, fd, anchor)) throw new LogRewound({ path, kind: "rewritten" })
  return { end, torn: size - end.offset }
}

/**
 * Verifies every line after `from` and hands it to `each`, together with the place it begins at. `anchor` is head.json,
 * read before the log was. Throws LogDamaged, LogTooNew, LogRewound, or the system's error.
 */
export const scan = <E extends Tagged>(
  { codec, files, names, room }: LogFile<E>,
  fd: number,
  from: Anchor,
  anchor: Anchor | null,
  each: (line: Envelope, begin: Anchor) => void
): Scanned => {
  const path = names.log
  const size = files.size(fd)
  let end = from
  let position = from.offset
  // The bytes of a line whose end was not read yet. They are the first in the memory.
  let kept = 0
  while (position < size) {
    const wanted = Math.min(size - position, chunkBytes)
    const memory = room(kept + wanted)
    const read = readFully(files, fd, memory.subarray(kept, kept + wanted), position)
    // A writer has cut a torn tail since the size was taken.
    if (read === 0) break
    position += read
    const bytes = memory.subarray(0, kept + read)
    let begin = 0
    for (let stop = bytes.indexOf(newline); stop !== -1; stop = bytes.indexOf(newline, begin)) {
      const verified = codec.verifyLine(bytes.subarray(begin, stop), end, sha256)
      const offset = end.offset + stop - begin + 1
      if (Result.isFailure(verified)) {
        const problem = verified.failure
        const acknowledged = anchor !== null && end.offset < anchor.offset
        const torn = problem._tag === "Damaged" && problem.torn && offset === size && !acknowledged
        if (torn) return finish(files, fd, path, { anchor, end, size })
        throw lineError(path, problem, end)
      }
      each(verified.success, end)
      end = { seq: verified.success.seq, hash: verified.success.hash, offset }
      begin = stop + 1
    }
    bytes.copyWithin(0, begin)
    kept = bytes.length - begin
    if (kept >= maxLineBytes) {
      if (!hasNewline(files, fd, position, size)) return finish(files, fd, path, { anchor, end, size })
      throw lineError(path, { _tag: "Damaged", kind: "too long", torn: false }, end)
    }
  }
  return finish(files, fd, path, { anchor, end, size: position })
}
