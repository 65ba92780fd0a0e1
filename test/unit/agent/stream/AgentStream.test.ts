// AgentStream: whole streams, how they end, and what they show of reading.
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import type { AgentEvent, AgentItem } from "../../../../src/agent/stream/AgentEvent.ts"
import { decodeClaudeLine } from "../../../../src/agent/stream/ClaudeLines.ts"
import { decodeAgentLine } from "../../../../src/agent/stream/CodexLines.ts"
import { longestLine } from "../../../../src/agent/stream/Lines.ts"
import { interruptedSentence } from "../../../../src/agent/CodexFailure.ts"
import {
  emptyStream,
  endingOf,
  evolveOpen,
  evolveStream,
  foldAgentStream,
  type OpenCommands,
  readEvidence
} from "../../../../src/agent/stream/AgentStream.ts"

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const thread = line({ type: "thread.started", thread_id: "t-1" })
const began = line({ type: "turn.started" })
const said = (text: string) => line({ type: "item.completed", item: { id: "item_1", type: "agent_message", text } })
const completed = (input = 3) => line({ type: "turn.completed", usage: { input_tokens: input, output_tokens: 1 } })
const failed = (message: string) => line({ type: "turn.failed", error: { message } })
const problem = (message: string) => line({ type: "error", message })
const fold = (exit: number | null, ...chunks: ReadonlyArray<string>) => foldAgentStream(chunks, exit)

describe("a stream of the present grammar", () => {
  it("is done with its last message, its thread and its last count of tokens", () =>
    assert.deepStrictEqual(fold(0, thread, began, completed(1), began, said("one"), said("two"), completed(5)), {
      ok: true,
      message: "two",
      failed: null,
      threadId: "t-1",
      usage: { input: 5, cached: 0, output: 1, reasoning: 0 },
      turn: "completed",
      ending: { _tag: "Done", message: "two" }
    }))

  it("has no result in reasoning, in what is not completed, and in a blank message", () => {
    const reasoning = line({ type: "item.completed", item: { type: "reasoning", text: "hm" } })
    const updated = line({ type: "item.updated", item: { type: "agent_message", text: "half" } })
    for (const no of [reasoning, updated, said("  \n"), said("a") + said("")]) {
      const { ending, message, ok } = fold(0, began, no, completed())
      assert.deepStrictEqual([ok, message, ending._tag], [false, null, "Empty"])
    }
  })

  it("is interrupted by codex's notice, unless an answer follows it", () => {
    for (const before of ["", said("Starting."), said("FAILED: no disk")]) {
      for (const exit of [0, 1]) {
        const { ending, failed, message, ok } = fold(exit, began, before, said(`${interruptedSentence}\n`), completed())
        assert.deepStrictEqual([ok, message, failed, ending._tag], [false, null, null, "Interrupted"])
      }
    }
    assert.isTrue(fold(0, began, said(interruptedSentence), said("Done."), completed()).ok)
    const lost = fold(1, began, said(interruptedSentence), problem("Quota exceeded."))
    assert.strictEqual(lost.ending._tag, "Quota")
  })

  it("stays failed when its turn is completed after it failed, until a new turn begins", () => {
    const both = [began, said("fine"), failed("Quota exceeded."), completed(4)]
    assert.deepInclude(fold(0, ...both), { ok: false, turn: "failed" })
    assert.strictEqual(fold(0, ...both).usage?.input, 4)
    assert.deepInclude(fold(0, ...both, began, said("better"), completed()), { ok: true, message: "better" })
  })

  it("says of an answer that is too long to be read that it is, and takes no earlier one for it", () => {
    const long = said("x".repeat(longestLine))
    const { ending, message, ok } = fold(0, began, said("first"), long, completed())
    assert.deepStrictEqual([ok, message], [false, null])
    assert.deepInclude(ending, { _tag: "Empty", unreadable: true })
    assert.match(ending.message, /longer than 16777216 characters/)
    const output = line({
      type: "item.completed",
      item: { id: "1", type: "command_execution", aggregated_output: '"type":"agent_message"'.repeat(longestLine / 16) }
    })
    assert.deepInclude(fold(0, began, said("first"), output, completed()), { ok: true, message: "first" })
  })

  it("fails by its turn, whatever the status and the message say", () => {
    assert.strictEqual(fold(0, began, said("fine"), failed("Quota exceeded.")).ending._tag, "Quota")
    assert.deepInclude(fold(0, began, said("fine"), failed("")), { ok: false, turn: "failed" })
    const open = fold(0, began, said("fine"))
    assert.deepStrictEqual([open.ok, open.turn, open.ending._tag], [false, "open", "Crashed"])
  })

  it("fails by its status, with the last error that was not survived", () => {
    assert.strictEqual(fold(1, began, said("fine"), completed()).ending._tag, "Crashed")
    assert.strictEqual(fold(1, began, problem("Quota exceeded.")).ending._tag, "Quota")
    assert.strictEqual(fold(1, began, failed(""), problem("unexpected status 401 Unauthorized")).ending._tag, "Login")
    assert.deepInclude(fold(null, began).ending, { _tag: "Crashed", exit: null })
  })

  it("survives a reconnection and a warning", () => {
    const warning = line({ type: "item.completed", item: { type: "error", message: "Quota exceeded." } })
    assert.isTrue(fold(0, began, problem("Reconnecting... 1/5"), warning, said("fine"), completed()).ok)
    assert.strictEqual(fold(1, began, problem("Reconnecting... 1/5")).ending._tag, "Crashed")
  })

  it("reports a failure of its own until a later message takes it back", () => {
    const reported = fold(0, began, said("FAILED: no disk"), completed())
    assert.deepInclude(reported, { ok: false, message: "FAILED: no disk" })
    assert.deepInclude(reported.failed, { summary: "no disk" })
    assert.strictEqual(reported.ending._tag, "Reported")
    const blank = fold(0, began, said("FAILED: no disk"), said("\n"), completed())
    assert.deepStrictEqual([blank.failed, blank.ending._tag], [null, "Empty"])
    const recovered = fold(0, began, said("FAILED: no disk"), said("It works now."), completed())
    assert.deepStrictEqual([recovered.ok, recovered.failed], [true, null])
  })
})

