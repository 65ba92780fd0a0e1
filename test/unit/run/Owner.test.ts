// Owner: a run belongs to the worktree that its first line names; and why a run was not found.
import { Effect, Layer, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { planRun } from "../../../src/drive/plan/State.ts"
import { EventLog, LogMissing, LogUnavailable } from "../../../src/log/EventLog.ts"
import { NoSuchRun, type NoSuchRunReason, ownerOf } from "../../../src/run/Owner.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import { planStarted } from "../drive/plan/histories.ts"
import { created, runRef } from "./events.ts"

const owner = (layer: Layer.Layer<EventLog>, before: Effect.Effect<unknown, unknown, EventLog> = Effect.void) =>
  Effect.runPromise(Effect.andThen(before, ownerOf(runRef())).pipe(Effect.provide(layer)))

/** A log that contains these events. */
const beginningWith = (events: ReadonlyArray<unknown>) => {
  const line = { seq: 1, at: "2030-01-01T00:00:00.000Z", by: null, prev: "", hash: "", events }
  const part = { lines: [line], head: { seq: 1, hash: "" }, end: null }
  return Layer.mock(EventLog)({ stream: () => Stream.make(part) })
}

const failing = (error: LogMissing | LogUnavailable) => Layer.mock(EventLog)({ stream: () => Stream.fail(error) })

describe("the owner of a run", () => {
  it("is the worktree that its creation names", async () => {
    const create = EventLog.use((log) => log.create(reviewRun, runRef(), [created({ worktree: "/there" })]))
    assert.deepStrictEqual(await owner(memoryEventLog, create), { _tag: "Worktree", path: "/there" })
  })

  it("is found after the repair of a tail that was torn before the first line", async () => {
    const torn = { _tag: "TailRepaired", offset: 0, bytes: 3, kept: "torn/0-00000000" }
    assert.deepStrictEqual(await owner(beginningWith([torn, created()])), { _tag: "Worktree", path: "/repo" })
  })

  it("of a plan run is the worktree that its own first line names", async () => {
    const ref = { ...runRef(), targetKey: "plan/p" }
    const create = EventLog.use((log) => log.create(planRun, ref, [{ ...planStarted, runId: ref.runId }]))
    const found = Effect.andThen(create, ownerOf(ref)).pipe(Effect.provide(memoryEventLog))
    assert.deepStrictEqual(await Effect.runPromise(found), { _tag: "Worktree", path: planStarted.worktree })
  })

  it("is unknown until there is a log with a line", async () => {
    assert.deepStrictEqual(await owner(failing(new LogMissing({ path: "x" }))), { _tag: "Unbegun" })
    const empty = Layer.mock(EventLog)({
      stream: () => Stream.make({ lines: [], head: { seq: 0, hash: "" }, end: { torn: 7, anchored: false } })
    })
    assert.deepStrictEqual(await owner(empty), { _tag: "Unbegun" })
  })

  it("is unknown if the log cannot be read, or its first line does not create a run", async () => {
    const reason = { _tag: "SystemRefused", code: "EIO", call: "read", said: "EIO" } as const
    assert.deepStrictEqual(await owner(failing(new LogUnavailable({ path: "x", reason }))), { _tag: "Unknown" })
    assert.deepStrictEqual(await owner(beginningWith([{ _tag: "Unheard" }])), { _tag: "Unknown" })
  })
})

describe("the error for a missing run", () => {
  it("names the state root in its commands if the caller named it", () => {
    const said = (reason: NoSuchRunReason) =>
      new NoSuchRun({ reason, place: { stateRoot: "/my state", store: null } }).message
    assert.include(
      said({ _tag: "NoneHere", repoId: "r", root: "/s" }),
      "converge --uncommitted --state-root '/my state';"
    )
    assert.include(
      said({ _tag: "NoneBegins", prefix: "2", root: "/s" }),
      "`ooda-codex-review runs --all --state-root '/"
    )
  })

  it("names the store in its commands if the caller named it, and none of them starts a run on this machine", () => {
    const said = (reason: NoSuchRunReason) =>
      new NoSuchRun({ reason, place: { stateRoot: null, store: "postgres://h/x" } }).message
    assert.strictEqual(
      said({ _tag: "NoneHere", repoId: "r", root: "pg:1" }),
      "no run of this repository (r) under pg:1 [those of other repositories: ooda-codex-review runs --all --store " +
        "postgres://h/x]"
    )
    assert.strictEqual(
      said({ _tag: "NoneBegins", prefix: "2", root: "pg:1" }),
      "no run begins with 2 under pg:1 [`ooda-codex-review runs --all --store postgres://h/x` lists those that are there]"
    )
  })

  it("has a bounded length, whatever was typed", () => {
    const long = "x".repeat(100_000)
    const { message } = new NoSuchRun({ reason: { _tag: "NoneBegins", prefix: long, root: long } })
    assert.isBelow(message.length, 600)
  })
})
