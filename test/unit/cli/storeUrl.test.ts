// storeUrl: the flag before the environment, a password from where no process reads it, and no address in any message.
import { Effect, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { codexProblem, storeOf, storeUrl } from "../../../src/cli/targetOptions.ts"
import { Environment } from "../../../src/platform/Environment.ts"

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

it("has codex of its own: a step that names another is told so", () => {
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
