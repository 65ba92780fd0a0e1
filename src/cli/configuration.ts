// configuration: the settings of a converging run from files, flags and defaults: the nearest source counts.
import { Effect, Result, Schema } from "effect"
import { parse, TomlError } from "smol-toml"
import { exits } from "../platform/Failure.ts"
import { contentOf } from "../agent/Consent.ts"
import { Git } from "../code/Git.ts"
import { type PlainFileFrom, PlainFiles } from "../code/PlainFiles.ts"
import { presentBase } from "../code/PresentIdentity.ts"
import { Narrator } from "../drive/Narrator.ts"
import { TestConsents } from "../drive/TestConsents.ts"
import type { RunRef } from "../log/Refs.ts"
import type { ConvergeSettings } from "../drive/converge/Settings.ts"
import { variable } from "../platform/Environment.ts"
import type { Setting } from "../run/Setting.ts"
import { nearest } from "../text/Phrases.ts"
import { brief } from "../text/Untrusted.ts"
import { named } from "./argv.ts"
import {
  changeRequired,
  givenBy,
  type NoTests,
  settingsFor,
  settingsOf,
  givenTexts,
  type Texts
} from "./convergeOptions.ts"
import { targetOf } from "./targetOptions.ts"
import { parserOf } from "./values.ts"

/** The deepest nesting of arrays and tables: no setting needs more than a list. */
const maxDepth = 8

const problemOf = (error: unknown): string => {
  const [first = ""] = (error instanceof Error ? error.message : "it cannot be read").split("\n")
  const why = brief(first.replace(/^Invalid TOML document: /, ""), 200)
  return error instanceof TomlError ? `line ${error.line}: ${why} [correct that line]` : `${why} [correct the file]`
}

/** The keys of the top level with their values, in their order, or one line about the mistake. A BOM is skipped. */
export const readToml = (text: string): Result.Result<ReadonlyArray<readonly [string, unknown]>, string> =>
  Result.try({
    try: () => Object.entries(parse(text.replace(/^\uFEFF/, ""), { maxDepth })),
    catch: problemOf
  })

// Keys of files. A key that runs a program or allows something is never read from the repository: it may be a
// stranger's.

/** A source of values. */
export interface Source {
  /** The name of the source: the path of a file, or the command line. */
  readonly name: string
  /** The texts of each flag that it names: none if it turns something off. */
  readonly texts: Texts
}

/** A flag with its texts and the name of their source. */
export interface SourcedValue {
  readonly texts: ReadonlyArray<string>
  readonly from: string
}

/** The name of a flag in a file. */
export const keyOf = (flag: string): string => flag.replace(/^-+/, "")

/** The settings that a file can name. */
export const configurable: ReadonlyArray<Setting> = settingsFor("converge").filter(({ files }) => files !== "none")
const keys = new Map(configurable.map((setting) => [keyOf(setting.flag), setting]))

const isText = (value: unknown): value is string => typeof value === "string"

/** The texts of a value, or what is expected of it. */
const textsOf = (
  { bare, many, metavar }: Setting,
  value: unknown
): Result.Result<ReadonlyArray<string>, string> => {
  if (metavar === undefined || bare !== undefined) {
    if (typeof value === "boolean") return Result.succeed(value ? [""] : [])
    if (metavar === undefined) return Result.fail("expected true or false")
  }
  if (many === true) {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    return all.every(isText) ? Result.succeed(all) : Result.fail("expected a list of texts")
  }
  if (isText(value)) return Result.succeed([value])
  return Number.isSafeInteger(value)
    ? Result.succeed([String(value)])
    : Result.fail("expected a text or a whole number")
}

const unknownKey = (key: string): string => {
  const meant = key.length > 32 ? null : nearest(key.toLowerCase().replaceAll("_", "-"), [...keys.keys()])
  return `unknown key ${named(key)}${meant === null ? "" : ` (did you mean ${meant}?)`}`
}

/** The flags in the text of a configuration file, or one line that names the file and the mistake. */
export const readConfig = (name: string, text: string, of: "user" | "repository"): Result.Result<Source, string> =>
  Result.gen(function*() {
    const texts = new Map<string, ReadonlyArray<string>>()
    for (const [key, value] of yield* readToml(text)) {
      const setting = keys.get(key)
      if (setting === undefined) return yield* Result.fail(`${unknownKey(key)} [correct or remove it]`)
      if (of === "repository" && setting.files === "own") {
        return yield* Result.fail(
          `${key} is not taken from a repository [name it on the command line, or in your own configuration file]`
        )
      }
      texts.set(setting.flag, yield* Result.mapError(textsOf(setting, value), (why) => `${key}: ${why} [correct it]`))
    }
    return { name, texts }
  }).pipe(Result.mapError((problem) => `${name}: ${problem}`))

