// Handlers: the answer to each event; there is no answer after a fault or a late review.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { answerHook, diagnoseCommand, reviewSession, reviewThought } from "../../../src/hook/Handlers.ts"
import { reviewEdit } from "../../../src/hook/Reviews.ts"
import { silence } from "../../../src/hook/Call.ts"
import { could, hooking, onStage, said, messagesOf } from "../../support/hooks.ts"

const edit = hooking({
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { file_path: "/w/a", content: "x" }
})
const noLadder = () => Effect.succeed(silence)

describe("an event", () => {
  it("is answered by its action", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")], files: { transcript: "{}", plan: "a plan" } })
    const thought = hooking({ hook_event_name: "PostToolUse", tool_input: { thought: "so" } })
    const found = []
    for (
      const [event, action] of [
        [edit, "code_change"],
        [hooking({ hook_event_name: "PostToolUse" }), "plan_review"],
        [thought, "thinking"],
        [hooking({ hook_event_name: "PostToolUseFailure" }), "bash_failure"],
        [hooking({ hook_event_name: "Stop" }), "stop"],
        [hooking({ hook_event_name: "PreCompact" }), "compact"]
      ] as const
    ) {
      const { block, stdout } = await run(answerHook(event, action, noLadder))
      found.push([action, block !== null, stdout === "" ? "nothing" : stdout.startsWith("{") ? "an object" : "text"])
    }
    assert.deepStrictEqual(found, [
      ["code_change", false, "an object"],
      ["plan_review", false, "an object"],
      ["thinking", false, "an object"],
      ["bash_failure", false, "an object"],
      ["stop", true, "nothing"],
      ["compact", false, "text"]
    ])
  })

  describe("that arrives twice at once", () => {
    const events = [
      [hooking({ hook_event_name: "PostToolUse", tool_input: { thought: "so" } }), "thinking"],
      [hooking({ hook_event_name: "PostToolUseFailure", error: "no" }), "bash_failure"],
      [hooking({ hook_event_name: "PreCompact" }), "compact"],
      [hooking({ hook_event_name: "PostToolUse" }), "plan_review"],
      [edit, "code_change"],
      [hooking({ hook_event_name: "Stop", last_assistant_message: "Done." }, { gate: "review" }), "stop"]
    ] as const
    const twice = async (
      [event, action]: (typeof events)[number],
      reply: Parameters<typeof onStage>[0]["replies"][number]
    ) => {
      const { questions, run } = onStage({
        replies: [said("PASS"), reply],
        files: { transcript: "{}", plan: "a plan" }
      })
      // The turn has an edit, for the gate.
      await run(reviewEdit({ ...edit, input: { ...edit.input, toolInput: { file_path: "/w/b", content: "y" } } }))
      const both = Effect.all([0, 1].map(() => answerHook(event, action, noLadder)), { concurrency: "unbounded" })
      const [one, other] = await run(both)
      return { one, other, asked: questions.length - 1 }
    }

    it.each(events)("is asked about once, and both calls say the same: %#", async (...event) => {
      const slow = Effect.delay(Effect.succeed(said("FAIL\n- wrong")), 5000)
      const { asked, one, other } = await twice(event, slow)
      assert.deepStrictEqual([asked, other], [1, one])
      assert.notDeepEqual(one, silence)
    })

    it.each(events)("is not asked about again without an answer: %#", async (...event) => {
      assert.strictEqual((await twice(event, Effect.delay(Effect.succeed(could("no credit")), 5000))).asked, 1)
    })
  })

  it("that is the same later is asked about again", async () => {
    const { questions, run } = onStage({ replies: [said("FAIL\n- wrong")] })
    const thought = hooking({ hook_event_name: "PostToolUse", tool_input: { thought: "so" } })
    await run(Effect.andThen(reviewThought(thought), Effect.delay(reviewThought(thought), 11_000)))
    assert.strictEqual(questions.length, 2)
  })

  it("that ends a session removes its state", async () => {
    const { run, states } = onStage({ replies: [said("FAIL\n- wrong")] })
    await run(reviewEdit(edit))
    assert.strictEqual(states.size, 1)
    assert.deepStrictEqual(await run(answerHook(hooking({ hook_event_name: "SessionEnd" }), "end", noLadder)), silence)
    assert.strictEqual(states.size, 0)
  })

  it("that fails has no answer: state that cannot be kept, a bug, and a model that never answers", async () => {
    const end = hooking({ hook_event_name: "SessionEnd" })
    assert.deepStrictEqual(await onStage({ replies: [], broken: true }).run(answerHook(end, "end", noLadder)), silence)
    for (const reply of [Effect.die("broken"), Effect.never]) {
      assert.deepStrictEqual(
        await onStage({ replies: [reply] }).run(answerHook(edit, "code_change", noLadder)),
        silence
      )
    }
  })
})

