// TaskLog: the stream of a run's driver is begun once, and committed to on the head that was decided from.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { commitDriver, refreshDriver, transactDriver } from "../../../src/agent/TaskLog.ts"
import { openDriver, readConverge } from "../../../src/drive/converge/State.ts"
import { stopDriven } from "../../../src/drive/Stop.ts"
import { beginning } from "../../../src/log/StreamKind.ts"
import { EventLog, LogConflict, LogMissing } from "../../../src/log/EventLog.ts"
import { Memory } from "../../../src/testing.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { committed, events } from "../../support/agents.ts"

const consent = { _tag: "ConsentGiven", consent: "unsandboxed" } as const
const other = { _tag: "ConsentGiven", consent: "red-baseline" } as const

describe("the stream of a driver", () => {
  it("is begun by the first who opens it, also where two do so at once", async () => {
    const { missing, opened } = await onMachine(Effect.gen(function*() {
      const missing = yield* Effect.flip(readConverge(runRef()))
      const both = yield* Effect.all([openDriver(runRef()), openDriver(runRef())], { concurrency: "unbounded" })
      return { missing, opened: [...both, yield* openDriver(runRef())] }
    }))
    assert.instanceOf(missing, LogMissing)
    assert.deepStrictEqual(opened.map(({ head }) => head.seq), [1, 1, 1])
  })

  it("is begun by another process in the midst of opening it", async () => {
    const racing = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) =>
        EventLog.of({
          ...log,
          create: (kind, run, all) => Effect.andThen(log.create(kind, run, all), log.create(kind, run, all))
        }))
    ).pipe(Layer.provide(Memory.eventLog))
    const { head } = await onMachine(openDriver(runRef()), { eventLog: racing })
    assert.strictEqual(head.seq, 1)
  })

  it("is begun if its creator died before the first line", async () => {
    const begunOnly = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) =>
        EventLog.of({
          ...log,
          read: (kind, run) =>
            Effect.catchTag(
              log.read(kind, run),
              "LogMissing",
              () => Effect.succeed({ commits: [], head: beginning, torn: 0 })
            )
        }))
    ).pipe(Layer.provide(Memory.eventLog))
    const { head } = await onMachine(openDriver(runRef()), { eventLog: begunOnly })
    assert.strictEqual(head.seq, 1)
    assert.deepStrictEqual(await onMachine(stopDriven(runRef()), { eventLog: begunOnly }), {
      agents: 0,
      tests: 0,
      driver: null,
      lives: false
    })
  })

  it("takes in what it and others commit", async () => {
    const { consents, head } = await onMachine(Effect.gen(function*() {
      const driver = yield* commitDriver(yield* openDriver(runRef()), [consent])
      yield* committed(other)
      const { head, state } = yield* refreshDriver(driver)
      return { head, consents: [...state.agents.consents] }
    }))
    assert.deepStrictEqual(consents, ["unsandboxed", "red-baseline"])
    assert.strictEqual(head.seq, 3)
  })

  it("refuses a decision from an older head, and lets it be made again", async () => {
    const { error, log } = await onMachine(Effect.gen(function*() {
      const old = yield* openDriver(runRef())
      yield* committed(other)
      const error = yield* Effect.flip(commitDriver(old, [consent]))
      yield* transactDriver(old, (now) => commitDriver(now, [consent]))
      return { error, log: yield* events }
    }))
    assert.instanceOf(error, LogConflict)
    assert.deepStrictEqual(log, [other, consent])
  })

  it("continues from what it wrote where that cannot be read back", async () => {
    const unreadable = Layer.effect(
      EventLog,
      Effect.map(
        EventLog,
        (log) => EventLog.of({ ...log, readFrom: () => Effect.fail(new LogMissing({ path: "/gone" })) })
      )
    ).pipe(Layer.provide(Memory.eventLog))
    const { head, state } = await onMachine(
      Effect.flatMap(openDriver(runRef()), (driver) => commitDriver(driver, [consent])),
      { eventLog: unreadable }
    )
    assert.deepStrictEqual([head.seq, ...state.agents.consents], [2, "unsandboxed"])
  })
})
