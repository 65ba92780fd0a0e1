// targetOptions: the options that name a target or a store; no address is repeated in a message, no password is on a command line.
import { Effect, Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import fc from "fast-check"
import { flags } from "../../../src/cli/flags.ts"
import {
  codexProblem,
  excludeEachOther,
  storeOf,
  storeOption,
  storeUrl,
  storeUrlProblem,
  targetOf,
  targetRequired,
  withPassword
} from "../../../src/cli/targetOptions.ts"
import { Environment } from "../../../src/platform/Environment.ts"

const modes = flags.filter(({ group }) => group === "Mode").map(({ flag }) => flag)
const read = (option: string, text: string) => targetOf((flag) => flag === option ? [text] : [], targetRequired)

describe("a target", () => {
  it("that is missing is asked for by every option", () => {
    for (const option of modes) assert.include(targetRequired, option)
    assert.deepStrictEqual(read("--none", ""), Result.fail(targetRequired))
  })
})

it("options that exclude each other are named", () =>
  assert.strictEqual(excludeEachOther(["--a", "--b", "--c"]), "--a and --b and --c exclude each other"))

const [shown, hidden] = [{ shown: true }, { shown: false }]

describe("the address of a store", () => {
  it.each([
    "postgres://h/x",
    "postgresql://u@h:5433/x?sslmode=require",
    "postgres://u@localhost/x?host=/run/postgresql",
    "postgres://h/x?sslmode=no-verify"
  ])("may be %s", (url) => {
    assert.isNull(storeUrlProblem(url, shown))
    assert.isNull(storeUrlProblem(url, hidden))
  })

  it.each([
    ["", /expected the URL/],
    ["x", /expected the URL/],
    ["http://h/x", /expected the URL/],
    ["postgres://h", /names its database/],
    ["postgres://h/", /names its database/],
    ["postgres://h/x?sslmode=sometimes", /is one of disable, allow, prefer, no-verify, require, verify-ca, verify-full/]
  ])("is not %j", (url, why) => assert.match(`${storeUrlProblem(url, hidden)}`, why))

  it.each(["postgres://u:s3cret@h/x", "postgres://h/x?password=s3cret"])(
    "that others read holds no password",
    (url) => {
      assert.isNull(storeUrlProblem(url, hidden))
      assert.match(`${storeUrlProblem(url, shown)}`, /\$PGPASSWORD/)
    }
  )

  it("is repeated by no refusal", () =>
    fc.assert(fc.property(fc.string({ minLength: 4 }), (text) => {
      const problem = storeUrlProblem(text, shown)
      if (problem !== null) assert.isTrue(!problem.includes(text) || /^[a-z ]+$/i.test(text))
    })))
})

describe("a password of the environment", () => {
  it.each([
    ["postgres://u@h/x", "p@ss/1", "postgres://u:p%40ss%2F1@h/x"],
    ["postgres://u:own@h/x", "other", "postgres://u:own@h/x"],
    ["postgres://h/x?password=own", "other", "postgres://h/x?password=own"],
    ["postgres://u@h/x", null, "postgres://u@h/x"]
  ])(
    "with %j and %j is %j",
    (url, password, expected) => assert.deepStrictEqual(withPassword(url, password), Result.succeed(expected))
  )
})

describe("--store", () => {
  const asked = (store: string | null, root: string | null = null) =>
    Result.getOrElse(
      storeOption((flag) => [flag === "--store" ? store : root].filter((text) => text !== null)),
      (problem) => ({ problem })
    )

  it("is null where none is named, whatever the state root", () =>
    assert.deepStrictEqual([asked(null), asked(null, "/state")], [null, null]))

  it("is a URL of PostgreSQL", () => {
    for (const url of ["postgres://u@h/x", "postgresql://h/x?host=%2Frun"]) assert.strictEqual(asked(url), url)
    for (const text of ["", "mysql://annabel@h/x", "postgres://annabel@h", "annabel"]) {
      const { problem } = Object(asked(text))
      assert.match(problem, /^--store: /)
      assert.notInclude(problem, "annabel")
    }
  })

  it("holds no password, which others could read", () => {
    for (const url of ["postgres://u:s3cret@h/x", "postgres://u@h/x?password=s3cret"]) {
      assert.deepStrictEqual(asked(url), {
        problem:
          "--store: others can read a password on a command line; give the URL by $OODA_STORE, or the password " +
          "by $PGPASSWORD"
      })
    }
  })

  it("excludes a state root", () =>
    assert.deepStrictEqual(asked("postgres://h/x", "/state"), {
      problem: "--store and --state-root exclude each other"
    }))
})

describe("a store of the command line or the environment", () => {
  const asked = (named: string | null, env: Record<string, string>) =>
    Effect.runPromise(Effect.result(Effect.provideService(storeUrl(named), Environment, env)))

  describe("the store", () => {
    it.each([
      ["postgres://u@h/x", {}, "postgres://u@h/x"],
      ["postgres://u@h/x", { OODA_STORE: "postgres://u@h/y" }, "postgres://u@h/x"],
      [null, { OODA_STORE: "postgres://u:own@h/y", PGPASSWORD: "other" }, "postgres://u:own@h/y"],
      [null, { OODA_STORE: "postgres://u@h/y", PGPASSWORD: "p" }, "postgres://u:p@h/y"]
    ])("of %j and %j is %j", async (named, env, url) => {
      const found = await asked(named, env)
      assert.strictEqual(found._tag === "Success" ? Redacted.value(found.success) : "", url)
    })

    it.each([
      [null, {}, /no store is named \[give its URL by \$OODA_STORE or --store\]/],
      [null, { OODA_STORE: "s3cret" }, /^\$OODA_STORE: expected the URL/],
      ["postgres://u:s3cret@h/x", {}, /^--store: others can read a password/]
    ])("of %j and %j is refused", async (named, env, why) => {
      const found = await asked(named, env)
      assert.match(found._tag === "Failure" ? found.failure.message : "", why)
      assert.notMatch(JSON.stringify(found), /s3cret/)
    })
  })

  it("has codex of its own: a step that names another is refused", () => {
    assert.isNull(codexProblem({ codexBin: "codex" }))
    for (const codexBin of ["./codex", "/opt/codex", "codex-2"]) {
      assert.match(codexProblem({ codexBin }) ?? "", /^--codex-bin names a program of this machine[^\n]* \[give it to/)
    }
  })

  describe("a call works", () => {
    const found = (store: string | null, stateRoot: string | null, env: Record<string, string>) =>
      Effect.runPromise(
        storeOf({ store, stateRoot }).pipe(
          Effect.map((url) => url === null ? null : Redacted.value(url)),
          Effect.provideService(Environment, env)
        )
      )
    const OODA_STORE = "postgres://u@h/y"

    it("in the store in a database that is named, else in the one of the environment", async () => {
      assert.strictEqual(await found("postgres://u@h/x", null, { OODA_STORE }), "postgres://u@h/x")
      assert.strictEqual(await found(null, null, { OODA_STORE }), OODA_STORE)
    })

    it("in a state root where no other store is named, or one is named on the command line", async () => {
      assert.isNull(await found(null, null, {}))
      assert.isNull(await found(null, null, { OODA_STORE: "" }))
      assert.isNull(await found(null, "/state", { OODA_STORE }))
    })
  })
})
