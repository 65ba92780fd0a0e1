// Settings of a converging run: defaults, bounds on both sides, and the text of each refusal.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { decode, make } from "../../../../src/drive/converge/Settings.ts"
import { decode as decodeStep } from "../../../../src/run/Settings.ts"

const step = { target: { _tag: "Base", branch: "main" }, strict: true } as const
const given = { step, tests: ["npm test"] } as const
const said = (fields: object): string | null =>
  Result.match(decode({ ...given, ...fields }), { onFailure: (problem) => problem, onSuccess: () => null })

const expected = {
  tests: ["npm test"],
  noTest: false,
  testTimeout: 1_800_000,
  fixAttempts: 2,
  undoOnRed: false,
  retro: "agent",
  commitFixes: null,
  protect: [],
  patience: 6,
  maxRounds: 20,
  maxTime: null,
  maxTokens: null,
  agent: "codex",
  agentCmd: null,
  agentModel: null,
  agentEffort: "high",
  agentTimeout: 3_600_000,
  retroModel: null,
  waitQuota: 0,
  contextTokens: null,
  allow: []
} as const

describe("omitted settings", () => {
  it("have defaults, except the tests and the step", () => {
    const whole = Result.map(decodeStep(step), (decoded) => ({ step: decoded, ...expected }))
    assert.deepStrictEqual(decode(given), whole)
    assert.strictEqual(said({ step: undefined }), "step: Expected object")
  })

  it("may be undefined", () => {
    const undefineds = Object.fromEntries(Object.keys(expected).map((name) => [name, undefined]))
    assert.deepStrictEqual(decode({ ...undefineds, ...given }), decode(given))
  })
})

describe("a number", () => {
  it.each(
    [
      ["fixAttempts", 0, 20],
      ["patience", 1, 10_000],
      ["maxRounds", 1, 10_000],
      ["maxTokens", 1, 1_000_000_000_000],
      ["contextTokens", 1000, 100_000_000],
      ["testTimeout", 1, 604_800_000],
      ["agentTimeout", 1, 604_800_000],
      ["maxTime", 0, 31_449_600_000],
      ["waitQuota", 0, 31_449_600_000]
    ] as const
  )("%s is between %d and %d", (name, least, most) => {
    for (const value of [least, most]) assert.isNull(said({ [name]: value }))
    for (const value of [least - 1, most + 1, least + 0.5, "1", Infinity]) {
      assert.match(said({ [name]: value }) ?? "", new RegExp(`^${name}: `))
    }
  })
})

describe("a text", () => {
  it("is not empty and has no NUL", () => {
    const wrong = "expected a text that is not empty and holds no NUL"
    for (const name of ["commitFixes", "agentCmd", "agentModel", "agentEffort", "retroModel"]) {
      assert.isNull(said({ [name]: "x" }))
      for (const value of ["", " \n", "a\0b"]) assert.strictEqual(said({ [name]: value }), `${name}: ${wrong}`)
    }
    for (const name of ["tests", "protect"]) {
      assert.isNull(said({ [name]: ["x", "y"] }))
      assert.strictEqual(said({ [name]: ["x", " "] }), `${name}: 1: ${wrong}`)
    }
  })

  it("is one of the known words", () => {
    assert.match(said({ retro: "always" }) ?? "", /^retro: /)
    assert.match(said({ agent: "gpt" }) ?? "", /^agent: /)
    assert.match(said({ allow: ["all"] }) ?? "", /^allow: 0: /)
    assert.isNull(said({ retro: "never", agent: "claude", allow: ["unsandboxed", "red-baseline"] }))
  })
})

describe("combined settings", () => {
  const refused: ReadonlyArray<readonly [object, string]> = [
    [{ step: { ...step, strict: false } }, "step: a converging run is strict"],
    [
      { step: { ...step, target: { _tag: "Commit", sha: "a".repeat(40) } } },
      "step: a commit does not change, so it cannot converge"
    ],
    [{ tests: [] }, "tests: name the project's tests, or say that there are none"],
    [{ noTest: true }, "tests: name the project's tests, or say that there are none"],
    [{ agent: "command" }, "agentCmd: an agent of this kind needs its program"],
    [
      { commitFixes: "x", step: { ...step, target: { _tag: "Uncommitted" } } },
      "commitFixes: committing the fixes would take them out of the uncommitted changes"
    ]
  ]

  it.each(refused)("%j are refused", (fields, problem) => assert.strictEqual(said(fields), problem))

  it("report everything that is wrong at once, and unknown names", () => {
    assert.strictEqual(said({ tests: [], agent: "command" }), `${refused[2]?.[1]}; ${refused[4]?.[1]}`)
    assert.match(said({ colour: true }) ?? "", /^colour: /)
  })

  it("are accepted if each has what it needs", () => {
    assert.isNull(said({ tests: [], noTest: true }))
    assert.isNull(said({ agent: "command", agentCmd: "my-agent" }))
    assert.isNull(said({ commitFixes: "x" }))
    assert.isNull(said({ step: { ...step, target: { _tag: "Uncommitted" } } }))
  })
})

describe("settings from a program", () => {
  it("are completed, and do not change when they are made again", () => {
    const made = make(given)
    assert.deepStrictEqual(Result.succeed(made), decode(given))
    assert.deepStrictEqual(make(made), made)
  })

  it("are refused with a RangeError that says what is wrong", () => {
    assert.throws(() => make({ ...given, patience: 0 }), RangeError, /^patience: /)
    assert.throws(() => make({ ...given, step: { ...step, strict: false } }), RangeError, "a converging run is strict")
  })
})
