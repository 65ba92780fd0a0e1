// An edit is reviewed once, its verdict is kept, and what cannot be reviewed is told once.
import { Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import { reviewEdit } from "../../../src/hook/Reviews.ts"
import { could, hooking, onStage, said, told } from "./stage.ts"

const edit = (after: string, file = "/w/a.ts") => ({
  hook_event_name: "PostToolUse",
  tool_name: "Edit",
  tool_input: { file_path: file, old_string: "one", new_string: after }
})
const first = hooking(edit("two"))

describe("an edit", () => {
  it("that passes is told to the user alone, and said again of the same edit by nobody", async () => {
    const { questions, run, state } = onStage({ replies: [said("PASS")] })
    assert.deepStrictEqual(told(await run(reviewEdit(first))), {
      user: "Codex on a.ts: passed",
      claude: undefined,
      block: null
    })
    assert.strictEqual((await run(reviewEdit(first))).stdout, "")
    assert.strictEqual(questions.length, 1)
    assert.deepStrictEqual([state().fails, state().pending, state().turn.paths], [[], [], ["/w/a.ts"]])
  })

  it("in the background tells only Claude, and nothing after a PASS", async () => {
    const quietly = hooking(edit("two"), { quiet: true })
    assert.strictEqual((await onStage({ replies: [said("PASS")] }).run(reviewEdit(quietly))).stdout, "")
    const { claude, user } = told(await onStage({ replies: [said("FAIL\n- wrong")] }).run(reviewEdit(quietly)))
    assert.isUndefined(user)
    assert.match(claude, /- wrong$/)
    const unasked = told(await onStage({ replies: [could("codex exited 1")] }).run(reviewEdit(quietly)))
    assert.isUndefined(unasked.user)
    assert.match(unasked.claude, /reviews nothing in this session: codex exited 1/)
  })

  it("that fails is told to both, stays open, and is told to both again", async () => {
    const { questions, run, state } = onStage({ replies: [said('{"verdict":"FAIL","review":"- wrong"}')] })
    for (const time of [1, 2]) {
      const { claude, user } = told(await run(reviewEdit(first)))
      assert.deepStrictEqual([time, user], [time, "Codex on a.ts: found problems\n- wrong"])
      assert.match(
        claude,
        /^FAIL: Another model \(Codex\) reviewed a\.ts\. .*not an instruction of the user.*\n- wrong$/
      )
    }
    assert.strictEqual(questions.length, 1)
    assert.deepStrictEqual(state().fails.map(({ path, reason }) => [path, reason]), [["/w/a.ts", "- wrong"]])
    assert.deepStrictEqual(questions[0]?.schema === null, false)
  })

  it("that fails for more reasons than are shown is kept with those that are", async () => {
    const { run, state } = onStage({ replies: [said(`FAIL\n- ${"long ".repeat(1_000_000)}`)] })
    await run(reviewEdit(first))
    assert.isBelow(JSON.stringify(state()).length, 5000)
  })

  it("that passes after all clears what was open of its file, and of no other", async () => {
    const { run, state } = onStage({ replies: [said("FAIL\n- a"), said("FAIL\n- b"), said("PASS")] })
    await run(reviewEdit(first))
    await run(reviewEdit(hooking(edit("two", "/w/b.ts"))))
    await run(reviewEdit(hooking(edit("three"))))
    assert.deepStrictEqual(state().fails.map(({ path }) => path), ["/w/b.ts"])
  })

  it("that passed clears what is open of its file when it comes again, and an unclear review does not", async () => {
    const { questions, run, state } = onStage({ replies: [said("PASS"), said("FAIL\n- b"), said("Hm.")] })
    for (const after of ["two", "three", "four"]) await run(reviewEdit(hooking(edit(after))))
    assert.strictEqual(state().fails.length, 1)
    await run(reviewEdit(first))
    assert.deepStrictEqual([state().fails, questions.length], [[], 3])
  })

  it("without a clear verdict is told to both, opens nothing, and is asked of again", async () => {
    const { questions, run, state } = onStage({ replies: [said("PASS or FAIL, who knows")] })
    assert.match(told(await run(reviewEdit(first))).claude, /PASS or FAIL/)
    await run(reviewEdit(first))
    assert.deepStrictEqual([questions.length, state().fails], [2, []])
  })

  it("that cannot be reviewed is told once a session, and is asked of again", async () => {
    const { questions, run, state } = onStage({ replies: [could("codex: not found")] })
    const { claude, user } = told(await run(reviewEdit(first)))
    assert.match(user, /^Codex reviews nothing in this session: codex: not found \[/)
    assert.isUndefined(claude)
    assert.strictEqual((await run(reviewEdit(first))).stdout, "")
    assert.deepStrictEqual([questions.length, state().pending, state().seen], [2, [], []])
  })

  it("is reviewed although nothing can be kept of it", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")], broken: true })
    assert.match(told(await run(reviewEdit(first))).claude, /wrong/)
  })

  it("that comes twice at once is asked of once, and both are told", async () => {
    const { questions, run } = onStage({ replies: [Effect.delay(Effect.succeed(said("FAIL\n- wrong")), 5000)] })
    const both = await run(Effect.all([reviewEdit(first), reviewEdit(first)], { concurrency: "unbounded" }))
    assert.strictEqual(questions.length, 1)
    assert.deepStrictEqual(both.map((one) => /wrong/.test(told(one).claude ?? "")), [true, true])
  })

  it("waits for the same edit no longer than its deadline", async () => {
    const { run } = onStage({ replies: [Effect.never] })
    const [, second] = await run(Effect.gen(function*() {
      const never = yield* Effect.forkChild(reviewEdit(first))
      yield* Effect.sleep(1000)
      const answer = yield* reviewEdit(first)
      return [yield* Fiber.interrupt(never), answer] as const
    }))
    assert.strictEqual(second.stdout, "")
  })

  it("whose review is ended leaves nothing under way", async () => {
    const { run, state } = onStage({ replies: [Effect.never] })
    await run(Effect.gen(function*() {
      const never = yield* Effect.forkChild(reviewEdit(first))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(never)
    }))
    assert.deepStrictEqual(state().pending, [])
  })

  it("is asked of with an effort by its size and its file", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")] })
    await run(reviewEdit(first))
    await run(reviewEdit(hooking(edit("x".repeat(2000), "/w/auth/login.ts"))))
    await run(
      reviewEdit({
        ...first,
        input: { ...first.input, cwd: "/home/auth/config/w", toolInput: { file_path: "a", content: "x" } }
      })
    )
    assert.deepStrictEqual(questions.map(({ effort }) => effort), ["low", "xhigh", "low"])
  })

  it("holds no secret in what is asked, kept or told", async () => {
    const secret = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    const { questions, run, state } = onStage({ replies: [said(`FAIL\n- ${secret} is a token`)] })
    const answer = await run(reviewEdit(hooking(edit(`token = "${secret}"`, `/w/${secret}.ts`))))
    assert.notInclude(JSON.stringify([questions, state(), answer]), secret)
  })
})
