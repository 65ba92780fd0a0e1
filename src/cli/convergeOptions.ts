// convergeTable: the table of the flags of `converge`: those that a step has too, and its own.
// Help takes the text of a step's flag from the step's table, so that both say the same.
import { Result } from "effect"
import { Command, Flag } from "effect/cli"
import { Consent } from "../agent/Event.ts"
import { defaultTemplate } from "../drive/Commits.ts"
import { AgentChoice, bounds, type ConvergeSettings, decode } from "../drive/converge/Settings.ts"
import type { Target } from "../run/Target.ts"
import { badValue } from "./argv.ts"
import { findFlag, type FlagSpec, type Option } from "./flags.ts"
import { readSettings } from "./invocation.ts"
import { optional, rootFlags } from "./options.ts"
import { excludeEachOther, targets } from "./targetOptions.ts"
import { count, durationUpTo, oneOf, type Value } from "./values.ts"

/** A flag: `metavar` is null for a switch, `many` where it may be repeated, `bare` where its value may be left out. */
export interface ConvergeFlag extends Omit<FlagSpec, "group" | "alias"> {
  readonly many?: boolean
  readonly bare?: string
}

/** The flags of a step that say the same to `converge`. */
const shared = [
  "--uncommitted",
  "--base",
  "--pr",
  "--level",
  "--ceiling",
  "-n",
  "--max-batches",
  "--isolate",
  "--link",
  "--identity-timeout",
  "--trust-from",
  "--retries",
  "--review-timeout",
  "--idle-timeout",
  "--jobs",
  "--codex-bin",
  "--state-root",
  "--fresh",
  "--json"
] as const satisfies ReadonlyArray<Option>

/** Its own flags, and those of a step of which it says more or less. */
const own = [
  { option: "--block", metavar: "PRIO", text: "Lowest priority that blocks, P0 to P3. Default P3." },
  {
    option: "--test",
    metavar: "CMD",
    many: true,
    text: "A line of the shell that tests the project, in the worktree's root. May be repeated. This or --no-test."
  },
  { option: "--no-test", metavar: null, text: "Work without tests: nothing but reviews judges what agents change." },
  { option: "--test-timeout", metavar: "DUR", text: "Longest time of one such line. Default 30m." },
  {
    option: "--fix-attempts",
    metavar: "N",
    text: "How often an agent is asked to mend red tests in one round, at most 20. Default 2."
  },
  { option: "--undo-on-red", metavar: null, text: "Put the worktree back when the tests of a round stay red." },
  {
    option: "--retro",
    metavar: "WHO",
    text: "Who looks over a clean level: agent, or never for nobody. Default agent."
  },
  {
    option: "--commit-fixes",
    metavar: "TEMPLATE",
    bare: "",
    text: "Commit each green round; --commit-fixes=TEMPLATE says how, with {level}, {batch}, {round}, {run}, " +
      "{findings} and {count}. Not with --uncommitted."
  },
  {
    option: "--protect",
    metavar: "GLOB",
    many: true,
    text: "Files that no agent may change, beside .ooda. May be repeated."
  },
  { option: "--patience", metavar: "N", text: "Most rounds in a row without progress. Default 6." },
  { option: "--max-rounds", metavar: "N", text: "Most rounds of one run. Default 20." },
  { option: "--max-time", metavar: "DUR", text: "Longest time that one run is driven, over all calls. Default off." },
  {
    option: "--max-tokens",
    metavar: "N",
    text: "Most tokens of reviews and agents together, such as 500k or 2M. Default off."
  },
  { option: "--agent", metavar: "KIND", text: "Who addresses findings: codex or claude. Default codex." },
  {
    option: "--agent-cmd",
    metavar: "CMD",
    text: "The program of that agent; without --agent, a line of the shell that is the agent."
  },
  { option: "--agent-model", metavar: "MODEL", text: "The agent's model. Default: its own." },
  { option: "--agent-effort", metavar: "EFFORT", text: "How hard the agent thinks. Default high." },
  { option: "--agent-timeout", metavar: "DUR", text: "Longest time of one agent. Default 60m." },
  {
    option: "--retro-model",
    metavar: "MODEL",
    text: "The model of the agent that looks over clean levels. Default: as --agent-model."
  },
  { option: "--wait-quota", metavar: "DUR", text: "Longest wait for a quota. Default: none." },
  {
    option: "--context-tokens",
    metavar: "N",
    text: "The context window of the agent's model, where the agent does not tell it."
  },
  {
    option: "--allow",
    metavar: "WHAT",
    many: true,
    text: `What a person allows: ${Consent.literals.join(", ")}. May be repeated.`
  },
  {
    option: "--notify",
    metavar: "CMD",
    text: "A line of the shell that gets the final document on standard input."
  },
  { option: "--inspect", metavar: null, text: "Say what the next call would do first; act on and create nothing." },
  { option: "--events", metavar: null, text: "Each committed event as a line of JSON, as it happens." }
] as const satisfies ReadonlyArray<ConvergeFlag>

