// The keys of configuration files, and the law of their sources: for every key the nearest one wins.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { configurable, keyOf, mergeSources, readConfig, type Source } from "../../../src/cli/configuration.ts"

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
  const names = ["user", "repository", "line"] as const

  it("the nearest wins, for every key, whoever else names it", () => {
    for (const { flag: option } of configurable) {
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
