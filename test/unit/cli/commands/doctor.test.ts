// The arguments of `doctor`.
import { assert, describe, it } from "vitest"
import * as doctor from "../../../../src/cli/commands/doctor.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(doctor)

describe("doctor", () => {
  it("looks where a step without options would look", async () =>
    assert.deepStrictEqual(await asked(""), { stateRoot: null, store: null, codexBin: "codex", json: false }))

  it("takes what a step takes", async () =>
    assert.deepStrictEqual(await asked("--codex-bin ./codex --state-root /s --json"), {
      stateRoot: "/s",
      store: null,
      codexBin: "./codex",
      json: true
    }))

  it("takes no run", async () => assert.strictEqual(await problem("2026"), 'unexpected argument "2026"'))
})
