// Play: invocations on a machine, told in the model's words, and held to them.
import { Effect, Exit } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as Memory from "../../../../src/testing/Memory.ts"
import { Broken } from "../../../../src/testing/model/Invariants.ts"
import {
  agree,
  foretold,
  found,
  inspect,
  loop,
  machine,
  mark,
  same,
  succeeded,
  tellable,
  together
} from "../../../../src/testing/model/Play.ts"
import { start, type System } from "../../../../src/testing/System.ts"
import { call, clean, parts, run, runs } from "./someRuns.ts"

let system: System
beforeEach(() => {
  system = start(Memory.layer())
})
afterEach(() => system.dispose())

const outcome = (effect: ReturnType<typeof loop>) => succeeded(system.run(effect))

describe("an invocation", () => {
  it.each([
    ["DoneFixedPoint", call()],
    ["HandoffAgent: Retrospective at low", call({ ceiling: "high" })],
    ["HandoffAgent: AddressBatch of 2 at low", call({ size: 2, parts: parts("issues") })],
    ["BinaryError", call({ parts: parts("failure") })],
    ["Idle", call({ bounded: true, parts: [{ says: "clean", slow: true }] })]
  ])("comes to %s", async (expected, one) => assert.strictEqual(await outcome(loop(one)), expected))

  it("plays the parts by slot", async () => {
    await outcome(loop(call({ size: 2, parts: parts("clean", "issues") })))
    const { manifest } = await machine(system)
    const slots = manifest?.batch._tag === "Started" ? manifest.batch.slots : []
    assert.deepStrictEqual(slots.map((slot) => slot._tag === "Finished" ? slot.verdict : slot._tag), [
      "Clean",
      "HasIssues"
    ])
  })

  it("may be a mark or a look", async () => {
    assert.strictEqual(await outcome(inspect(call())), "WouldAdvance")
    assert.strictEqual(await outcome(mark("mark-address-failed", "low", "high")), "HandoffHuman")
    assert.strictEqual(await outcome(mark("advance-level", "low", "high")), "Idle")
    assert.strictEqual((await machine(system)).manifest?.current_level, "medium")
  })

  it("may run beside others", async () =>
    assert.deepStrictEqual(await succeeded(system.run(together([loop(call()), loop(call())]))), [
      "DoneFixedPoint",
      "DoneFixedPoint"
    ]))
})

describe("what is found", () => {
  it("is the value of what succeeded, and the cause of what did not", async () => {
    assert.strictEqual(await succeeded(Promise.resolve(Exit.succeed(1))), 1)
    const why = await succeeded(system.run(Effect.die(new Error("no")))).catch((error: unknown) => error)
    assert.strictEqual(why instanceof Error ? why.message : "", "no")
  })

  it("is told without the instant at which a reviewer will end", () => {
    assert.strictEqual(tellable(run([runs("clean", 5)])), tellable(run([runs("clean", 9)])))
    assert.notStrictEqual(tellable(run([runs("clean", 5)])), tellable(run([clean])))
    assert.strictEqual(tellable(null), "null")
  })

  it("is held to what the model foretells, word by word", async () => {
    await outcome(loop(call()))
    const expected = { run: run([clean], { ended: "code-1", fixed: true }), outcome: "DoneFixedPoint", unsure: false }
    assert.strictEqual(await found(["DoneFixedPoint"], system), foretold(expected, "DoneFixedPoint"))
    await agree(expected, "DoneFixedPoint", system)
    const refused = async (...args: Parameters<typeof agree>) =>
      agree(...args).then(() => "nothing", (error: unknown) => error instanceof Broken ? error.name : "another error")
    assert.strictEqual(await refused(expected, "Idle", system), "Broken")
    assert.strictEqual(await refused({ ...expected, run: run([clean]) }, "DoneFixedPoint", system), "Broken")
    assert.strictEqual(await refused({ ...expected, unsure: true }, "Idle", system), "nothing")
  })

  it("is broken where it is not the same", () => {
    same("code", "a", "a")
    assert.throws(() => same("code", "a", "b"), Broken, "code: expected a, found b")
  })
})
