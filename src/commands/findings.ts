// findings: the subcommand `findings`: shows what the reviewers of one batch of one run found, in one format.
import { Effect, Result } from "effect"
import { excludeEachOther } from "../cli/targets.ts"
import { path, revision, type Value } from "../cli/values.ts"
import { type FindingsReport, verdictOf } from "../core/findings/FindingsReport.ts"
import { annotations } from "../core/findings/formats/Annotations.ts"
import { findingsJson } from "../core/findings/formats/Json.ts"
import { findingsDocument } from "../core/findings/formats/Markdown.ts"
import { sarif } from "../core/findings/formats/Sarif.ts"
import { findingsTable } from "../core/findings/formats/Table.ts"
import type { At } from "../core/findings/Review.ts"
import { isLevel } from "../core/run/Level.ts"
import { findings } from "../history/Findings.ts"
import { select, type Selector } from "../runs/SelectRun.ts"
import { Output } from "../services/Output.ts"
import type { Called } from "./Command.ts"
import { exited, findingsExits } from "./Exits.ts"
import { selectorOf, runOptions } from "./selector.ts"
import { type CommandSpec, jsonOption, rootOptions, valueOf, type Words } from "./words.ts"

/** A batch of a run, the last one started where `batch` is null, in a format. */
export interface Asked {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly batch: At | null
  readonly format: "Table" | "Json" | "Sarif" | "Markdown" | "GitHub"
  /** The commit that the repository's dismissals are read from; null leaves it to the target. */
  readonly trustFrom: string | null
}

const formats = {
  "--json": "Json",
  "--sarif": "Sarif",
  "--markdown": "Markdown",
  "--github": "GitHub"
} as const satisfies Record<string, Asked["format"]>

/** The table of `findings`. */
export const spec: CommandSpec = {
  name: "findings",
  about: [
    "Shows what the reviewers of a batch found: merged, the gravest first, with who reported it and what became of it",
    "from batch to batch: new, still there, came back, gone (no reviewer of a completely reviewed batch reports it).",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this worktree. Reads only; exits",
    "0 without findings, 1 with findings, 6 when it could not tell (so also when nothing was found but a review is",
    "missing), 64 on misuse. SARIF and GitHub: P0 and P1 are errors, P2 and findings without a priority warnings, P3",
    "notes; a slot without a review makes the SARIF execution unsuccessful. A dismissed finding is shown as dismissed",
    "and counts as one; in SARIF it is suppressed, in annotations a notice."
  ],
  operand: "RUN",
  options: [
    { option: "--batch", metavar: "LVL/N", text: "That batch, such as low/2. Default: the last one started." },
    ...runOptions,
    { option: "--trust-from", metavar: "REF", text: "Read the repository's dismissals from REF, as a step does." },
    ...rootOptions,
    jsonOption,
    { option: "--sarif", metavar: null, text: "A SARIF 2.1.0 log, for code scanning and viewers." },
    { option: "--markdown", metavar: null, text: "The document that an address agent is given." },
    { option: "--github", metavar: null, text: "Annotations of a GitHub Actions workflow." }
  ]
}

/** A batch as `LEVEL/N`. */
const batchRef: Value<At> = (text) => {
  const [, level = "", number = ""] = /^([a-z]+)\/([1-9][0-9]{0,8})$/.exec(text) ?? []
  return isLevel(level)
    ? Result.succeed({ level, batch: Number(number) })
    : Result.fail("expected a level and the number of a batch, such as low/2")
}

const formatOf = (words: Words): Result.Result<Asked["format"], string> => {
  const given = Object.entries(formats).filter(([option]) => words.given(option) !== null)
  if (given.length > 1) return Result.fail(excludeEachOther(given.map(([option]) => option)))
  return Result.succeed(given[0]?.[1] ?? "Table")
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const batch = yield* valueOf(words, "--batch", batchRef, null)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const format = yield* formatOf(words)
    const trustFrom = yield* valueOf(words, "--trust-from", revision, null)
    return { stateRoot, selector, batch, format, trustFrom }
  })

const written = (report: FindingsReport, format: Asked["format"], version: string): string => {
  switch (format) {
    case "Table":
      return findingsTable(report)
    case "Json":
      return findingsJson(report)
    case "Sarif":
      return sarif(report, version)
    case "Markdown":
      return findingsDocument(report)
    case "GitHub":
      return annotations(report)
  }
}

/** Writes the findings. The exit is an answer about the batch, also when nobody reads what is written. */
export const run = Effect.fn("findings.run")(function*(asked: Asked, { cwd, version }: Called) {
  const { batch, format, selector, stateRoot, trustFrom } = asked
  const ref = yield* select(selector, { stateRoot, cwd: yield* cwd })
  const report = yield* findings(ref, { ...(batch === null ? {} : { batch }), whole: format === "Json", trustFrom })
  const writing = (yield* Output).write(written(report, format, version))
  yield* Effect.catchTag(writing, "OutputClosed", () => Effect.void)
  return exited(findingsExits[verdictOf(report)])
})