const commandLine = "command line"

/** Each of the two cancels the other. */
const contrary = new Map([["--test", "--no-test"], ["--no-test", "--test"]])

/** The value of a nearer file, unless a farther one, which is the person's own, limits more; or both. */
const limited = (setting: Setting | undefined, far: SourcedValue, near: SourcedValue): SourcedValue => {
  if (setting?.between === undefined) return near
  if (setting.between === "all") {
    return { texts: [...new Set([...far.texts, ...near.texts])], from: `${far.from} and ${near.from}` }
  }
  const numberIn = ({ texts: [text = ""] }: SourcedValue) =>
    Number(Result.getOrElse(parserOf(setting)(text), () => NaN))
  const [most, own] = [numberIn(far), numberIn(near)]
  // A mistake in either file stays, and is reported.
  if (Number.isNaN(own)) return near
  return (setting.between === "smaller" ? own <= most : own >= most) ? near : far
}

/**
 * The resulting texts of sources from the farthest to the nearest: for each flag the nearest source's. A repository's
 * file loosens no limit of the person's own; the command line may.
 */
export const mergeSources = (sources: ReadonlyArray<Source>): ReadonlyMap<string, SourcedValue> => {
  const all = new Map<string, SourcedValue>()
  for (const { name, texts } of sources) {
    for (const [option, own] of texts) {
      const other = contrary.get(option)
      if (other !== undefined && own.length > 0 && !texts.has(other)) all.delete(other)
      const far = name === commandLine ? undefined : all.get(option)
      const near = { texts: own, from: name }
      all.set(option, far === undefined ? near : limited(keys.get(keyOf(option)), far, near))
    }
  }
  return all
}

// All sources. If the change may be a stranger's, the repository's file comes from a trusted commit.

/** The repository's file, relative to the worktree's root. */
export const repositoryConfig = ".ooda/config.toml"
const userConfig = "ooda-codex-review/config.toml"

/** A configuration file, the target, or the combined settings of all sources are wrong. */
export class ConfigFailed extends Schema.TaggedError<ConfigFailed>()("ConfigFailed", { message: Schema.String }) {
  readonly exitCode = exits.couldNot
}

/** The settings, the command that is notified of the end, and the source of each. */
interface Configured {
  readonly settings: ConvergeSettings | NoTests
  readonly notify: string | null
  readonly sources: ReadonlyMap<string, SourcedValue>
  /**
   * The sha256 of the repository's own tests if they apply: they need a person's consent, unless `init` wrote them
   * here. The same goes for its statement that there are no tests; otherwise whoever changes its file could have every
   * change pass as tested.
   */
  readonly repositoryTests: string | null
}

const checked = <A>(result: Result.Result<A, string>): Effect.Effect<A, ConfigFailed> =>
  Effect.mapError(Effect.fromResult(result), (message) => new ConfigFailed({ message }))

/**
 * The directory of the user's configuration files, or null. A relative XDG_CONFIG_HOME counts as unset, by its rules.
 */
const configHome = Effect.gen(function*() {
  const named = yield* variable("XDG_CONFIG_HOME")
  if (named?.startsWith("/") === true) return named
  const home = yield* variable("HOME")
  return home === null ? null : `${home}/.config`
})

const ofUser = Effect.gen(function*() {
  const home = yield* configHome
  if (home === null) return []
  const text = yield* (yield* PlainFiles).read(home, userConfig, { _tag: "Directory" })
  return [yield* checked(readConfig(`${home}/${userConfig}`, text, "user"))]
})

/** The warning if git ignores the repository's file. */
export const ignoredWarning = `warning: ${repositoryConfig} is not read, because git ignores it ` +
  `[git add --force ${repositoryConfig}, or stop ignoring it]`

const changed = `warning: ${repositoryConfig} counts as it was when the run began ` +
  "[if you changed it on purpose, begin a fresh run with --fresh]"

/**
 * Where the repository's file is read: from a trusted commit, the code that the run began with, or the working copy.
 */
