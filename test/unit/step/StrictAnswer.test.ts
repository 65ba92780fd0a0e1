// StrictAnswer: a mark on an opened strict run: applied, repeated or refused, whatever can be told of the code.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Answers } from "../../../src/run/Invocation.ts"
import type { Mark } from "../../../src/run/Mark.ts"
import type { Event } from "../../../src/run/Event.ts"
import { Git } from "../../../src/code/Git.ts"
import { applyMark, MarkRefused, strictAnswer } from "../../../src/step/MarkStep.ts"
import { batchStarted, created, finished, started } from "../run/events.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { onMachine, openedStrict, tags } from "../run/opened.ts"

const seen = identityOf("code-1", null)
const done = (verdict: "Clean" | "HasIssues"): ReadonlyArray<Event> => [
  batchStarted({ size: 1, identity: seen }),
  started(),
  finished(verdict),
  { _tag: "BatchCompleted", level: "low", batch: 1, identity: seen }
]
const low: Answers = { level: "low", batch: 1, run: null }
const everything = { block: null, trustFrom: null }
// Nothing is under way, and nothing can be waived.
const nothing = Effect.die("asked for")
const marking = (mark: Mark, answers?: Answers) =>
  ({ mark, answers, ceiling: "medium", retries: 0, ...everything }) as const

const applied = (lines: ReadonlyArray<Event>, mark: Mark, answers?: Answers, times = 1) =>
  onMachine(Effect.gen(function*() {
    let run = yield* openedStrict(lines)
    const said: Array<string | null> = []
    for (let i = 0; i < times; i++) {
      const result = yield* applyMark(run, marking(mark, answers), nothing, false)
      said.push(result.line)
      run = result.run
    }
    return { said, written: (yield* tags).slice(1) }
  }))

const refused = (lines: ReadonlyArray<Event>, mark: Mark, answers?: Answers) =>
  onMachine(Effect.gen(function*() {
    const run = yield* openedStrict(lines)
    const strict = run.manifest.strict ?? assert.fail("the run is not strict")
    const error = yield* Effect.flip(strictAnswer(run, strict, marking(mark, answers), nothing))
    assert.instanceOf(error, MarkRefused)
    return error.message
  }))

const clean: Mark = { _tag: "RetroClean" }
const red: Mark = { _tag: "AddressFailed", details: { text: "red" } }

describe("a mark on a strict run", () => {
  it("is one line, and the same mark again writes nothing and says the same", async () => {
    const { said, written } = await applied(done("Clean"), clean, { ...low, run: created().runId }, 2)
    assert.deepStrictEqual(said, Array(2).fill("retrospective clean at low; advanced to medium"))
    assert.deepStrictEqual(written, [["LevelOutcomeRecorded", "BatchOpened"]])
  })

  it("that the run does not wait for is refused with what it waits for", async () => {
    assert.strictEqual(
      await refused(done("HasIssues"), clean, low),
      "mark refused: an answer to AddressBatch of low/1 [judged by --block P3]"
    )
    assert.strictEqual(await refused(done("Clean"), red, low), "mark refused: an answer to Retrospective of low/1")
    assert.strictEqual(await refused(done("Clean"), clean), "mark refused: it must name the batch that it answers")
    assert.strictEqual(
      await refused(done("Clean"), clean, { ...low, run: "another" }),
      `mark refused: it answers run another, the run is ${created().runId}; call the step`
    )
  })

  it("that moves along the ladder answers nothing", async () =>
    assert.deepStrictEqual((await applied(done("Clean"), { _tag: "AdvanceLevel" })).written, [["BatchOpened"]]))

  it("that depends on no code is taken also where nobody can tell what the code is", async () => {
    const git = Layer.mock(Git)({ identity: () => Effect.die("asked for") })
    const taken = (verdict: "Clean" | "HasIssues", mark: Mark) =>
      onMachine(
        Effect.gen(function*() {
          const run = yield* openedStrict(done(verdict))
          const strict = run.manifest.strict ?? assert.fail("the run is not strict")
          return (yield* strictAnswer(run, strict, marking(mark, low), nothing)).decision.events
        }),
        { git }
      )
    assert.deepStrictEqual(await taken("HasIssues", red), [
      { _tag: "AddressFailed", level: "low", batch: 1, details: { text: "red" } }
    ])
    assert.lengthOf(await taken("HasIssues", { _tag: "AddressPassed" }), 2)
    assert.lengthOf(await taken("Clean", { _tag: "RetroChanges", reason: { text: "why" } }), 2)
  })
})
