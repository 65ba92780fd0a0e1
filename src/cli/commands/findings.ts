// findings: the subcommand `findings`: shows the findings of one batch of a run, in one format.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { excludeEachOther } from "../targetOptions.ts"
import { batchName } from "../values.ts"
import { type ExitCode, exits } from "../../platform/Failure.ts"
import { type FindingsReport, type FindingsVerdict, verdictOf } from "../../review/findings/Report.ts"
import { annotations } from "../../review/findings/formats/Annotations.ts"
import { findingsJson } from "../../review/findings/formats/Json.ts"
import { findingsDocument } from "../../review/findings/formats/Markdown.ts"
import { sarif } from "../../review/findings/formats/Sarif.ts"
import { findingsTable } from "../../review/findings/formats/Table.ts"
import type { BatchName } from "../../review/findings/ReviewedBatch.ts"
import { findings } from "../../read/Findings.ts"
import { allFindings, allTable, findingPage, isFindingName, oneFinding, storiesJson } from "../../read/OneFinding.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { outputPage } from "../../platform/Page.ts"
import { Output } from "../../platform/Process.ts"
import { laidOut, type Page } from "../../text/Paint.ts"
import type { Setting } from "../../run/Setting.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { flagAs, flagsFor, json, optional, storeFlags } from "../options.ts"
import { namingOf, runFlags, selectorOf } from "../selector.ts"

/** A batch of a run, the last started one if `batch` is null, in a format; or one finding, or all of the run. */
export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  /** The finding to show whole. */
  readonly finding: string | null
  readonly all: boolean
  readonly batch: BatchName | null
  readonly format: "table" | typeof formats[number]
  /** The commit whose dismissals count; null leaves it to the target. */
  readonly trustFrom: string | null
}

const formats = ["json", "sarif", "markdown", "github"] as const

const batch: Setting<"text"> = {
  flag: "--batch",
  metavar: "BATCH",
  kind: "text",
  otherwise: "the last one started",
  text: "That batch, such as low/2."
}

const flags = {
  ...flagsFor({ all: { flag: "--all", kind: "switch", text: "Every finding of the run, with what became of it." } }),
  batch: optional(flagAs(batch, batchName)),
  ...runFlags,
  ...flagsFor({ trustFrom: stepSettings.trustFrom }),
  ...storeFlags,
  json,
  ...flagsFor({
    sarif: { flag: "--sarif", kind: "switch", text: "A SARIF 2.1.0 log, for code scanning and viewers." },
    markdown: { flag: "--markdown", kind: "switch", text: "The document that an address agent is given." },
    github: { flag: "--github", kind: "switch", text: "Annotations of a GitHub Actions workflow." }
  })
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

const formatOf = (given: FlagValues): Result.Result<Request["format"], string> => {
  const chosen = formats.filter((format) => given[format])
  const [first] = chosen
  if (chosen.length > 1) return Result.fail(excludeEachOther(chosen.map((format) => `--${format}`)))
  return Result.succeed(first ?? "table")
}

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const { all, batch, operand, stateRoot, trustFrom } = given
    const finding = operand !== null && isFindingName(operand) ? operand : null
    const selector = yield* selectorOf(finding === null ? given : { ...given, operand: null })
    const format = yield* formatOf(given)
    if (all && finding !== null) return yield* Result.fail("--all shows every finding: leave out which one")
    if (all && batch !== null) return yield* Result.fail(excludeEachOther(["--all", "--batch"]))
    if ((all || finding !== null) && format !== "table" && format !== "json") {
      return yield* Result.fail(`--${format} is a format of a whole batch`)
    }
    return { stateRoot, selector, finding, all, batch, format, trustFrom }
  })

const written = (report: FindingsReport, format: Request["format"], version: string, page: Page): string => {
  switch (format) {
    case "table":
      return findingsTable(report, page)
    case "json":
      return findingsJson(report)
    case "sarif":
      return sarif(report, version)
    case "markdown":
      return findingsDocument(report)
    case "github":
      return annotations([report])
  }
}

/** The exit code of `findings`, from the combined result of a batch's reviews. */
export const findingsExits = {
  None: exits.done,
  Findings: exits.wrong,
  Unknown: exits.couldNot
} as const satisfies Record<FindingsVerdict, ExitCode>

/** Writes the findings. The exit code describes the batch even if no reader takes the output. */
export const run = Effect.fn("findings.run")(function*(asked: Request, { columns = null, cwd, version }: CallContext) {
  const { all, batch, finding, format, selector, stateRoot, trustFrom } = asked
  const ref = yield* select(selector, { stateRoot, cwd: yield* cwd })
  const paper = yield* outputPage(columns)
  const options = { ...(batch === null ? {} : { batch }), trustFrom }
  if (all || finding !== null) {
    const naming = yield* namingOf(selector, ref)
    const shown = finding === null
      ? yield* allFindings(ref, naming)
      : [yield* oneFinding(ref, finding, options, naming)]
    const page = finding === null
      ? allTable(shown, paper)
      : shown.map((one) => laidOut(findingPage(one), "neutral", paper)).join("")
    yield* (yield* Output).write(format === "json" ? storiesJson(ref, shown) : page)
    return exited(shown.some(({ state }) => state === "open" || state === "unseen") ? exits.wrong : exits.done)
  }
  const report = yield* findings(ref, { ...options, whole: format === "json" })
  const writing = (yield* Output).write(written(report, format, version, paper))
  yield* Effect.catchTag(writing, "OutputClosed", () => Effect.void)
  return exited(findingsExits[verdictOf(report)])
})

export const command = Command.make("findings", flags).pipe(subcommand({
  read,
  run,
  scope: ({ selector }) => Effect.succeed(selector),
  about: [
    "shows what the reviewers of a batch found, as a table or in a format for programs.",
    "",
    "Findings are merged, the gravest first, with who reported each and what became of it from batch to batch: new,",
    "still there, came back, gone (no reviewer of a completely reviewed batch reports it).",
    "With --all it lists those of the whole run, with what became of each. A number as shown here in place of RUN, or a",
    "fingerprint or the beginning of one, shows that finding whole.",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this worktree. Reads only; exits",
    "0 without findings, 1 with findings, 6 when that is unknown (so also when nothing was found but a review is",
    "missing), 64 on misuse. SARIF and GitHub: P0 and P1 are errors, P2 and findings without a priority warnings, P3",
    "notes; a slot without a review makes the SARIF execution unsuccessful. A dismissed finding is shown as dismissed",
    "and counts as one; in SARIF it is suppressed, in annotations a notice."
  ],
  examples: [
    { command: "ooda-codex-review findings", description: "Show the last batch of the newest run here." },
    {
      command: "ooda-codex-review findings --all",
      description: "Show all of the newest run, and what became of each."
    },
    { command: "ooda-codex-review findings 2", description: "Show the second finding whole." },
    { command: "ooda-codex-review findings --base main --sarif", description: "Upload to code scanning." }
  ]
}))
