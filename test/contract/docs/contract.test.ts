// contract: the tables of docs/contract.md, made from the code and compared with the page.
// A table is never edited by hand; UPDATE_DOCS=1 writes them, and the test fails when they differ.
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { flags } from "../../../src/cli/flags.ts"
import { settingsFor } from "../../../src/cli/convergeOptions.ts"
import { groups, helpText } from "../../../src/run/Setting.ts"
import { stepSettings } from "../../../src/run/StepSettings.ts"
import { findingsExits } from "../../../src/cli/commands/findings.ts"
import { subcommands } from "../../../src/cli/subcommands.ts"
import type { FindingsVerdict } from "../../../src/review/findings/Report.ts"
import { ResumeReason } from "../../../src/run/Event.ts"
import { FailureKind, isTransient, remedy } from "../../../src/run/FailureKind.ts"
import type { Level } from "../../../src/run/Level.ts"
import { initial, type Manifest } from "../../../src/run/Manifest.ts"
import { decideMark, type Mark } from "../../../src/run/Mark.ts"
import { exitCode, header, type Outcome } from "../../../src/run/Outcome.ts"
import { helpFlags } from "../helpFlags.ts"

const page = resolve(import.meta.dirname, "../../../docs/contract.md")
const configPage = resolve(import.meta.dirname, "../../../docs/config.md")
const escape = (text: string) => text.replaceAll("|", "\\|")
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(escape).join(" | ")} |`).join("\n")

const outcomes: Readonly<Record<Outcome["_tag"], readonly [Outcome, string]>> = {
  DoneFixedPoint: [{ _tag: "DoneFixedPoint" }, "all clean at the ceiling: stop"],
  StuckRepeated: [{ _tag: "StuckRepeated", action: "RunReviews", key: "<key>" }, "the same action twice: stop"],
  StuckCapReached: [
    { _tag: "StuckCapReached", action: "AwaitReviews", key: "<key>" },
    "`--max-iter` or `--max-batches` reached: stop"
  ],
  HandoffHuman: [{ _tag: "HandoffHuman", action: "TestsFailedTriage", prompt: "" }, "ask a human; read the prompt"],
  WouldAdvance: [{ _tag: "WouldAdvance", action: "RunReviews" }, "`--inspect` only: the loop would do this"],
  HandoffAgent: [
    { _tag: "HandoffAgent", action: "AddressBatch", prompt: "" },
    "an agent acts on the prompt (`AddressBatch` or `Retrospective`)"
  ],
  BinaryError: [
    { _tag: "BinaryError", message: "<message>" },
    "something outside failed: stop; on `mark refused` alone, call the step"
  ],
  Idle: [{ _tag: "Idle" }, "call again"],
  DoneAborted: [{ _tag: "DoneAborted" }, "ended by a signal or by `stop`: call again"],
  UsageError: [{ _tag: "UsageError", message: "<message>", usage: "" }, "the command line is wrong"]
}

const at = (current: Level, floor: Level = "low"): Manifest => ({
  ...initial({
    _tag: "RunCreated",
    runId: "r",
    repoId: "r",
    worktree: "/r",
    target: { _tag: "Uncommitted" },
    startLevel: floor,
    batchSize: 3,
    createdAt: "",
    because: "NoLatestPointer",
    nonce: ""
  }),
  current_level: current
})

const said = (flag: string, mark: Mark, manifest: Manifest, ceiling: Level): ReadonlyArray<string> => {
  const { line, outcome } = decideMark(manifest, mark, ceiling)
  return [`\`${flag}\``, manifest.current_level, ceiling, line === null ? "nothing" : `\`${line}\``, header(outcome)]
}

const clean: Mark = { _tag: "RetroClean" }
const changes: Mark = { _tag: "RetroChanges", reason: { text: "REASON" } }
const heading = ["flag", "at", "ceiling", "stdout (floor low)", "header"]

const reasons: Readonly<Record<ResumeReason, string>> = {
  Forced: "`--fresh` was given",
  NoLatestPointer: "the first call for this target in this worktree",
  LatestDangling: "`latest` names a run that is not there",
  ManifestUnreadable: "the log is missing or damaged (loop mode only)",
  LevelMismatch: "the run was started with another `--level`",
  FixedPointStale: "the run had reached its fixed point, and the code has changed since",
  StrictnessMismatch: "`--strict` was given, and the run is not strict"
}

const amounts: Readonly<Record<FindingsVerdict, string>> = {
  None: "every slot has a review, and each is clean",
  Findings: "there are findings, or a review with issues without a list of them",
  Unknown: "nothing was found, but a review is missing; also: no such run or batch, or it cannot be read"
}

interface Option {
  readonly flag: string
  readonly text: string
  readonly commands: Array<string>
}

