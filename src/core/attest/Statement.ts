// Statement: what an attestation says of a run at its fixed point: an in-toto Statement, version 1, with our predicate.
// It holds what the log and the audit bear out, and nothing of the machine: no path, no host, no time of its making.
import type { EventOf } from "../run/Event.ts"
import type { Identity } from "../run/Identity.ts"
import type { Level } from "../run/Level.ts"
import { mode, type Target, targetKey } from "../run/Target.ts"
import { canonicalJson, jsonText } from "../text/JsonText.ts"
import { redact } from "../text/redaction/Redact.ts"

/** The type of every Statement of this version of in-toto. */
export const statementType = "https://in-toto.io/Statement/v1"

/** The type of our predicate. A change of what a field means gets another number at its end. */
export const predicateType = "urn:ooda-codex-review:fixed-point:v1"

/** An artifact by its digest: the reviewed tree, or the commit of that tree. */
export interface Subject {
  readonly name: "tree" | "commit"
  readonly digest: { readonly gitTree: string } | { readonly gitCommit: string }
}

/** The batch that shows a level, as the log and the transcripts tell it. */
export interface ShownLevel {
  readonly level: Level
  readonly batch: number
  /** The line of the log in which it was complete. */
  readonly line: number
  /** How what it saw compares with what the last batch saw; only `same` is about the subject. */
  readonly code: "same" | "same tree" | "other" | "changed" | "unknown"
  readonly retrospective: boolean
  readonly isolated: boolean
  /** The model that its reviewers were started with, by their transcripts; null where none shows it. */
  readonly model: string | null
  /** The version of codex, by its transcripts; null where none shows it. */
  readonly codex: string | null
  /** The versions of this program that recorded its reviews. */
  readonly recordedBy: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<string>
  readonly reviewers: ReadonlyArray<{
    readonly slot: number
    readonly attempt: number
    readonly verdict: "Clean" | "HasIssues"
    readonly reason: string
    readonly source: string
    readonly findings: number
    /** How it is known to have read the change; absent where the program that recorded it did not look. */
    readonly read?: "given" | "tools" | "not-shown"
    /** The digests of its transcript, its standard output and codex's own record. */
    readonly files: { readonly log: string; readonly out: string; readonly review: string | null }
  }>
  readonly waived: EventOf<"BatchWaived">["findings"]
}

/** A run of a test of the project on exactly the reviewed tree. */
export interface Tested {
  readonly command: string
  readonly exit: number | null
  readonly output: string
}

/** What is attested. */
export interface Attested {
  readonly run: string
  readonly repository: string
  readonly target: Target
  readonly strict: boolean
  readonly reviewed: Identity
  readonly fixedPoint: EventOf<"FixedPointReached">
  /** Whether every level was reviewed clean on the same code. */
  readonly complete: boolean
  readonly levels: ReadonlyArray<ShownLevel>
  readonly tests: ReadonlyArray<Tested>
  /** The line in which the fixed point was reached. */
  readonly head: { readonly seq: number; readonly hash: string }
}

const isGitId = (id: string | null | undefined): id is string =>
  typeof id === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)

/**
 * What was reviewed, as git names it: a commit that was the target; else the tree of all files that git does not
 * ignore, and the commit that it was checked out from where nothing had been changed. Empty where git has no name for
 * it.
 */
export const subjectsOf = (target: Target, { head, headTree, tree }: Identity): ReadonlyArray<Subject> => {
  const commit: ReadonlyArray<Subject> = isGitId(head) ? [{ name: "commit", digest: { gitCommit: head } }] : []
  if (target._tag === "Commit") return commit
  if (!isGitId(tree)) return []
  return [{ name: "tree", digest: { gitTree: tree } }, ...(tree === headTree ? commit : [])]
}

const levelOf = (
  { arguments: argv, batch, code, codex, isolated, level, line, model, recordedBy, retrospective, reviewers, waived }:
    ShownLevel
) => ({
  level,
  effort: level,
  batch,
  line,
  code,
  retrospective,
  isolated,
  model,
  codex,
  recordedBy,
  arguments: argv,
  reviewers,
  waived: waived.map(({ because, fingerprint, priority, title }) => ({
    fingerprint,
    title: redact(title),
    priority,
    because: because._tag === "BelowBlock" ? because : { ...because, reason: redact(because.reason) }
  }))
})

/** The Statement, as a plain value. */
export const statementOf = (
  { complete, fixedPoint, head, levels, repository, reviewed, run, strict, target, tests }: Attested
) => ({
  _type: statementType,
  subject: subjectsOf(target, reviewed),
  predicateType,
  predicate: {
    run,
    repository,
    target: { mode: mode(target), key: targetKey(target) },
    strict,
    reviewed: {
      head: reviewed.head ?? null,
      tree: reviewed.tree ?? null,
      base: reviewed.base ?? null,
      mergeBase: reviewed.mergeBase ?? null,
      nested: reviewed.nested ?? null
    },
    fixedPoint: {
      level: fixedPoint.level,
      batch: fixedPoint.batch,
      ceiling: fixedPoint.ceiling,
      by: fixedPoint.by
    },
    claim: complete ? "every-level" : "ceiling",
    levels: levels.map(levelOf),
    tests: tests.map(({ command, exit, output }) => ({ command: redact(command), exit, output })),
    audit: { sound: true, complete },
    log: { seq: head.seq, hash: head.hash }
  }
})

/** The bytes of an attestation: one line, keys in order, nothing hidden; the same for the same value. */
export const statementText = (statement: unknown): string => `${jsonText(JSON.parse(canonicalJson(statement)))}\n`
