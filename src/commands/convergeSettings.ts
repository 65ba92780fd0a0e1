// convergeSettings: the settings of a converging run, from the texts of its flags.
// The checks have one order: the mode, the step's values, the run's own, then what goes with what.
import { Result } from "effect"
import { readSettings } from "../cli/invocation.ts"
import { badValue } from "../cli/quoted.ts"
import { excludeEachOther, targets } from "../cli/targets.ts"
import { count, durationUpTo, oneOf, type Value } from "../cli/values.ts"
import { Consent } from "../core/agent/TaskEvent.ts"
import { defaultTemplate } from "../core/converge/CommitMessage.ts"
import { AgentChoice, bounds, type ConvergeSettings, decode } from "../core/converge/Settings.ts"
import type { Target } from "../core/run/Target.ts"
import type { ConvergeOption } from "./convergeTable.ts"

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
