// Configured: the settings of a converging run from all their sources: files of the user and the repository, and flags.
// If the change may be somebody else's, the repository's file comes from a commit that is trusted.
import { Effect, Result, Schema } from "effect"
import { contentOf } from "../agents/Consent.ts"
import type { ConvergeSettings } from "../core/converge/Settings.ts"
import { presentBase } from "../runs/PresentIdentity.ts"
import { variable } from "../services/Environment.ts"
import { Git } from "../services/Git.ts"
import { Narrator } from "../services/Narrator.ts"
import { type PlainFileFrom, PlainFiles } from "../services/PlainFiles.ts"
import { keyOf, merged, readConfig, type Source, type Sourced } from "./ConfigKeys.ts"
import { type NoTests, settingsOf, targetOf, telling, type Texts } from "./convergeSettings.ts"

/** The repository's file, relative to the worktree's root. */
export const repositoryConfig = ".ooda/config.toml"
const userConfig = "ooda-codex-review/config.toml"

/** What the command line is called as a source. */
export const commandLine = "command line"

/** What does not hold: what a file says, the target that flags name, or all sources together. `said` tells it. */
export const ConfigReason = Schema.TaggedUnion({
  FileRefused: { said: Schema.String },
  TargetRefused: { said: Schema.String },
  SettingsRefused: { said: Schema.String }
})
export type ConfigReason = typeof ConfigReason.Type

/** A configuration file, or all sources together, say something that does not hold. */
export class ConfigFailed extends Schema.TaggedError<ConfigFailed>()("ConfigFailed", { reason: ConfigReason }) {
  override get message() {
    return this.reason.said
  }
}

/** The settings, whom the end is told, and where all of it comes from. */
export interface Configured {
  readonly settings: ConvergeSettings | NoTests
  readonly notify: string | null
  readonly sources: ReadonlyMap<string, Sourced>
  /**
   * The sha256 of the repository's own tests where they are the ones that count: they need a person's consent. So does
   * its word that there are none, or whoever changes its file could have every change pass for tested.
   */
  readonly repositoryTests: string | null
}

const checked = <A>(_tag: ConfigReason["_tag"], result: Result.Result<A, string>): Effect.Effect<A, ConfigFailed> =>
  Effect.mapError(Effect.fromResult(result), (said) => new ConfigFailed({ reason: { _tag, said } }))

/** The directory of the user's configuration files, or null. A relative one means nothing, as its rules have it. */
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
  return [yield* checked("FileRefused", readConfig(`${home}/${userConfig}`, text, "user"))]
})

const ignored = `warning: ${repositoryConfig} is not read, because git ignores it ` +
  `[git add --force ${repositoryConfig}, or stop ignoring it]`

/** Where the repository's file is read from: its working copy, or a commit that is trusted. */
const trusted = Effect.fnUntraced(function*(texts: Texts, worktree: string) {
  const [revision] = texts.get("--trust-from") ?? []
  if (revision !== undefined) return { _tag: "Revision", revision } satisfies PlainFileFrom
  const pr = texts.has("--pr") ? yield* checked("TargetRefused", targetOf(texts)) : null
  const branch = pr === null ? null : yield* presentBase({ target: pr, worktree })
  return (branch === null ? { _tag: "Worktree" } : { _tag: "Base", branch }) satisfies PlainFileFrom
})

const placeOf = (from: PlainFileFrom): string =>
  from._tag === "Base" || from._tag === "Revision"
    ? `${repositoryConfig} of ${from._tag === "Base" ? from.branch : from.revision}`
    : repositoryConfig

const ofRepository = Effect.fnUntraced(function*(texts: Texts, cwd: string) {
  const { root } = yield* (yield* Git).repository(cwd)
  const from = yield* trusted(texts, root)
  const text = yield* (yield* PlainFiles).read(root, repositoryConfig, from).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "Ignored",
      () => Effect.flatMap(Narrator, ({ say }) => Effect.as(say(ignored), ""))
    )
  )
  return yield* checked("FileRefused", readConfig(placeOf(from), text, "repository"))
})

/** The problem with a value of a file names the file and the key, not a flag that nobody gave. */
const placed = (problem: string, sources: ReadonlyMap<string, Sourced>): string => {
  const option = problem.split(" ")[0] ?? ""
  const from = sources.get(option)?.from ?? commandLine
  return from === commandLine ? problem : `${from}: ${keyOf(problem)}`
}

/** A file serves every mode. Its `--commit-fixes` is left out for uncommitted changes, where it would be refused. */
const fitting = (source: Source, mode: Texts): Source =>
  mode.has("--uncommitted")
    ? { ...source, texts: new Map([...source.texts].filter(([option]) => option !== "--commit-fixes")) }
    : source

/** The settings that count for a call at `cwd` whose command line gives these texts. */
export const configured = Effect.fn("Configured.configured")(function*(texts: Texts, cwd: string) {
  const repository = yield* ofRepository(texts, cwd)
  const mode = telling(texts)
  const files = [...(yield* ofUser), repository].map((source) => fitting(source, mode))
  const sources = merged([...files, { name: commandLine, texts }])
  const counting = telling(new Map([...sources].map(([option, { texts }]) => [option, texts])))
  const told = Result.mapError(settingsOf(counting), (problem) => placed(problem, sources))
  const settings = yield* checked("SettingsRefused", told)
  const isOfRepository = (option: string) => counting.has(option) && sources.get(option)?.from === repository.name
  return {
    settings,
    notify: counting.get("--notify")?.[0] ?? null,
    sources,
    repositoryTests: isOfRepository("--test") || isOfRepository("--no-test")
      ? yield* contentOf(counting.get("--test") ?? [])
      : null
  } satisfies Configured
})
