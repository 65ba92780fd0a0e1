// convergeOptions: the flags of the commands that drive a run, and the settings from these flags and configuration
// files.
import { Result } from "effect"
import { Command, Flag } from "effect/cli"
import { type ConvergeSettings, convergeSettings, decode } from "../drive/converge/Settings.ts"
import { type Setting, type SettingsCommand } from "../run/Setting.ts"
import { stepSettings } from "../run/StepSettings.ts"
import { callSettings, sharedSettings } from "./flags.ts"
import { stepValues } from "./invocation.ts"
import { bareSwitch, optional, rootFlags, textFlag } from "./options.ts"
import { excludeEachOther, targetOf } from "./targetOptions.ts"
import { type FlagTexts, parserOf, valueOf, valuesOf } from "./values.ts"

const ofCall = (setting: Setting, commands: ReadonlyArray<SettingsCommand>): Setting => ({
  ...setting,
  commands,
  files: "none"
})

const inRuns: ReadonlyArray<SettingsCommand> = ["converge", "implement"]

const notify: Setting<"line"> = {
  flag: "--notify",
  metavar: "CMD",
  kind: "line",
  text: "A line of the shell that gets the final document on standard input.",
  commands: inRuns,
  files: "own"
}

// The target, the action of a call, and its output.
const ofCalls: ReadonlyArray<Setting> = [
  ofCall(callSettings.uncommitted, ["converge"]),
  ofCall(callSettings.base, ["converge", "ci"]),
  ofCall(callSettings.pr, ["converge"]),
  ofCall(callSettings.fresh, inRuns),
  {
    flag: "--again",
    kind: "switch",
    text: "Where the last call needed you and nothing has changed since: let an agent try again.",
    commands: inRuns,
    files: "none"
  },
  ofCall(sharedSettings.yes, inRuns),
  ofCall(callSettings.json, inRuns),
  ofCall(callSettings.inspect, inRuns),
  {
    flag: "--events",
    kind: "switch",
    text: "Each committed event as a line of JSON, as it happens.",
    commands: inRuns,
    files: "none"
  }
]

const ofRuns: ReadonlyArray<Setting> = [
  ...Object.values<Setting>(stepSettings),
  ...Object.values<Setting>(convergeSettings).map((one) => ({ commands: inRuns, ...one })),
  notify
]

/** The flags of a command, except `--trust-state-root`, which every command reads alike. */
export const settingsFor = (command: SettingsCommand): ReadonlyArray<Setting> =>
  [...ofCalls, ...ofRuns].filter(({ commands = [], flag }) =>
    commands.includes(command) && flag !== stepSettings.trustStateRoot.flag
  )

/** The texts of each flag that is given: one empty text for a switch. */
export type Texts = ReadonlyMap<string, ReadonlyArray<string>>

/** The flags with a value: a switch that is off has none. */
export const givenTexts = (texts: Texts): Texts => new Map([...texts].filter(([, all]) => all.length > 0))

/** Neither tests nor their absence were stated. */
export interface NoTests {
  readonly _tag: "NoTests"
}

type Checked<A> = Result.Result<A, string>

/** The texts as the parsers ask for them. */
export const givenBy = (texts: Texts): FlagTexts => (flag) => texts.get(flag) ?? []

/** The message if no target to converge is named. */
export const changeRequired = "one of --uncommitted, --base BRANCH or --pr NUM is required"

/**
 * The values of the texts, or what is wrong with one. The order of the checks: the mode, the step's values, the run's
 * values, what excludes what.
 */
