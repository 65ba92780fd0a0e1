// misuse: what effect/cli finds wrong with normalised words: the first misuse as data, or nothing.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { misuse as found } from "../../../src/cli/misuse.ts"

const misuse = (...words: ReadonlyArray<string>) => Effect.runPromise(found(words))

describe("words", () => {
  it("that are flags with their values are no misuse", async () => {
    const words = ["--uncommitted", "--codex-bin=-x=y", "-n=4", "--mark-retro-changes="]
    assert.deepEqual(await misuse(...words), { _tag: "None" })
  })

  it("that name no flag are unknown, with what may have been meant", async () => {
    assert.deepEqual(await misuse("--uncommited"), { _tag: "Unknown", suggestions: ["--uncommitted"] })
  })

  it("that are no flag are operands", async () =>
    assert.deepEqual(await misuse("--uncommitted", "main"), { _tag: "Operand", operand: "main" }))

  it("that lack their value are named by their option", async () =>
    assert.deepEqual(await misuse("--base"), { _tag: "Missing", option: "--base" }))

  it("are given once at most", async () => {
    assert.deepEqual(await misuse("--base=a", "--base=b"), { _tag: "Repeated", option: "--base" })
    assert.deepEqual(await misuse("-n=1", "-n=2"), { _tag: "Repeated", option: "-n" })
  })
})
