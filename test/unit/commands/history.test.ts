// The arguments of runs, replay and audit: what each command line amounts to, and every misuse in one line.
// The one rule: through `parse`, as the program reads them.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { parse, type ParseResult } from "../../../src/cli/parse.ts"
import { called, subcommands } from "../../../src/cli/subcommands.ts"
import { usage } from "../../../src/cli/usage.ts"

const run = (argv: ReadonlyArray<string>): Promise<ParseResult> => Effect.runPromise(parse(argv))
const words = (line: string): ReadonlyArray<string> => line.split(" ")

/** The command that a command line asks for. */
const command = async (line: string): Promise<object> => {
  const result = await run(words(line))
  return result._tag === "Subcommand" ? result.command : assert.fail(`${line}: ${JSON.stringify(result)}`)
}

const problem = async (argv: ReadonlyArray<string>): Promise<string> => {
  const result = await run(argv)
  if (result._tag !== "Usage") return assert.fail(`${argv.join(" ")}: ${result._tag}`)
  assert.match(result.usage, new RegExp(`^Usage: ooda-codex-review ${argv[0]} `))
  return result.message
}

const sha = "ab".repeat(20)
const hash = "0123456789abcdef".repeat(4)

describe("runs", () => {
  it("lists by default, with every option off", async () =>
    assert.deepEqual(await command("runs"), { _tag: "Runs", stateRoot: null, all: false, json: false }))

  it("takes its options in any order and spelling", async () => {
    const all = { _tag: "Runs", stateRoot: "/s", all: true, json: true }
    assert.deepEqual(await command("runs --all --json --state-root /s"), all)
    assert.deepEqual(await command("runs --state-root=/s --json --all"), all)
  })

  it("takes whatever follows an option with a value as the value", async () => {
    assert.deepInclude(await command("runs --state-root --help"), { stateRoot: "--help" })
    assert.deepInclude(await command("runs --state-root --json"), { stateRoot: "--json", json: false })
  })
})

describe("replay", () => {
  const plain = {
    _tag: "Replay",
    stateRoot: null,
    selector: { _tag: "Newest" },
    at: null,
    after: 0,
    follow: false,
    json: false
  }

  it("shows the newest run by default", async () => assert.deepEqual(await command("replay"), plain))

  it("takes a run by its id, before or behind the options", async () => {
    const named = { ...plain, selector: { _tag: "Named", prefix: "2026" } }
    assert.deepEqual(await command("replay 2026"), named)
    assert.deepEqual(await command("replay 2026 --at 7"), { ...named, at: 7 })
    assert.deepEqual(await command("replay 2026 --after 7 --follow"), { ...named, after: 7, follow: true })
    assert.deepEqual(await command("replay --at=7 2026"), { ...named, at: 7 })
    assert.deepEqual(await command("replay --follow --json -- 2026"), { ...named, follow: true, json: true })
    assert.deepEqual(await command("replay -- --at"), { ...plain, selector: { _tag: "Named", prefix: "--at" } })
  })

  const targets: ReadonlyArray<readonly [string, object]> = [
    ["--uncommitted", { _tag: "Uncommitted" }],
    ["--base feature/x", { _tag: "Base", branch: "feature/x" }],
    [`--commit ${sha.toUpperCase()}`, { _tag: "Commit", sha }],
    ["--pr 12", { _tag: "PullRequest", number: 12 }]
  ]
  it.each(targets)("takes the latest run of a target: %s", async (flags, target) => {
    assert.deepEqual(await command(`replay ${flags}`), { ...plain, selector: { _tag: "Latest", target } })
    assert.deepInclude(await command(`audit ${flags}`), { selector: { _tag: "Latest", target } })
  })
})

describe("audit", () => {
  const plain = {
    _tag: "Audit",
    stateRoot: null,
    selector: { _tag: "Newest" },
    expectHead: null,
    logOnly: false,
    reclassify: false,
    json: false
  }

  it("checks the newest run by default, all of it", async () => assert.deepEqual(await command("audit"), plain))

  it("takes its options", async () => {
    assert.deepEqual(await command("audit --all --json --log-only"), {
      ...plain,
      selector: null,
      json: true,
      logOnly: true
    })
    assert.deepEqual(await command(`audit 2026 --reclassify --expect-head 12:${hash.toUpperCase()}`), {
      ...plain,
      selector: { _tag: "Named", prefix: "2026" },
      reclassify: true,
      expectHead: { seq: 12, hash }
    })
  })
})