const runValues = (texts: Texts): Checked<Readonly<Record<string, unknown>>> =>
  Result.gen(function*() {
    const given = givenBy(texts)
    const target = yield* targetOf(given, changeRequired)
    // A step of a run is always strict.
    const step = yield* stepValues((flag) => flag === stepSettings.strict.flag ? [""] : given(flag))
    const own = yield* valuesOf(convergeSettings, given)
    yield* valueOf(given, notify.flag, parserOf(notify))
    if (texts.has("--test") && texts.has("--no-test")) {
      return yield* Result.fail(excludeEachOther(["--test", "--no-test"]))
    }
    if (texts.has("--commit-fixes") && target._tag === "Uncommitted") {
      return yield* Result.fail(
        "--commit-fixes goes with --base or --pr: it would take the fixes out of the uncommitted changes"
      )
    }
    // A program without a kind is a shell line.
    const agent = own["agentCmd"] === undefined ? {} : { agent: "command" }
    return { ...agent, ...own, step: { ...step, target } }
  })

/** The settings of the texts, or one line that says what is wrong. */
export const settingsOf = (texts: Texts): Checked<ConvergeSettings | NoTests> =>
  Result.flatMap(
    runValues(texts),
    (values): Checked<ConvergeSettings | NoTests> =>
      texts.has("--test") || texts.has("--no-test") ? decode(values) : Result.succeed({ _tag: "NoTests" })
  )

const record = <A>(of: ReadonlyArray<Setting>, make: (setting: Setting) => Flag.Flag<A>) =>
  Object.fromEntries(of.map((setting) => [setting.flag, make(setting)]))

/** The flags of some settings. The texts are validated later, all together. */
export const flagsOf = (settings: ReadonlyArray<Setting>) => ({
  texts: record(settings.filter(({ many, metavar }) => metavar !== undefined && many !== true), (setting) => {
    const text = textFlag(setting)
    return optional(setting.bare === undefined ? text : Flag.withOptionalValue(text, ""))
  }),
  lists: record(settings.filter(({ many }) => many === true), (setting) => Flag.atLeast(textFlag(setting), 0)),
  // `--isolate=false` turns off a switch of a file; a switch that is left out says nothing.
  switches: record(
    settings.filter(({ metavar }) => metavar === undefined),
    (setting) => optional(bareSwitch(setting))
  ),
  trustStateRoot: rootFlags.trustStateRoot
})

export type TableFlags = Command.Command.Config.Infer<ReturnType<typeof flagsOf>>

/** The texts of the given flags. */
export const textsOf = ({ lists, switches, texts, trustStateRoot }: TableFlags): Texts =>
  new Map([
    ...Object.entries(texts).flatMap(([option, text]) => text === null ? [] : [[option, [text]] as const]),
    ...Object.entries(lists).filter(([, all]) => all.length > 0),
    ...Object.entries(switches).flatMap(([option, on]) => on === null ? [] : [[option, on ? [""] : []] as const]),
    ...(trustStateRoot ? [["--trust-state-root", [""]] as const] : [])
  ])

export interface ConvergeRequest {
  /** The values on the command line, the nearest source of `configured`. */
  readonly texts: Texts
  readonly fresh: boolean
  /** Whether an agent tries again after the last call needed a person. */
  readonly again: boolean
  /** Whether the first run of a repository begins without a question. */
  readonly yes: boolean
  readonly inspect: boolean
  readonly json: boolean
  readonly events: boolean
  readonly notify: string | null
}

/** The request of a call, or one line that says what is wrong; `whole` adds the mode for checking the values. */
export const readCall = (
  all: TableFlags,
  whole: (texts: Texts) => Texts = (texts) => texts
): Checked<ConvergeRequest> =>
  Result.gen(function*() {
    const texts = textsOf(all)
    const on = givenTexts(texts)
    const clash = ["--json", "--events"].filter((option) => on.has(option))
    if (clash.length > 1) return yield* Result.fail(excludeEachOther(clash))
    yield* runValues(whole(on))
    return {
      texts,
      fresh: on.has("--fresh"),
      again: on.has("--again"),
      yes: on.has("--yes"),
      inspect: on.has("--inspect"),
      json: on.has("--json"),
      events: on.has("--events"),
      notify: on.get("--notify")?.[0] ?? null
    }
  })
