// The arguments of `doctor`.
import { assert, describe, it } from "vitest"
import * as doctor from "../../../src/commands/doctor.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar(doctor)

describe("doctor", () => {
  it("looks where a step without options would look", () =>
    assert.deepStrictEqual(asked(""), { stateRoot: null, codexBin: "codex", json: false }))

  it("takes what a step takes", () =>
    assert.deepStrictEqual(asked("--codex-bin ./codex --state-root /s --json"), {
      stateRoot: "/s",
      codexBin: "./codex",
      json: true
    }))

  it("takes no run", () => assert.strictEqual(problem("2026"), 'unexpected argument "2026"'))
})
