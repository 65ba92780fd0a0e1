// Agent.live: agents as real processes: started once, refused where they could change our records, ended with all they started.
import { readdirSync, symlinkSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { kindReaders, makeAgent, transcript } from "../../../src/agent/Agent.live.ts"
import { agentFiles } from "../../../src/run/Layout.live.ts"
import { eventually, fault } from "../platform/guard/guarded.ts"
import { say, tagsOf, textOf, withAgents } from "../../support/agentBench.ts"

describe("an agent", () => {
  it("reads its prompt on standard input, however long it is", () =>
    withAgents(async (bench) => {
      const prompt = "x".repeat(3_000_000)
      const attempt = bench.ref()
      const agent = makeAgent(
        bench.script(`n=$(wc -c); echo "{\\"type\\":\\"x\\"}" >&2; ${say.message("$n").replaceAll("$n", "'$n'")}`)
      )
      await bench.start(agent, attempt, bench.task(), { thread: null, prompt })
      assert.strictEqual((await bench.ended(attempt)).message, "3000000")
      assert.strictEqual(textOf(agentFiles(attempt).prompt), prompt)
    }))

  it("that may write is refused where our records lie in its worktree, and one that only reads is not", () =>
    withAgents(async (bench) => {
      const agent = makeAgent(bench.script(say.message("Read.")))
      symlinkSync(bench.root, bench.path("link"))
      for (const cwd of [bench.root, bench.path("link"), bench.path(".")]) {
        const message = await fault(bench.start(agent, bench.ref(), bench.task({ cwd })))
        assert.strictEqual(
          message,
          "starting agent 1, attempt 1: the agent could change the program's own records: the state root " +
            `${bench.root} lies inside the worktree ${cwd}; name another one by --state-root or OODA_STATE_ROOT`
        )
      }
      assert.deepStrictEqual(readdirSync(bench.root), [])
      const reader = bench.ref()
      await bench.start(agent, reader, bench.task({ cwd: bench.root, sandbox: "read-only" }))
      assert.strictEqual((await bench.ended(reader)).ending._tag, "Done")
    }))

  it("is refused a directory that is not there, and then never begins", () =>
    withAgents(async (bench) => {
      const attempt = bench.ref()
      const task = bench.task({ cwd: "/no/such", sandbox: "read-only" })
      assert.match(await fault(bench.start(makeAgent(bench.script(":")), attempt, task)), /directory \/no\/such: /)
      assert.deepStrictEqual(tagsOf(await bench.follow(attempt)), ["NeverBegan"])
    }))

  it("starts when the attempt before it is over, which it ends if need be", () =>
    withAgents(async (bench) => {
      const first = await bench.run("trap '' TERM; sleep 3600 & sleep 3600")
      await eventually("the first at work", () => bench.living(first).length > 2)
      const second = await bench.run(say.message("Second."), bench.ref(2))
      assert.deepStrictEqual(bench.living(first), [])
      assert.strictEqual((await bench.ended(second)).message, "Second.")
    }))
})

describe("an agent that is stopped", () => {
  it("was interrupted, for everyone who follows it, and nothing of it is left", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(`${say.begun}setsid sleep 3600 & sleep 3600`)
      await eventually("it at work", () => bench.living(attempt).length > 3)
      const following = bench.ended(attempt)
      assert.isAtLeast(await bench.stop(attempt), 2)
      const { ending, threadId } = await following
      assert.deepStrictEqual(ending, { _tag: "Interrupted", message: "it was stopped on request" })
      assert.strictEqual(threadId, "t-1")
      assert.deepStrictEqual(bench.living(attempt), [])
      assert.deepStrictEqual((await bench.ended(attempt)).ending, ending)
    }))

  it("before it began never begins", () =>
    withAgents(async (bench) => {
      const attempt = bench.ref()
      assert.strictEqual(await bench.stop(attempt), 0)
      assert.deepStrictEqual(tagsOf(await bench.follow(attempt)), ["NeverBegan"])
    }))

  it("after it ended keeps its ending", () =>
    withAgents(async (bench) => {
      const attempt = await bench.run(say.message("Done."))
      const before = await bench.ended(attempt)
      await bench.stop(attempt)
      assert.deepStrictEqual(await bench.ended(attempt), before)
    }))
})

const bytes = (text: string) => new TextEncoder().encode(text)
const lastTag = (kind: keyof typeof kindReaders, text: string) => {
  const hearing = kindReaders[kind].hear()
  return [...hearing.push(bytes(text)), ...hearing.end()].map(({ _tag }) => _tag)
}

describe("the hearing of each kind", () => {
  it("decodes what that kind prints", () => {
    assert.deepStrictEqual(lastTag("codex", '{"type":"turn.started"}\n\n'), ["TurnStarted"])
    assert.include(lastTag("claude", '{"type":"system","subtype":"init","session_id":"s"}\n'), "ThreadStarted")
    assert.deepStrictEqual(lastTag("command", '{"type":"turn.started"}\n'), ["ItemCompleted"])
  })
})

const retry = '{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}\n'
const event = '{"type":"turn.started"}\n'
const { stalledTail } = transcript

describe("the end of a stream of events", () => {
  it("that holds nothing but new connections is no progress", () => {
    assert.deepStrictEqual(stalledTail(event + retry + retry), { from: event.length, waits: 2, cut: false })
    const again = '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"error":"overloaded"}\n'
    assert.deepStrictEqual(stalledTail(event + again), { from: event.length, waits: 1, cut: false })
    assert.deepStrictEqual(stalledTail(retry), { from: 0, waits: 1, cut: true })
  })

  it.each([
    "",
    event,
    retry + event,
    '{"type":"error","message":"no credit"}\n',
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Reconnecting... 1/5"}}\n',
    'ne":"Reconnecting... 1/5"}\n'
  ])("that is %j is progress", (text) => assert.isNull(stalledTail(text)))

  it("is all that counts, whatever is on standard error", () => {
    assert.deepStrictEqual([transcript.file, transcript.alone], ["out", true])
  })
})
