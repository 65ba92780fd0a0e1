// parse: command lines as a user types them, and what each asks for; the rules of the contract one by one.
// Rule: a row states the whole result that matters to its rule; nothing is compared with what the parser itself says.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { parse, type ParseResult } from "../../../src/cli/parse.ts"
import { briefHelp, usageOn } from "../../../src/cli/usage.ts"
import { version } from "../../../src/platform/Version.ts"
import type { Invocation } from "../../../src/run/Invocation.ts"
import { defaultIterations } from "../../../src/run/StepSettings.ts"

const usage = usageOn(null)

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

const sha = "0123456789abcdef0123456789abcdef01234567"
const hash = "ab".repeat(32)

describe("a step", () => {
  it("has the contract's defaults", async () => {
    assert.deepStrictEqual(await step(["--uncommitted"]), {
      settings: {
        target: { _tag: "Uncommitted" },
        floor: "low",
        ceiling: "xhigh",
        batchSize: 3,
        maxIter: null,
        stateRoot: null,
        trustStateRoot: false,
        codexBin: "codex",
        strictTarget: false,
        strict: false,
        isolate: false,
        link: [],
        block: null,
        trustFrom: null,
        retries: 2,
        reviewTimeout: 3_600_000,
        idleTimeout: 1_200_000,
        identityTimeout: 60_000,
        stepTimeout: null,
        maxBatches: null,
        jobs: null,
        expectHead: null
      },
      action: { _tag: "Loop", fresh: false }
    })
  })

  it("takes every setting, in any order", async () => {
    const argv =
      `--json --expect-head 7:${hash} --jobs 2 --max-batches 9 --step-timeout 8m --identity-timeout 45s --idle-timeout 90s ` +
      "--review-timeout 1h30m --retries 0 --strict-target --codex-bin ./codex --state-root /s --max-iter 20 -n 5 " +
      "--isolate --link node_modules,**/dist " +
      "--trust-state-root --ceiling high --level medium --base feature/x"
    const { settings } = await step(argv.split(" "))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(settings)), {
      target: { _tag: "Base", branch: "feature/x" },
      floor: "medium",
      ceiling: "high",
      batchSize: 5,
      maxIter: 20,
      stateRoot: "/s",
      trustStateRoot: true,
      codexBin: "./codex",
      strict: false,
      strictTarget: true,
      isolate: true,
      link: ["node_modules", "**/dist"],
      block: null,
      trustFrom: null,
      retries: 0,
      reviewTimeout: 5_400_000,
      idleTimeout: 90_000,
      identityTimeout: 45_000,
      stepTimeout: 480_000,
      maxBatches: 9,
      jobs: 2,
      expectHead: { seq: 7, hash }
    })
  })

  it("takes what blocks a strict step, and whom to trust", async () => {
    const { settings } = await step("--uncommitted --strict --block P0 --trust-from origin/main~1".split(" "))
    assert.deepInclude(settings, { strict: true, block: 0, trustFrom: "origin/main~1" })
  })

  const targets: ReadonlyArray<readonly [ReadonlyArray<string>, unknown]> = [
    [["--uncommitted"], { _tag: "Uncommitted" }],
    [["--base", "main"], { _tag: "Base", branch: "main" }],
    [["--commit", sha.toUpperCase()], { _tag: "Commit", sha }],
    [["--pr", "1234"], { _tag: "PullRequest", number: 1234 }]
  ]
  it.each(targets)("%j is a target", async (argv, target) => {
    assert.deepEqual((await step(argv)).settings.target, target)
  })

  const actions: ReadonlyArray<readonly [ReadonlyArray<string>, unknown]> = [
    [[], { _tag: "Loop", fresh: false }],
    [["--fresh"], { _tag: "Loop", fresh: true }],
    [["--inspect"], { _tag: "Inspect" }],
    [["--mark-retro-clean"], { _tag: "SideEffect", mark: { _tag: "RetroClean" } }],
    [["--mark-retro-changes", "N+1"], { _tag: "SideEffect", mark: { _tag: "RetroChanges", reason: { text: "N+1" } } }],
    [["--mark-address-passed"], { _tag: "SideEffect", mark: { _tag: "AddressPassed" } }],
    [["--mark-address-failed", "d"], { _tag: "SideEffect", mark: { _tag: "AddressFailed", details: { text: "d" } } }],
    [["--advance-level"], { _tag: "SideEffect", mark: { _tag: "AdvanceLevel" } }],
    [["--drop-level"], { _tag: "SideEffect", mark: { _tag: "DropLevel" } }],
    [["--restart-from-floor"], { _tag: "SideEffect", mark: { _tag: "RestartFromFloor" } }]
  ]
  it.each(actions)("%j is an action", async (argv, action) => {
    assert.deepEqual((await step(["--uncommitted", ...argv])).action, action)
    assert.deepEqual((await step([...argv, "--uncommitted"])).action, action)
  })

  it.each(["-n", "-n=", "-n "])("reads the number behind %j", async (flag) => {
    const argv = flag === "-n " ? ["-n", "4"] : [`${flag}4`]
    assert.strictEqual((await step(["--uncommitted", ...argv])).settings.batchSize, 4)
  })

  it("ignores the iteration cap beside a mark", async () => {
    const { action, settings } = await step(["--uncommitted", "--mark-retro-clean", "--max-iter", "1"])
    assert.deepEqual(action, { _tag: "SideEffect", mark: { _tag: "RetroClean" } })
    assert.strictEqual(settings.maxIter, 1)
  })

  it("knows a cap that equals the default from none", async () => {
    const argv = ["--uncommitted", "--max-iter", String(defaultIterations)]
    assert.strictEqual((await step(argv)).settings.maxIter, defaultIterations)
  })

  it("ends its options at --", async () => {
    assert.deepEqual((await step(["--uncommitted", "--"])).settings.target, { _tag: "Uncommitted" })
  })
})

