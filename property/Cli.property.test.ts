// Laws of the command line: total, faithful to values, and every valid invocation has a command line that means it.
// Rule: the command line of an invocation is written here from the contract, never with the parser's own table.
import { Effect } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { misuse } from "../src/cli/misuse.ts"
import { normalise } from "../src/cli/argv.ts"
import { parse, type ParseResult } from "../src/cli/parse.ts"
import { subcommandIn } from "../src/cli/subcommands.ts"
import { briefHelp, usageOn } from "../src/cli/usage.ts"
import type { Action, Answers, Invocation } from "../src/run/Invocation.ts"
import type { Settings } from "../src/run/Settings.ts"
import type { Mark } from "../src/run/Mark.ts"
import type { Target } from "../src/run/Target.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const usage = usageOn(null)

const { actions, marks } = arbitraries

const run = (argv: ReadonlyArray<string>): Promise<ParseResult> => Effect.runPromise(parse(argv))

/** Any text an argv of a hostile test could hold: NULs, lone surrogates, texts that look like flags. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.constantFrom("", "-", "--", "-h", "--help", "--fresh", "-n failed", "--base=x", "=", "true", "false", "-1")
)

const words = fc.constantFrom(
  "--uncommitted",
  "--base",
  "--commit",
  "--pr",
  "--level",
  "--ceiling",
  "-n",
  "--max-iter",
  "--state-root",
  "--codex-bin",
  "--criteria",
  "--fresh",
  "--mark-retro-clean",
  "--mark-retro-changes",
  "--mark-address-passed",
  "--advance-level",
  "--mark-address-failed",
  "--drop-level",
  "--restart-from-floor",
  "--inspect",
  "--json",
  "--strict-target",
  "--strict",
  "--isolate",
  "--batch",
  "low/1@r",
  "--retries",
  "--review-timeout",
  "--idle-timeout",
  "--identity-timeout",
  "--step-timeout",
  "--max-batches",
  "--jobs",
  "--expect-head",
  "--version",
  "--completions",
  "bash",
  "low",
  "xhigh",
  "main",
  "8m",
  "3",
  "--",
  "-n4",
  "--no-fresh",
  "--fresh=true",
  "-h",
  "--help",
  "__proto__",
  "--constructor",
  "stop"
)
const argv = fc.array(fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: text }), { maxLength: 8 })

// What a command line can say of REASON and DETAILS is their text alone; it has no digest for them.
const said = text.map((text) => ({ text }))
const mark = fc.oneof(
  marks.RetroClean(),
  marks.RetroChanges({ reason: said }),
  marks.AddressPassed(),
  marks.AddressFailed({ details: said }),
  marks.AdvanceLevel(),
  marks.DropLevel(),
  marks.RestartFromFloor()
)
const action = fc.oneof(actions.Loop(), actions.Inspect(), actions.SideEffect({ mark }))
const path = text.filter((text) => text !== "" && !text.includes("\0"))
const invocation = arbitraries.invocation({
  settings: arbitraries.settings({ codexBin: path, stateRoot: fc.option(path) }),
  action
})

type Given = readonly [option: string, value?: string]

const ofTarget = (target: Target): Given => {
  switch (target._tag) {
    case "Uncommitted":
      return ["--uncommitted"]
    case "Base":
      return ["--base", target.branch]
    case "Commit":
      return ["--commit", target.sha]
    case "PullRequest":
      return ["--pr", String(target.number)]
  }
}

const ofMark = (mark: Mark): Given => {
  switch (mark._tag) {
    case "RetroClean":
      return ["--mark-retro-clean"]
    case "RetroChanges":
      return ["--mark-retro-changes", mark.reason.text]
    case "AddressPassed":
      return ["--mark-address-passed"]
    case "AddressFailed":
      return ["--mark-address-failed", mark.details.text]
    case "AdvanceLevel":
      return ["--advance-level"]
    case "DropLevel":
      return ["--drop-level"]
    case "RestartFromFloor":
      return ["--restart-from-floor"]
  }
}

const ofAnswers = (
  { batch, level, run }: Answers
): Given => ["--batch", `${level}/${batch}${run === null ? "" : `@${run}`}`]

const ofAction = (action: Action): ReadonlyArray<Given> => {
  switch (action._tag) {
    case "Loop":
      return action.fresh ? [["--fresh"]] : []
    case "Inspect":
      return [["--inspect"]]
    case "SideEffect":
      return [ofMark(action.mark), ...action.answers === undefined ? [] : [ofAnswers(action.answers)]]
  }
}

const time = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000)
  const counts = { h: Math.floor(minutes / 60), m: minutes % 60, s: Math.floor(ms / 1000) % 60, ms: ms % 1000 }
  return Object.entries(counts).filter(([, count]) => count > 0).map(([unit, count]) => `${count}${unit}`).join("")
}

const ofSettings = (it: Settings): ReadonlyArray<Given> => {
  const maybe = (option: string, value: string | number | null): ReadonlyArray<Given> =>
    value === null ? [] : [[option, String(value)]]
  const when = (option: string, on: boolean): ReadonlyArray<Given> => on ? [[option]] : []
  return [
    ofTarget(it.target),
    ["--level", it.floor],
    ["--ceiling", it.ceiling],
    ["-n", String(it.batchSize)],
    ...maybe("--max-iter", it.maxIter),
    ...maybe("--state-root", it.stateRoot),
    ...when("--trust-state-root", it.trustStateRoot),
    ["--codex-bin", it.codexBin],
    ...when("--strict-target", it.strictTarget),
    ...when("--strict", it.strict),
    ...when("--isolate", it.isolate),
    ...maybe("--block", it.block === null ? null : `P${it.block}`),
    ...maybe("--trust-from", it.trustFrom),
    ...maybe("--link", it.link.length === 0 ? null : it.link.join(",")),
    ["--retries", String(it.retries)],
    ["--review-timeout", time(it.reviewTimeout)],
    ["--idle-timeout", `${it.idleTimeout}ms`],
    ["--identity-timeout", `${it.identityTimeout}ms`],
    ...maybe("--step-timeout", it.stepTimeout === null ? null : time(it.stepTimeout)),
    ...maybe("--max-batches", it.maxBatches),
    ...maybe("--jobs", it.jobs),
    ...maybe("--expect-head", it.expectHead === null ? null : `${it.expectHead.seq}:${it.expectHead.hash}`)
  ]
}

/** A command line that means the invocation: flags in some order, each value behind a space or behind `=`. */
const commandLine = (it: Invocation): fc.Arbitrary<ReadonlyArray<ReadonlyArray<string>>> => {
  const given = [...ofSettings(it.settings), ...ofAction(it.action)]
  return fc.tuple(
    fc.shuffledSubarray(given, { minLength: given.length }),
    fc.array(fc.boolean(), { minLength: given.length, maxLength: given.length })
  ).map(([order, joined]) =>
    order.map(([option, value], i) =>
      value === undefined ? [option] : joined[i] === true ? [`${option}=${value}`] : [option, value]
    )
  )
}

