// UnderWay: which run of this worktree is at work, told by living reviewers first and by the logs where none lives.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { runUnderWay } from "../../../src/drive/StopStep.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { Scripted, World } from "../../../src/testing.ts"
import { tested } from "../drive/plan/histories.ts"
import { batchStarted, created, finished, started, stopped } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const run = (n: number, targetKey = "uncommitted"): RunRef => ({
  root: "/state",
  repoId: "repo-noremote",
  targetKey,
  runId: `2030010${n}T000000Z-000000001-p1`
})
const open: ReadonlyArray<Event> = [batchStarted({ size: 1 }), started()]
const done: ReadonlyArray<Event> = [...open, finished("Clean")]

/** A stored run: its events after its creation, whose it is, and whether a reviewer of it lives. */
interface Stored {
  readonly ref: RunRef
  readonly events: ReadonlyArray<Event>
  readonly worktree?: string
  readonly lives?: boolean
  /** What its driver's stream holds after its beginning. */
  readonly driven?: ReadonlyArray<ConvergeEvent>
  /** Whether somebody drives its target meanwhile. */
  readonly drives?: boolean
}

const underWay = (...stored: ReadonlyArray<Stored>) =>
  onMachine(Effect.gen(function*() {
    const [store, log, world] = [yield* RunStore, yield* EventLog, yield* World]
    for (const { driven, events, lives, ref, worktree = "/repo" } of stored) {
      yield* store.create(ref)
      if (driven !== undefined) {
        const begun: ConvergeEvent = { _tag: "ConvergeStarted", runId: ref.runId, nonce: "n" }
        yield* log.create(convergeRun, ref, [begun, ...driven])
      }
      yield* log.create(reviewRun, ref, [created({ worktree, runId: ref.runId }), ...events])
      if (lives !== true) continue
      const attempt = { run: ref, level: "low", batch: 1, slot: 1, attempt: 1, id: "a" } as const
      const line = { seq: 1, hash: "" }
      const reviewer = {
        attempt,
        line,
        scripted: Scripted.silence,
        startedAt: 0,
        endsAt: Infinity,
        deadline: false,
        stoppedAt: null
      }
      yield* Ref.update(world.reviewers, (all) => [...all, reviewer])
    }
    const found = Effect.match(runUnderWay(["/state"], { id: "repo-noremote", root: "/repo" }), {
      onFailure: (error) => error._tag === "NoSuchRun" ? error.reason : assert.fail(error.message),
      onSuccess: (found) => found?.ref ?? null
    })
    const target = stored.find(({ drives }) => drives === true)?.ref
    return yield* target === undefined ? found : (yield* Drivers).driving(target, () => found)
  }))

const digest = { algorithm: "sha256", hex: "0".repeat(64), bytes: 1 } as const
const agentStarted: ConvergeEvent = {
  _tag: "AgentStarted",
  agent: 1,
  attempt: 1,
  id: "a",
  cause: "First",
  kind: "codex",
  role: "worker",
  taskId: "task",
  sandbox: "workspace-write",
  effort: null,
  model: null,
  thread: null,
  prompt: digest
}
const agentStopped: ConvergeEvent = { _tag: "AgentStopped", agent: 1, attempt: 1, cause: "Stop" }

describe("the run under way", () => {
  it("is one that an agent works on, whether or not a batch was started", async () => {
    for (const events of [[], done]) {
      const agents = { ref: run(1), events, driven: [agentStarted] }
      assert.deepStrictEqual(await underWay(agents, { ref: run(2), events: done }), run(1))
      assert.isNull(await underWay({ ...agents, driven: [agentStarted, agentStopped] }))
    }
  })

  it("is one whose tests run", async () => {
    const [begun, ended] = tested(1, 1, 0)
    const driven = { ref: run(1), events: done, driven: [begun] }
    assert.deepStrictEqual(await underWay(driven), run(1))
    assert.isNull(await underWay({ ...driven, driven: [begun, ended] }))
  })

  it("is one that somebody drives, also between its reviews", async () => {
    const driverStarted = { _tag: "DriverStarted", driver: "d", pid: 1 } as const
    const driven = { ref: run(1), events: done, driven: [driverStarted] }
    assert.deepStrictEqual(await underWay({ ...driven, drives: true }), run(1))
    assert.isNull(await underWay(driven))
  })

  it("is the one with an open batch, whatever its target", async () =>
    assert.deepStrictEqual(
      await underWay({ ref: run(1, "base/main"), events: open }, { ref: run(2), events: done }, {
        ref: run(3),
        events: []
      }),
      run(1, "base/main")
    ))

  it("is none where nothing is open, or where it is another checkout's", async () => {
    assert.isNull(await underWay({ ref: run(1), events: done }))
    assert.isNull(await underWay({ ref: run(1), events: open, lives: true, worktree: "/elsewhere" }))
  })

  it("is the one whose reviewers live, where another was left behind without any", async () => {
    const left: Stored = { ref: run(3), events: open }
    assert.deepStrictEqual(await underWay({ ref: run(1, "pr/7"), events: open, lives: true }, left), run(1, "pr/7"))
  })

  it("is also one whose reviewers have outlived the record of their stop", async () => {
    const halfStopped: Stored = { ref: run(1), events: [...open, stopped()] }
    assert.isNull(await underWay(halfStopped))
    assert.deepStrictEqual(await underWay({ ...halfStopped, lives: true }), run(1))
  })

  it("is an error where there are several", async () => {
    const both = [{ ref: run(1, "pr/7"), events: open, lives: true }, { ref: run(2), events: open, lives: true }]
    assert.deepInclude(await underWay(...both), {
      _tag: "SeveralUnderWay",
      runs: [run(2), run(1, "pr/7")].map(({ repoId, runId, targetKey }) => ({ repoId, runId, targetKey }))
    })
  })
})