const trusted = Effect.fnUntraced(function*(texts: Texts, worktree: string, run: RunRef | null) {
  const [revision] = texts.get("--trust-from") ?? []
  if (revision !== undefined) return { _tag: "Revision", revision } satisfies PlainFileFrom
  const pr = texts.has("--pr") ? yield* checked(targetOf(givenBy(texts), changeRequired)) : null
  const branch = pr === null ? null : yield* presentBase({ target: pr, worktree })
  if (branch !== null) return { _tag: "Base", branch } satisfies PlainFileFrom
  return (run === null ? { _tag: "Worktree" } : { _tag: "First", run }) satisfies PlainFileFrom
})

const placeOf = (from: PlainFileFrom): string =>
  from._tag === "Base" || from._tag === "Revision"
    ? `${repositoryConfig} of ${from._tag === "Base" ? from.branch : from.revision}`
    : repositoryConfig

const ofRepository = Effect.fnUntraced(function*(texts: Texts, cwd: string, run: RunRef | null) {
  const { root } = yield* (yield* Git).repository(cwd)
  const { say } = yield* Narrator
  const { read } = yield* PlainFiles
  const from = yield* trusted(texts, root, run)
  /** The text; null if git ignores the file of the worktree. */
  const readFrom = (from: PlainFileFrom) =>
    Effect.catchIf(
      read(root, repositoryConfig, from),
      ({ reason }) => reason._tag === "Ignored",
      () => Effect.succeed(null)
    )
  const text = yield* readFrom(from)
  const now = from._tag === "First"
    ? yield* Effect.catchTag(
      readFrom({ _tag: "Worktree" }),
      "PlainFileFailed",
      ({ message }) => Effect.succeed(message)
    )
    : text
  if (now === null) yield* say(ignoredWarning)
  else if (now !== text) yield* say(changed)
  return yield* checked(readConfig(placeOf(from), text ?? "", "repository"))
})

/** The problem with a value of a file names the file and the key, not a flag, since none was given. */
const placed = (problem: string, sources: ReadonlyMap<string, SourcedValue>): string => {
  const option = problem.split(" ")[0] ?? ""
  const from = sources.get(option)?.from ?? commandLine
  return from === commandLine ? problem : `${from}: ${keyOf(problem)}`
}

/** A file serves every mode. Its `--commit-fixes` is dropped for uncommitted changes, where it would be refused. */
const fitting = (source: Source, mode: Texts): Source =>
  mode.has("--uncommitted")
    ? { ...source, texts: new Map([...source.texts].filter(([option]) => option !== "--commit-fixes")) }
    : source

/**
 * The settings of a call at `cwd` with these texts on its command line. `continued` finds the run that the call
 * continues, by the user's settings: the repository's file counts as it was in that run's first batch.
 */
export const configuredSettings = Effect.fn("configuration.configuredSettings")(function*<R = never>(
  texts: Texts,
  cwd: string,
  continued: (texts: Texts, cwd: string) => Effect.Effect<RunRef | null, never, R> = () => Effect.succeed(null)
) {
  const user = yield* ofUser
  const near = mergeSources([...user, { name: commandLine, texts }])
  const run = yield* continued(givenTexts(new Map([...near].map(([option, { texts }]) => [option, texts]))), cwd)
  const repository = yield* ofRepository(texts, cwd, run)
  const mode = givenTexts(texts)
  const files = [...user, repository].map((source) => fitting(source, mode))
  const sources = mergeSources([...files, { name: commandLine, texts }])
  const counting = givenTexts(new Map([...sources].map(([option, { texts }]) => [option, texts])))
  const read = Result.mapError(settingsOf(counting), (problem) => placed(problem, sources))
  const settings = yield* checked(read)
  const isOfRepository = (option: string) => counting.has(option) && sources.get(option)?.from === repository.name
  const content = isOfRepository("--test") || isOfRepository("--no-test")
    ? yield* contentOf(counting.get("--test") ?? [])
    : null
  const stateRoot = counting.get("--state-root")?.[0] ?? null
  const isAllowed = content !== null &&
    (yield* (yield* TestConsents).holds(stateRoot, { worktree: yield* (yield* Git).repository(cwd), content }))
  return {
    settings,
    notify: counting.get("--notify")?.[0] ?? null,
    sources,
    repositoryTests: isAllowed ? null : content
  } satisfies Configured
})
