// Environment: the environment of an invocation: one that is provided, or none, and what of it programs get.
// The variables of this very process are never seen.
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import {
  CallersPath,
  Environment,
  variable,
  type Variables,
  withCallersPath,
  withoutStore,
  withRootedPath
} from "../../../src/platform/Environment.ts"

describe("The environment of an invocation", () => {
  beforeEach(() => void vi.stubEnv("OODA_SECRET", "of the process"))
  afterEach(() => vi.unstubAllEnvs())

  const text = (name: string, env: Variables) =>
    Effect.runPromise(Effect.provideService(variable(name), Environment, env))

  describe("a variable", () => {
    it("is what the environment says, as it is written there", async () => {
      for (const value of ["x", " ", "0", "a=b", "two\nlines", "~/x", "$HOME"]) {
        assert.strictEqual(await text("OODA_SECRET", { OODA_SECRET: value }), value)
      }
    })

    it("is null where it is not set or empty", async () => {
      for (
        const env of [{}, { OODA_SECRET: undefined }, { OODA_SECRET: "" }, { OODA: "x" }, { OODA_SECRET_TOO: "x" }]
      ) {
        assert.isNull(await text("OODA_SECRET", env))
      }
      for (const name of ["toString", "__proto__", "constructor"]) assert.isNull(await text(name, {}))
    })

    it("is distinguished from others whose names begin alike", async () => {
      assert.strictEqual(await text("OODA_SECRET", { OODA: "a", OODA_SECRET: "b", OODA_SECRET_0: "c" }), "b")
    })

    it("is nothing where no one provides an environment", async () => {
      assert.isNull(await Effect.runPromise(variable("OODA_SECRET")))
      assert.deepEqual(await Effect.runPromise(Environment), {})
    })
  })

  it("who works in the files of strangers finds no program there", () => {
    const PATH = ":.:node_modules/.bin:/usr/bin:~/bin::/bin:"
    assert.deepEqual(withRootedPath({ A: "./x", PATH }), { A: "./x", PATH: "/usr/bin:/bin" })
    assert.deepEqual(withRootedPath({ A: "x", PATH: "." }), { A: "x" })
    assert.deepEqual(withRootedPath({}), {})
  })

  it("what belongs to the caller gets the caller's PATH", async () => {
    const given = withCallersPath({ A: "x", PATH: "/usr/bin" })
    assert.deepEqual(await Effect.runPromise(given), { A: "x", PATH: "/usr/bin" })
    const PATH = "node_modules/.bin:/usr/bin"
    assert.deepEqual(await Effect.runPromise(Effect.provideService(given, CallersPath, PATH)), { A: "x", PATH })
  })

  it("who works with reviewers on this machine hears of no store in a database", () => {
    const others = { OODA_STATE_ROOT: "/state", PATH: "/bin" }
    assert.deepEqual(withoutStore({ ...others, OODA_STORE: "postgres://u:s3cret@h/x" }), others)
    assert.deepEqual(withoutStore(others), others)
  })
})