describe("misuse", () => {
  const problems: ReadonlyArray<readonly [string, string]> = [
    ["runs 2026", "unexpected argument \"2026\""],
    ["runs --follow", "unknown option --follow of runs"],
    ["runs --all=true", "--all takes no value"],
    ["runs --all --all", "--all is given more than once"],
    ["runs --state-root", "--state-root needs a value: --state-root PATH"],
    ["runs --state-root=", "--state-root \"\": expected a path, not an empty text"],
    ["runs --uncommitted", "unknown option --uncommitted of runs"],
    ["runs -x", "unknown option -x of runs"],
    ["replay a b", "unexpected argument \"b\""],
    ["replay --at 0", "--at \"0\": expected a whole number from 1 to 9007199254740991"],
    ["replay --at x", "--at \"x\": expected a whole number from 1 to 9007199254740991"],
    ["replay --at 1 --after 1", "--at and --after exclude each other"],
    ["replay --at 1 --follow", "--at and --follow exclude each other"],
    ["replay 2026 --uncommitted", "RUN and --uncommitted exclude each other"],
    ["replay --base main --pr 1", "--base and --pr exclude each other"],
    ["replay --base a..b", "--base \"a..b\": a branch name cannot contain '..'"],
    ["replay --commit abc", "--commit \"abc\": expected a full commit id of 40 hexadecimal digits"],
    ["audit --all 2026", "--all and the name of a run exclude each other"],
    ["audit --all --uncommitted", "--all and the name of a run exclude each other"],
    [`audit --all --expect-head 1:${hash}`, "--all and --expect-head exclude each other"],
    ["audit --expect-head 1", "--expect-head \"1\": expected SEQ:HASH, a number and 64 hexadecimal digits"],
    [`audit --expect-head 0:${hash}`, "--expect-head: lines are counted from 1"],
    ["audit --log-only --reclassify", "--log-only and --reclassify exclude each other"],
    ["audit --help=yes", "unknown option --help of audit"]
  ]
  it.each(problems)("%s", async (line, message) => assert.strictEqual(await problem(words(line)), message))

  it("is an empty name of a run", async () => {
    assert.strictEqual(await problem(["replay", ""]), "RUN cannot be empty")
    assert.strictEqual(await problem(["audit", "--", ""]), "RUN cannot be empty")
  })

  it("is said in one line of bounded length", async () => {
    assert.strictEqual(await problem(["replay", "a", "x\ny"]), "unexpected argument \"x\\ny\"")
    assert.isBelow((await problem(["audit", `--${"z".repeat(5000)}`])).length, 200)
  })
})

describe("the help of a subcommand", () => {
  const names = [...subcommands.keys()]

  it.each(names)("is its own, wherever it is asked for: %s", async (name) => {
    for (const argv of [[name, "--help"], [name, "-h"], [name, "--nonsense", "--help"], [name, "a", "b", "c", "-h"]]) {
      const result = await run(argv)
      if (result._tag !== "Help") return assert.fail(`${argv.join(" ")}: ${result._tag}`)
      assert.match(result.text, new RegExp(`^Usage: ooda-codex-review ${name} `))
      assert.notStrictEqual(result.text, usage)
      for (const line of result.text.split("\n")) {
        assert.isAtMost(line.length, 120, line)
        assert.match(line, /^[\x20-\x7e]*$/)
      }
      assert.match(result.text, /\n {2}--help {2,}Print this text and exit 0\.$/)
    }
  })

  it("is not asked for by a value", async () => {
    assert.strictEqual((await run(["replay", "--at", "--help"]))._tag, "Usage")
  })

  it.each(names)("stands in the usage block, in one entry: %s", (name) =>
    assert.lengthOf(usage.split("\n").filter((line) => line.startsWith(`  ${name} `)), 1))

  it("belongs to the first argument alone", () => {
    assert.isNull(called(["--json", "runs"]))
    assert.isNull(called([]))
    assert.isNull(called(["toString"]))
    assert.deepEqual(called(["runs", "x"]), { name: "runs", argv: ["x"] })
  })
})
