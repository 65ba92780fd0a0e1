// attesting: the document of `attest`, an in-toto Statement, as a schema.
import { Schema } from "effect"
import { predicateType, statementType } from "../../../src/read/attest/Attest.ts"
import { WaivedFinding } from "../../../src/run/Dismissal.ts"
import { Level } from "../../../src/run/Level.ts"
import { Mode } from "../../../src/run/Target.ts"
import { VerdictSource } from "../../../src/run/ReviewTokens.ts"
import { Count, Head, list, NullOr, optionalKey, Struct, Text, words } from "./parts.ts"

const { Boolean } = Schema
const Sha256 = Text.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const GitId = Text.check(Schema.isPattern(/^([0-9a-f]{40}|[0-9a-f]{64})$/))

const Subject = Schema.Union([
  Struct({ name: words("tree"), digest: Struct({ gitTree: GitId }) }),
  Struct({ name: words("commit"), digest: Struct({ gitCommit: GitId }) })
])

const Reviewer = Struct({
  slot: Count,
  attempt: Count,
  verdict: words("Clean", "HasIssues"),
  reason: Text,
  source: VerdictSource,
  read: optionalKey(words("given", "tools", "not-shown")),
  findings: Count,
  files: Struct({ log: Sha256, out: Sha256, review: NullOr(Sha256) })
})

const Shown = Struct({
  level: Level,
  effort: Level,
  batch: Count,
  line: Count,
  code: words("same", "same tree", "other", "changed", "unknown"),
  retrospective: Boolean,
  isolated: Boolean,
  model: NullOr(Text),
  codex: NullOr(Text),
  recordedBy: list(Text),
  programs: optionalKey(list(Text)),
  arguments: list(Text),
  reviewers: list(Reviewer),
  waived: list(WaivedFinding)
})

export const Attestation = Struct({
  _type: Schema.Literal(statementType),
  subject: list(Subject),
  predicateType: Schema.Literal(predicateType),
  predicate: Struct({
    run: Text,
    repository: Text,
    target: Struct({ mode: Mode, key: Text }),
    strict: Boolean,
    reviewed: Struct({
      head: NullOr(Text),
      tree: NullOr(Text),
      base: NullOr(Text),
      mergeBase: NullOr(Text),
      nested: NullOr(Text),
      instructions: Schema.optionalKey(Text)
    }),
    fixedPoint: Struct({ level: Level, batch: Count, ceiling: Level, by: words("Reviews", "Mark") }),
    claim: words("every-level", "ceiling"),
    levels: list(Shown),
    tests: list(Struct({ command: Text, exit: NullOr(Count), output: Sha256 })),
    audit: Struct({ sound: Schema.Literal(true), complete: Boolean }),
    log: Head
  })
})
