// documents: every JSON document that the program prints, with its schema; docs/schemas/ is made from this.
// Fields are only added, so the published schemas allow more of them; the tests do not.
import { JsonSchema, Schema } from "effect"
import type { SubcommandName } from "../../../src/cli/subcommands.ts"
import { ErrorDocument } from "../../../src/cli/command.ts"
import { ConfigDocument } from "../../../src/cli/commands/config.ts"
import { DismissalList, DismissDocument } from "../../../src/cli/commands/dismiss.ts"
import { FleetDocument } from "../../../src/cli/commands/fleet.ts"
import { Judged } from "../../../src/cli/commands/result.ts"
import { StopDocument } from "../../../src/cli/commands/stop.ts"
import { SnapshotList, Undone } from "../../../src/read/Undo.ts"
import { FollowedEvent } from "../../../src/drive/Follow.ts"
import { ConvergeDocument } from "../../../src/drive/converge/Json.ts"
import { ImplementDocument } from "../../../src/drive/plan/Json.ts"
import { Statement } from "../../../src/read/attest/Attest.ts"
import { AuditDocument } from "../../../src/read/audit/Audits.ts"
import { FindingsDocument } from "../../../src/read/OneFinding.ts"
import { Pruned } from "../../../src/read/Prune.ts"
import { RunsDocument } from "../../../src/read/Runs.ts"
import { StatusDocument } from "../../../src/read/Status.ts"
import { Checks } from "../../../src/read/doctor/Check.ts"
import { ReplayDocument } from "../../../src/read/replay/Timeline.ts"
import { BatchFindings } from "../../../src/review/findings/formats/Json.ts"
import { StepDocument } from "../../../src/step/StepJson.ts"
import { isSchema, type JsonSchema as Json } from "./nodes.ts"

const { Union } = Schema

/** A document: `lines` where it is one of several on standard output, each on a line. */
export interface Document {
  readonly title: string
  readonly lines: boolean
  /** The flag that asks for it. */
  readonly flag: "--json" | "--events" | null
  readonly schema: Schema.Top
}

const one = (title: string, schema: Schema.Top): Document => ({ title, lines: false, flag: "--json", schema })
const each = (title: string, schema: Schema.Top): Document => ({ title, lines: true, flag: "--json", schema })

/** The documents of `--json` and of what prints nothing else, by whose they are; null for a subcommand whose output has a form of its own. */
export const documents: Readonly<Record<SubcommandName | "step" | "events" | "error", Document | null>> = {
  step: one("The outcome of a step", StepDocument),
  converge: one("How converge ended", ConvergeDocument),
  events: { ...each("An event of a run that is driven, as it is committed", FollowedEvent), flag: "--events" },
  error: one("Why a call failed", ErrorDocument),
  stop: one("How stop ended", StopDocument),
  implement: one("How implement ended", ImplementDocument),
  runs: one("The runs, or what was pruned", Union([RunsDocument, Pruned])),
  replay: each("An event of a run, or the end of its log", ReplayDocument),
  audit: one("What an audit found", AuditDocument),
  attest: { ...one("What an attestation says of a run", Statement), flag: null },
  findings: one(
    "What the reviewers of a batch found, or findings of the run",
    Union([BatchFindings, FindingsDocument])
  ),
  // Their output is a page, what a runner reads, and a line about a file.
  report: null,
  init: null,
  ci: null,
  fleet: one("The pull requests of a fleet and how each is", FleetDocument),
  dismiss: one("What was dismissed, or all dismissals", Union([DismissDocument, DismissalList])),
  status: each("How a run is, or each change of it with --follow", StatusDocument),
  watch: each("How a run is, at each change", StatusDocument),
  undo: one("What was put back, or can be", Union([SnapshotList, Undone])),
  result: one("How an agent's message was judged", Judged),
  hook: one("What hook status found", Checks),
  config: one("Each setting and where it comes from", ConfigDocument),
  doctor: one("What doctor found", Checks)
}

const callOf = (name: string) =>
  name === "step" ? null : name === "events" ? "converge or implement" : name === "error" ? "SUBCOMMAND" : name

/** A schema with its definitions in the places that name them. */
const inlined = (value: unknown, definitions: Json): unknown => {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions))
  if (!isSchema(value)) return value
  const { $ref } = value
  if (typeof $ref === "string") return inlined(definitions[$ref.replace("#/definitions/", "")], definitions)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one, definitions)]))
}

const inlinedSchema = (of: Schema.Top): Json => {
  const { definitions, schema } = JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(of))
  const whole = inlined(schema, definitions)
  return isSchema(whole) ? whole : {}
}

/** The JSON Schema (draft 7) of a document. */
export const jsonSchema = (name: string, { flag, lines, schema, title }: Document) => ({
  $schema: JsonSchema.META_SCHEMA_URI_DRAFT_07,
  $comment: `${["ooda-codex-review", callOf(name), flag].filter((word) => word !== null).join(" ")}${
    lines ? ", each line" : ""
  }. Fields are only added.`,
  title,
  ...inlinedSchema(schema)
})