describe("a stream of the old grammar", () => {
  const msg = (fields: Readonly<Record<string, unknown>>) => line({ id: "0", msg: fields })
  const old = [
    line({ model: "gpt-5", sandbox: "read-only" }),
    msg({ type: "task_started", model_context_window: 272000 }),
    msg({ type: "token_count", info: { total_token_usage: { input_tokens: 7 }, model_context_window: 272000 } })
  ]

  it("needs no end of its turn", () => {
    const { ok, turn, usage } = fold(0, ...old, msg({ type: "agent_message", message: "done" }))
    assert.deepStrictEqual([ok, turn, usage?.input], [true, "none", 7])
  })

  it("takes the message of its end if no message came before", () => {
    const end = msg({ type: "task_complete", last_agent_message: "bye" })
    assert.strictEqual(fold(0, ...old, end).message, "bye")
    assert.strictEqual(fold(0, ...old, msg({ type: "agent_message", message: "done" }), end).message, "done")
    assert.strictEqual(fold(0, ...old, msg({ type: "agent_message", message: " " }), end).message, null)
    assert.strictEqual(fold(0, ...old, end).turn, "completed")
  })
})

describe("an invalid stream", () => {
  it("is empty, and unreadable where something was printed", () => {
    assert.deepInclude(fold(0).ending, { _tag: "Empty", unreadable: false })
    assert.deepInclude(fold(0, "Segmentation fault\n").ending, { _tag: "Empty", unreadable: true })
    assert.deepInclude(fold(0, thread, "what\n").ending, { _tag: "Empty", unreadable: false })
  })

  it("counts a last line without its end", () => assert.isTrue(fold(0, began, said("fine"), completed().trimEnd()).ok))
})

describe("what is on standard error", () => {
  const ending = (errors: string, exit: number | null) => endingOf(emptyStream, exit, errors)

  it("says why an agent failed whose stream does not", () => {
    assert.deepStrictEqual(ending("warning: x\nerror: unexpected argument '-s'\n", 2), {
      _tag: "BadArguments",
      message: "error: unexpected argument '-s'"
    })
    assert.deepStrictEqual(ending("one\ntwo\n\nthree\nfour\n", 3), {
      _tag: "Crashed",
      message: "two\nthree\nfour",
      exit: 3
    })
  })

  it("does not count where the stream says why, or where all is well", () => {
    const stream = evolveStream(emptyStream, { _tag: "Error", message: "no room", reconnecting: false })
    assert.strictEqual(endingOf(stream, 1, "error: other").message, "no room")
    assert.strictEqual(endingOf({ ...emptyStream, message: "hi" }, 0, "error: other")._tag, "Done")
  })
})

