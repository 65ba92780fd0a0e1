// Around: the snapshots around the agents of one piece of work, and which protected files changed between them.
import { assert, describe, it } from "vitest"
import type { TaskEvent } from "../../../src/agent/Event.ts"
import { around, protectedFiles } from "../../../src/drive/Work.ts"
import { Memory } from "../../../src/testing.ts"
import { agentStarted } from "./converge/events.ts"
import { after } from "./converge/streams.ts"
import { onMachine } from "../run/opened.ts"

const snapshot = (agent: number, number: number): TaskEvent => ({
  _tag: "SnapshotTaken",
  agent,
  snapshot: number,
  commit: "c",
  leftOut: 0
})
const ref = { root: "/state", repoId: "r", targetKey: "uncommitted", runId: "r1" }
const state = after(
  agentStarted({ agent: 1, taskId: "round-1/address" }),
  snapshot(1, 1),
  snapshot(1, 2),
  agentStarted({ agent: 2, taskId: "round-12/address" }),
  snapshot(2, 3),
  agentStarted({ agent: 3, taskId: "round-1/mend-1" }),
  snapshot(3, 4),
  snapshot(3, 5)
)

describe("the snapshots around a piece of work", () => {
  it("are the first and the last of its agents alone", () => {
    assert.deepStrictEqual(around({ ref, state }, "round-1/"), { first: 1, last: 5 })
    assert.deepStrictEqual(around({ ref, state }, "round-12/"), { first: 3, last: 3 })
    assert.isNull(around({ ref, state }, "round-2/"))
  })

  it("show no change where nobody wrote", async () => {
    assert.deepStrictEqual(await onMachine(protectedFiles({ ref, state }, "round-2/", "/repo", ["*.sql"])), [])
  })

  it("names as many files as an event has room for, and counts the others", async () => {
    const names = Array.from({ length: 5000 }, (_, i) => `vendor/${i}.js`)
    const snapshots = Memory.snapshots({ changed: () => names })
    const found = await onMachine(protectedFiles({ ref, state }, "round-1/", "/repo", ["vendor/**"]), { snapshots })
    assert.isBelow(JSON.stringify(found).length, 17_000)
    assert.strictEqual(found.at(-1), `and ${5000 - (found.length - 1)} more`)
  })
})
