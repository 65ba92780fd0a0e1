// convergeOptions: what each flag of `converge` asks for, what is refused in which words and which order, and the defaults.
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { Command } from "effect/cli"
import { command, read } from "../../../src/cli/commands/converge.ts"
import { flagsOf, givenTexts, settingsOf, type TableFlags, textsOf } from "../../../src/cli/convergeOptions.ts"
import { defaultTemplate } from "../../../src/drive/Commits.ts"
import { decode } from "../../../src/drive/converge/Settings.ts"
import { PrNumber } from "../../../src/run/Target.ts"
import { subcommand } from "../../../src/cli/command.ts"
import { exited } from "../../../src/cli/ending.ts"
import { exits } from "../../../src/platform/Failure.ts"
import { grammar } from "../../support/commands.ts"

const { asked: askedAll, problem } = grammar({ command, read })
const asked = async (line: string | ReadonlyArray<string>) => {
  const { texts, ...rest } = await askedAll(line)
  return { ...rest, settings: Result.getOrThrow(settingsOf(givenTexts(texts))) }
}

const base = { _tag: "Base", branch: "main" }
const plain = { fresh: false, again: false, yes: false, inspect: false, json: false, events: false, notify: null }
const settings = (own: object, step: object = {}) =>
  Result.getOrThrow(decode({ step: { target: base, strict: true, ...step }, noTest: true, ...own }))

const line = (more: string): string => `--base main --no-test ${more}`.trim()
const minute = 60_000

describe("what a line asks for", () => {
  it("has the defaults", async () =>
    assert.deepStrictEqual(await asked(line("")), { ...plain, settings: settings({}) }))

  it.each(
    [
      ["--test-timeout 5m", { testTimeout: 5 * minute }],
      ["--fix-attempts 0", { fixAttempts: 0 }],
      ["--undo-on-red", { undoOnRed: true }],
      ["--retro never", { retro: "never" }],
      ["--commit-fixes", { commitFixes: defaultTemplate }],
      ["--commit-fixes=", { commitFixes: defaultTemplate }],
      ["--commit-fixes={level}", { commitFixes: "{level}" }],
      ["--commit-fixes --fix-attempts 1", { commitFixes: defaultTemplate, fixAttempts: 1 }],
      ["--protect *.lock --protect=a/**", { protect: ["*.lock", "a/**"] }],
      ["--patience 1", { patience: 1 }],
      ["--max-rounds 30", { maxRounds: 30 }],
      ["--max-time 200h", { maxTime: 200 * 60 * minute }],
      ["--max-tokens 12345", { maxTokens: 12_345 }],
      ["--max-tokens 500k", { maxTokens: 500_000 }],
      ["--max-tokens 2M", { maxTokens: 2_000_000 }],
      ["--agent claude", { agent: "claude" }],
      ["--agent-cmd ./agent", { agent: "command", agentCmd: "./agent" }],
      ["--agent codex --agent-cmd /opt/codex", { agent: "codex", agentCmd: "/opt/codex" }],
      ["--agent-model m", { agentModel: "m" }],
      ["--agent-effort low", { agentEffort: "low" }],
      ["--agent-timeout 2h", { agentTimeout: 120 * minute }],
      ["--retro-model m", { retroModel: "m" }],
      ["--wait-quota 8h", { waitQuota: 480 * minute }],
      ["--context-tokens 200000", { contextTokens: 200_000 }],
      ["--allow unsandboxed --allow red-baseline", { allow: ["unsandboxed", "red-baseline"] }]
    ] as const
  )("%s", async (more, own) => assert.deepStrictEqual((await asked(line(more))).settings, settings(own)))

  it.each(
    [
      ["--level medium --ceiling high", { floor: "medium", ceiling: "high" }],
      ["-n4", { batchSize: 4 }],
      ["--isolate --link node_modules,.env", { isolate: true, link: ["node_modules", ".env"] }],
      ["--state-root /s --trust-state-root", { stateRoot: "/s", trustStateRoot: true }]
    ] as const
  )(
    "as a step: %s",
    async (more, step) => assert.deepStrictEqual((await asked(line(more))).settings, settings({}, step))
  )

  it.each(
    [
      ["--fresh", { fresh: true }],
      ["--inspect", { inspect: true }],
      ["--json", { json: true }],
      ["--events", { events: true }],
      ["--notify mail", { notify: "mail" }]
    ] as const
  )(
    "beside the settings: %s",
    async (more, beside) =>
      assert.deepStrictEqual(await asked(line(more)), { ...plain, ...beside, settings: settings({}) })
  )

  it.each(
    [
      ["--uncommitted", { _tag: "Uncommitted" }],
      ["--pr 12", { _tag: "PullRequest", number: PrNumber.make(12) }]
    ] as const
  )(
    "of %s",
    async (mode, target) =>
      assert.deepStrictEqual((await asked(`${mode} --no-test`)).settings, settings({}, { target }))
  )

  it("names tests in their order, each with its spaces", async () => {
    const { settings: found } = await asked(["--base", "main", "--test", "npm test", "--test=-x y"])
    assert.deepStrictEqual(found, settings({ noTest: false, tests: ["npm test", "-x y"] }))
  })

  it("may leave open whether there are tests: that is decided with the repository at hand", async () =>
    assert.deepStrictEqual(await asked("--base main --json"), { ...plain, json: true, settings: { _tag: "NoTests" } }))
})

it("keeps what was given, for the sources beside the command line", async () => {
  const { texts } = await askedAll("--base main --test a --test b --isolate --commit-fixes --trust-state-root")
  assert.deepStrictEqual([...texts].sort(), [
    ["--base", ["main"]],
    ["--commit-fixes", [""]],
    ["--isolate", [""]],
    ["--test", ["a", "b"]],
    ["--trust-state-root", [""]]
  ])
})

