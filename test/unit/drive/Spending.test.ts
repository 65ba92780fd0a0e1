// Spending: the tokens of a run, from its own log and from its driver's stream.
import * as fs from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/log/EventLog.live.ts"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import { noUsage } from "../../../src/run/Usage.ts"
import {
  driverOf,
  spendingOf,
  spendingText,
  spent,
  unspent,
  usedBy,
  usedByAgents
} from "../../../src/drive/Spending.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { temporaryRun, unlocked } from "../log/temporaryLog.ts"
import { agentFinished, agentStarted, driving } from "./converge/events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { batchCompleted, created, failed, finished, tree } from "../run/events.ts"

const run = temporaryRun()
const onDisk = <A, E>(effect: Effect.Effect<A, E, EventLog>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layer))
const tokens = (input: number) => ({ input, cached: 0, output: 2, reasoning: 0 })

describe("the tokens of a review run", () => {
  it("include finished and failed reviews", () => {
    assert.deepStrictEqual(usedBy(finished("Clean", { usage: tokens(5) })), tokens(5))
    assert.deepStrictEqual(usedBy(failed({ usage: tokens(6) })), tokens(6))
    for (const event of [finished("Clean"), failed(), batchCompleted(tree("t")), null]) {
      assert.deepStrictEqual(usedBy(event), noUsage)
    }
  })
})

describe("the stream of a run's driver", () => {
  it("is missing for a run without a driver", async () => {
    const place = await onDisk(driverOf(run.ref()))
    assert.isNull(place)
    assert.deepStrictEqual(usedByAgents(place), noUsage)
  })

  it("gives the tokens of its agents, and continues from the end of the last look", async () => {
    const log = unlocked()
    const first = await onDisk(log.create(convergeRun, run.ref(), [driving, agentStarted()]))
    const begun = await onDisk(driverOf(run.ref()))
    assert.deepStrictEqual([begun?.head, usedByAgents(begun)], [first, noUsage])
    const head = await onDisk(log.append(convergeRun, run.ref(), first, [agentFinished({ usage: tokens(7) })]))
    const after = await onDisk(driverOf(run.ref(), begun))
    assert.deepStrictEqual([after?.head, usedByAgents(after)], [head, tokens(7)])
    assert.deepStrictEqual(await onDisk(driverOf(run.ref(), after)), after)
  })

  it("gives everything before its damage", async () => {
    const log = unlocked()
    const first = await onDisk(log.create(convergeRun, run.ref(), [driving, agentStarted()]))
    const second = await onDisk(log.append(convergeRun, run.ref(), first, [agentFinished({ usage: tokens(7) })]))
    await onDisk(log.append(convergeRun, run.ref(), second, [agentFinished({ usage: tokens(99) })]))
    const lines = fs.readFileSync(run.file("converge.jsonl"), "utf8").split("\n")
    fs.writeFileSync(run.file("converge.jsonl"), [...lines.slice(0, 2), "no line", ""].join("\n"))
    assert.deepStrictEqual(usedByAgents(await onDisk(driverOf(run.ref()))), tokens(7))
  })
})

describe("the tokens that a run used so far", () => {
  it("continue from the end of the last look, and count each event once", async () => {
    const log = unlocked()
    const first = await onDisk(log.create(reviewRun, run.ref(), [created({ runId: run.ref().runId })]))
    assert.deepStrictEqual((await onDisk(spendingOf(run.ref()))).spending, unspent.spending)
    const second = await onDisk(log.append(reviewRun, run.ref(), first, [failed({ usage: tokens(6) })]))
    const begun = await onDisk(spendingOf(run.ref()))
    await onDisk(log.append(reviewRun, run.ref(), second, [finished("Clean", { usage: tokens(5) })]))
    await onDisk(log.create(convergeRun, run.ref(), [driving, agentStarted(), agentFinished({ usage: tokens(7) })]))
    const after = await onDisk(spendingOf(run.ref(), begun))
    assert.deepStrictEqual(begun.spending, { reviews: tokens(6), agents: noUsage })
    assert.deepStrictEqual(after.spending, { reviews: { ...tokens(11), output: 4 }, agents: tokens(7) })
    assert.deepStrictEqual((await onDisk(spendingOf(run.ref(), after))).spending, after.spending)
  })

  it("are zero if no log can be read", async () => assert.deepStrictEqual(await onDisk(spendingOf(run.ref())), unspent))
})

describe("both sums", () => {
  it("are shown if one of them is known", () => {
    assert.isNull(spent({ reviews: noUsage, agents: noUsage }))
    const usage = { reviews: noUsage, agents: tokens(1) }
    assert.deepStrictEqual(spent(usage), usage)
  })

  it("have a short form", () => {
    const [reviews, agents] = [tokens(1_200_000), tokens(34_000)]
    assert.strictEqual(spendingText({ reviews, agents: noUsage }), "1.2M in, 2 out")
    assert.strictEqual(spendingText({ reviews: noUsage, agents }), "34k in, 2 out by agents")
    assert.strictEqual(spendingText({ reviews, agents }), "1.2M in, 2 out (+ 34k in, 2 out by agents)")
  })
})