const readOf = (events: ReadonlyArray<AgentEvent | null>) =>
  readEvidence(events.reduce((stream, event) => event === null ? stream : evolveStream(stream, event), emptyStream))
    .read

describe("what a stream of codex shows of reading", () => {
  const command = (exit_code: number | null, aggregated_output = "") =>
    line({
      type: "item.completed",
      item: { id: "i", type: "command_execution", command: "x", exit_code, aggregated_output }
    })
  const called = (status: string) =>
    line({ type: "item.completed", item: { id: "i", type: "mcp_tool_call", server: "files", tool: "read", status } })
  const old = (exit_code: number) => line({ msg: { type: "exec_command_end", call_id: "1", exit_code, stdout: "" } })
  const over = line({ msg: { type: "task_complete", last_agent_message: "Fine." } })

  it.each<readonly [string, string | undefined, ReadonlyArray<string>]>([
    ["a command that succeeded", "tools", [command(1), command(0), command(2), completed()]],
    ["a hunk in the output of one that failed", "tools", [command(1, "diff\n@@ -1 +1 @@\n"), completed()]],
    ["commands that failed", "nothing", [command(1, "a @@ b"), command(null), completed()]],
    ["commands that failed in a turn that is open", "nothing", [command(1)]],
    ["no command in a whole turn", "nothing", [said("Fine."), completed()]],
    ["no command in a turn that is open", undefined, [said("Fine.")]],
    ["a tool whose result may be anything", undefined, [called("completed"), completed()]],
    ["such a tool beside a command that failed", "nothing", [called("completed"), command(1), completed()]],
    ["such a tool that failed", "nothing", [called("failed"), completed()]],
    ["a command that succeeded, in the old grammar", "tools", [old(1), old(0), over]],
    ["a command that failed, in the old grammar", "nothing", [old(1), over]]
  ])("%s", (_name, read, lines) => {
    assert.strictEqual(readOf([began, ...lines].map((one) => decodeAgentLine(one.trimEnd()))), read)
  })
})

describe("what a stream of Claude Code shows of reading", () => {
  const uses = (name: string, id = "1") =>
    line({ type: "assistant", message: { content: [{ type: "tool_use", id, name, input: {} }] } })
  const gives = (content: string, more: object = {}, result: unknown = undefined, id = "1") =>
    line({
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: id, content, ...more }] },
      tool_use_result: result
    })
  const over = line({ type: "result", is_error: false, result: "Fine." })
  const isError = { is_error: true }

  it.each<readonly [string, string | undefined, ReadonlyArray<string>]>([
    ["a file that was read", "tools", [uses("Read"), gives("1 one")]],
    ["a command that succeeded", "tools", [uses("Bash"), gives("one", {}, { stdout: "one" })]],
    ["a command that succeeded, without its parts", "tools", [uses("Bash"), gives("one")]],
    ["a command that failed", "nothing", [uses("Bash"), gives("Exit code 1\nno", isError)]],
    ["tools that were refused", "nothing", [
      uses("Bash"),
      gives("refused", isError),
      uses("Read"),
      gives("no", isError)
    ]],
    ["an answer in its form", "nothing", [uses("StructuredOutput"), gives("Structured output provided successfully")]],
    ["a file beside an answer in its form", "tools", [
      uses("Read", "2"),
      uses("StructuredOutput"),
      gives("given"),
      gives("1 one", {}, { file: {} }, "2")
    ]],
    ["no tool", "nothing", []]
  ])("%s", (_name, read, lines) => {
    assert.strictEqual(readOf([...lines, over].flatMap((one) => decodeClaudeLine(one.trimEnd()))), read)
  })
})