it("may turn off what a file turns on, and leave to it what a flag needs", async () => {
  const off = await askedAll(line("--isolate=false --json=false --fresh=false --link x"))
  assert.deepStrictEqual([off.texts.get("--isolate"), off.json, off.fresh], [[], false, false])
  assert.deepStrictEqual(off.texts.get("--link"), ["x"])
  assert.strictEqual(
    await problem(line("--link /x")),
    '--link "/x": a pattern is relative to the repository\'s root ' +
      "and stays inside it"
  )
})

describe("what is refused", () => {
  const needed = "one of --uncommitted, --base BRANCH or --pr NUM is required"
  const commit = "--commit cannot converge: a commit does not change; name its branch with --base or --pr"
  const text = "expected a text that is not empty"
  it.each(
    [
      ["", needed],
      ["--base main --pr 1 --no-test", "--base and --pr exclude each other"],
      ["--commit HEAD", commit],
      ["--base a..b", "--base \"a..b\": a branch name cannot contain '..'"],
      [line("--test x"), "--test and --no-test exclude each other"],
      ["--base main --test=", `--test "": ${text}`],
      [line("--json --events"), "--json and --events exclude each other"],
      [line("--level high --ceiling low"), "--ceiling low lies below --level high"],
      [line("--max-time 9000h"), '--max-time "9000h": expected a duration of at most 8736h'],
      [line("--wait-quota x"), '--wait-quota "x": expected a duration with its unit, such as 90s, 8m or 1h30m'],
      [line("--retro me"), '--retro "me": expected never or agent'],
      [
        "--uncommitted --no-test --commit-fixes",
        "--commit-fixes goes with --base or --pr: it would take the fixes out of the uncommitted changes"
      ],
      [line("--protect="), `--protect "": ${text}`],
      [
        line("--max-tokens 2m"),
        '--max-tokens "2m": expected a number of tokens, such as 500000, 500k or 2M, of at most 1000000000000'
      ],
      [line("--agent command"), '--agent "command": expected codex or claude'],
      [
        line("--allow all"),
        '--allow "all": expected unsandboxed, partial-snapshot, red-baseline, more-rounds, rejected-result, repository-tests, commit-hooks or moved-base'
      ],
      [line("--notify="), `--notify "": ${text}`],
      [line("--patience 1 --patience 2"), "--patience is given more than once"],
      [line("--strict"), "unknown flag --strict"]
    ] as const
  )("%s", async (given, message) => assert.strictEqual(await problem(given), message))
})

describe("the order of checks", () => {
  const problem = (...texts: ReadonlyArray<readonly [string, string]>) =>
    Result.match(settingsOf(new Map(texts.map(([option, text]) => [option, [text]]))), {
      onFailure: (line) => line,
      onSuccess: () => null
    })

  const base = ["--base", "main"] as const

  it("checks the mode first, then the step's values, then its own", () => {
    const own = ["--patience", "x"] as const
    assert.match(`${problem(["--jobs", "x"], own)}`, /^one of --uncommitted/)
    assert.match(`${problem(base, ["--jobs", "x"], own)}`, /^--jobs "x"/)
    assert.match(`${problem(base, own)}`, /^--patience "x"/)
  })

  it("asks for tests only where all else is right", () => {
    assert.match(`${problem(base, ["--notify", " "])}`, /^--notify " ": expected a text/)
    assert.isNull(problem(base))
  })

  it("links without --isolate too, since a run always reads copies", () =>
    assert.isNull(problem(base, ["--link", "x"])))

  it("a switch that is off says nothing", () =>
    assert.deepStrictEqual([...givenTexts(new Map([["--isolate", []], ["--fresh", [""]]])).keys()], ["--fresh"]))

  it.each(["--test", "--agent-cmd", "--protect", "--commit-fixes"])("a NUL in %s is refused in one line", (option) => {
    const all = option === "--test" ? [] : [["--no-test", ""] as const]
    assert.strictEqual(problem(base, ...all, [option, "a\0b"])?.includes("a text cannot contain a NUL"), true)
  })

  it.each([["1000001M", false], ["1000000M", true], ["1.5M", false], ["1K", false]] as const)(
    "%s tokens",
    (text, fine) => assert.strictEqual(problem(base, ["--no-test", ""], ["--max-tokens", text]) === null, fine)
  )
})

describe("a table of flags", () => {
  const flags = flagsOf([
    { flag: "--on", kind: "switch", text: "Turn it on." },
    { flag: "--name", metavar: "NAME", kind: "line", text: "A name.", bare: "unnamed" },
    { flag: "--each", metavar: "ONE", kind: "line", text: "One of many.", many: true }
  ])
  const read = (given: TableFlags) => Result.succeed([...textsOf(given)])
  const run = () => Effect.succeed(exited(exits.done))
  const command = Command.make("doctor", flags).pipe(subcommand({ about: ["Reads."], examples: [], read, run }))
  const { asked } = grammar({ command, read })

  it("what is given is read, a switch that is turned off too", async () => {
    assert.deepStrictEqual(await asked(""), [])
    assert.deepStrictEqual(await asked("--each b --each a --on --name=x --trust-state-root"), [
      ["--name", ["x"]],
      ["--each", ["b", "a"]],
      ["--on", [""]],
      ["--trust-state-root", [""]]
    ])
    assert.deepStrictEqual(await asked("--on=false --name"), [["--name", [""]], ["--on", []]])
  })
})
