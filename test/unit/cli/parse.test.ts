// parse: command lines as a user types them, and what each asks for; the rules of the contract one by one.
// Rule: a row states the whole result that matters to its rule; nothing is compared with what the parser itself says.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { parse, type ParseResult } from "../../../src/cli/parse.ts"
import { briefHelp } from "../../../src/cli/usage.ts"
import { version } from "../../../src/platform/Version.ts"
import type { Invocation } from "../../../src/run/Invocation.ts"

const run = (argv: ReadonlyArray<string>): Promise<ParseResult> => Effect.runPromise(parse(argv))

const step = async (argv: ReadonlyArray<string>): Promise<Invocation> => {
  const result = await run(argv)
  if (result._tag !== "Step") return assert.fail(`${argv.join(" ")} gave ${"message" in result ? result.message : ""}`)
  return result.invocation
}

const problem = async (argv: ReadonlyArray<string>): Promise<string> => {
  const result = await run(argv)
  if (result._tag !== "Usage") return assert.fail(`${JSON.stringify(argv)} gave ${result._tag}`)
  assert.strictEqual(result.usage, briefHelp())
  return result.message
}

describe("a step", () => {
  it("ends its options at --", async () => {
    assert.deepEqual((await step(["--uncommitted", "--"])).settings.target, { _tag: "Uncommitted" })
  })
})

describe("help", () => {
  it.each(["--uncommitted -- --help", "-- -h", "--base --help", "-n -h", "--help=yes", "-hx", "-fresh", "--h"])(
    "is not asked for by %j",
    async (line) => {
      await problem(line.split(" "))
    }
  )
})

describe("version and completions", () => {
  it("print and are done", async () => {
    assert.deepEqual(await run(["--version"]), { _tag: "Version", text: version })
    for (const argv of [["--completions", "zsh"], ["--completions=zsh"]]) {
      const result = await run(argv)
      assert.strictEqual(result._tag, "Completions")
    }
  })

  const alone: ReadonlyArray<readonly [string, string]> = [
    ["--version --uncommitted", "--version takes no other options"],
    ["--uncommitted --version", "--version takes no other options"],
    ["--version --version", "--version is given more than once"],
    ["--version=1", "--version takes no value"],
    ["--completions bash --uncommitted", "--completions takes no other options"],
    ["--completions", "--completions needs a value: --completions SHELL"],
    ["--completions tcsh", '--completions "tcsh": expected bash, zsh or fish'],
    ["--completions=", '--completions "": expected bash, zsh or fish'],
    ["--completions __proto__", '--completions "__proto__": expected bash, zsh or fish']
  ]
  it.each(alone)("%j is a usage problem: %s", async (line, message) => {
    assert.strictEqual(await problem(line.split(" ")), message)
  })
})

describe("a usage problem", () => {
  const required = "one of --uncommitted, --base BRANCH, --commit SHA or --pr NUM is required"
  const whole = (option: string, text: string, least: number, most: number) =>
    `${option} "${text}": expected a whole number from ${least} to ${most}`
  const problems: ReadonlyArray<readonly [string, string]> = [
    ["--fresh", required],
    ["--uncommitted --base main", "--uncommitted and --base exclude each other"],
    ["--base main --commit x", "--base and --commit exclude each other"],
    ["--base", "--base needs a value: --base BRANCH"],
    ["--uncommitted -n", "-n needs a value: -n N"],
    [
      "--base HEAD~1",
      '--base "HEAD~1": an expression such as HEAD~1 is a revision, not a branch name; name a branch'
    ],
    ["--commit HEAD", '--commit "HEAD": expected a full commit id of 40 hexadecimal digits'],
    ["--pr 0", '--pr "0": expected a pull request number, 1 or more'],
    ["--uncommitted --level max", '--level "max": expected low, medium, high or xhigh'],
    ["--uncommitted --level xhigh --ceiling low", "--ceiling low lies below --level xhigh"],
    ["--uncommitted -n 0", whole("-n", "0", 1, 256)],
    [
      "--uncommitted --step-timeout 8",
      '--step-timeout "8": expected a duration with its unit, such as 90s, 8m or 1h30m'
    ],
    [
      "--uncommitted --idle-timeout 0s",
      '--idle-timeout "0s": expected a duration longer than 0, such as 90s, 8m or 1h30m'
    ],
    ["--uncommitted --expect-head 7", '--expect-head "7": expected SEQ:HASH, a number and 64 hexadecimal digits'],
    [
      "--uncommitted --criteria security",
      "--criteria is not supported: codex review takes no prompt together with a target; leave it out"
    ],
    [
      "--uncommitted --fresh --mark-retro-clean",
      "--fresh and --mark-retro-clean exclude each other: --mark-retro-clean is a side-effect flag"
    ],
    [
      "--uncommitted --inspect --mark-address-passed",
      "--inspect and --mark-address-passed exclude each other: --mark-address-passed is a side-effect flag"
    ],
    ["--uncommitted --inspect --fresh", "--fresh and --inspect exclude each other"],
    [
      "--uncommitted --mark-retro-clean --mark-retro-changes x",
      "--mark-retro-clean and --mark-retro-changes are side-effect flags, which are mutually exclusive"
    ],
    ["--uncommitted --frsh", "unknown flag --frsh (did you mean --fresh?)"],
    ["--uncomitted", "unknown flag --uncomitted (did you mean --uncommitted?)"],
    ["--uncommitted=true", "--uncommitted takes no value"],
    ["-fresh", "unknown flag -fresh (did you mean --fresh?)"],
    ["--n 4", "unknown flag --n (did you mean -n?)"],
    ["-v", "unknown flag -v (did you mean --version?)"],
    ["-V --base", "unknown flag -V (did you mean --version?)"],
    ["--h", "unknown flag --h (did you mean --help?)"],
    ["--__proto__", "unknown flag --__proto__"],
    ["---fresh", "unknown flag ---fresh (did you mean --fresh?)"],
    ["-=x", "unknown flag -=x"],
    ["main", 'unexpected argument "main"'],
    ["audti", 'unexpected argument "audti" (did you mean audit?)'],
    ["help", 'unexpected argument "help" (did you mean --help?)'],
    ["--uncommitted audti", 'unexpected argument "audti"'],
    ["--uncommitted audit", 'unexpected argument "audit": a subcommand is the first argument'],
    ["--fresh true --uncommitted", 'unexpected argument "true"'],
    ["--uncommitted -- main", 'unexpected argument "main"'],
    ...["reviews", "toString"].map((name) => [name, `unexpected argument "${name}"`] as const)
  ]
  it.each(problems)("%s: %s", async (line, message) => {
    assert.strictEqual(await problem(line.split(" ")), message)
  })

  it("is raised for an empty command line and an empty argument", async () => {
    assert.strictEqual(await problem([]), required)
    assert.strictEqual(await problem([""]), 'unexpected argument ""')
  })

  it("is one line of bounded length, whatever was typed", async () => {
    const nasty = `--x\n\r\u2028\u202eUsageError: \0\ud800${"y".repeat(100_000)}`
    for (const argv of [[nasty], [nasty.slice(2)], ["--base", nasty], [`-x${nasty}`], ["--uncommitted", "-n", nasty]]) {
      const message = await problem(argv)
      assert.isBelow(message.length, 300)
      assert.notMatch(message, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]|\p{Surrogate}/u)
    }
  })
})