const stepFlag = (option: Option): ConvergeFlag => {
  const { metavar = null, text = "" } = findFlag(option) ?? {}
  return { option, metavar, text }
}

/** A flag of `converge` that the table names. */
export type ConvergeOption = typeof shared[number] | typeof own[number]["option"]

/** Every flag but `--commit`, which is refused, and `--trust-state-root`, which every command reads alike. */
export const convergeTable: ReadonlyArray<ConvergeFlag> = [...shared.map(stepFlag), ...own]

// convergeSettings: the settings of a converging run, from the texts of its flags.
// The checks have one order: the mode, the step's values, the run's own, then what goes with what.

/** The texts of each flag that is given: one empty text for a switch. */
export type Texts = ReadonlyMap<string, ReadonlyArray<string>>

/** The flags that say something: a switch that is off says nothing. */
export const telling = (texts: Texts): Texts => new Map([...texts].filter(([, all]) => all.length > 0))

/** Neither tests are named nor that there are none. */
export interface NoTests {
  readonly _tag: "NoTests"
}

type Checked<A> = Result.Result<A, string>

const words: Value<string> = (text) => {
  if (text.trim() === "") return Result.fail("expected a text that is not empty")
  return text.includes("\0") ? Result.fail("a text cannot contain a NUL") : Result.succeed(text)
}

const units: Readonly<Record<string, number>> = { "": 1, k: 1000, M: 1_000_000 }

/** A number of tokens such as 500000, 500k or 2M. */
const tokens: Value<number> = (text) => {
  const [, digits = "0", unit = ""] = /^([0-9]{1,13})([kM]?)$/.exec(text) ?? []
  const number = Number(digits) * (units[unit] ?? 1)
  return number >= bounds.tokens.least && number <= bounds.tokens.most
    ? Result.succeed(number)
    : Result.fail(`expected a number of tokens, such as 500000, 500k or 2M, of at most ${bounds.tokens.most}`)
}

const all = <A>(texts: Texts, option: ConvergeOption, parser: Value<A>): Checked<ReadonlyArray<A>> =>
  Result.all(
    (texts.get(option) ?? []).map((text) => Result.mapError(parser(text), (reason) => badValue(option, text, reason)))
  )

const one = <A>(texts: Texts, option: ConvergeOption, parser: Value<A>): Checked<A | undefined> =>
  Result.map(all(texts, option, parser), ([first]) => first)

/** What is reviewed. */
export const targetOf = (texts: Texts): Checked<Target> => {
  const chosen = targets.filter(([option]) => texts.has(option))
  const [first, ...more] = chosen
  if (first === undefined) return Result.fail("one of --uncommitted, --base BRANCH or --pr NUM is required")
  if (more.length > 0) return Result.fail(excludeEachOther(chosen.map(([option]) => option)))
  const [option, parser] = first
  const text = texts.get(option)?.[0] ?? ""
  return Result.mapError(parser(text), (reason) => badValue(option, text, reason))
}

const day = durationUpTo(bounds.duration.most)
const long = durationUpTo(bounds.longDuration.most)

/** Who the agent is: a program without a kind is a line of the shell. */
const agentOf = (texts: Texts) =>
  Result.gen(function*() {
    const agentCmd = yield* one(texts, "--agent-cmd", words)
    const kind = yield* one(texts, "--agent", oneOf(["codex", "claude"] satisfies ReadonlyArray<AgentChoice>))
    const agent: AgentChoice | undefined = kind ?? (agentCmd === undefined ? undefined : "command")
    return { agent, agentCmd }
  })

/** The tests: lines of the shell, or that there are none. Both are a contradiction, neither is a question. */
const testsOf = (texts: Texts) =>
  Result.gen(function*() {
    const tests = yield* all(texts, "--test", words)
    const noTest = texts.has("--no-test")
    return noTest && tests.length > 0
      ? yield* Result.fail(excludeEachOther(["--test", "--no-test"]))
      : { tests, noTest }
  })

const commitFixesOf = (texts: Texts, target: Target): Checked<string | undefined> => {
  const [template] = texts.get("--commit-fixes") ?? []
  if (template === undefined) return Result.succeed(undefined)
  return target._tag === "Uncommitted"
    ? Result.fail("--commit-fixes goes with --base or --pr: it would take the fixes out of the uncommitted changes")
    : template === ""
    ? Result.succeed(defaultTemplate)
    : one(texts, "--commit-fixes", words)
}

/**
 * What is wrong with the texts of one source by itself. `--link` needs `--isolate`. Another source may give that, so it
 * is assumed here.
 */
export const checkedAlone = (texts: Texts): Checked<unknown> =>
  settingsOf(texts.has("--link") ? new Map([...texts, ["--isolate", [""]]]) : texts)

