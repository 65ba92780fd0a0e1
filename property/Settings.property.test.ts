// Laws of the settings: what is accepted lies within its bounds, and the command line and a program are refused alike.
// Rule: the command line is written here from the contract, and each value as people write it.
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parse } from "../src/cli/parse.ts"
import { make } from "../src/run/Invocation.ts"
import { decode, type Settings } from "../src/run/Settings.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

/** Numbers on both sides of every bound, and what no number of anything can be. */
const edges = [
  0,
  1,
  2,
  100,
  101,
  255,
  256,
  257,
  1_000_000,
  1_000_001,
  604_800_000,
  604_800_001,
  -1,
  -3,
  0.5,
  1.5,
  100_000,
  1e21,
  2 ** 53,
  Number.NaN,
  Infinity,
  -Infinity
]
const number = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -2, max: 300 }) },
  { weight: 2, arbitrary: fc.constantFrom(...edges) },
  // JSON and argv know no negative zero.
  { weight: 1, arbitrary: fc.double().filter((value) => !Object.is(value, -0)) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 700_000_000 }) }
)
const text = fc.oneof(fc.constantFrom("", "/a", "./a b", "-n", "a\0b"), fc.string({ maxLength: 6 }))
const level = fc.oneof({ weight: 8, arbitrary: fc.constantFrom("low", "medium", "high", "xhigh") }, text)
const hash = fc.oneof(fc.constantFrom("ab".repeat(32), "", "ab", "xy".repeat(32)), fc.string({ maxLength: 4 }))
const target = fc.oneof(
  fc.constant({ _tag: "Uncommitted" }),
  fc.record({ _tag: fc.constant("Base"), branch: fc.oneof(fc.constantFrom("main", "HEAD~1", "-x", "a..b"), text) }),
  fc.record({ _tag: fc.constant("Commit"), sha: fc.oneof(fc.constantFrom("ab".repeat(20), "HEAD"), text) }),
  fc.record({ _tag: fc.constant("PullRequest"), number: fc.oneof(number, fc.constantFrom(9_999_999_999, 1e10)) })
)
const times = ["reviewTimeout", "idleTimeout", "identityTimeout", "stepTimeout"] as const

type Raw = Readonly<Record<string, unknown>> & { readonly target: Readonly<Record<string, unknown>> }

