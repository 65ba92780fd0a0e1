// The arguments of `watch`.
import { assert, describe, it } from "vitest"
import * as watch from "../../../src/commands/watch.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(watch)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, json: false } as const

describe("watch", () => {
  it("shows the newest run by default", () => assert.deepStrictEqual(asked(""), plain))

  it("takes a run and its options", () => {
    const named = { _tag: "Named", prefix: "2026" } as const
    assert.deepStrictEqual(asked("2026 --json --state-root /s"), { stateRoot: "/s", selector: named, json: true })
  })

  it("takes nothing that reads the past", () =>
    assert.strictEqual(problem("--follow"), "unknown option --follow of watch"))
})
