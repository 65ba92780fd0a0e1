// FileText: the text of a file from its bytes, or the place where they are not UTF-8. A text keeps its bytes both ways.
import { Result } from "effect"
import type { Fault } from "../plan/Fault.ts"
import { longest, normalOf, tooLong } from "../plan/ParsePlan.ts"

// A file that may hold a plan has at most four bytes for each character. A larger one is not even decoded.
const mostBytes = 4 * longest

const decode = (bytes: Uint8Array, stream: boolean): Result.Result<string, unknown> =>
  Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream }))

/** The text up to the first byte that is not UTF-8. */
const soundStart = (bytes: Uint8Array): string => {
  let sound = 0
  let broken = bytes.length
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2)
    if (Result.isSuccess(decode(bytes.subarray(0, middle), true))) sound = middle
    else broken = middle
  }
  return Result.getOrElse(decode(bytes.subarray(0, sound), true), () => "")
}

/** Content that is not UTF-8. The fault's place is the end of the normal text `before` it. */
export interface NoText {
  readonly before: string
  readonly fault: Fault
}

const noText = (start: string): NoText => {
  const before = normalOf(start)
  return { before, fault: { at: before.length, says: "this is not UTF-8", remedy: "save the file as UTF-8" } }
}

/** The text of a file, with its byte order mark. A text is taken as it is, if it can be written as a file. */
export const fileText = (file: Uint8Array | string): Result.Result<string, NoText> => {
  if (typeof file === "string") {
    const half = file.search(/\p{Surrogate}/u)
    return half < 0 ? Result.succeed(file) : Result.fail(noText(file.slice(0, half)))
  }
  if (file.length > mostBytes) return Result.fail({ before: "", fault: tooLong(0) })
  return Result.mapError(decode(file, false), () => noText(soundStart(file)))
}
