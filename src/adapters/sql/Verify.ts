// Verify: the stored lines of a log, each verified as the one that follows the one before.
// The one rule: what is handed on was hashed again here; what the columns beside the bytes say is believed of nobody.
import { Result } from "effect"
import type { Envelope } from "../../core/log/Frame.ts"
import type { Head } from "../../core/log/Head.ts"
import type { LineCodec } from "../../core/log/Line.ts"
import type { LineProblem } from "../../core/log/LineProblem.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { sha256 } from "../log/Line.ts"
import type { StoredLine, StoredPart } from "./Statements.ts"

const newline = 0x0a
const damaged = (kind: "bad hash" | "no newline"): Result.Result<never, LineProblem> =>
  Result.fail({ _tag: "Damaged", kind, torn: false })

/** A stored line as the one that follows `after`. */
export const verifyStored = <E extends Tagged>(
  codec: LineCodec<E>,
  { bytes, hash }: StoredLine,
  after: Head
): Result.Result<Envelope, LineProblem> => {
  if (bytes.at(-1) !== newline) return damaged("no newline")
  const verified = codec.verifyLine(bytes.subarray(0, -1), after, sha256)
  return Result.isSuccess(verified) && verified.success.hash !== hash ? damaged("bad hash") : verified
}

/** The lines of a part up to the first that is wrong, where they end, and what is wrong with that one. */
export interface Verified {
  readonly lines: ReadonlyArray<Envelope>
  readonly end: Head
  readonly problem: LineProblem | null
}

/** Verifies a part that follows `after`. */
export const verifyPart = <E extends Tagged>(codec: LineCodec<E>, part: StoredPart, after: Head): Verified => {
  const lines: Array<Envelope> = []
  let end = after
  for (const stored of part.lines) {
    const line = verifyStored(codec, stored, end)
    if (Result.isFailure(line)) return { lines, end, problem: line.failure }
    lines.push(line.success)
    end = { seq: line.success.seq, hash: line.success.hash }
  }
  return { lines, end, problem: null }
}

/** How a log differs from the line that its reader remembers, or from its own head; null where it does not. */
export const rewound = (expected: Head, found: string | null): "rolled back" | "rewritten" | null => {
  if (expected.seq === 0) return null
  if (found === null) return "rolled back"
  return found === expected.hash ? null : "rewritten"
}
