// parts: the parts that several JSON documents of the program have in common, as schemas.
// A part that the program itself decodes is taken from there.
import { Schema } from "effect"
import { Finding } from "../../../src/review/findings/Finding.ts"
import { FailureKind } from "../../../src/run/FailureKind.ts"
import { VerdictSource } from "../../../src/run/ReviewTokens.ts"
import { Level } from "../../../src/run/Level.ts"
import { Usage } from "../../../src/run/Usage.ts"

export const { NullOr, Struct, optionalKey } = Schema
export const Text = Schema.String
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
export const version = Schema.Literal(1)
export const list = <S extends Schema.Top>(of: S) => Schema.Array(of)
export const words = <const Words extends ReadonlyArray<string>>(...of: Words) => Schema.Literals(of)

/** A position in a log. */
export const Head = Struct({ seq: Count, hash: Text })

/** The tokens of a run, as far as some log tells of them. */
export const Spending = Struct({ reviews: Usage, agents: Usage })

const At = Struct({ level: Level, batch: Count })
const Seen = Struct({ first: At, last: At, times: Count })
const words2 = { cut: Schema.Boolean }

const { reports: _, ...finding } = Finding.fields
const found = {
  ...finding,
  ...words2,
  reports: list(Struct({ ...Finding.fields.reports.value.fields, ...words2 })),
  history: words("new", "still there", "came back", "gone", "not reported so far"),
  before: NullOr(Seen)
}

const Dismissal = Struct({ scope: words("run", "repo"), at: Text, until: NullOr(Text), reason: Text })

/** A reviewer's place in a batch. */
export const Review = Struct({
  slot: Count,
  state: words("Queued", "Running", "Finished", "Failed"),
  attempt: Count,
  verdict: NullOr(words("Clean", "HasIssues")),
  reason: NullOr(Text),
  source: NullOr(VerdictSource),
  failure: NullOr(Struct({ kind: FailureKind, message: Text }))
})

const Expected = Struct({
  more: Amount,
  low: Amount,
  high: Amount,
  by: words("ChaoMt", "Jackknife"),
  chaoMt: Amount,
  jackknife: Amount
})

/** What a document about findings says of them. */
export const findings = {
  findings: list(
    Struct({ ...found, dismissed: NullOr(Dismissal), agreement: Struct({ found: Count, of: Count }) })
  ),
  unlisted: list(Struct({ slot: Count, reason: Text, body: Text, ...words2, file: Text })),
  gone: list(Struct(found)),
  unseen: list(Struct(found)),
  /** How many findings are expected that nobody has reported (docs/estimate.md), or why nothing is said. */
  estimate: Struct({
    found: Count,
    reviewers: Count,
    expected: NullOr(Expected),
    because: NullOr(words("NoFindings", "OneReviewer", "NoOverlap", "Incomplete"))
  }),
  omitted: Struct({ findings: Count, batches: Count })
}