const thinks = (words: string, fields: object = {}) =>
  hooking({
    hook_event_name: "PostToolUse",
    tool_name: "mcp__t__sequentialthinking",
    tool_input: { thought: words, thoughtNumber: 1, totalThoughts: 9, ...fields }
  })
const fails = (error: string) =>
  hooking({ hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: { command: "npm test" }, error })
const compacts = hooking({ hook_event_name: "PreCompact", transcript_path: "/t" })

describe("a thought", () => {
  it("is reviewed for Claude only, by its stage", async () => {
    const { questions, run } = onStage({ replies: [said("- Look again.")] })
    const { claude, user } = messagesOf(await run(reviewThought(thinks("It is so."))))
    assert.isUndefined(user)
    assert.match(claude, /reviewed this thought\..*\n- Look again\.$/)
    assert.match(questions[0]?.prompt ?? "", /thought 1 of about 9[^]*has just begun/)
    assert.deepStrictEqual([questions[0]?.effort, questions[0]?.schema], ["medium", null])
  })

  it("has no answer without words, or without advice", async () => {
    const { questions, run } = onStage({ replies: [said("Nothing.")] })
    assert.strictEqual((await run(reviewThought(thinks(" ")))).stdout, "")
    assert.strictEqual(questions.length, 0)
    assert.strictEqual((await run(reviewThought(thinks("It is so.")))).stdout, "")
  })

  it("that is very long keeps its head and its tail, with a summary between them", async () => {
    const { questions, run } = onStage({ replies: [said("it counts"), said("- Look again.")] })
    await run(reviewThought(thinks(`HEAD ${"word ".repeat(60_000)} TAIL`)))
    assert.strictEqual(questions.length, 2)
    assert.match(questions[1]?.prompt ?? "", /HEAD [^]*in short: it counts[^]* TAIL/)
    assert.isBelow(questions[1]?.prompt.length ?? 0, 110_000)
  })
})

describe("a command that failed", () => {
  it("is explained to Claude and the user", async () => {
    const { questions, run } = onStage({ replies: [said("- A file is missing.")] })
    const { claude, user } = messagesOf(await run(diagnoseCommand(fails("ENOENT"))))
    assert.strictEqual(user, "Codex on the failed command:\n- A file is missing.")
    assert.match(claude, /A file is missing/)
    assert.include(questions[0]?.prompt ?? "", "ENOENT")
    assert.strictEqual(questions[0]?.effort, "high")
  })

  it("that cannot be explained is reported once", async () => {
    const { run } = onStage({ replies: [could("codex exited 1")] })
    assert.match(messagesOf(await run(diagnoseCommand(fails("x")))).user, /codex exited 1/)
    assert.strictEqual((await run(diagnoseCommand(fails("x")))).stdout, "")
  })
})

describe("a compaction", () => {
  it("gets plain text for the summary, and what is open", async () => {
    const { questions, run } = onStage({
      replies: [said("FAIL\n- wrong"), said("- Keep the limit.")],
      files: { transcript: "{}" }
    })
    await run(
      reviewEdit(hooking({ hook_event_name: "PostToolUse", tool_name: "Write", tool_input: { file_path: "/w/a" } }))
    )
    const { block, stdout } = await run(reviewSession(compacts))
    assert.isNull(block)
    assert.match(stdout, /^Another model \(Codex\)[^]*- Keep the limit\.\n$/)
    assert.include(questions[1]?.prompt ?? "", "/w/a: - wrong")
  })

  it("has no answer without a transcript, without advice, and without codex", async () => {
    const { questions, run } = onStage({ replies: [] })
    assert.strictEqual((await run(reviewSession(compacts))).stdout, "")
    assert.strictEqual(questions.length, 0)
    for (const reply of [said("nothing"), could("codex exited 1")]) {
      const stage = onStage({ replies: [reply], files: { transcript: "{}" } })
      assert.strictEqual((await stage.run(reviewSession(compacts))).stdout, "")
    }
  })
})