/** The options of all subcommands: subcommands that share an option and its text share an entry. */
const options = new Map<string, Option>()
for (const { command, flag, metavar, text } of await helpFlags()) {
  const shown = metavar === "" ? flag : `${flag} ${metavar}`
  const option = options.get(`${shown}\n${text}`) ?? { flag: shown, text, commands: [] }
  option.commands.push(command)
  options.set(`${shown}\n${text}`, option)
}

const generated: Readonly<Record<string, string>> = {
  flags: table(
    ["flag", "group", "meaning"],
    groups.flatMap((group) =>
      flags.filter((flag) => flag.group === group).map((flag) => [
        `\`${flag.flag}${flag.metavar === undefined ? "" : ` ${flag.metavar}`}\``,
        group,
        helpText(flag, "step")
      ])
    )
  ),
  outcomes: table(
    ["exit", "header", "meaning"],
    Object.values(outcomes).map(([outcome, meaning]) => [
      String(exitCode(outcome)),
      `\`${header(outcome)}\``,
      meaning
    ]).sort((a, b) => Number(a[0]) - Number(b[0]))
  ),
  dispatch: table(heading, [
    said("--mark-retro-clean", clean, at("low"), "high"),
    said("--mark-retro-clean", clean, at("high"), "high"),
    said("--mark-retro-clean", clean, at("high"), "medium"),
    said("--mark-retro-clean", clean, at("xhigh"), "high")
  ]),
  lines: table(heading, [
    said("--mark-retro-changes REASON", changes, at("high"), "xhigh"),
    said("--mark-address-passed", { _tag: "AddressPassed" }, at("high"), "xhigh"),
    said("--mark-address-passed", { _tag: "AddressPassed" }, at("low"), "xhigh"),
    said("--mark-address-failed DETAILS", { _tag: "AddressFailed", details: { text: "DETAILS" } }, at("low"), "xhigh"),
    said("--advance-level", { _tag: "AdvanceLevel" }, at("low"), "xhigh"),
    said("--advance-level", { _tag: "AdvanceLevel" }, at("xhigh"), "xhigh"),
    said("--drop-level", { _tag: "DropLevel" }, at("high"), "xhigh"),
    said("--drop-level", { _tag: "DropLevel" }, at("low"), "xhigh"),
    said("--restart-from-floor", { _tag: "RestartFromFloor" }, at("high"), "xhigh")
  ]),
  reasons: table(["reason", "when"], ResumeReason.literals.map((reason) => [`\`${reason}\``, reasons[reason]])),
  failures: table(
    ["kind", "retried", "remedy"],
    FailureKind.literals.map((kind) => [
      `\`${kind}\``,
      isTransient(kind) ? "yes" : "no",
      remedy(kind)
    ])
  ),
  options: table(
    ["option", "meaning", "subcommands"],
    [...options.values()].map((
      { commands, flag, text }
    ) => [`\`${flag}\``, text, commands.map((one) => `\`${one}\``).join(", ")])
  ),
  findings: table(
    ["exit", "verdict", "when"],
    (["None", "Findings", "Unknown"] as const).map((verdict) => [
      String(findingsExits[verdict]),
      `\`${verdict}\``,
      amounts[verdict]
    ])
  ),
  subcommands: table(["subcommand", "meaning"], [...subcommands].map(([name, text]) => [`\`${name}\``, text]))
}

const filled = (text: string): string =>
  text.replace(
    /<!-- generated: (\w+) -->\n(?:\n?\|[^\n]*\n(?:\|[^\n]*\n)*)?/g,
    (_, name: string) => `<!-- generated: ${name} -->\n\n${generated[name] ?? `no table ${name}`}\n`
  )

describe("docs/contract.md", () => {
  it("holds the tables that the code makes", () => {
    const text = readFileSync(page, "utf8")
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, filled(text))
    assert.strictEqual(readFileSync(page, "utf8"), filled(text))
  })

  it("has a place for every table", () => {
    const text = readFileSync(page, "utf8")
    for (const name of Object.keys(generated)) assert.include(text, `<!-- generated: ${name} -->`)
  })
})

/** The keys of the settings that only such files may name. */
const keysOf = (files: string): string =>
  [...settingsFor("converge"), stepSettings.trustStateRoot]
    .filter((setting) => setting.files === files)
    .map(({ flag }) => `\`${flag.replace(/^-+/, "")}\``)
    .join(", ")

describe("docs/config.md", () => {
  it("lists the keys that a repository, or any file, may not set", () => {
    const filledKeys = (text: string) =>
      text.replace(
        /( *)<!-- generated: (own|none) -->\n(?: *`[^\n]*\n)?/g,
        (_, indent: string, files: string) => `${indent}<!-- generated: ${files} -->\n${indent}${keysOf(files)}.\n`
      )
    const text = readFileSync(configPage, "utf8")
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(configPage, filledKeys(text))
    assert.strictEqual(readFileSync(configPage, "utf8"), filledKeys(text))
  })
})
