// SafeWork: the log and the store around an agent that may write, whichever driver runs it and dies.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { askForResult } from "../../../src/agent/AskForResult.ts"
import type { AgentOrder } from "../../../src/agent/Order.ts"
import { stopAgents } from "../../../src/agent/Attempt.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { afterWork, beforeWork, rangeOfWork } from "../../../src/agent/SafeWork.ts"
import { Snapshots } from "../../../src/code/Snapshots.ts"
import { Memory } from "../../../src/testing.ts"
import { ScriptedAgent } from "../../../src/testing.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { killed } from "../../support/agents.ts"
import { allEvents, order, ran, scripted, task, workers } from "../../support/agents.ts"

const taken = Effect.flatMap(Snapshots, (snapshots) => snapshots.list(runRef()))
const tags = Effect.map(allEvents, (all) => all.map(({ _tag }) => _tag))
const machine = (script: Memory.SnapshotScript = {}) => ({ snapshots: Memory.snapshots(script) })
const reading = order({ task: task({ sandbox: "read-only" }) })
const driver = openDriver(runRef())
const large = machine({ leftOut: () => ["big.bin"] })
const hooked = machine({ gitChanges: () => ["hooks"] })

describe("an agent that may write", () => {
  it("works between two snapshots; the first is in the log before it starts", async () => {
    const { all, found, range } = await onMachine(Effect.gen(function*() {
      yield* ran()
      return { all: yield* tags, found: yield* taken, range: rangeOfWork(yield* driver, 1) }
    }))
    assert.deepStrictEqual(all, ["SnapshotTaken", "AgentStarted", "AgentFinished", "SnapshotTaken"])
    assert.deepStrictEqual(found.map(({ cause }) => cause._tag), ["BeforeAgent", "AfterAgent"])
    assert.strictEqual(range, "code-1..code-1")
  })

  it("is snapshotted once, however often it is asked for", async () => {
    const found = await onMachine(Effect.gen(function*() {
      yield* ran()
      yield* ran()
      const now = yield* driver
      assert.strictEqual(yield* beforeWork(now, order(), 1, true), now)
      assert.strictEqual(yield* afterWork(now, order()), now)
      return yield* taken
    }))
    assert.lengthOf(found, 2)
  })

  it("has its snapshots and one start, wherever its driver is killed", async () => {
    for (let at = 0; at < 30; at++) {
      const { all, before, started } = await onMachine(Effect.gen(function*() {
        yield* killed(at, ran())
        yield* ran()
        const before = (yield* taken).filter(({ cause }) => cause._tag === "BeforeAgent")
        return { all: yield* tags, before, started: yield* workers }
      }))
      assert.lengthOf(all.filter((tag) => tag === "SnapshotTaken"), 2, `killed at ${at}`)
      assert.strictEqual(all[0], "SnapshotTaken", `killed at ${at}`)
      assert.isAtLeast(before.length, 1)
      assert.lengthOf(started, 1, `killed at ${at}`)
    }
  })

  it("has one snapshot in the log where two drivers took one at once", async () => {
    const all = await onMachine(Effect.gen(function*() {
      const both = yield* driver
      yield* beforeWork(both, order(), 1)
      yield* beforeWork(both, order(), 1)
      return yield* tags
    }))
    assert.deepStrictEqual(all, ["SnapshotTaken"])
  })

  it("has no range while it works", async () => {
    const range = await onMachine(Effect.gen(function*() {
      return rangeOfWork(yield* beforeWork(yield* driver, order(), 1), 1)
    }))
    assert.isNull(range)
  })
})

describe("an agent that only reads", () => {
  it("is not believed: files and git's state that change beside it are named", async () => {
    const { all, first, same } = await onMachine(Effect.gen(function*() {
      yield* ran(reading)
      const same = yield* tags
      yield* scripted(() => ScriptedAgent.answers("I only read.", { edits: "code-2" }))
      const { result: first } = yield* askForResult(yield* driver, { task: reading.task, after: 1 })
      return { all: yield* allEvents, first, same }
    }))
    assert.deepStrictEqual(same, ["SnapshotTaken", "AgentStarted", "AgentFinished", "SnapshotTaken"])
    assert.deepStrictEqual(first, { _tag: "GitStateChanged", agent: 2, what: [], files: ["code"] })
    assert.deepInclude(all, { _tag: "GitStateChanged", agent: 2, what: [], files: ["code"] })
    // Its answer is kept.
    assert.strictEqual(all.at(-1)?._tag, "ResultJudged")
  })

  it("needs no consent to what its snapshot leaves out", async () => {
    const all = await onMachine(Effect.andThen(ran(reading), tags), large)
    assert.notInclude(all, "ConsentGiven")
  })
})

