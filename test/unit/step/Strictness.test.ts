// Strictness: which calls fit which runs, and when a strict run's fixed point is stale.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import type { Event } from "../../../src/run/Event.ts"
import { checkFits, isFixedPointStale, StrictnessRefused, trustedCommit } from "../../../src/step/OpenRun.ts"
import { Git } from "../../../src/code/Git.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { batchStarted, created, finished, given, opened, started } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const settings = (given: object) => Invocation.make({ target: { _tag: "Uncommitted" }, ...given }).settings
const said = (strictRun: boolean, given1: object, isMark: boolean) =>
  Effect.runSync(
    Effect.match(checkFits(given([created(strictRun ? { strict: true } : {})]), settings(given1), isMark), {
      onFailure: ({ message }) => message,
      onSuccess: () => null
    })
  )

describe("a call", () => {
  it("that is not strict does not work on a strict run", () => {
    for (const isMark of [true, false]) {
      assert.strictEqual(said(true, {}, isMark), "this run is strict: repeat --strict")
      assert.isNull(said(true, { strict: true }, isMark))
      assert.isNull(said(false, {}, isMark))
    }
  })

  it("that is a strict mark needs a strict run of its floor", () => {
    const strict = { strict: true }
    assert.strictEqual(said(false, strict, true), "this run is not strict: a step with --strict opens one that is")
    assert.strictEqual(
      said(true, { strict: true, floor: "medium" }, true),
      "this run begins at low: repeat --level low"
    )
    assert.isNull(said(false, strict, false))
    assert.isNull(said(true, { strict: true, floor: "medium" }, false))
  })

  it("trusts what the run has trusted from its beginning, and nothing else", () => {
    const trusting = (recorded: string | null, trustFrom: string | null, isMark = false) => {
      const run = given([created({ strict: true, ...(recorded === null ? {} : { trustFrom: recorded }) })])
      return Effect.runSync(Effect.match(checkFits(run, settings({ strict: true, trustFrom }), isMark), {
        onFailure: ({ message }) => message,
        onSuccess: () => null
      }))
    }
    for (const isMark of [true, false]) {
      assert.isNull(trusting("main", "main", isMark))
      assert.isNull(trusting(null, null, isMark))
      for (const other of [null, "release"]) {
        assert.strictEqual(
          trusting("main", other, isMark),
          "this run trusts main: repeat --trust-from main, or open another run with --fresh"
        )
      }
      assert.strictEqual(
        trusting(null, "main", isMark),
        "this run was begun without --trust-from: --fresh opens one that trusts main"
      )
    }
  })

  it("that finds no run names the one it meant", () => {
    const none = (run: string | null) => new StrictnessRefused({ reason: { _tag: "NoRun", run } }).message
    assert.strictEqual(none(null), "there is no run to answer: a strict mark never opens one")
    assert.strictEqual(none("r-1"), "there is no run r-1 to answer: a strict mark never opens one")
  })
})

describe("the commit that a new run trusts", () => {
  const commits: Readonly<Record<string, string>> = {
    main: "1",
    HEAD: "2",
    change: "2",
    ["a".repeat(40)]: "3",
    old: "3"
  }
  const git = Layer.mock(Git)({ commit: (_, name) => Effect.succeed(commits[name] ?? null) })
  const trusting = (trustFrom: string | null, target: object) =>
    Effect.runSync(
      Effect.match(Effect.provide(trustedCommit(settings({ strict: true, trustFrom, target }), "/repo"), git), {
        onFailure: ({ reason }) => reason._tag,
        onSuccess: ({ trustCommit }) => trustCommit
      })
    )

  it("is settled by its id, and is not the change", () => {
    const [base, commit] = [{ _tag: "Base", branch: "main" }, { _tag: "Commit", sha: "a".repeat(40) }]
    assert.isUndefined(trusting(null, base))
    assert.strictEqual(trusting("main", base), "1")
    assert.strictEqual(trusting("HEAD", { _tag: "Uncommitted" }), "2")
    assert.strictEqual(trusting("HEAD", commit), "2")
    for (const [call, target] of [["HEAD", base], ["change", base], ["old", commit]] as const) {
      assert.strictEqual(trusting(call, target), "TrustsTheChange")
    }
    assert.strictEqual(trusting("nowhere", base), "TrustsNoCommit")
  })
})

describe("a fixed point", () => {
  const fixedPoint = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" } as const
  const lines = (code: string): ReadonlyArray<ReadonlyArray<Event>> => [
    [batchStarted({ size: 1, identity: identityOf(code, null) }), started(), finished("Clean")],
    [{ _tag: "BatchCompleted", level: "low", batch: 1, identity: identityOf(code, null) }]
  ]
  const stale = (...after: ReadonlyArray<ReadonlyArray<Event>>) =>
    onMachine(isFixedPointStale(given([created({ strict: true })], ...after)))

  it("is stale where its own batch saw other code than there is now, wherever the run stands", async () => {
    assert.isTrue(await stale(...lines("code-0"), [fixedPoint]))
    assert.isFalse(await stale(...lines("code-1"), [fixedPoint]))
    const elsewhere = batchStarted({ level: "medium", size: 1, identity: identityOf("code-0", null) })
    assert.isFalse(await stale(...lines("code-1"), [opened("medium", 1), elsewhere], [fixedPoint]))
  })

  it("that is none is not stale", async () => assert.isFalse(await stale(...lines("code-0"))))
})
