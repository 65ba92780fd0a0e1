// init: the subcommand `init`: writes the project's tests into the repository's configuration, and allows them.
import { Effect, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { stringify } from "smol-toml"
import { contentOf } from "../../agent/Consent.ts"
import { Git } from "../../code/Git.ts"
import { PlainFiles } from "../../code/PlainFiles.ts"
import { TestConsents } from "../../drive/TestConsents.ts"
import { testsSeen } from "../../drive/TestHints.ts"
import { Question } from "../../platform/Question.ts"
import { readerCall, unnamed } from "../../run/Naming.ts"
import { refuseJobs } from "../../run/Jobs.ts"
import { exitCode } from "../../run/Outcome.ts"
import { RunStore } from "../../run/RunStore.ts"
import type { Setting } from "../../run/Setting.ts"
import { parserOf } from "../values.ts"
import { type CallContext, misusedCall, subcommand } from "../command.ts"
import { ConfigFailed, ignoredWarning, repositoryConfig } from "../configuration.ts"
import { type Ending, printEnding } from "../ending.ts"
import { sharedSettings } from "../flags.ts"
import { flagAs, flagsFor, rootFlags } from "../options.ts"

/** The named tests, empty to use those of the project's files, and whether to skip the question. */
export interface Request {
  readonly stateRoot: string | null
  readonly tests: ReadonlyArray<string>
  readonly yes: boolean
}

/** The settings of `init`, by their names. */
export const initSettings = {
  tests: {
    flag: "--test",
    metavar: "CMD",
    kind: "line",
    many: true,
    otherwise: "the tests that the project's files name",
    text: "A line of the shell that tests the project, in the worktree's root. May be repeated."
  }
} as const satisfies Record<string, Setting>

const flags = {
  tests: Flag.atLeast(flagAs(initSettings.tests, parserOf<"line">(initSettings.tests)), 0),
  ...flagsFor({ yes: sharedSettings.yes }),
  ...rootFlags
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request. */
export const read = ({ stateRoot, tests, yes }: FlagValues): Result.Result<Request, string> =>
  Result.succeed({ stateRoot, tests, yes })

/** The text of the repository's configuration with these tests. */
const configWith = (test: ReadonlyArray<string>): string =>
  `# Settings of ooda-codex-review for this repository; see: ooda-codex-review config\n${stringify({ test })}`

const nothingFound = "no tests found in package.json, Makefile, Cargo.toml or pyproject.toml " +
  "[name them: ooda-codex-review init --test 'CMD']"

const exists = `${repositoryConfig} exists already ` +
  "[edit it; tests that init did not write need --allow repository-tests once a run]"

const nextCall = (stateRoot: string | null): string =>
  `next:     ${readerCall("converge --uncommitted", { ...unnamed, stateRoot })}     # or --base BRANCH`

const questionAbout = (text: string): string =>
  [
    `${repositoryConfig} will be:`,
    "",
    ...text.trimEnd().split("\n").map((line) => `  ${line}`),
    "",
    "converge and implement will run these tests in this worktree without --allow repository-tests.",
    "Write it?"
  ].join("\n")

const declined: Ending = {
  stdout: "",
  stderr: "nothing was written\n",
  code: exitCode({ _tag: "DoneAborted" })
}

/** Writes the file, once a person agreed or `--yes` was given. */
export const run = Effect.fn("init.run")(
  function*({ stateRoot, tests: named, yes }: Request, context: CallContext) {
    const cwd = yield* context.cwd
    const worktree = yield* (yield* Git).repository(cwd)
    yield* refuseJobs(yield* (yield* RunStore).roots(stateRoot, cwd, false), worktree.root)
    const { create, read } = yield* PlainFiles
    if ((yield* read(worktree.root, repositoryConfig, { _tag: "Directory" })) !== "") {
      return yield* new ConfigFailed({ message: exists })
    }
    const tests = named.length > 0 ? named : (yield* testsSeen(worktree.root)).map(({ test }) => test)
    if (tests.length === 0) return yield* new ConfigFailed({ message: nothingFound })
    const text = configWith(tests)
    const person = yield* Question
    if (!yes && person === null) {
      const message = "init needs --yes where there is no terminal to ask on"
      return misusedCall({ message, meant: null, call: "ooda-codex-review init" }, false)
    }
    if (!yes && person !== null && !(yield* person.confirm(questionAbout(text)))) return declined
    // The consent alone does nothing, so a call that ends in between can be repeated.
    yield* (yield* TestConsents).keep(stateRoot, { worktree, content: yield* contentOf(tests) })
    yield* create(worktree.root, repositoryConfig, text)
    const isIgnored = yield* read(worktree.root, repositoryConfig, { _tag: "Worktree" }).pipe(
      Effect.as(false),
      Effect.catchIf(({ reason }) => reason._tag === "Ignored", () => Effect.succeed(true))
    )
    const next = isIgnored ? "" : `\nkeep it:  git add ${repositoryConfig}\n${nextCall(stateRoot)}`
    const ending: Ending = printEnding(`wrote ${repositoryConfig}${next}`)
    return { ...ending, stderr: isIgnored ? `${ignoredWarning}\n` : "" } satisfies Ending
  }
)

export const command = Command.make("init", flags).pipe(subcommand({
  read,
  run,
  about: [
    "writes the project's tests into .ooda/config.toml, and allows them for this worktree.",
    "",
    "At a terminal it shows the file and asks before it writes. Calling it is your consent to exactly these tests in",
    "this worktree: converge and implement run them without --allow repository-tests. Other tests in that file are",
    "asked about as before. Exits 0, 6 when the file exists or no tests were found, 8 when you say no, 64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review init", description: "Find the tests of the project." },
    { command: 'ooda-codex-review init --yes --test "npm test"', description: "Name them, and write without asking." }
  ]
}))
