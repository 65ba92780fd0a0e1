// Consent: it is asked once a run, and the log remembers it.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { ConsentNeeded, contentOf, requireConsent } from "../../../src/agent/Consent.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { Memory } from "../../../src/testing.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { committed, events, order, ran, workers } from "../../support/agents.ts"

const asked = (allow: Parameters<typeof requireConsent>[2]) =>
  Effect.flatMap(openDriver(runRef()), (driver) => requireConsent(driver, "red-baseline", allow))

describe("consent", () => {
  it("that is missing is asked for by the flag that gives it", async () => {
    const error = await onMachine(Effect.flip(asked(["unsandboxed"])))
    assert.instanceOf(error, ConsentNeeded)
    assert.include(error.message, "[--allow red-baseline]")
  })

  it("is remembered by the log, once", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* asked(["red-baseline"])
      yield* asked([])
      yield* asked(["red-baseline"])
      return yield* events
    }))
    assert.deepStrictEqual(log, [{ _tag: "ConsentGiven", consent: "red-baseline" }])
  })

  it("to one content holds for that alone, and is remembered", async () => {
    const tests = (content: string | null, allow: Parameters<typeof requireConsent>[2]) =>
      Effect.flatMap(openDriver(runRef()), (driver) => requireConsent(driver, "repository-tests", allow, content))
    const { error, log } = await onMachine(Effect.gen(function*() {
      yield* tests("aa", ["repository-tests"])
      yield* tests("aa", [])
      const error = yield* Effect.flip(tests("bb", []))
      yield* Effect.flip(tests(null, []))
      yield* tests("bb", ["repository-tests"])
      return { error, log: yield* events }
    }))
    assert.match(
      error.message,
      /^running the tests of the repository's own configuration needs your consent, once a run and after each change of them \[--allow repository-tests\]$/
    )
    assert.deepStrictEqual(log, [
      { _tag: "ConsentGiven", consent: "repository-tests", content: "aa" },
      { _tag: "ConsentGiven", consent: "repository-tests", content: "bb" }
    ])
  })

  it("names a content by its texts, their borders and their order", async () => {
    const all = await Promise.all(
      [["a", "b"], ["ab"], ["b", "a"], ["a", "b"]].map((one) => Effect.runPromise(contentOf(one)))
    )
    assert.lengthOf(new Set(all), 3)
    assert.strictEqual(all[0], "0473ef2dc0d324ab659d3580c1134e9d812035905c4781fdd6d529b0c6860e13")
  })

  it("is decided again where another process was first", async () => {
    const log = await onMachine(Effect.gen(function*() {
      const old = yield* openDriver(runRef())
      yield* committed({ _tag: "ConsentGiven", consent: "unsandboxed" })
      yield* requireConsent(old, "unsandboxed", ["unsandboxed"])
      return yield* events
    }))
    assert.lengthOf(log, 1)
  })
})

describe("an agent without a sandbox", () => {
  const options = { agent: Memory.agents({ confined: false }) }

  it("is not even committed without consent", async () => {
    const { error, log, started } = await onMachine(
      Effect.gen(function*() {
        const error = yield* Effect.flip(ran())
        return { error, log: yield* events, started: yield* workers }
      }),
      options
    )
    assert.include(error, { _tag: "ConsentNeeded", consent: "unsandboxed" })
    assert.deepStrictEqual([log.length, started.length], [0, 0])
  })

  it("runs with consent, which no later call asks for", async () => {
    const log = await onMachine(
      Effect.gen(function*() {
        yield* ran(order({ allow: ["unsandboxed"] }))
        yield* ran(order({ agent: 2 }))
        return yield* events
      }),
      options
    )
    assert.deepStrictEqual(log.map(({ _tag }) => _tag), [
      "ConsentGiven",
      "AgentStarted",
      "AgentFinished",
      "AgentStarted",
      "AgentFinished"
    ])
  })
})