describe("a value", () => {
  const texts = [
    "",
    " ",
    "-",
    "--",
    "-h",
    "--help",
    "--version",
    "-n failed",
    "--fresh",
    "--mark-retro-clean=false",
    "=",
    "a=b",
    "-1",
    "true",
    "runs",
    "test_X failed at line 42: expected ok, got Err(...)",
    "two\nlines\r\n",
    "\0",
    "\ud800",
    "ä\u2028\u202e"
  ]
  it.each(texts)("may be %j", async (text) => {
    for (const argv of [["--mark-address-failed", text], [`--mark-address-failed=${text}`]]) {
      assert.deepEqual((await step([...argv, "--uncommitted"])).action, {
        _tag: "SideEffect",
        mark: { _tag: "AddressFailed", details: { text } }
      })
    }
  })
})

describe("help", () => {
  const asking: ReadonlyArray<ReadonlyArray<string>> = [
    ["-h"],
    ["--help"],
    ["--help", "--help"],
    ["--uncommitted", "--help"],
    ["--base", "main", "--pr", "0", "-h"],
    ["--bogus", "-h"],
    ["-bogus", "operand", "--help"],
    ["--fresh=true", "--help"],
    ["--version", "--help"],
    ["--completions", "bash", "--help"],
    ["--mark-retro-changes", "--help", "--help"],
    ["-n", "-h", "-h"],
    ["--help", "--"],
    ["paint", "--help"]
  ]
  it.each(asking)("is asked for by %j %j %j %j %j", async (...argv) => {
    assert.deepEqual(await run(argv.filter((word) => word !== undefined)), { _tag: "Help", text: usage })
  })

  const values: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["--uncommitted", "--mark-retro-changes", "-h"], "-h"],
    [["--uncommitted", "--mark-retro-changes", "--help"], "--help"],
    [["--uncommitted", "--mark-retro-changes=--help"], "--help"]
  ]
  it.each(values)("%j is a mark whose reason is the text", async (argv, text) => {
    const { action } = await step(argv)
    assert.deepEqual(action, { _tag: "SideEffect", mark: { _tag: "RetroChanges", reason: { text } } })
  })

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
    ["--version --uncommitted", "--version stands alone"],
    ["--uncommitted --version", "--version stands alone"],
    ["--version --version", "--version is given more than once"],
    ["--version=1", "--version takes no value"],
    ["--completions bash --uncommitted", "--completions stands alone"],
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
    ["--mark-retro-clean", required],
    ["--level high", required],
    ["--uncommitted --base main", "--uncommitted and --base exclude each other"],
    ["--base main --commit x", "--base and --commit exclude each other"],
    ["--pr 1 --uncommitted --commit x", "--uncommitted and --commit and --pr exclude each other"],
    ["--uncommitted --uncommitted", "--uncommitted is given more than once"],
    ["--base a --base b", "--base is given more than once"],
    ["--uncommitted -n 1 -n2", "-n is given more than once"],
    ["--uncommitted --json --json", "--json is given more than once"],
    ["--base", "--base needs a value: --base BRANCH"],
    ["--uncommitted -n", "-n needs a value: -n N"],
    [
      "--base HEAD~1",
      '--base "HEAD~1": an expression such as HEAD~1 is a revision, not a branch name; name a branch'
    ],
    ["--base --fresh", "--base \"--fresh\": a branch name cannot begin with '-'"],
    ["--base=", '--base "": a branch name cannot be empty'],
    ["--base ../../etc", "--base \"../../etc\": a branch name cannot contain '..'"],
    ["--commit HEAD", '--commit "HEAD": expected a full commit id of 40 hexadecimal digits'],
    [`--commit ${sha.slice(1)}`, `--commit "${sha.slice(1)}": expected a full commit id of 40 hexadecimal digits`],
    ["--pr 0", '--pr "0": expected a pull request number, 1 or more'],
    ["--pr x", '--pr "x": expected a pull request number, 1 or more'],
    ["--uncommitted --level max", '--level "max": expected low, medium, high or xhigh'],
    ["--uncommitted --level=", '--level "": expected low, medium, high or xhigh'],
    ["--uncommitted --ceiling HIGH", '--ceiling "HIGH": expected low, medium, high or xhigh'],
    ["--uncommitted --level xhigh --ceiling low", "--ceiling low lies below --level xhigh"],
    ["--uncommitted --ceiling medium --level high --mark-retro-clean", "--ceiling medium lies below --level high"],
    ["--uncommitted -n 0", whole("-n", "0", 1, 256)],
    ["--uncommitted -nfoo", whole("-n", "foo", 1, 256)],
    ["--uncommitted -n 257", whole("-n", "257", 1, 256)],
    ["--uncommitted --max-iter 0", whole("--max-iter", "0", 1, 1_000_000)],
    ["--uncommitted --mark-retro-clean --max-iter 0", whole("--max-iter", "0", 1, 1_000_000)],
    ["--uncommitted --retries -1", whole("--retries", "-1", 0, 100)],
    ["--uncommitted --jobs 0", whole("--jobs", "0", 1, 256)],
    ["--uncommitted --max-batches 0", whole("--max-batches", "0", 1, 1_000_000)],
    [
      "--uncommitted --step-timeout 8",
      '--step-timeout "8": expected a duration with its unit, such as 90s, 8m or 1h30m'
    ],
    [
      "--uncommitted --idle-timeout 0s",
      '--idle-timeout "0s": expected a duration longer than 0, such as 90s, 8m or 1h30m'
    ],
    ["--uncommitted --review-timeout 169h", '--review-timeout "169h": expected a duration of at most 168h'],
    ["--uncommitted --expect-head 7", '--expect-head "7": expected SEQ:HASH, a number and 64 hexadecimal digits'],
    ["--uncommitted --state-root=", '--state-root "": expected a path, not an empty text'],
    ["--uncommitted --codex-bin=", '--codex-bin "": expected a path, not an empty text'],
    [
      "--uncommitted --criteria security",
      "--criteria is not supported: codex review takes no prompt together with a target; leave it out"
    ],
    ["--criteria=", "--criteria is not supported: codex review takes no prompt together with a target; leave it out"],
    [
      "--uncommitted --fresh --mark-retro-clean",
      "--fresh and --mark-retro-clean exclude each other: --mark-retro-clean is a side-effect flag"
    ],
    [
      "--uncommitted --drop-level --fresh",
      "--fresh and --drop-level exclude each other: --drop-level is a side-effect flag"
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
    [
      "--uncommitted --advance-level --drop-level --fresh",
      "--advance-level and --drop-level are side-effect flags, which are mutually exclusive"
    ],
    ["--uncommitted --frsh", "unknown flag --frsh (did you mean --fresh?)"],
    ["--uncomitted", "unknown flag --uncomitted (did you mean --uncommitted?)"],
    ["--uncommitted --bogus=1", "unknown flag --bogus"],
    ["--no-uncommitted", "unknown flag --no-uncommitted"],
    ["--uncommitted --mark-retro-clean=false", "--mark-retro-clean takes no value"],
    ["--uncommitted=true", "--uncommitted takes no value"],
    ["-fresh", "unknown flag -fresh (did you mean --fresh?)"],
    ["-frsh", "unknown flag -frsh (did you mean --fresh?)"],
    ["--n 4", "unknown flag --n (did you mean -n?)"],
    ["-v", "unknown flag -v (did you mean --version?)"],
    ["-V --base", "unknown flag -V (did you mean --version?)"],
    ["--h", "unknown flag --h (did you mean --help?)"],
    ["-x", "unknown flag -x"],
    ["--wizard", "unknown flag --wizard"],
    ["--__proto__", "unknown flag --__proto__"],
    ["---fresh", "unknown flag ---fresh (did you mean --fresh?)"],
    ["--=", "unknown flag --"],
    ["-=x", "unknown flag -=x"],
    ["-3", "unknown flag -3"],
    ["main", 'unexpected argument "main"'],
    ["audti", 'unexpected argument "audti" (did you mean audit?)'],
    ["AUDIT --all", 'unexpected argument "AUDIT" (did you mean audit?)'],
    ["help", 'unexpected argument "help" (did you mean --help?)'],
    ["--uncommitted audti", 'unexpected argument "audti"'],
    ["--uncommitted audit", 'unexpected argument "audit": a subcommand is the first argument'],
    ["-h=1", "unknown flag -h=1"],
    ["--uncommitted main", 'unexpected argument "main"'],
    ["--fresh true --uncommitted", 'unexpected argument "true"'],
    ["--uncommitted -", 'unexpected argument "-"'],
    ["--uncommitted -- main", 'unexpected argument "main"'],
    ["--uncommitted -- -n", 'unexpected argument "-n"'],
    ["--uncommitted -- --", 'unexpected argument "--"'],
    ["--help2 --base", "unknown flag --help2 (did you mean --help?)"],
    ["operand --bogus", 'unexpected argument "operand"'],
    ["--bogus operand", "unknown flag --bogus"],
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
