// The schema of settings: defaults, bounds, and the text of each refusal.
// Every bound is tested on both sides, with values that an untyped program may pass.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { decode, defaults, isUpsideDown, pathProblem } from "../../../src/run/Settings.ts"

const target = { _tag: "Uncommitted" } as const
const said = (given: object): string | null =>
  Result.match(decode({ target, ...given }), { onFailure: (problem) => problem, onSuccess: () => null })

describe("omitted settings", () => {
  const expected = {
    target,
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
  } as const

  it("have the contract's defaults, except the target, which has none", () => {
    assert.deepStrictEqual(decode({ target }), Result.succeed(expected))
    assert.deepStrictEqual(decode({}), Result.fail("target: Missing key"))
  })

  it("are within their own bounds", () => assert.isNull(said(defaults)))
})

describe("a number", () => {
  const numbers: ReadonlyArray<readonly [string, { readonly least: number; readonly most: number }, string]> = [
    ["batchSize", { least: 1, most: 256 }, "a whole number"],
    ["retries", { least: 0, most: 100 }, "a whole number"],
    ["reviewTimeout", { least: 1, most: 604_800_000 }, "a whole number of milliseconds"]
  ]
  it.each(numbers)("%s lies within its bounds", (name, { least, most }, what) => {
    for (const value of [least, least + 1, most]) assert.isNull(said({ [name]: value }), `${value}`)
    const outside = [least - 1, most + 1, -3, Number.NaN, Infinity, -Infinity, least + 0.5, 1e9, 2 ** 53]
    for (const value of outside) {
      assert.strictEqual(said({ [name]: value }), `${name}: Expected ${what} from ${least} to ${most}`, `${value}`)
    }
    for (const value of ["3", 3n, true, [3], { valueOf: () => 3 }]) {
      assert.match(said({ [name]: value }) ?? "", new RegExp(`^${name}: Expected `))
    }
  })
})

describe("a ladder", () => {
  const levels = ["low", "medium", "high", "xhigh"] as const
  it("has its ceiling at or above its floor", () => {
    for (const [at, floor] of levels.entries()) {
      for (const [above, ceiling] of levels.entries()) {
        const problem = above < at ? `the ceiling ${ceiling} lies below the floor ${floor}` : null
        assert.strictEqual(said({ floor, ceiling }), problem)
        assert.strictEqual(isUpsideDown({ floor, ceiling }), problem !== null)
      }
    }
    assert.isNull(said({ floor: "xhigh" }))
    assert.strictEqual(said({ floor: "max" }), 'floor: Expected "low" | "medium" | "high" | "xhigh"')
  })
})

describe("a path", () => {
  it("is a text that a system call accepts", () => {
    for (const name of ["stateRoot", "codexBin"]) {
      for (const path of ["/a", "./a b", "-x", " ", "ä"]) assert.isNull(said({ [name]: path }))
      assert.strictEqual(said({ [name]: "" }), `${name}: expected a path, not an empty text`)
      assert.strictEqual(said({ [name]: "/a\0b" }), `${name}: a path cannot contain a NUL`)
    }
    assert.isNull(pathProblem("x"))
  })
})

describe("other refusals", () => {
  const hash = "0123456789abcdef".repeat(4)
  const refused: ReadonlyArray<readonly [object, RegExp]> = [
    [{ target: { _tag: "Base", branch: "HEAD~1" } }, /^target: branch: an expression such as HEAD~1 is a revision/],
    [{ target: { _tag: "Base", branch: "--upload-pack=x" } }, /^target: branch: a branch name cannot begin with '-'$/],
    [{ target: { _tag: "Commit", sha: "abc" } }, /^target: sha: /],
    [{ target: { _tag: "PullRequest", number: 0 } }, /^target: number: /],
    [{ target: { _tag: "PullRequest", number: 10_000_000_000 } }, /^target: number: /],
    [{ target: { _tag: "Everything" } }, /^target: /],
    [{ expectHead: { seq: -1, hash } }, /^expectHead: seq: Expected a whole number from 0 to 999999999999999$/],
    [{ expectHead: { seq: 1, hash: hash.slice(1) } }, /^expectHead: hash: Expected 64 hexadecimal digits in lower/],
    [{ strictTarget: "yes" }, /^strictTarget: /],
    [{ json: true }, /^json: /],
    [{ batchsize: 5 }, /^batchsize: /]
  ]
  it.each(refused)("%j", (given, problem) => assert.match(said(given) ?? "", problem))

  it("lists all invalid values at once, in one line", () => {
    const line = "batchSize: Expected a whole number from 1 to 256; jobs: Expected a whole number from 1 to 256"
    assert.strictEqual(said({ jobs: 0, batchSize: 100_000 }), line)
  })

  it("refuses anything but a record", () => {
    for (const given of [null, undefined, 3, "--uncommitted", []]) assert.isTrue(Result.isFailure(decode(given)))
  })
})
