// WatchDriver: a driver is at work while it holds the target and has not told its end.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { spendingOf, unspent } from "../../../src/drive/Spending.ts"
import { Drivers } from "../../../src/drive/DriverLock.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { driverEnd, drivenNow, isDriven } from "../../../src/read/Watch.ts"
import { driving } from "../drive/converge/events.ts"
import { onMachine, openedStrict } from "../run/opened.ts"

const started = (pid: number): ConvergeEvent => ({ _tag: "DriverStarted", driver: "d", pid })
const ended: ConvergeEvent = { _tag: "DriverEnded", driver: "d", outcome: "DoneAborted" }

/** What is seen of a run with these events, while process 1 drives the target or nobody does. */
const seen = (held: boolean, ...events: ReadonlyArray<ConvergeEvent>) =>
  onMachine(Effect.gen(function*() {
    const { ref } = yield* openedStrict()
    yield* (yield* EventLog).create(convergeRun, ref, [driving, ...events])
    const spent = yield* spendingOf(ref)
    const looked = isDriven(ref, spent)
    const driven = yield* held ? Drivers.use((one) => one.driving(ref, () => looked)) : looked
    return { driven, end: driverEnd(spent).outcome, view: yield* drivenNow(ref, spent, driven, 0) }
  }))

it("a driver that holds the target and has not ended is at work, and its run has a view", async () => {
  const { driven, view } = await seen(true, started(1))
  assert.isTrue(driven)
  assert.deepInclude(view.driven?.place, { level: "low", ceiling: null })
})

it.each([
  ["told its end", true, [started(1), ended], "DoneAborted"],
  ["was killed", false, [started(1)], null],
  ["was killed while another one drives another run", true, [started(7)], null],
  ["never began", true, [], null]
])(
  "a driver that %s is not",
  async (_, held, events, end) => assert.deepStrictEqual(await seen(held, ...events), { driven: false, end, view: {} })
)

it("a run without a driver's stream is not driven", async () => {
  const driven = await onMachine(Effect.flatMap(openedStrict(), ({ ref }) => isDriven(ref, unspent)))
  assert.isFalse(driven)
})
