// Mark: the public side-effect mode: the pure decision and its effect come to the same.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as Mark from "../../../src/step/Mark.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { opened as batchOpened } from "../run/events.ts"
import { byAnother, lines, onMachine, opened } from "../run/opened.ts"

const drops: Mark.Mark = { _tag: "DropLevel" }

describe("a mark on an opened run", () => {
  it("does what is decided", async () => {
    const { applied, decided, written } = await onMachine(Effect.gen(function*() {
      const run = yield* opened([batchOpened("medium", 1)])
      const decided = Mark.decide(run.manifest, drops, "xhigh")
      return { decided, applied: yield* Mark.apply(run, drops, "xhigh"), written: (yield* lines).slice(1) }
    }))
    assert.deepStrictEqual(written, [decided.events])
    assert.deepStrictEqual([applied.line, applied.outcome], [decided.line, decided.outcome])
  })

  it("is decided again after a lost race, unless it is pinned", async () => {
    const error = await onMachine(Effect.gen(function*() {
      const run = yield* opened([batchOpened("medium", 1)])
      yield* byAnother(run, [batchOpened("high", 1)])
      const error = yield* Effect.flip(Mark.apply(run, drops, "xhigh", true))
      const { line } = yield* Mark.apply(run, drops, "xhigh")
      assert.strictEqual(line, "dropped level: high -> medium")
      return error
    }))
    assert.instanceOf(error, LogConflict)
  })
})
