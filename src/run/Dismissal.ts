// Dismissal: a decision that a finding need not block, and the reasons why a batch with issues does not block.
// A dismissal keeps the reviewers' own wordings, because a fingerprint alone would miss another wording.
import { Schema } from "effect"
import { brief } from "../text/Untrusted.ts"

/** Codex's scale: 0 blocks everything, 3 is nice to have. */
export const Priority = Schema.Literals([0, 1, 2, 3])
export type Priority = typeof Priority.Type

/** An inclusive range of lines, counted from 1. */
export const Lines = Schema.Struct({ start: Schema.Int, end: Schema.Int })
export type Lines = typeof Lines.Type

/** What is wrong with the name of a finding, or null. */
export const fingerprintProblem = (text: string): string | null =>
  /^[0-9a-f]{16}$/.test(text) ? null : "expected 16 hexadecimal digits, as findings shows them"

const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** What is wrong with a day such as `2026-12-31`, or null. */
export const dayProblem = (text: string): string | null => {
  const [year = 0, month = 0, day = 0] = /^\d{4}-\d\d-\d\d$/.test(text) ? text.split("-").map(Number) : []
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const most = month === 2 && !leap ? 28 : lengths[month - 1] ?? 0
  return day >= 1 && day <= most ? null : "expected a day such as 2026-12-31"
}

/** What is wrong with the reason of a dismissal, or null. */
export const reasonProblem = (text: string): string | null =>
  text.trim() !== "" && text.length <= 2000 ? null : "expected 1 to 2000 characters"

const checked = (problem: (text: string) => string | null) =>
  Schema.String.check(Schema.makeFilter((text: string) => problem(text) ?? undefined))

/** The name of a kind of defect at a path. */
export const FingerprintText = checked(fingerprintProblem)

/** A day in UTC. */
export const Day = checked(dayProblem)

/**
 * Who dismissed a finding while agents or tests worked on its run: nothing shows whether that was a person. `round` is 0
 * outside of rounds; `programs` are the names of those that called, the nearest first.
 */
export const InRound = Schema.Struct({
  round: Schema.Int,
  pid: Schema.Int,
  programs: Schema.Array(Schema.String)
})
export type InRound = typeof InRound.Type

/** The same in words. */
export const inRoundText = ({ pid, programs, round }: InRound): string =>
  `${round === 0 ? "while a test ran" : `in round ${round}`} by process ${pid}` +
  (programs.length === 0 ? "" : ` (called by ${programs.map((name) => brief(name, 20)).join(", ")})`)

/** What a dismissal records of its finding: its name and path, the reviewers' wordings and places, the last day. */
export const dismissedFields = {
  fingerprint: FingerprintText,
  priority: Schema.NullOr(Priority),
  path: Schema.NullOr(Schema.String),
  wordings: Schema.Array(Schema.Struct({ title: Schema.String, lines: Schema.NullOr(Lines) })),
  /** The last day (UTC) on which the dismissal is valid; null for no end. */
  until: Schema.NullOr(Day),
  inRound: Schema.optionalKey(InRound)
}

/** A dismissal as the repository stores it, one on each line of `.ooda/dismissals.jsonl`. */
export const RepoDismissal = Schema.Struct({ ...dismissedFields, reason: Schema.String, at: Schema.String })
export type RepoDismissal = typeof RepoDismissal.Type

/** Whether a dismissal holds for one run or for the repository. */
export const Scope = Schema.Literals(["run", "repo"])
export type Scope = typeof Scope.Type

/** A dismissal with where it comes from. */
export interface Dismissal extends RepoDismissal {
  readonly scope: Scope
}

/** Why a finding does not block: its priority is lower than `--block`, or it is dismissed. */
export const WaiverReason = Schema.TaggedUnion({
  BelowBlock: {},
  Dismissed: {
    scope: Scope,
    reason: Schema.String,
    until: Schema.NullOr(Day),
    inRound: Schema.optionalKey(InRound)
  }
})

/** A finding that does not block, as the log records it. */
export const WaivedFinding = Schema.Struct({
  fingerprint: FingerprintText,
  title: Schema.String,
  priority: Schema.NullOr(Priority),
  because: WaiverReason
})
export type WaivedFinding = typeof WaivedFinding.Type

/** A dismissal replaces an earlier one of the same finding and scope. */
export const replaceDismissal = (
  earlier: ReadonlyArray<Dismissal>,
  dismissal: Dismissal
): ReadonlyArray<Dismissal> => [
  ...earlier.filter(({ fingerprint, scope }) => fingerprint !== dismissal.fingerprint || scope !== dismissal.scope),
  dismissal
]

/** The dismissals except those of a finding. */
export const withoutDismissal = (
  dismissals: ReadonlyArray<Dismissal>,
  fingerprint: string
): ReadonlyArray<Dismissal> => dismissals.filter((one) => one.fingerprint !== fingerprint)

/** Whether a dismissal is still valid on a day. */
export const isInForce = ({ until }: Pick<RepoDismissal, "until">, today: string): boolean =>
  until === null || today <= until
