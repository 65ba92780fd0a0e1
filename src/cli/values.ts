// values: parsers for the texts of flags, one for each kind of value.
// A parser returns the value, or one reason that says what is expected; it never throws.
import { Result } from "effect"
import { type Bounds, type Kind, type Setting, type Values, readDuration, units, upToAWeek } from "../run/Setting.ts"
import { linkProblem, pathProblem, revisionProblem } from "../run/Settings.ts"
import type { Priority } from "../run/Dismissal.ts"
import type { Answers } from "../run/Invocation.ts"
import { runIdPattern } from "../log/Refs.ts"
import { badValue } from "./argv.ts"
import { isLevel, type Level, levels } from "../run/Level.ts"

/** Reads the text behind a flag. */
export type Value<A> = (text: string) => Result.Result<A, string>

const alternatives = (names: ReadonlyArray<string>): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((one) => one !== "").join(" or ")

/** One of these words. */
export const oneOf = <const Name extends string>(names: ReadonlyArray<Name>): Value<Name> => (text) => {
  const found = names.find((name) => name === text)
  return found === undefined ? Result.fail(`expected ${alternatives(names)}`) : Result.succeed(found)
}

/** A level token, in lower case. */
export const level: Value<Level> = oneOf(levels)

/** A whole number in decimal digits, within its bounds. */
export const count = ({ least, most }: Bounds): Value<number> => (text) => {
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1
  return number >= least && number <= most
    ? Result.succeed(number)
    : Result.fail(`expected a whole number from ${least} to ${most}`)
}

/** A duration in milliseconds, within its bounds. */
const durationWithin = (bounds: Bounds): Value<number> => (text) => {
  const read = readDuration(text, bounds)
  return typeof read === "number" ? Result.succeed(read) : Result.fail(read)
}

/** A text that is not blank. */
export const line: Value<string> = (text) => {
  if (text.trim() === "") return Result.fail("expected a text that is not empty")
  return text.includes("\0") ? Result.fail("a text cannot contain a NUL") : Result.succeed(text)
}

const sizes: Readonly<Record<string, number>> = { "": 1, k: 1000, M: 1_000_000 }

/** A number of tokens such as 500000, 500k or 2M. */
const tokens = ({ least, most }: Bounds): Value<number> => (text) => {
  const [, digits = "0", size = ""] = /^([0-9]{1,13})([kM]?)$/.exec(text) ?? []
  const number = Number(digits) * (sizes[size] ?? 1)
  return number >= least && number <= most
    ? Result.succeed(number)
    : Result.fail(`expected a number of tokens, such as 500000, 500k or 2M, of at most ${most}`)
}

const day = 24 * units.h
/** The longest age in milliseconds: ten years. */
const longestAge = 3660 * day

