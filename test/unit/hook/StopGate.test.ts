// StopGate: what blocks a Stop, what lets it pass, and that nothing blocks that could not be checked.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Gate } from "../../../src/hook/Table.ts"
import { reviewEdit, reviewPlan } from "../../../src/hook/Reviews.ts"
import { type HookCall, silence } from "../../../src/hook/Call.ts"
import { checkStop } from "../../../src/hook/StopGate.ts"
import { could, hooking, onStage, said, messagesOf } from "../../support/hooks.ts"

const stop = (gate: Gate = "review") => hooking({ hook_event_name: "Stop", last_assistant_message: "Done." }, { gate })
const edit = (file: string) =>
  hooking({ hook_event_name: "PostToolUse", tool_name: "Write", tool_input: { file_path: file, content: "x" } })
const noLadder = () => Effect.die("the ladder is not asked")
const held = (of: HookCall) => checkStop(of, noLadder)

describe("a Stop", () => {
  it("passes without asking if nothing was edited", async () => {
    const { questions, run } = onStage({ replies: [] })
    for (const gate of ["fails", "review", "ladder"] as const) {
      assert.deepStrictEqual(await run(held(stop(gate))), silence)
    }
    assert.strictEqual(questions.length, 0)
  })

  it("informs the user that nothing is reviewed if no review can be kept", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")], broken: true })
    await run(reviewEdit(edit("/w/a.ts")))
    for (const gate of ["fails", "review", "ladder"] as const) {
      const { block, user } = messagesOf(await run(held(stop(gate))))
      assert.isNull(block)
      assert.match(user, /^This gate checks nothing, because .*: the disk is full \[fix that/)
    }
  })

  it("is blocked by open FAILs without asking: five with their reasons, and the number of others", async () => {
    const { questions, run } = onStage({ replies: [said("FAIL\n- it is wrong")] })
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await run(reviewEdit(edit(`/w/${n}.ts`)))
    const { block, stdout } = await run(held(stop("fails")))
    assert.strictEqual(stdout, "")
    const lines = (block ?? "").split("\n")
    assert.match(lines[0] ?? "", /^Another model \(Codex\) found problems in 7 edits that nothing has cleared/)
    assert.deepStrictEqual(
      lines.slice(1, 7),
      [3, 4, 5, 6, 7].map((n) => `- ${n}.ts: it is wrong`).concat("- and 2 more")
    )
    assert.match(block ?? "", /To continue without fixing one: .*hook dismiss PATH --reason TEXT/)
    assert.match(block ?? "", /hook install --gate off/)
    assert.strictEqual(questions.length, 7)
  })

  it("reviews what the turn changed: the message, the files and their diff", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")], files: { diff: "+ added" } })
    await run(reviewEdit(edit("/w/a.ts")))
    assert.strictEqual(messagesOf(await run(held(stop()))).user, "Codex on this turn: passed")
    for (const text of ["Done.", "/w/a.ts", "+ added"]) assert.include(questions[1]?.prompt ?? "", text)
  })

  it("is blocked by a review that fails, and by one without a clear verdict", async () => {
    for (
      const [text, words] of [["FAIL\n- wrong", "found problems in"], ["Hm.", "gave no clear verdict on"]] as const
    ) {
      const { run } = onStage({ replies: [said("PASS"), said(text)] })
      await run(reviewEdit(edit("/w/a.ts")))
      const { block } = await run(held(stop()))
      assert.include(block ?? "", words)
      assert.match(block ?? "", /To continue without this gate: `ooda-codex-review hook install --gate off`/)
      assert.notInclude(block ?? "", "dismiss")
    }
  })

  it("names the plugin with the gate, because settings would not turn it off", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")], env: { CLAUDE_PLUGIN_ROOT: "/plugin" } })
    await run(reviewEdit(edit("/w/a.ts")))
    const { block } = await run(held(stop()))
    assert.match(block ?? "", /--reason TEXT`\. To continue without this gate: `claude plugin disable ooda` /)
    assert.notInclude(block ?? "", "hook install")
  })

  it("passes if codex could not be asked, and says so once", async () => {
    const { run } = onStage({ replies: [said("PASS"), could("codex exited 1")] })
    await run(reviewEdit(edit("/w/a.ts")))
    assert.match(messagesOf(await run(held(stop()))).user, /codex exited 1/)
    assert.deepStrictEqual(await run(held(stop())), silence)
  })

  it("informs the user once, after Claude, that edits could not be reviewed", async () => {
    const { run } = onStage({ replies: [could("codex exited 1")] })
    const { flags, ...event } = edit("/w/a.ts")
    await run(reviewEdit({ ...event, flags: { ...flags, quiet: true } }))
    assert.match(messagesOf(await run(held(stop("fails")))).user, /reviews nothing in this session: codex exited 1/)
    assert.deepStrictEqual(await run(held(stop("fails"))), silence)
  })

  it("only checks FAILs with that gate", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")] })
    await run(reviewEdit(edit("/w/a.ts")))
    assert.deepStrictEqual(await run(held(stop("fails"))), silence)
    assert.strictEqual(questions.length, 1)
  })

  it("waits for pending reviews of edits", async () => {
    const { run } = onStage({ replies: [Effect.delay(Effect.succeed(said("FAIL\n- wrong")), 20_000)] })
    const [, { block }] = await run(Effect.all([reviewEdit(edit("/w/a.ts")), Effect.delay(held(stop()), 1000)], {
      concurrency: "unbounded"
    }))
    assert.include(block ?? "", "a.ts: wrong")
  })

  it("is blocked by an open FAIL at once, but for one whose file is being reviewed again", async () => {
    const again = (file: string) =>
      hooking({ hook_event_name: "PostToolUse", tool_name: "Write", tool_input: { file_path: file, content: "y" } })
    for (const [file, blocks] of [["/w/b.ts", true], ["/w/a.ts", false]] as const) {
      const replies = [said("FAIL\n- wrong"), Effect.delay(Effect.succeed(said("PASS")), 20_000)]
      const { run } = onStage({ replies })
      await run(reviewEdit(edit("/w/a.ts")))
      const [, { block }] = await run(Effect.all([reviewEdit(again(file)), Effect.delay(held(stop("fails")), 1000)], {
        concurrency: "unbounded"
      }))
      assert.strictEqual(block !== null, blocks)
    }
  })

  const working = (turn: string, gate: Gate = "review", ...ids: ReadonlyArray<string>) =>
    hooking({ hook_event_name: "Stop", prompt_id: turn, background_tasks: ids.map((id) => ({ id })) }, { gate })

  it("while work runs in the background is blocked by open FAILs and by the ladder all the same", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")] })
    await run(reviewEdit(edit("/w/a.ts")))
    for (const gate of ["fails", "review"] as const) {
      assert.include((await run(held(working("p", gate, "server")))).block ?? "", "a.ts: wrong")
    }
    const answer = { stdout: "", block: "climb" }
    assert.strictEqual(await run(checkStop(working("p", "ladder", "server"), () => Effect.succeed(answer))), answer)
  })

  it("says that the turn is not checked while work runs that was begun in it, and waits for no other", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")] })
    await run(reviewEdit(edit("/w/a.ts")))
    for (let i = 0; i < 2; i++) {
      const { block, user } = messagesOf(await run(held(working("p", "review", "server"))))
      assert.isNull(block)
      assert.match(user, /^This gate has not checked the turn, because work that it began/)
    }
    assert.strictEqual(questions.length, 1)
    // The server goes on: the next turn does not wait for it, and checks both.
    assert.strictEqual(messagesOf(await run(held(working("q", "review", "server")))).user, "Codex on this turn: passed")
    await run(
      reviewEdit(
        hooking({
          hook_event_name: "PostToolUse",
          prompt_id: "r",
          tool_name: "Write",
          tool_input: { file_path: "/w/b.ts", content: "x" }
        })
      )
    )
    assert.match(messagesOf(await run(held(working("r", "review", "server", "tests")))).user, /^This gate has not/)
    assert.strictEqual(messagesOf(await run(held(working("s", "review", "server")))).user, "Codex on this turn: passed")
  })

  it("waits only as long as there is time left for the review of the turn", async () => {
    const { questions, run } = onStage({ replies: [Effect.never, said("FAIL\n- all of it")] })
    const { block } = await run(Effect.gen(function*() {
      yield* Effect.forkChild(reviewEdit(edit("/w/a.ts")))
      yield* Effect.sleep(1000)
      return yield* held(stop())
    }))
    assert.include(block ?? "", "all of it")
    assert.isAtLeast(questions[1]?.within ?? 0, 20_000)
  })

  it("only checks the ladder with that gate, if something was edited", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")] })
    await run(reviewEdit(edit("/w/a.ts")))
    const answer = { stdout: "", block: "climb" }
    assert.strictEqual(await run(checkStop(stop("ladder"), () => Effect.succeed(answer))), answer)
  })

  it("is blocked by a failed plan on its own: no repository is needed for a plan", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")] })
    const plan = { hook_event_name: "PostToolUse", tool_name: "ExitPlanMode", tool_input: { plan: "Do it." } }
    await run(reviewPlan(hooking(plan)))
    assert.include((await run(held(stop("ladder")))).block ?? "", "- the plan: wrong")
  })

  const next = (gate: Gate = "review") => hooking({ hook_event_name: "Stop", prompt_id: "next" }, { gate })

  it("of another turn checks edits that no Stop has checked, and no others", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")] })
    await run(reviewEdit(edit("/w/a.ts")))
    assert.strictEqual(messagesOf(await run(held(next()))).user, "Codex on this turn: passed")
    const last = hooking({ hook_event_name: "Stop", prompt_id: "last" })
    assert.deepStrictEqual([await run(held(last)), questions.length], [silence, 2])
  })

  it("needs the fixed point of the repository that was edited, wherever the session is", async () => {
    const { run } = onStage({ replies: [said("PASS")] })
    const climb = ({ cwd }: HookCall) => Effect.succeed({ stdout: "", block: cwd })
    await run(reviewEdit(edit("/tmp/notes.md")))
    assert.strictEqual((await run(checkStop(stop("ladder"), climb))).block, "/w")
    await run(reviewEdit(edit("/other/a.ts")))
    assert.strictEqual((await run(checkStop(stop("ladder"), climb))).block, "/other")
  })

  it("is blocked by the ladder while its turn continues", async () => {
    const { run } = onStage({ replies: [said("PASS")] })
    await run(reviewEdit(edit("/w/a.ts")))
    const answer = { stdout: "", block: "climb" }
    for (const call of [stop("ladder"), stop("ladder")]) {
      assert.strictEqual(await run(checkStop(call, () => Effect.succeed(answer))), answer)
    }
    assert.deepStrictEqual(await run(held(next("ladder"))), silence)
  })
})