const command: AgentItem = { _tag: "Command", command: "make", output: "", exitCode: null, status: "in_progress" }
const open = (...events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> => [
  ...events.reduce<OpenCommands>((before, event) => evolveOpen(before, event), new Set())
]
const started = (id: string, item: AgentItem = command): AgentEvent => ({ _tag: "ItemStarted", id, item })
const commandCompleted = (id: string): AgentEvent => ({ _tag: "ItemCompleted", id, item: command })

describe("the commands that an agent has open", () => {
  it("are those that have started and not ended, in both grammars", () => {
    assert.deepStrictEqual(open(started("a"), started("b"), commandCompleted("a"), commandCompleted("x")), ["b"])
    const begin: AgentEvent = { _tag: "ExecCommandBegin", callId: "c", command: "make", cwd: null }
    assert.deepStrictEqual(open(begin), ["c"])
    const end: AgentEvent = { _tag: "ExecCommandEnd", callId: "c", exitCode: 0, output: "", millis: null }
    assert.deepStrictEqual(open(begin, end), [])
  })

  it("are commands alone", () =>
    assert.deepStrictEqual(open(started("a", { _tag: "Reasoning", text: "" }), { _tag: "TurnStarted" }), []))

  it("and its tasks in the background, which the end of a turn does not end", () => {
    const opened = (task: string): AgentEvent => ({ _tag: "TaskOpened", task })
    const done: AgentEvent = { _tag: "TurnCompleted", usage: null }
    assert.lengthOf(open(started("a"), opened("a"), opened("b"), done), 2)
    assert.lengthOf(open(opened("a"), opened("b"), done, { _tag: "TaskClosed", task: "a" }), 1)
    // A list of them counts as it is.
    assert.lengthOf(open(started("a"), opened("a"), { _tag: "OpenTasks", tasks: ["b", "c"] }), 3)
    assert.lengthOf(open(opened("a"), { _tag: "OpenTasks", tasks: [] }), 0)
  })

  it.each(
    [
      { _tag: "TurnCompleted", usage: null },
      { _tag: "TurnFailed", message: "" },
      { _tag: "TaskComplete", lastMessage: null }
    ] satisfies ReadonlyArray<AgentEvent>
  )("end with $_tag", (event) => assert.deepStrictEqual(open(started("a"), event), []))
})

describe("a stream of the real codex", () => {
  const directory = new URL("../../../../fixtures/agents/", import.meta.url)
  const prefix = "codex-0.169.0-"
  const names = readdirSync(directory).filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length).replace(/\.jsonl$/, ""))
  const bytesOf = (name: string) => readFileSync(new URL(`${prefix}${name}.jsonl`, directory))

  /** The exit status, how it ended, and the state of the last turn. */
  const ends: Readonly<Record<string, readonly [exit: number, ending: string, turn: string]>> = {
    success: [0, "Done", "completed"],
    edit: [0, "Done", "completed"],
    refused: [0, "Done", "completed"],
    schema: [0, "Done", "completed"],
    resumed: [0, "Done", "completed"],
    reconnected: [0, "Done", "completed"],
    empty: [0, "Empty", "completed"],
    unauthorized: [1, "Login", "failed"],
    "rate-limit": [1, "RateLimited", "failed"],
    "slow-down": [1, "RateLimited", "failed"],
    "server-error": [1, "Overloaded", "failed"],
    overloaded: [1, "Overloaded", "failed"],
    quota: [1, "Quota", "failed"],
    "no-credit": [1, "Quota", "failed"],
    context: [1, "ContextWindow", "failed"],
    cut: [1, "Stream", "failed"],
    "bad-request": [1, "BadArguments", "failed"],
    // Ended from outside: only the stream shows a turn that is still open.
    idle: [143, "Crashed", "open"],
    deadline: [143, "Crashed", "open"]
  }

  describe("a stream of the real codex", () => {
    it("has a row in the table, each", () => assert.deepStrictEqual([...names].sort(), Object.keys(ends).sort()))

    it.each(names)("every line of %s is understood", (name) => {
      const lines = bytesOf(name).toString("utf8").split("\n").slice(0, -1)
      assert.isAbove(lines.length, 1)
      for (const line of lines) assert.notInclude(["Unknown", "Unparsed"], decodeAgentLine(line)?._tag)
    })

    it.each(Object.entries(ends))("%s ends as it did, however its bytes are cut", (name, [exit, ending, turn]) => {
      const bytes = bytesOf(name)
      const whole = foldAgentStream([bytes], exit)
      assert.deepStrictEqual([whole.ending._tag, whole.turn], [ending, turn])
      assert.match(whole.threadId ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(foldAgentStream(Array.from(bytes, (byte) => Uint8Array.of(byte)), exit), whole)
    })
  })
})