describe("a snapshot that does not hold everything", () => {
  const failing = (wanted: AgentOrder) =>
    onMachine(
      Effect.gen(function*() {
        const failure = yield* Effect.flip(ran(wanted))
        return { failure, all: yield* tags, started: yield* workers }
      }),
      large
    )

  it("keeps the agent from starting, and names what it leaves out and the flag that allows it", async () => {
    const { all, failure, started } = await failing(order())
    assert.match(failure.message, /^an undo could not put back big\.bin: .* --allow partial-snapshot$/)
    assert.deepStrictEqual([all, started], [[], []])
  })

  it("is taken with consent, which the log keeps for the rest of the run", async () => {
    const { all, found } = await onMachine(
      Effect.gen(function*() {
        yield* ran(order({ allow: ["partial-snapshot"] }))
        yield* ran(order({ agent: 2 }))
        return { all: yield* allEvents, found: yield* taken }
      }),
      large
    )
    assert.deepStrictEqual(all.slice(0, 2).map(({ _tag }) => _tag), ["ConsentGiven", "SnapshotTaken"])
    assert.deepInclude(all[1], { _tag: "SnapshotTaken", leftOut: 1 })
    assert.lengthOf(all.filter(({ _tag }) => _tag === "ConsentGiven"), 1)
    assert.lengthOf(found, 4)
  })

  it("needs no consent where it holds everything", async () => {
    const all = await onMachine(Effect.andThen(ran(order({ allow: ["partial-snapshot"] })), tags))
    assert.notInclude(all, "ConsentGiven")
  })
})

describe("git's own state", () => {
  const changed = onMachine(
    Effect.gen(function*() {
      const first = yield* askForResult(yield* driver, { task: task() })
      const log = yield* tags
      const second = yield* askForResult(yield* driver, { task: task() })
      return { first: first.result, second: second.result, log, started: yield* workers }
    }),
    hooked
  )

  it("is compared after the agent, and what changed is told first; the answer is judged all the same", async () => {
    const { first, log } = await changed
    assert.deepStrictEqual(first, { _tag: "GitStateChanged", agent: 1, what: ["hooks"], files: [] })
    assert.deepStrictEqual(log, [
      "SnapshotTaken",
      "AgentStarted",
      "AgentFinished",
      "GitStateChanged",
      "SnapshotTaken",
      "ResultJudged"
    ])
  })

  it("is looked at by a person, who calls again, wherever the driver was killed: the answer is there, no other agent is asked", async () => {
    for (let at = 0; at < 30; at++) {
      const { all, started } = await onMachine(
        Effect.gen(function*() {
          const ask = Effect.flatMap(driver, (now) => askForResult(now, { task: task() }))
          yield* scripted(() => ScriptedAgent.answers("The bound is fixed.", { edits: "code-2" }))
          yield* killed(at, ask)
          yield* ask
          return { all: yield* tags, started: yield* workers }
        }),
        hooked
      )
      assert.lengthOf(started, 1, `killed at ${at}`)
      assert.lengthOf(all.filter((tag) => tag === "ResultJudged"), 1, `killed at ${at}`)
    }
  })

  it("is noted in the log where others changed it", async () => {
    const all = await onMachine(Effect.andThen(ran(), allEvents), machine({ gitNotes: () => ["origin/main moved"] }))
    assert.deepInclude(all.at(-1), { _tag: "SnapshotTaken", meanwhile: ["origin/main moved"] })
    assert.notProperty(all[0], "meanwhile")
  })

  it("counts as changed where the snapshot before the agent is gone", async () => {
    const all = await onMachine(Effect.gen(function*() {
      const now = yield* beforeWork(yield* driver, order(), 1)
      yield* Effect.flatMap(Snapshots, (snapshots) => snapshots.forget(runRef(), "/repo"))
      yield* afterWork(now, order())
      return yield* allEvents
    }))
    assert.deepInclude(all[1], { _tag: "GitStateChanged", what: ["the snapshots of this run"] })
  })

  it("is compared for an agent that was stopped too", async () => {
    const log = await onMachine(
      Effect.gen(function*() {
        yield* scripted(() => ScriptedAgent.answers("Late.", { after: 60_000 }))
        yield* Effect.timeoutOption(ran(), 1_000)
        yield* stopAgents(yield* driver, "Stop")
        yield* ran()
        return yield* tags
      }),
      hooked
    )
    assert.include(log, "GitStateChanged")
  })
})
