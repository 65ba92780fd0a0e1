// DismissalLines: the dismissals that a repository keeps, one JSON document a line.
// The one rule: a line that is no dismissal is refused by its number, never passed over.
import { Result, Schema } from "effect"
import { type Dismissal, RepoDismissal, replaced } from "../run/Dismissal.ts"
import { jsonText } from "../text/JsonText.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(RepoDismissal))
const encode = Schema.encodeSync(RepoDismissal)

/** The dismissals in a text, where a later one replaces an earlier one; or the number of the first bad line. */
export const dismissalsIn = (text: string): Result.Result<ReadonlyArray<Dismissal>, number> => {
  let found: ReadonlyArray<Dismissal> = []
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const read = decode(line)
    if (Result.isFailure(read)) return Result.fail(i + 1)
    found = replaced(found, { ...read.success, scope: "repo" })
  }
  return Result.succeed(found)
}

/** A dismissal as one line of such a text, without a newline. */
export const dismissalLine = (dismissal: RepoDismissal): string => jsonText(encode(dismissal))