/** How long ago, in milliseconds: days, hours, minutes and seconds in this order such as `30d`, `12h` or `1d12h`. */
export const age: Value<number> = (text) => {
  const parts = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/.exec(text)
  if (parts === null || text === "") return Result.fail("expected an age with its unit, such as 30d, 12h or 1d12h")
  const [d = 0, h = 0, m = 0, s = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  const total = d * day + h * units.h + m * units.m + s * units.s
  if (total === 0) return Result.fail("expected an age longer than 0, such as 30d, 12h or 1d12h")
  return total <= longestAge ? Result.succeed(total) : Result.fail("expected an age of at most 3660d")
}

/** A text without mistakes. */
export const without = (problemOf: (text: string) => string | null): Value<string> => (text) => {
  const problem = problemOf(text)
  return problem === null ? Result.succeed(text) : Result.fail(problem)
}

/** A path, as given. */
export const path: Value<string> = without(pathProblem)

/** Patterns of ignored files, separated by commas. */
const patterns: Value<ReadonlyArray<string>> = (text) => {
  const all = text.split(",")
  const problem = all.map(linkProblem).find((one) => one !== null)
  return problem === undefined || problem === null ? Result.succeed(all) : Result.fail(problem)
}

/** The name of a commit, as given. */
const revision: Value<string> = without(revisionProblem)

const priorities: ReadonlyMap<string, Priority> = new Map([["P0", 0], ["P1", 1], ["P2", 2], ["P3", 3]])

/** A priority in codex's form. */
const priority: Value<Priority> = (text) => {
  const found = priorities.get(text)
  return found === undefined ? Result.fail(`expected ${alternatives([...priorities.keys()])}`) : Result.succeed(found)
}

/** A batch of a run, `LEVEL/N`. */
export const batchName: Value<Pick<Answers, "level" | "batch">> = (text) => {
  const [, named = "", number = ""] = /^([a-z]+)\/([1-9][0-9]{0,14})$/.exec(text) ?? []
  return isLevel(named)
    ? Result.succeed({ level: named, batch: Number(number) })
    : Result.fail("expected a level and the number of a batch, such as low/2")
}

/** The batch that a mark answers, `LEVEL/N`, with `@RUN` if the run is named. */
export const batch: Value<Answers> = (text) => {
  const [name = "", run = null] = text.split(/@(.*)/s)
  return Result.mapBoth(run === null || runIdPattern.test(run) ? batchName(name) : Result.fail(""), {
    onSuccess: (named) => ({ ...named, run }),
    onFailure: () => "expected LEVEL/N or LEVEL/N@RUN, as the hand-off names it"
  })
}

/** A commit of a run's log, `SEQ:HASH`; the hash in either case. */
export const head: Value<{ readonly seq: number; readonly hash: string }> = (text) => {
  const parts = /^([0-9]{1,15}):([0-9a-fA-F]{64})$/.exec(text)
  return parts === null
    ? Result.fail("expected SEQ:HASH, a number and 64 hexadecimal digits")
    : Result.succeed({ seq: Number(parts[1]), hash: (parts[2] ?? "").toLowerCase() })
}

const parsers: { readonly [K in Kind]: (setting: Setting) => Value<Values[K]> } = {
  // A switch is on if it is given.
  switch: () => () => Result.succeed(true),
  level: () => level,
  priority: () => priority,
  count: ({ bounds = upToAWeek }) => count(bounds),
  duration: ({ bounds = upToAWeek }) => durationWithin(bounds),
  tokens: ({ bounds = upToAWeek }) => tokens(bounds),
  path: () => path,
  patterns: () => patterns,
  revision: () => revision,
  head: () => head,
  word: ({ words = [] }) => oneOf(words),
  line: () => line,
  text: () => Result.succeed
}

/** The parser of a setting's text. */
export const parserOf = <K extends Kind>(setting: Setting<K>): Value<Values[K]> => parsers[setting.kind](setting)

/** The given texts of a flag: one empty text for a switch, none if it is not given. */
export type FlagTexts = (flag: string) => ReadonlyArray<string>

/** The values of a flag, or what is wrong with the first invalid text. */
const allOf = <A>(given: FlagTexts, flag: string, parser: Value<A>): Result.Result<ReadonlyArray<A>, string> =>
  Result.all(given(flag).map((text) => Result.mapError(parser(text), (reason) => badValue(flag, text, reason))))

/** The value of a flag, undefined if it is not given. */
export const valueOf = <A>(given: FlagTexts, flag: string, parser: Value<A>): Result.Result<A | undefined, string> =>
  Result.map(allOf(given, flag, parser), ([first]) => first)

const bareOr = <A>(bare: A, parser: Value<A>): Value<A> => (text) => text === "" ? Result.succeed(bare) : parser(text)

/**
 * The values of the settings of a table, by their names, or what is wrong with the first invalid one. Missing flags are
 * left out: they have their defaults.
 */
export const valuesOf = (
  table: Readonly<Record<string, Setting>>,
  given: FlagTexts
): Result.Result<Readonly<Record<string, unknown>>, string> =>
  Result.gen(function*() {
    const values: Record<string, unknown> = {}
    for (const [name, setting] of Object.entries(table)) {
      const { bare, flag, many } = setting
      const parser = parserOf(setting)
      const all = yield* allOf(given, flag, bare === undefined ? parser : bareOr(bare, parser))
      if (all.length > 0) values[name] = many === true ? all : all[0]
    }
    return values
  })
