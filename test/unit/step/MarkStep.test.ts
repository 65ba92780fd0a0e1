// MarkStep: a mark as one line: the reviewers it ends, and when a strict run refuses it. test/contract runs it.
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { Git } from "../../../src/code/Git.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import type { LoggedEvent } from "../../../src/log/StreamKind.ts"
import * as Reviewing from "../../../src/review/End.ts"
import { startReviews } from "../../../src/review/Start.ts"
import type { Event } from "../../../src/run/Event.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import type { Answers } from "../../../src/run/Invocation.ts"
import type { Level } from "../../../src/run/Level.ts"
import type { Mark } from "../../../src/run/Mark.ts"
import type { Run } from "../../../src/run/Run.ts"
import * as PublicMark from "../../../src/step/Mark.ts"
import { applyMark, type LateReviewing, MarkRefused, strictAnswer } from "../../../src/step/MarkStep.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { batchStarted, created, finished, opened as batchOpened, reviewed, started } from "../run/events.ts"
import { byAnother, lines, living, onMachine, opened, openedStrict, tags } from "../run/opened.ts"

describe("applying a mark", () => {
  const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2 })
  const passed: Mark = { _tag: "AddressPassed" }

  /** What ends reviewers, and how often it was called. */
  const counted = () => {
    const asked = { times: 0 }
    return { asked, ending: Effect.sync(() => (asked.times++, Reviewing)) }
  }

  const apply = (run: Run, mark: Mark, ceiling: Level, ending: LateReviewing, pinned: boolean) =>
    applyMark(run, { mark, ceiling, retries: 0, block: null, trustFrom: null }, ending, pinned)

  const begun = Effect.flatMap(
    opened(),
    (run) => startReviews(run, { cause: "not-started" }, { settings, cwd: "/repo" })
  )

  describe("a mark", () => {
    it("is one line with its outcome and its transition, and returns its line and the run", async () => {
      const { asked, ending } = counted()
      const { applied, written } = await onMachine(Effect.gen(function*() {
        const run = yield* opened([batchOpened("high", 1)], reviewed("HasIssues").map(atHigh))
        return { applied: yield* apply(run, passed, "xhigh", ending, false), written: yield* tags }
      }))
      assert.deepStrictEqual(written.at(-1), ["LevelOutcomeRecorded", "BatchOpened"])
      assert.strictEqual(applied.line, "address passed at high (1 review(s) with issues); dropped to medium")
      assert.deepStrictEqual([applied.outcome, applied.run.manifest.current_level], [{ _tag: "Idle" }, "medium"])
      assert.strictEqual(asked.times, 0)
    })
  })

  describe("a mark that leaves an active batch", () => {
    it("records what ended, and ends the rest in its own line", async () => {
      const { asked, ending } = counted()
      const { applied, left, written } = await onMachine(
        Effect.gen(function*() {
          const result = yield* apply(yield* begun, passed, "xhigh", ending, false)
          return { applied: result, left: yield* living, written: yield* tags }
        }),
        { script: ({ slot }) => slot === 1 ? Scripted.issues() : Scripted.silence }
      )
      assert.deepStrictEqual(written.slice(1), [
        ["ReviewFinished"],
        ["ReviewStopped", "LevelOutcomeRecorded", "BatchOpened"]
      ])
      assert.include(applied.line ?? "", "(1 review(s) with issues)")
      assert.deepStrictEqual([left, asked.times], [[], 1])
    })
  })

  describe("a text", () => {
    const kept = (length: number, mark: (text: string) => Mark) =>
      onMachine(Effect.gen(function*() {
        yield* apply(yield* opened(reviewed("Clean")), mark("é".repeat(length)), "xhigh", counted().ending, false)
        const documents = yield* World.use((world) => Ref.get(world.documents))
        return { event: (yield* lines).at(-1)?.[0], files: [...documents.values()].map((text) => text.length) }
      }))
    const textOf = (event: LoggedEvent<Event> | undefined) => {
      if (event?._tag === "AddressFailed") return event.details
      return event?._tag === "LevelOutcomeRecorded" && event.outcome._tag === "RetrospectiveChanges"
        ? event.outcome.reason
        : assert.fail("no text")
    }

    it.each<readonly [string, (text: string) => Mark]>([
      ["details", (text) => ({ _tag: "AddressFailed", details: { text } })],
      ["a reason", (text) => ({ _tag: "RetroChanges", reason: { text } })]
    ])("(%s) is kept in the log up to a length, and above it in a file that the log names", async (_, mark) => {
      const short = await kept(4000, mark)
      assert.strictEqual(textOf(short.event).text.length, 4000)
      assert.deepStrictEqual([textOf(short.event).rest, short.files], [undefined, []])
      const long = await kept(4001, mark)
      const { rest, text } = textOf(long.event)
      assert.deepStrictEqual([text.length, long.files], [4000, [4001]])
      assert.strictEqual(rest?.bytes, 8002)
    })
  })

  const atHigh = (event: Event): Event => "level" in event ? { ...event, level: "high" } : event
})

describe("answering a strict run", () => {
  const seen = identityOf("code-1", null)

  const done = (verdict: "Clean" | "HasIssues"): ReadonlyArray<Event> => [
    batchStarted({ size: 1, identity: seen }),
    started(),
    finished(verdict),
    { _tag: "BatchCompleted", level: "low", batch: 1, identity: seen }
  ]

  const low: Answers = { level: "low", batch: 1, run: null }
  const everything = { block: null, trustFrom: null }

  // No reviewer is running, and nothing can be waived.
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
    it("is one line, and the same mark again writes nothing and prints the same", async () => {
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

    it("that does not depend on the code is accepted even if the code cannot be read", async () => {
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
})

describe("the public mark", () => {
  const drops: PublicMark.Mark = { _tag: "DropLevel" }

  describe("a mark on an opened run", () => {
    it("is decided again after a lost race, unless it is pinned", async () => {
      const error = await onMachine(Effect.gen(function*() {
        const run = yield* opened([batchOpened("medium", 1)])
        yield* byAnother(run, [batchOpened("high", 1)])
        const error = yield* Effect.flip(PublicMark.apply(run, drops, "xhigh", true))
        const { line } = yield* PublicMark.apply(run, drops, "xhigh")
        assert.strictEqual(line, "dropped level: high -> medium")
        return error
      }))
      assert.instanceOf(error, LogConflict)
    })
  })
})
