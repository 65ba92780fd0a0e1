// Dismissals: the dismissals that a repository keeps for everybody, in `.ooda/dismissals.jsonl`, one on each line.
// A line that is not a dismissal is refused by its number, never ignored.
import { Context, type Effect, Result, Schema } from "effect"
import { exits } from "../../platform/Failure.ts"
import { type PlainFileFrom, PlainFileReason, plainFileReasonText } from "../../code/PlainFiles.ts"
import { type Dismissal, replaceDismissal, RepoDismissal } from "../../run/Dismissal.ts"
import { jsonText } from "../../text/Json.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(RepoDismissal))
const encode = Schema.encodeSync(RepoDismissal)

/** The dismissals in a text, where a later one replaces an earlier one; or the number of the first bad line. */
export const dismissalsIn = (text: string): Result.Result<ReadonlyArray<Dismissal>, number> => {
  let found: ReadonlyArray<Dismissal> = []
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const read = decode(line)
    if (Result.isFailure(read)) return Result.fail(i + 1)
    found = replaceDismissal(found, { ...read.success, scope: "repo" })
  }
  return Result.succeed(found)
}

/** A dismissal as one line of such a text, without a newline. */
export const dismissalLine = (dismissal: RepoDismissal): string => jsonText(encode(dismissal))

// The author of a change must not dismiss findings about it: in such cases dismissals are read from a trusted commit.

/** Where the dismissals are read: from the working copy, from a base branch, from a commit. */
export type DismissalsFrom = Exclude<PlainFileFrom, { readonly _tag: "Directory" }>

/** The file and the directory it lies in, relative to the worktree's root. */
export const dismissalsName = ".ooda/dismissals.jsonl"

/** Why dismissals could not be read or added. */
export const DismissalsReason = Schema.Union([
  PlainFileReason,
  Schema.TaggedStruct("NoDismissal", { line: Schema.Int })
])
export type DismissalsReason = typeof DismissalsReason.Type

const reasonText = (reason: DismissalsReason): string => {
  switch (reason._tag) {
    case "Ignored":
      return "git ignores it, so that adding to it causes no new review; stop ignoring it, " +
        "or dismiss with --scope run"
    case "NoDismissal":
      return `line ${reason.line} is not a valid dismissal; correct or remove that line`
    default:
      return plainFileReasonText(reason)
  }
}

/** The repository's dismissals cannot be read, or one cannot be added. */
export class DismissalsFailed extends Schema.TaggedError<DismissalsFailed>()("DismissalsFailed", {
  reason: DismissalsReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${dismissalsName}: ${reasonText(this.reason)}`
  }
}

export class Dismissals extends Context.Service<Dismissals, {
  /** The lines of the repository's dismissals; the empty text if missing. */
  readonly read: (worktree: string, from: DismissalsFrom) => Effect.Effect<string, DismissalsFailed>
  /** Adds a line, without its newline, to those of the working copy. Durable when it returns. */
  readonly add: (worktree: string, line: string) => Effect.Effect<void, DismissalsFailed>
  /** Replaces the lines of the working copy. Durable when it returns. */
  readonly replace: (worktree: string, text: string) => Effect.Effect<void, DismissalsFailed>
}>()("ooda-codex-review/services/Dismissals") {}
