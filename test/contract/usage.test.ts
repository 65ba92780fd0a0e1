// UsageError: exit 64, stdout empty, first line of stderr `UsageError: <message>`, then the usage block.
// It comes before everything else: nothing is written to the state root, no codex, no gh.
import { existsSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe } from "vitest"
import { parse } from "../../src/cli/parse.ts"
import { usageBlock } from "./expect.ts"
import { it, type World } from "./support.ts"

const SHA = "0123456789abcdef0123456789abcdef01234567"
const MODES = [["--uncommitted"], ["--base", "main"], ["--commit", SHA], ["--pr", "42"]]
const SIDE_EFFECTS = [
  ["--mark-retro-clean"],
  ["--mark-retro-changes", "reason"],
  ["--mark-address-passed"],
  ["--mark-address-failed", "details"],
  ["--advance-level"],
  ["--drop-level"],
  ["--restart-from-floor"]
]
const pairs = <A>(all: ReadonlyArray<A>): ReadonlyArray<readonly [A, A]> =>
  all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b] as const))
const values = (flag: string, ...bad: ReadonlyArray<string>) => bad.map((value) => ["--uncommitted", flag, value])

/** The parser refuses every argv with a message that matches; the program says so of the first one. */
const refused = async (world: World, argvs: ReadonlyArray<ReadonlyArray<string>>, message = /\S/): Promise<void> => {
  for (const argv of argvs) {
    const parsed = await Effect.runPromise(parse(argv))
    assert.strictEqual(parsed._tag, "Usage", JSON.stringify(argv))
    if (parsed._tag === "Usage") saysWhy(`UsageError: ${parsed.message}`, argv, message)
  }
  const [first = []] = argvs
  const ended = await world.step(...first)
  assert.deepStrictEqual([ended.exit, ended.stdout], [64, ""])
  saysWhy(ended.header, first, message)
  usageBlock(ended.stderr.slice(ended.header.length + 1))
  assert.isFalse(existsSync(world.stateRoot), "nothing is written before the argv is valid")
  assert.isEmpty(world.calls())
  assert.isEmpty(world.ghCalls())
}

/** The header is one line with the message. */
const saysWhy = (header: string, argv: ReadonlyArray<string>, message: RegExp): void => {
  const said = `${JSON.stringify(argv)}: ${header}`
  assert.match(header, /^UsageError: \S/, said)
  assert.match(header, message, said)
  assert.notMatch(header, /[\x00-\x1f\x7f\u0085\u2028\u2029]/, "one line, control characters escaped")
}

describe.concurrent("UsageError", () => {
  it("without a mode flag", ({ world }) => refused(world, [[], ["-n", "3", "--fresh"], ...SIDE_EFFECTS]))

  it("with two mode flags", ({ world }) =>
    refused(world, [...pairs(MODES).map(([a, b]) => [...a, ...b]), ["--base", "a", "--base", "b"]]))

  it("with two side-effect flags", ({ world }) =>
    refused(world, SIDE_EFFECTS.map((flag, i) => ["--uncommitted", ...flag, ...(SIDE_EFFECTS.at(i - 2) ?? [])])))

  it("with --fresh and a side-effect flag", ({ world }) =>
    refused(world, SIDE_EFFECTS.map((flag) => ["--uncommitted", "--fresh", ...flag]), /--fresh/))

  it("with --inspect and a side-effect flag", ({ world }) =>
    refused(world, SIDE_EFFECTS.slice(2, 5).map((flag) => ["--uncommitted", "--inspect", ...flag]), /--inspect/))

  it("with --criteria, in any mode", ({ world }) =>
    refused(world, [
      ["--uncommitted", "--criteria", "security"],
      ["--uncommitted", "--criteria", ""],
      ["--uncommitted", "--criteria=x"],
      ["--base", "main", "--mark-retro-clean", "--criteria", "x"]
    ], /--criteria/))

  it("with an unknown flag or a stray argument", ({ world }) =>
    refused(world, [
      ["--uncommitted", "--no-such-flag"],
      ["--uncommitted", "-x"],
      ["--uncommitted", "stray"],
      ["--Uncommitted"],
      ["--no-uncommitted"],
      ["--uncommitted", "--mark-retro-clean=false"],
      ["--uncommitted", ""],
      ["\n"]
    ]))

  it("with a value flag that has no value", ({ world }) =>
    refused(world, [
      ["--base"],
      ["--commit"],
      ["--pr"],
      ...[
        "--level",
        "--ceiling",
        "-n",
        "--max-iter",
        "--state-root",
        "--codex-bin",
        "--mark-retro-changes",
        "--mark-address-failed"
      ].map((flag) => ["--uncommitted", flag])
    ]))

  it("for an invalid level is one line, even if the value has several", ({ world }) =>
    refused(world, [
      ...values("--level", "LOW", "", " low", "minimal", "low\nBinaryError: x", "\u2028Idle"),
      ...values("--ceiling", "High", "", "low,high", "\u001b[31mred")
    ]))

  it("for a ceiling below the floor", ({ world }) =>
    refused(world, [
      ["--uncommitted", "--level", "xhigh", "--ceiling", "high"],
      ["--uncommitted", "--level", "medium", "--ceiling", "low"],
      ["--uncommitted", "--ceiling=low", "--level=high"],
      ["--uncommitted", "--level", "high", "--ceiling", "medium", "--mark-retro-clean"]
    ], /ceiling/))

  it("for counts that are not whole numbers from 1", ({ world }) =>
    refused(world, [
      ...values("-n", "0", "-1", "1.5", "abc", "", "99999999999999999999"),
      ...values("--max-iter", "-5", "2.5", ""),
      ["--uncommitted", "--mark-retro-clean", "--max-iter", "0"],
      ["--pr", "0"],
      ["--pr", "1.5"],
      ["--pr", "abc"],
      ["--pr", ""],
      ["--pr", "../1"]
    ]))

  it("for a commit that is not 40 hex digits", ({ world }) =>
    refused(
      world,
      ["HEAD", SHA.slice(1), `${SHA}0`, `g${SHA.slice(1)}`, "", `${SHA}\n`].map((sha) => ["--commit", sha])
    ))

  it("for a base that is no branch name", ({ world }) =>
    refused(
      world,
      [
        "",
        "-x",
        "--uncommitted",
        "a/../b",
        "/a",
        "a//b",
        "a/.b",
        "a.lock/b",
        "a b",
        "HEAD~1",
        "a:b",
        "a*",
        "a\\b",
        "a@{b",
        "@",
        "a\nb"
      ].map((branch) => ["--base", branch]),
      /branch|--base/
    ))

  it("for the knobs beyond the contract, too", ({ world }) =>
    refused(world, [
      ...values("--retries", "-1", "x"),
      ...values("--review-timeout", "soon", ""),
      ...values("--idle-timeout", "-1m"),
      ...values("--identity-timeout", "0s"),
      ...values("--step-timeout", "8 parsecs"),
      ...values("--max-batches", "0", "x"),
      ...values("--expect-head", "x", "1:zz", "1", ":")
    ]))

  it("before it is looked whether this is a git repository", async ({ world }) => {
    const ended = await world.stepFrom({ cwd: world.dir }, "--uncommitted", "--level", "bogus")
    assert.strictEqual(ended.exit, 64)
  })
})