const values = {
  target,
  floor: level,
  ceiling: level,
  batchSize: number,
  maxIter: number,
  stateRoot: text,
  codexBin: text,
  retries: number,
  reviewTimeout: number,
  idleTimeout: number,
  identityTimeout: number,
  stepTimeout: number,
  maxBatches: number,
  jobs: number,
  block: number,
  trustFrom: text,
  expectHead: fc.record({ seq: number, hash })
}
const pick = (from: object, names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
const some = fc.subarray(Object.keys(values), { maxLength: 3 })

/** Settings as a program without types may give them: good ones, a few of them replaced or left out. */
const raw: fc.Arbitrary<Raw> = fc.tuple(arbitraries.settings(), fc.record(values), some, some).map(
  ([good, other, replaced, left]) => {
    const kept = Object.entries(good).filter(([name]) => name === "target" || !left.includes(name))
    return { target: good.target, ...Object.fromEntries(kept), ...pick(other, replaced) }
  }
)

const options: Readonly<Record<string, string>> = {
  floor: "--level",
  ceiling: "--ceiling",
  batchSize: "-n",
  maxIter: "--max-iter",
  stateRoot: "--state-root",
  codexBin: "--codex-bin",
  retries: "--retries",
  reviewTimeout: "--review-timeout",
  idleTimeout: "--idle-timeout",
  identityTimeout: "--identity-timeout",
  stepTimeout: "--step-timeout",
  maxBatches: "--max-batches",
  jobs: "--jobs",
  trustFrom: "--trust-from",
  Base: "--base",
  Commit: "--commit",
  PullRequest: "--pr"
}

/** The command line that says the same. A digit or more is a number to it; everything else is not. */
const argvOf = ({ target: { _tag, ...named }, ...others }: Raw): ReadonlyArray<string> => [
  ..._tag === "Uncommitted" ? ["--uncommitted"] : [`${options[String(_tag)]}=${String(Object.values(named)[0])}`],
  ...Object.entries(others).flatMap(([name, value]) => {
    if (value === null) return []
    if (name === "strictTarget") return value === true ? ["--strict-target"] : []
    if (name === "isolate") return value === true ? ["--isolate"] : []
    if (name === "link") return Array.isArray(value) && value.length > 0 ? [`--link=${value.join(",")}`] : []
    if (name === "trustStateRoot") return value === true ? ["--trust-state-root"] : []
    if (name === "strict") return value === true ? ["--strict"] : []
    if (name === "block") return [`--block=P${String(value)}`]
    if (name === "expectHead") return [`--expect-head=${Object.values(Object(value)).join(":")}`]
    const unit = times.some((time) => time === name) ? "ms" : ""
    return [`${options[name]}=${String(value)}${unit}`]
  })
]

const fromArgv = async (given: Raw): Promise<Settings | null> => {
  const result = await Effect.runPromise(parse(argvOf(given)))
  return result._tag === "Step" ? result.invocation.settings : null
}

const fromProgram = (given: Raw): Settings | null =>
  Result.match(decode(given), { onFailure: () => null, onSuccess: (settings) => settings })

const named = (name: string, value: unknown): [Raw] => [{ target: { _tag: "Uncommitted" }, [name]: value }]
const examples: Array<[Raw]> = [
  ...["batchSize", "jobs", "maxIter", "maxBatches", "retries", ...times].flatMap((name) =>
    edges.map((value) => named(name, value))
  ),
  ...["stateRoot", "codexBin"].flatMap((name) => ["", "a\0b", "-n"].map((value) => named(name, value))),
  named("floor", "max"),
  ...[[], [""], ["/abs"], ["a/../b"], ["node_modules", "**/dist"], ["a", ""]].flatMap((link): Array<[Raw]> => [
    [{ target: { _tag: "Uncommitted" }, isolate: true, link }],
    [{ target: { _tag: "Uncommitted" }, link }]
  ]),
  ...[null, 0, 3, 4, -1, 1.5].flatMap((block): Array<[Raw]> => [
    [{ target: { _tag: "Uncommitted" }, strict: true, block }],
    [{ target: { _tag: "Uncommitted" }, block }]
  ]),
  ...["main", "HEAD~1", "", "-n", "a b", "a\nb"].flatMap((trustFrom): Array<[Raw]> => [
    [{ target: { _tag: "Uncommitted" }, strict: true, trustFrom }],
    [{ target: { _tag: "Uncommitted" }, trustFrom }]
  ]),
  [{ target: { _tag: "Uncommitted" }, floor: "xhigh", ceiling: "low" }],
  [{ target: { _tag: "PullRequest", number: 1e10 } }],
  [{ target: { _tag: "Base", branch: "a..b" } }]
]

describe("settings", () => {
  it("are accepted and refused alike, from the command line and from a program", () =>
    fc.assert(
      fc.asyncProperty(raw, async (given) => assert.deepStrictEqual(fromProgram(given), await fromArgv(given))),
      { numRuns: 700, examples }
    ))

  it("that are accepted lie within their bounds", () =>
    fc.assert(
      fc.property(raw, (given) => {
        const settings = fromProgram(given)
        fc.pre(settings !== null)
        const { batchSize, ceiling, floor, jobs, maxBatches, maxIter, retries, stepTimeout } = settings
        const within = (least: number, most: number, ...values: ReadonlyArray<number | null>) => {
          for (const value of values) {
            if (value !== null) assert.isTrue(value >= least && value <= most && value % 1 === 0)
          }
        }
        within(1, 256, batchSize, jobs)
        within(1, 1_000_000, maxIter, maxBatches)
        within(0, 100, retries)
        within(1, 604_800_000, settings.reviewTimeout, settings.idleTimeout, settings.identityTimeout, stepTimeout)
        const ladder = ["low", "medium", "high", "xhigh"]
        assert.isAtMost(ladder.indexOf(floor), ladder.indexOf(ceiling))
        for (const path of [settings.stateRoot ?? "/", settings.codexBin]) assert.match(path, /^[^\0]+$/)
      }),
      { numRuns: 700 }
    ))

  it("that the kit makes are accepted as they are", () =>
    fc.assert(fc.property(arbitraries.settings(), (settings) => {
      assert.deepStrictEqual(make(settings).settings, settings)
    })))
})
