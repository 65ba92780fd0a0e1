// How an attempt ended: what struck it comes first, then what it said, then its status.
// The one rule: the endings of real agents, where a fault can be made; a journal by hand only for the order of strikes.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "vitest"
import { endOf, type EndSighting, silenceLimit } from "../../../src/agent/Following.live.ts"
import { jobOf } from "../../../src/agent/Program.live.ts"
import { emptyStream } from "../../../src/agent/stream/AgentStream.ts"
import { defaultLimits } from "../../../src/agent/Task.ts"
import { say, withAgents } from "./agentBench.ts"

const struck = (lines: string, over: EndSighting, stream = emptyStream) =>
  new Promise<ReturnType<typeof endOf>>((resolve, reject) =>
    withAgents(async ({ ref }) => {
      const { files } = jobOf(ref())
      mkdirSync(dirname(files.journal), { recursive: true })
      writeFileSync(files.journal, `attempt a 123 4 boot\n${lines}`)
      appendFileSync(files.log, "the last words\n")
      resolve(endOf(files, over, stream, { ...defaultLimits, timeout: 1500, first: 60, maxTranscript: 9 }))
    }).catch(reject)
  )
const exited = (status: number): EndSighting => ({ _tag: "Exited", status, deadline: false, oversize: false })

describe("an attempt that ended", () => {
  it.each([
    ["deadline\n", { _tag: "Deadline", after: 1500, message: "not done after 1.5 s" }],
    ["idle\nstopped TERM\ndeadline\n", { _tag: "Idle", after: 60, message: "said nothing for 0.1 s" }],
    ["transcript\n", { _tag: "Crashed", exit: 143, message: "printed more than 9 bytes" }],
    ["asked\nstopped TERM\n", { _tag: "Interrupted", message: "somebody asked for its end" }],
    ["stopped TERM\n", { _tag: "Crashed", exit: 143, message: "the last words" }]
  ])("by %j is told by what struck first", async (lines, ending) => {
    const end = await struck(lines, exited(143))
    assert.deepStrictEqual({ ...end.ending }, ending)
    assert.strictEqual(end.transcript.bytes, 15)
  })

  it("in good order has no strike counted against it", async () => {
    const end = await struck("deadline\n", exited(0), { ...emptyStream, message: "Done.", read: "events" })
    assert.deepStrictEqual(end.ending, { _tag: "Done", message: "Done." })
  })

  it("without a trace has crashed, unless its turn was completed", async () => {
    const lost: EndSighting = { _tag: "Lost" }
    const crashed = (await struck("", lost)).ending
    assert.deepStrictEqual([crashed._tag, "exit" in crashed ? crashed.exit : 0], ["Crashed", null])
    const done = await struck("", lost, { ...emptyStream, message: "Done.", turn: "completed", read: "events" })
    assert.strictEqual(done.ending._tag, "Done")
    const open = await struck("", lost, { ...emptyStream, message: "So far.", turn: "open", read: "events" })
    assert.deepStrictEqual([open.ending._tag, open.message], ["Crashed", "So far."])
  })

  it("behind the end of its turn has answered, whatever ended its process; one that exits by itself says how", async () => {
    const done = { ...emptyStream, message: "Done.", turn: "completed", read: "events" } as const
    for (const [lines, status] of [["deadline\n", 143], ["idle\n", 1], ["", 137]] as const) {
      assert.deepStrictEqual((await struck(lines, exited(status), done)).ending, { _tag: "Done", message: "Done." })
    }
    assert.strictEqual((await struck("", exited(1), done)).ending._tag, "Crashed")
    const failed = { ...done, turn: "failed", turnError: "Quota exceeded." } as const
    assert.strictEqual((await struck("deadline\n", exited(143), failed)).ending._tag, "Quota")
  })

  it("in the middle of a turn was ended by its limit, also where it exits with 0", async () => {
    const open = { ...emptyStream, message: "So far.", turn: "open", read: "events" } as const
    assert.strictEqual((await struck("deadline\n", exited(0), open)).ending._tag, "Deadline")
  })

  it("has the limit on silence that held for it", () => {
    assert.strictEqual(silenceLimit(emptyStream, defaultLimits), defaultLimits.first)
    assert.strictEqual(silenceLimit({ ...emptyStream, read: "events" }, defaultLimits), defaultLimits.idle)
  })

  it("at its deadline, or beyond its limit of output, is told so for real", () =>
    withAgents(async (bench) => {
      const late = await bench.run(
        `${say.begun}sleep 3600`,
        bench.ref(),
        bench.task({ limits: { ...defaultLimits, timeout: 1000 } })
      )
      assert.strictEqual((await bench.ended(late, { timeout: 1000 })).ending._tag, "Deadline")
      const loud = await bench.run(
        `${say.begun}while :; do ${say.reconnecting} done`,
        bench.ref(1, 2),
        bench.task({ limits: { ...defaultLimits, maxTranscript: 10_000 } })
      )
      const { ending } = await bench.ended(loud, { maxTranscript: 10_000 })
      assert.deepStrictEqual([ending._tag, ending.message], ["Crashed", "printed more than 10000 bytes"])
    }))
})
