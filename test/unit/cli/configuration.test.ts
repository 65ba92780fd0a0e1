// configuration: the keys of configuration files, which file is read from where, what counts, and how a mistake names its place.
import { Effect, Layer, Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  ConfigFailed,
  configurable,
  configuredSettings,
  keyOf,
  mergeSources,
  readConfig,
  readToml,
  type Source
} from "../../../src/cli/configuration.ts"
import type { Texts } from "../../../src/cli/convergeOptions.ts"
import { BranchName } from "../../../src/run/Target.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { Git } from "../../../src/code/Git.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { GitHub } from "../../../src/code/GitHub.ts"
import { TestConsents, type WorktreeTests } from "../../../src/drive/TestConsents.ts"
import { Narrator } from "../../../src/drive/Narrator.ts"
import { PlainFileFailed, PlainFiles } from "../../../src/code/PlainFiles.ts"

describe("TOML", () => {
  const read = (text: string) => Result.getOrThrow(readToml(text))
  const problem = (text: string) => Result.match(readToml(text), { onFailure: (line) => line, onSuccess: () => null })

  describe("a TOML text", () => {
    it("is its keys in their order", () =>
      assert.deepStrictEqual(read('test = ["npm test"]\nmax-rounds = 30\nisolate = true # now\n'), [
        ["test", ["npm test"]],
        ["max-rounds", 30],
        ["isolate", true]
      ]))

    it("may begin with a BOM and end its lines with CRLF", () =>
      assert.deepStrictEqual(read('\uFEFFblock = "P1"\r\njobs = 2\r\n'), [["block", "P1"], ["jobs", 2]]))

    it("may be empty", () => assert.deepStrictEqual(read(""), []))
  })

  describe("a mistake", () => {
    it("is one line with its place", () => {
      assert.match(`${problem('jobs = 2\nblock = "P1\n')}`, /^line 2: [^\n]+ \[correct that line\]$/)
      assert.match(`${problem("jobs = 1\njobs = 2\n")}`, /^line 2: /)
    })

    it("is what nests too deeply, too", () => assert.match(`${problem(`a = ${"[".repeat(99)}`)}`, /\[correct/))
  })
})

describe("the keys", () => {
  const file = ".ooda/config.toml"
  const texts = (text: string, of: "user" | "repository" = "repository") =>
    Object.fromEntries(Result.getOrThrow(readConfig(file, text, of)).texts)
  const problem = (text: string, of: "user" | "repository" = "repository") =>
    Result.match(readConfig(file, text, of), { onFailure: (line) => line, onSuccess: () => null })

  describe("a configuration file", () => {
    it("sets flags by their names without dashes", () =>
      assert.deepStrictEqual(
        texts('test = ["npm test", "b"]\nmax-rounds = 30\nblock = "P1"\nn = 4\nundo-on-red = true'),
        {
          "--test": ["npm test", "b"],
          "--max-rounds": ["30"],
          "--block": ["P1"],
          "-n": ["4"],
          "--undo-on-red": [""]
        }
      ))

    it("may turn off what a farther source turns on", () =>
      assert.deepStrictEqual(texts("isolate = false\nprotect = []\ncommit-fixes = false"), {
        "--isolate": [],
        "--protect": [],
        "--commit-fixes": []
      }))

    it("may name one test as a text, and commit with a template or without", () => {
      assert.deepStrictEqual(texts('test = "a"\ncommit-fixes = "{level}"'), {
        "--test": ["a"],
        "--commit-fixes": ["{level}"]
      })
      assert.deepStrictEqual(texts("commit-fixes = true"), { "--commit-fixes": [""] })
    })
  })

  describe("what is refused", () => {
    it.each(
      [
        ["max-round = 3", "unknown key max-round (did you mean max-rounds?) [correct or remove it]"],
        ["max_rounds = 3", "unknown key max_rounds (did you mean max-rounds?) [correct or remove it]"],
        ["colour = 3", "unknown key colour [correct or remove it]"],
        ["[test]\na = 1", "test: expected a list of texts [correct it]"],
        ["test = [1]", "test: expected a list of texts [correct it]"],
        ['isolate = "yes"', "isolate: expected true or false [correct it]"],
        ["patience = true", "patience: expected a text or a whole number [correct it]"],
        ["patience = 1.5", "patience: expected a text or a whole number [correct it]"],
        ["commit-fixes = 1979-05-27", "commit-fixes: expected a text or a whole number [correct it]"]
      ] as const
    )("%s", (text, message) => assert.strictEqual(problem(text), `${file}: ${message}`))

    it("a text that is no TOML, with its line", () =>
      assert.match(`${problem("a\n")}`, /^\.ooda\/config\.toml: line 1: /))

    it.each(["base", "pr", "uncommitted", "commit", "trust-from", "fresh", "inspect", "json", "events", "__proto__"])(
      "%s, which belongs to one call",
      (key) => assert.match(`${problem(`${key} = true`, "user")}`, /: unknown key /)
    )

    it.each(["agent-cmd", "notify", "codex-bin", "allow", "state-root"])("%s, from a repository alone", (key) => {
      assert.strictEqual(
        problem(`${key} = "x"`),
        `${file}: ${key} is not taken from a repository ` +
          "[name it on the command line, or in your own configuration file]"
      )
      assert.isNull(problem(`${key} = "x"`, "user"))
    })
  })

  describe("of several sources", () => {
    const names = ["user", "repository", "command line"] as const

    it("the nearest wins, for every key and every other source", () => {
      for (const { between, flag: option } of configurable) {
        if (between === "all") continue
        for (const mask of [1, 2, 3, 4, 5, 6, 7]) {
          const sources = names.map((name, i): Source => ({
            name,
            texts: new Map((mask & (1 << i)) === 0 ? [] : [[option, [name]]])
          }))
          const winner = names[Math.floor(Math.log2(mask))]
          assert.deepStrictEqual(
            mergeSources(sources).get(option),
            { texts: [winner ?? ""], from: winner ?? "" },
            keyOf(option)
          )
        }
      }
    })

    it("a repository's file loosens no limit of the person's own; the command line may", () => {
      const merged = (option: string, ...texts: ReadonlyArray<ReadonlyArray<string>>) =>
        mergeSources(
          names.slice(0, texts.length).map((name, i) => ({ name, texts: new Map([[option, texts[i] ?? []]]) }))
        )
          .get(option)
      const limits: ReadonlyArray<readonly [string, string, string]> = [
        ["--max-rounds", "9", "10"],
        ["--max-time", "90s", "2m"],
        ["--max-tokens", "900k", "1M"],
        ["--max-batches", "9", "10"],
        ["--patience", "2", "3"],
        ["--fix-attempts", "1", "2"],
        ["--wait-quota", "1m", "2m"],
        ["--retries", "0", "1"],
        ["-n", "4", "3"],
        ["--block", "P3", "P0"]
      ]
      for (const [option, tight, loose] of limits) {
        assert.deepStrictEqual(merged(option, [tight], [loose]), { texts: [tight], from: "user" })
        assert.deepStrictEqual(merged(option, [loose], [tight]), { texts: [tight], from: "repository" })
        assert.deepStrictEqual(merged(option, [tight], [loose], [loose]), { texts: [loose], from: "command line" })
        // A mistake is reported, whoever made it.
        assert.deepStrictEqual(merged(option, ["x"], [loose]), { texts: ["x"], from: "user" })
        assert.deepStrictEqual(merged(option, [tight], ["x"]), { texts: ["x"], from: "repository" })
      }
      const both = { texts: ["a", "b"], from: "user and repository" }
      assert.deepStrictEqual(merged("--protect", ["a", "b"], ["b"]), both)
      assert.deepStrictEqual(merged("--protect", ["a", "b"], []), both)
      assert.deepStrictEqual(merged("--protect", ["a"], ["b"], ["c"]), { texts: ["c"], from: "command line" })
      assert.strictEqual(configurable.filter(({ between }) => between !== undefined).length, limits.length + 1)
    })

    it("a nearer one turns off, and keeps what it does not name", () => {
      const sources = [
        { name: "user", texts: new Map([["--isolate", [""]], ["--jobs", ["2"]]]) },
        { name: "repository", texts: new Map([["--isolate", []]]) }
      ]
      assert.deepStrictEqual([...mergeSources(sources)], [
        ["--isolate", { texts: [], from: "repository" }],
        ["--jobs", { texts: ["2"], from: "user" }]
      ])
    })

    it("tests and no tests take the place of each other", () => {
      const sources = [
        { name: "user", texts: new Map([["--test", ["a"]]]) },
        { name: "repository", texts: new Map([["--no-test", [""]]]) }
      ]
      assert.deepStrictEqual([...mergeSources(sources).keys()], ["--no-test"])
      assert.deepStrictEqual([...mergeSources([...sources].reverse()).keys()], ["--test"])
      const both = { name: "line", texts: new Map([["--test", ["a"]], ["--no-test", [""]]]) }
      assert.lengthOf([...mergeSources([both])], 2)
      const off = { name: "line", texts: new Map([["--no-test", []]]) }
      assert.deepStrictEqual(mergeSources([...sources.slice(0, 1), off]).get("--test"), { texts: ["a"], from: "user" })
    })
  })
})

interface Place {
  readonly user?: string
  readonly worktree?: string
  readonly main?: string
  readonly variables?: Variables
  /** Whether git ignores the repository's file. */
  readonly ignored?: boolean
  /** The repository's file in the first batch of the run that the call continues. */
  readonly first?: string
  readonly said?: (line: string) => void
  /** Whether a person allowed these tests by `init`. */
  readonly allowed?: (stateRoot: string | null, tests: WorktreeTests) => boolean
}

const home = { HOME: "/home/me" }
const userFile = "/home/me/.config/ooda-codex-review/config.toml"

const onPlace = (place: Place, given: Texts) => {
  const {
    allowed = () => false,
    first,
    ignored = false,
    main = "",
    said = () => {},
    user = "",
    variables = home,
    worktree = ""
  } = place
  const files = new Map([[userFile, user], ["/repo/.ooda/config.toml", worktree], ["main", main], [
    "first",
    first ?? ""
  ]])
  const layer = Layer.mergeAll(
    Layer.mock(Git)({ repository: () => Effect.succeed({ root: "/repo", id: "r" }) }),
    Layer.mock(GitHub)({ baseOf: () => Effect.succeed(BranchName.make("main")) }),
    Layer.mock(TestConsents)({ holds: (...asked) => Effect.succeed(allowed(...asked)) }),
    Layer.mock(PlainFiles)({
      read: (directory, name, from) => {
        if (ignored && from._tag === "Worktree") {
          return Effect.fail(new PlainFileFailed({ name, reason: { _tag: "Ignored" } }))
        }
        const place = from._tag === "Worktree" || from._tag === "Directory"
          ? `${directory}/${name}`
          : from._tag === "Base"
          ? from.branch
          : from._tag === "Revision"
          ? from.revision
          : "first"
        return Effect.succeed(files.get(place) ?? "")
      }
    })
  )
  const run: RunRef = { root: "/state", repoId: "r", targetKey: "uncommitted", runId: "1" }
  return configuredSettings(given, "/repo/src", () => Effect.succeed(first === undefined ? null : run)).pipe(
    Effect.provide(layer),
    Effect.provideService(Environment, variables),
    Effect.provideService(Narrator, {
      say: (line) => Effect.sync(() => said(line)),
      page: () => ({ columns: null, colour: false })
    })
  )
}

const base = ["--base", ["main"]] as const
const noTest = ["--no-test", [""]] as const
const found = (place: Place, ...given: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) =>
  Effect.runPromise(onPlace(place, new Map(given)))
const settings = async (...all: Parameters<typeof found>) => {
  const { settings } = await found(...all)
  return "_tag" in settings ? assert.fail("no tests") : settings
}
const problem = (place: Place, ...given: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) =>
  Effect.runPromise(Effect.flip(onPlace(place, new Map(given)))).then((error) => {
    assert.instanceOf(error, ConfigFailed)
    return error.message
  })

describe("the settings", () => {
  it("are the defaults, below the user's, below the repository's, below the command line's", async () => {
    const user = "patience = 1\njobs = 2\nfix-attempts = 3"
    const worktree = "jobs = 4\nfix-attempts = 5"
    const all = await settings({ user, worktree }, base, noTest, ["--fix-attempts", ["6"]])
    assert.deepStrictEqual([all.patience, all.step.jobs, all.fixAttempts, all.retro], [1, 4, 6, "agent"])
  })

  it("do not come from a file that git ignores, and a warning says so", async () => {
    const said: Array<string> = []
    const place = { user: "patience = 1", worktree: "max-rounds = 4", ignored: true }
    const all = await settings({ ...place, said: (line) => said.push(line) }, base, noTest)
    assert.deepStrictEqual([all.patience, all.maxRounds], [1, 20])
    assert.deepStrictEqual(said, [
      "warning: .ooda/config.toml is not read, because git ignores it " +
      "[git add --force .ooda/config.toml, or stop ignoring it]"
    ])
  })

  it("are those that the run began with where one continues, and a warning says what does not count", async () => {
    const outcomeIn = async (place: Place, ...more: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) => {
      const said: Array<string> = []
      const all = await settings({ ...place, said: (line) => said.push(line) }, base, noTest, ...more)
      return [all.maxRounds, ...said]
    }
    const [first, worktree] = ["max-rounds = 3", "max-rounds = 4"]
    assert.deepStrictEqual(await outcomeIn({ first, worktree: first }), [3])
    assert.deepStrictEqual(await outcomeIn({ first, worktree }), [
      3,
      "warning: .ooda/config.toml counts as it was when the run began " +
      "[if you changed it on purpose, begin a fresh run with --fresh]"
    ])
    assert.deepStrictEqual(await outcomeIn({ first: "", worktree, ignored: true }), [
      20,
      "warning: .ooda/config.toml is not read, because git ignores it " +
      "[git add --force .ooda/config.toml, or stop ignoring it]"
    ])
    assert.deepStrictEqual(await outcomeIn({ first, worktree, main: "max-rounds = 5" }, ["--trust-from", ["main"]]), [
      5
    ])
  })

  it("say of each where it comes from", async () => {
    const { notify, sources } = await found({ user: 'notify = "mail"', worktree: "jobs = 2" }, base, noTest)
    assert.strictEqual(notify, "mail")
    assert.deepStrictEqual([...sources].map(([option, { from }]) => [option, from]), [
      ["--notify", userFile],
      ["--jobs", ".ooda/config.toml"],
      ["--base", "command line"],
      ["--no-test", "command line"]
    ])
  })

  it("may be turned off by a nearer source, the command line too", async () => {
    const place = { user: "undo-on-red = true", worktree: "isolate = true" }
    const off = await settings(place, base, noTest, ["--isolate", []], ["--undo-on-red", []])
    assert.deepStrictEqual([off.step.isolate, off.undoOnRed], [false, false])
    const on = await settings(place, base, noTest, ["--link", ["x"]])
    assert.deepStrictEqual([on.step.isolate, on.undoOnRed, on.step.link], [true, true, ["x"]])
  })

  it("commit fixes by a file's word, but never out of uncommitted changes", async () => {
    const place = { user: "commit-fixes = true", worktree: 'commit-fixes = "{level}"' }
    assert.strictEqual((await settings(place, base, noTest)).commitFixes, "{level}")
    assert.isNull((await settings(place, ["--uncommitted", [""]], noTest)).commitFixes)
  })

  it("may lack tests", async () => assert.deepStrictEqual((await found({}, base)).settings, { _tag: "NoTests" }))

  it("come from the configuration directory that is named, if it is absolute", async () => {
    const user = "patience = 1"
    const patience = async (variables: Variables) => (await settings({ user, variables }, base, noTest)).patience
    assert.strictEqual(await patience({ HOME: "/x", XDG_CONFIG_HOME: "/home/me/.config" }), 1)
    assert.strictEqual(await patience({ ...home, XDG_CONFIG_HOME: "relative" }), 1)
    assert.strictEqual(await patience({ ...home, XDG_CONFIG_HOME: "/elsewhere" }), 6)
    assert.strictEqual(await patience({}), 6)
  })
})

describe("where another's change is reviewed", () => {
  const place = { worktree: "patience = 1", main: "patience = 2" }

  it("the repository's file comes from the base, or from the trusted commit", async () => {
    assert.strictEqual((await settings(place, ["--pr", ["1"]], noTest)).patience, 2)
    assert.strictEqual((await settings(place, base, noTest, ["--trust-from", ["main"]])).patience, 2)
    assert.strictEqual((await settings(place, base, noTest)).patience, 1)
  })

  it("a mistake names that place", async () =>
    assert.match(
      await problem({ main: "x = 1" }, ["--pr", ["1"]], noTest),
      /^\.ooda\/config\.toml of main: unknown key x/
    ))
})

describe("tests of the repository's file", () => {
  const worktree = 'test = ["npm test"]'
  const digest = async (...all: Parameters<typeof found>) => (await found(...all)).repositoryTests

  it("are known by their content, where they count", async () => {
    assert.match(`${await digest({ worktree }, base)}`, /^[0-9a-f]{64}$/)
    assert.notStrictEqual(await digest({ worktree }, base), await digest({ worktree: 'test = ["npm  test"]' }, base))
    assert.isNull(await digest({ worktree }, base, ["--test", ["npm test"]]))
    assert.isNull(await digest({ worktree }, base, noTest))
    assert.isNull(await digest({ user: worktree }, base))
    assert.isNull(await digest({ user: worktree, worktree: "test = []" }, base))
  })

  it("need no consent where init had it for these very tests, in this worktree", async () => {
    const content = await digest({ worktree }, base)
    const seen: Array<unknown> = []
    const allowed = (stateRoot: string | null, tests: WorktreeTests) => {
      seen.push([stateRoot, tests.worktree])
      return tests.content === content
    }
    assert.isNull(await digest({ allowed, worktree }, base, ["--state-root", ["/s"]]))
    assert.match(`${await digest({ allowed, worktree: 'test = ["make"]' }, base)}`, /^[0-9a-f]{64}$/)
    assert.match(`${await digest({ allowed, worktree: "no-test = true" }, base)}`, /^[0-9a-f]{64}$/)
    const repository = { root: "/repo", id: "r" }
    assert.deepStrictEqual(seen, [["/s", repository], [null, repository], [null, repository]])
  })

  it("need consent even if the file turns tests off, or every change could pass as tested", async () => {
    const none = "no-test = true"
    const all = await Promise.all([
      digest({ worktree: none }, base),
      digest({ user: worktree, worktree: none }, base),
      digest({ worktree }, base)
    ])
    assert.match(`${all[0]}`, /^[0-9a-f]{64}$/)
    assert.strictEqual(all[1], all[0])
    assert.notStrictEqual(all[2], all[0])
    assert.isNull(await digest({ worktree: none }, base, noTest))
    assert.isNull(await digest({ worktree: none }, base, ["--test", ["a"]]))
    assert.isNull(await digest({ user: none, worktree: "no-test = false" }, base))
  })
})

describe("a mistake", () => {
  it("in a value of a file names the file and the key", async () =>
    assert.strictEqual(
      await problem({ worktree: 'jobs = "x"' }, base, noTest),
      '.ooda/config.toml: jobs "x": expected a whole number from 1 to 256'
    ))

  it("in the user's file names its path", async () =>
    assert.strictEqual(
      await problem({ user: "patience = 0" }, base, noTest),
      `${userFile}: patience "0": expected a whole number from 1 to 10000`
    ))
})
