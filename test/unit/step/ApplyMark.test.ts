// ApplyMark: a mark as one line: what it leaves running is ended in it, races are decided again, long texts are kept.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Invocation from "../../../src/run/Invocation.ts"
import type { Mark } from "../../../src/run/Mark.ts"
import type { LoggedEvent } from "../../../src/log/StreamKind.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Level } from "../../../src/run/Level.ts"
import * as Reviewing from "../../../src/review/End.ts"
import { startReviews } from "../../../src/review/Start.ts"
import type { Run } from "../../../src/run/Run.ts"
import { LogConflict } from "../../../src/log/EventLog.ts"
import { applyMark as applyMarking, type LateReviewing } from "../../../src/step/MarkStep.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { opened as batchOpened, reviewed } from "../run/events.ts"
import { byAnother, lines, living, onMachine, opened, tags } from "../run/opened.ts"

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, batchSize: 2 })
const passed: Mark = { _tag: "AddressPassed" }
const drops: Mark = { _tag: "DropLevel" }

/** What ends reviewers, and how often it was asked for. */
const counted = () => {
  const asked = { times: 0 }
  return { asked, ending: Effect.sync(() => (asked.times++, Reviewing)) }
}

const applyMark = (run: Run, mark: Mark, ceiling: Level, ending: LateReviewing, pinned: boolean) =>
  applyMarking(run, { mark, ceiling, retries: 0, block: null, trustFrom: null }, ending, pinned)

const begun = Effect.flatMap(opened(), (run) => startReviews(run, { cause: "not-started" }, { settings, cwd: "/repo" }))

describe("a mark", () => {
  it("is one line with its outcome and its transition, and tells its line and the run", async () => {
    const { asked, ending } = counted()
    const { applied, written } = await onMachine(Effect.gen(function*() {
      const run = yield* opened([batchOpened("high", 1)], reviewed("HasIssues").map(atHigh))
      return { applied: yield* applyMark(run, passed, "xhigh", ending, false), written: yield* tags }
    }))
    assert.deepStrictEqual(written.at(-1), ["LevelOutcomeRecorded", "BatchOpened"])
    assert.strictEqual(applied.line, "address passed at high (1 review(s) with issues); dropped to medium")
    assert.deepStrictEqual([applied.outcome, applied.run.manifest.current_level], [{ _tag: "Idle" }, "medium"])
    assert.strictEqual(asked.times, 0)
  })

  it("that changes nothing writes nothing", async () => {
    const { applied, same, written } = await onMachine(Effect.gen(function*() {
      const run = yield* opened()
      const applied = yield* applyMark(run, drops, "xhigh", counted().ending, false)
      return { applied, same: applied.run === run, written: yield* lines }
    }))
    assert.deepStrictEqual([applied.outcome, same, written], [{ _tag: "Idle" }, true, []])
  })

  it("that stays in its batch leaves its reviewers alone", async () => {
    const { asked, ending } = counted()
    const { left, written } = await onMachine(
      Effect.gen(function*() {
        yield* applyMark(yield* begun, { _tag: "AddressFailed", details: { text: "red" } }, "xhigh", ending, false)
        return { left: yield* living, written: yield* tags }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([left, written.at(-1), asked.times], [[1, 2], ["AddressFailed"], 0])
  })
})

describe("a mark that leaves a batch under way", () => {
  it("counts what has ended, and ends the rest in its own line", async () => {
    const { asked, ending } = counted()
    const { applied, left, written } = await onMachine(
      Effect.gen(function*() {
        const applied = yield* applyMark(yield* begun, passed, "xhigh", ending, false)
        return { applied, left: yield* living, written: yield* tags }
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

describe("a lost race", () => {
  /** Applies a mark to a run that another process has moved on, from medium to high. */
  const late = (pinned: boolean) =>
    onMachine(Effect.gen(function*() {
      const run: Run = yield* opened([batchOpened("medium", 1)])
      yield* byAnother(run, [batchOpened("high", 1)])
      const result = yield* Effect.result(applyMark(run, drops, "xhigh", counted().ending, pinned))
      return { result, written: (yield* lines).slice(2) }
    }))

  it("is decided again from what won", async () => {
    const { result, written } = await late(false)
    assert.strictEqual(result._tag === "Success" ? result.success.line : "", "dropped level: high -> medium")
    assert.lengthOf(written, 1)
  })

  it("is the end of a mark that was meant for one head", async () => {
    const { result, written } = await late(true)
    assert.instanceOf(result._tag === "Failure" ? result.failure : null, LogConflict)
    assert.lengthOf(written, 0)
  })
})

describe("a text", () => {
  const kept = (length: number, mark: (text: string) => Mark) =>
    onMachine(Effect.gen(function*() {
      yield* applyMark(yield* opened(reviewed("Clean")), mark("é".repeat(length)), "xhigh", counted().ending, false)
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
  ])("(%s) stands whole in the log up to a length, and beyond it in a file that the log names", async (_, mark) => {
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