const meant = invocation.chain((it) => fc.record({ it: fc.constant(it), line: commandLine(it) }))

/** Command lines on the edge between two results: nothing, help as a value, a value that is missing, twins, strangers. */
const edges: Array<[Array<string>]> = [
  [],
  [""],
  ["--help", "--version"],
  ["--version"],
  ["--version", "--uncommitted"],
  ["--base", "--help"],
  ["--base=--help", "-n"],
  ["--uncommitted", "-n", "-h"],
  ["--uncommitted", "--uncommitted"],
  ["--uncommitted", "--base=main"],
  ["--uncommitted", "--level", "xhigh", "--ceiling", "low"],
  ["--uncommitted", "--fresh", "--inspect"],
  ["--uncommitted", "--", "--help"],
  ["--uncommitted", "--mark-retro-changes"],
  ["--uncommitted", "stop"],
  ["--completions=bash"],
  ["__proto__"]
].map((argv) => [argv])

describe("the command line", () => {
  it("ends in exactly one result, whatever was typed, and says problems in one line", () =>
    fc.assert(
      fc.asyncProperty(argv, async (argv) => {
        const result = await run(argv)
        if (subcommandIn(argv) !== null) return assert.notInclude(["Step", "Version", "Completions"], result._tag)
        switch (result._tag) {
          case "Usage":
            assert.strictEqual(result.usage, briefHelp())
            assert.match(result.message, /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Surrogate}]{1,300}$/u)
            return
          case "Help":
            assert.strictEqual(result.text, usage)
            assert.isTrue(argv.includes("-h") || argv.includes("--help"))
            return
          case "Version":
            return assert.deepEqual(argv, ["--version"])
          case "Completions":
            return assert.match(argv.join("="), /^--completions=(bash|zsh|fish)$/)
          case "Step":
            return assert.isTrue(argv.some((word) => /^--(uncommitted$|base|commit|pr)/.test(word)))
          case "Subcommand":
            return assert.fail("no subcommand was called")
        }
      }),
      { numRuns: 700, examples: edges }
    ))

  it("can be read exactly where effect/cli finds nothing wrong with it", () =>
    fc.assert(
      fc.asyncProperty(argv, async (argv) => {
        const { given, problem, words } = normalise(argv)
        fc.pre(problem === null)
        const { _tag } = await Effect.runPromise(misuse(words))
        assert.strictEqual(given !== null, _tag === "None", `${words.join(" ")}: ${_tag}`)
      }),
      { numRuns: 400, examples: edges }
    ))

  it("reads every valid invocation as itself", () =>
    fc.assert(
      fc.asyncProperty(meant, fc.boolean(), async ({ it, line }, json) => {
        assert.deepStrictEqual(await run([...line.flat(), ...(json ? ["--json"] : [])]), {
          _tag: "Step",
          invocation: it,
          json,
          log: { level: null, file: null },
          store: null
        })
      }),
      { numRuns: 500 }
    ))

  it("prefers help anywhere among the flags, and never finds it in a value", () =>
    fc.assert(
      fc.asyncProperty(meant, fc.nat(), fc.constantFrom("-h", "--help"), async ({ line }, at, help) => {
        const place = at % (line.length + 1)
        const asked = [...line.slice(0, place), [help], ...line.slice(place)].flat()
        assert.deepEqual(await run(asked), { _tag: "Help", text: usage })
      }),
      { numRuns: 200 }
    ))

  it("refuses any flag given twice", () =>
    fc.assert(
      fc.asyncProperty(meant, fc.nat(), async ({ line }, at) => {
        const again = line[at % line.length] ?? []
        const result = await run([...line, again].flat())
        const option = (again[0] ?? "").replace(/=[^]*$/, "")
        assert.deepEqual(result, { _tag: "Usage", message: `${option} is given more than once`, usage: briefHelp() })
      }),
      { numRuns: 200 }
    ))
})