/** The settings that the texts name, or one line that says what is wrong. A step of theirs is always strict. */
export const settingsOf = (texts: Texts): Checked<ConvergeSettings | NoTests> =>
  Result.gen(function*() {
    const target = yield* targetOf(texts)
    const step = yield* readSettings(
      (option) => option === "--strict" ? "" : texts.get(option)?.[0] ?? null,
      target
    )
    const { noTest, tests } = yield* testsOf(texts)
    const given = {
      step,
      tests,
      noTest,
      testTimeout: yield* one(texts, "--test-timeout", day),
      fixAttempts: yield* one(texts, "--fix-attempts", count(bounds.fixAttempts)),
      undoOnRed: texts.has("--undo-on-red"),
      retro: yield* one(texts, "--retro", oneOf(["never", "agent"])),
      commitFixes: yield* commitFixesOf(texts, target),
      protect: yield* all(texts, "--protect", words),
      patience: yield* one(texts, "--patience", count(bounds.rounds)),
      maxRounds: yield* one(texts, "--max-rounds", count(bounds.rounds)),
      maxTime: yield* one(texts, "--max-time", long),
      maxTokens: yield* one(texts, "--max-tokens", tokens),
      ...(yield* agentOf(texts)),
      agentModel: yield* one(texts, "--agent-model", words),
      agentEffort: yield* one(texts, "--agent-effort", words),
      agentTimeout: yield* one(texts, "--agent-timeout", day),
      retroModel: yield* one(texts, "--retro-model", words),
      waitQuota: yield* one(texts, "--wait-quota", long),
      contextTokens: yield* one(texts, "--context-tokens", count(bounds.contextTokens)),
      allow: yield* all(texts, "--allow", oneOf(Consent.literals))
    }
    yield* one(texts, "--notify", words)
    return tests.length === 0 && !noTest ? { _tag: "NoTests" } : yield* decode(given)
  })

// flagTable: the flags of a table, for a command of effect/cli, and the texts that were given for them.

const named = ({ option }: ConvergeFlag): string => option.replace(/^-+/, "")
const described = (flag: ConvergeFlag) => Flag.String(named(flag)).pipe(Flag.withDescription(flag.text))
const valued = (flag: ConvergeFlag) => Flag.withMetavar(described(flag), flag.metavar ?? "TEXT")

const record = <A>(of: ReadonlyArray<ConvergeFlag>, make: (flag: ConvergeFlag) => Flag.Flag<A>) =>
  Object.fromEntries(of.map((flag) => [flag.option, make(flag)]))

/** The flags of a table. Every text is read by whoever reads the arguments together. */
export const flagsOf = (table: ReadonlyArray<ConvergeFlag>) => ({
  texts: record(table.filter(({ many, metavar }) => metavar !== null && many !== true), (flag) => {
    const text = valued(flag)
    return optional(flag.bare === undefined ? text : Flag.withOptionalValue(text, flag.bare))
  }),
  lists: record(table.filter(({ many }) => many === true), (flag) => Flag.atLeast(valued(flag), 0)),
  // `--isolate=false` turns off what a file turns on; a switch that is left out says nothing.
  switches: record(
    table.filter(({ metavar }) => metavar === null),
    (flag) => optional(Flag.Boolean(named(flag)).pipe(Flag.withoutNegation, Flag.withDescription(flag.text)))
  ),
  trustStateRoot: rootFlags.trustStateRoot
})

/** What was given on the command line for the flags of a table. */
export type TableGiven = Command.Command.Config.Infer<ReturnType<typeof flagsOf>>

/** The texts of what was given. */
export const textsGiven = ({ lists, switches, texts, trustStateRoot }: TableGiven): Texts =>
  new Map([
    ...Object.entries(texts).flatMap(([option, text]) => text === null ? [] : [[option, [text]] as const]),
    ...Object.entries(lists).filter(([, all]) => all.length > 0),
    ...Object.entries(switches).flatMap(([option, on]) => on === null ? [] : [[option, on ? [""] : []] as const]),
    ...(trustStateRoot ? [["--trust-state-root", [""]] as const] : [])
  ])

// convergeFlags: the flags of `converge`, and what they ask for together.
// The texts of its settings go through the parsers of a step, so that both refuse the same in the same words.

/** What is asked for. */
export interface Asked {
  /** What the command line gives: the nearest of the sources of `configured`. */
  readonly texts: Texts
  readonly fresh: boolean
  readonly inspect: boolean
  readonly json: boolean
  readonly events: boolean
  readonly notify: string | null
}

/** The flags, for a command of effect/cli. Every text is read by `read`. */
export const flags = {
  ...flagsOf(convergeTable),
  commit: optional(Flag.String("commit").pipe(Flag.withHidden))
}

/** What was given on the command line. */
type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or one line that says what is wrong. */
export const read = (all: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    if (all.commit !== null) {
      return yield* Result.fail(
        "--commit cannot converge: a commit does not change; name its branch with --base or --pr"
      )
    }
    const told = textsGiven(all)
    const on = telling(told)
    const clash = ["--json", "--events"].filter((option) => on.has(option))
    if (clash.length > 1) return yield* Result.fail(excludeEachOther(clash))
    yield* checkedAlone(on)
    return {
      texts: told,
      fresh: on.has("--fresh"),
      inspect: on.has("--inspect"),
      json: on.has("--json"),
      events: on.has("--events"),
      notify: on.get("--notify")?.[0] ?? null
    }
  })
