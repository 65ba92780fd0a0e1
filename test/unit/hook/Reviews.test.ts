// Reviews: an edit or a plan is reviewed once, its verdict is kept, and a missing review is reported once.
import { Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { planPath, reviewEdit, reviewPlan } from "../../../src/hook/Reviews.ts"
import { could, hooking, onStage, said, messagesOf } from "../../support/hooks.ts"

const edit = (after: string, file = "/w/a.ts") => ({
  hook_event_name: "PostToolUse",
  tool_name: "Edit",
  tool_input: { file_path: file, old_string: "one", new_string: after }
})
const first = hooking(edit("two"))

describe("an edit", () => {
  it("that passes is shown only to the user, and once for the same edit", async () => {
    const { questions, run, state } = onStage({ replies: [said("PASS")] })
    assert.deepStrictEqual(messagesOf(await run(reviewEdit(first))), {
      user: "Codex on a.ts: passed",
      claude: undefined,
      block: null
    })
    assert.strictEqual((await run(reviewEdit(first))).stdout, "")
    assert.strictEqual(questions.length, 1)
    assert.deepStrictEqual([state().fails, state().pending, state().turn.paths], [[], [], ["/w/a.ts"]])
  })

  it("in the background answers only Claude, and not after a PASS", async () => {
    const quietly = hooking(edit("two"), { quiet: true })
    assert.strictEqual((await onStage({ replies: [said("PASS")] }).run(reviewEdit(quietly))).stdout, "")
    const { claude, user } = messagesOf(await onStage({ replies: [said("FAIL\n- wrong")] }).run(reviewEdit(quietly)))
    assert.isUndefined(user)
    assert.match(claude, /- wrong$/)
    const unasked = messagesOf(await onStage({ replies: [could("codex exited 1")] }).run(reviewEdit(quietly)))
    assert.isUndefined(unasked.user)
    assert.match(unasked.claude, /reviews nothing in this session: codex exited 1/)
  })

  it("that fails is shown to both, stays open, and is shown to both again", async () => {
    const { questions, run, state } = onStage({ replies: [said('{"verdict":"FAIL","review":"- wrong"}')] })
    for (const time of [1, 2]) {
      const { claude, user } = messagesOf(await run(reviewEdit(first)))
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

  it("that fails for many reasons is kept with the reasons that are shown", async () => {
    const { run, state } = onStage({ replies: [said(`FAIL\n- ${"long ".repeat(100_000)}`)] })
    await run(reviewEdit(first))
    assert.isBelow(JSON.stringify(state()).length, 5000)
  })

  it("that passes later clears the open FAILs of its file, and of no other", async () => {
    const { run, state } = onStage({ replies: [said("FAIL\n- a"), said("FAIL\n- b"), said("PASS")] })
    await run(reviewEdit(first))
    await run(reviewEdit(hooking(edit("two", "/w/b.ts"))))
    await run(reviewEdit(hooking(edit("three"))))
    assert.deepStrictEqual(state().fails.map(({ path }) => path), ["/w/b.ts"])
  })

  it("that passed clears, when it comes again, no FAIL that was opened since; an unclear review clears none", async () => {
    const { questions, run, state } = onStage({ replies: [said("PASS"), said("FAIL\n- b"), said("Hm.")] })
    for (const after of ["two", "three", "four"]) await run(reviewEdit(hooking(edit(after))))
    assert.strictEqual(state().fails.length, 1)
    await run(reviewEdit(first))
    assert.deepStrictEqual([state().fails.length, state().pending, questions.length], [1, [], 3])
  })

  it("is another one where the file holds something else, and its PASS then clears the FAIL", async () => {
    let content = "one"
    const replies = [said("PASS"), said("FAIL\n- b"), said("PASS")]
    const { questions, run, state } = onStage({ replies, files: { content: () => content } })
    await run(reviewEdit(first))
    content = "two"
    await run(reviewEdit(hooking(edit("three"))))
    assert.strictEqual(state().fails.length, 1)
    content = "three"
    await run(reviewEdit(first))
    assert.deepStrictEqual([state().fails, questions.length], [[], 3])
    await run(reviewEdit(first))
    assert.strictEqual(questions.length, 3)
  })

  it("without a clear verdict is shown to both, opens nothing, and is reviewed again", async () => {
    const { questions, run, state } = onStage({ replies: [said("PASS or FAIL, who knows")] })
    assert.match(messagesOf(await run(reviewEdit(first))).claude, /PASS or FAIL/)
    await run(reviewEdit(first))
    assert.deepStrictEqual([questions.length, state().fails], [2, []])
  })

  it("that cannot be reviewed is reported once per session, and is tried again", async () => {
    const { questions, run, state } = onStage({ replies: [could("codex: not found")] })
    const { claude, user } = messagesOf(await run(reviewEdit(first)))
    assert.match(user, /^Codex reviews nothing in this session: codex: not found \[/)
    assert.isUndefined(claude)
    assert.strictEqual((await run(reviewEdit(first))).stdout, "")
    assert.deepStrictEqual([questions.length, state().pending, state().seen], [2, [], []])
  })

  it("is reviewed even if nothing can be kept", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- wrong")], broken: true })
    assert.match(messagesOf(await run(reviewEdit(first))).claude, /wrong/)
  })

  it("that comes twice at once is reviewed once, and both calls answer", async () => {
    const { questions, run } = onStage({ replies: [Effect.delay(Effect.succeed(said("FAIL\n- wrong")), 5000)] })
    const both = await run(Effect.all([reviewEdit(first), reviewEdit(first)], { concurrency: "unbounded" }))
    assert.strictEqual(questions.length, 1)
    assert.deepStrictEqual(both.map((one) => /wrong/.test(messagesOf(one).claude ?? "")), [true, true])
  })

  it("waits for a review of the same edit no longer than its deadline", async () => {
    const { run } = onStage({ replies: [Effect.never] })
    const [, second] = await run(Effect.gen(function*() {
      const never = yield* Effect.forkChild(reviewEdit(first))
      yield* Effect.sleep(1000)
      const answer = yield* reviewEdit(first)
      return [yield* Fiber.interrupt(never), answer] as const
    }))
    assert.strictEqual(second.stdout, "")
  })

  it("leaves nothing pending if its review is interrupted", async () => {
    const { run, state } = onStage({ replies: [Effect.never] })
    await run(Effect.gen(function*() {
      const never = yield* Effect.forkChild(reviewEdit(first))
      yield* Effect.sleep(1000)
      yield* Fiber.interrupt(never)
    }))
    assert.deepStrictEqual(state().pending, [])
  })

  it("is reviewed with an effort by its size and its file", async () => {
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

  it("leaves no secret in the prompt, the state or the answer", async () => {
    const secret = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    const { questions, run, state } = onStage({ replies: [said(`FAIL\n- ${secret} is a token`)] })
    const answer = await run(reviewEdit(hooking(edit(`token = "${secret}"`, `/w/${secret}.ts`))))
    assert.notInclude(JSON.stringify([questions, state(), answer]), secret)
  })
})

const plan = (fields: object) => hooking({ hook_event_name: "PostToolUse", tool_name: "ExitPlanMode", ...fields })
const home = { HOME: "/home/u" }

describe("a plan", () => {
  it.each<readonly [string, object, string]>([
    [
      "of the file that the tool names",
      { tool_response: { filePath: "/home/u/.claude/plans/a.md" } },
      "the plan at /home"
    ],
    ["of the event", { tool_input: { plan: "Do this." } }, "Do this."],
    ["of the newest file", {}, "the newest"]
  ])("is the one %s", async (_, fields, words) => {
    const { questions, run } = onStage({ replies: [said("PASS")], env: home, files: { plan: "the newest" } })
    assert.strictEqual(messagesOf(await run(reviewPlan(plan(fields)))).user, "Codex on the plan: passed")
    assert.include(questions[0]?.prompt ?? "", words)
    assert.strictEqual(questions[0]?.effort, "high")
  })

  it("that cannot be found is not reviewed", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")], env: home })
    assert.strictEqual((await run(reviewPlan(plan({})))).stdout, "")
    assert.strictEqual(questions.length, 0)
  })

  it("that fails is shown to both; before the user approves it, under the event's own name", async () => {
    const { run } = onStage({ replies: [said("FAIL\n- no tests")] })
    const event = plan({ hook_event_name: "PreToolUse", tool_input: { plan: "Do this." } })
    const { stdout } = await run(reviewPlan(event))
    assert.strictEqual(JSON.parse(stdout).hookSpecificOutput.hookEventName, "PreToolUse")
    assert.match(messagesOf({ stdout, block: null }).claude, /- no tests/)
  })

  it("is the text of the response, else of the input, else of a file", async () => {
    const { questions, run } = onStage({ replies: [said("PASS")], env: home, files: { plan: "the newest" } })
    const both = {
      tool_response: { plan: "As approved.", filePath: "/home/u/.claude/plans/a.md" },
      tool_input: { plan: "As asked." }
    }
    await run(reviewPlan(plan(both)))
    assert.include(questions[0]?.prompt ?? "", "As approved.")
    assert.notInclude(questions[0]?.prompt ?? "", "As asked.")
  })

  it("that fails stays open under its path until a review of that path passes, and is not an edit of the turn", async () => {
    const { run, state } = onStage({ replies: [said("FAIL\n- no tests"), said("PASS")], env: home })
    const of = (text: string) => plan({ tool_response: { plan: text, filePath: "/home/u/.claude/plans/a.md" } })
    await run(reviewPlan(of("one")))
    assert.deepStrictEqual(state().fails.map(({ path, reason }) => [path, reason]), [
      ["/home/u/.claude/plans/a.md", "- no tests"]
    ])
    assert.deepStrictEqual(state().turn.paths, [])
    assert.match(messagesOf(await run(reviewPlan(of("one")))).user, /no tests/)
    await run(reviewPlan(of("two")))
    assert.deepStrictEqual(state().fails, [])
  })

  it("that cannot be reviewed is reported once", async () => {
    const { run } = onStage({ replies: [could("codex exited 1")] })
    assert.match(messagesOf(await run(reviewPlan(plan({ tool_input: { plan: "x" } })))).user, /codex exited 1/)
  })
})

describe("the place of a plan", () => {
  const home = "/home/u"
  const plans = `${home}/.claude/plans`
  const plan = `${plans}/brave-fox.md`

  describe("the file of a plan", () => {
    it.each<[string, unknown]>([
      ["a field", { plan: "# Plan", filePath: plan }],
      ["a text", `User has approved. Your plan has been saved to: ${plan}\nYou can refer back to it.`],
      ["a text that ends with it", `saved to: ${plan}`],
      ["a sentence", `Saved to:${plan}. Go on.`],
      ["quotes", `saved to: \`${plan}\``],
      ["part of a message", { content: [{ type: "text", text: `saved to: ${plan}` }] }],
      ["a second mention", `saved to: /etc/passwd\nsaved to: ${plan}`],
      ["the text if the field names another path", { filePath: "/etc/x.md", message: `saved to: ${plan}` }],
      ["a field with a detour that ends in the folder", { filePath: `${home}/.claude/./plans//brave-fox.md` }]
    ])("is read from %s", (_, response) => assert.strictEqual(planPath(response, home), plan))

    it("may have spaces in its name", () =>
      assert.strictEqual(planPath(`saved to: ${plans}/a plan.md\n`, home), `${plans}/a plan.md`))

    it("is found with and without a slash after the home", () =>
      assert.strictEqual(planPath({ filePath: plan }, "/home/u/"), plan))

    it.each<[string, unknown]>([
      ["nothing", undefined],
      ["no response", null],
      ["a number", 4],
      ["an empty object", {}],
      ["a text without a path", "Your plan has been saved."],
      ["a relative path", { filePath: ".claude/plans/a.md" }],
      ["a path with a tilde", "saved to: ~/.claude/plans/a.md"],
      ["a subfolder", { filePath: `${plans}/old/a.md` }],
      ["a folder named like a plan", { filePath: `${plans}/a.md/b.md` }],
      ["the folder itself", { filePath: plans }],
      ["another ending", { filePath: `${plans}/a.txt` }],
      ["another extension after the extension", `saved to: ${plans}/a.md.bak`],
      ["no name before the extension", { filePath: `${plans}/.md` }],
      ["a path out of the folder", { filePath: `${plans}/../../.ssh/a.md` }],
      ["a path out of the folder and back", { filePath: `${plans}/../plans/a.md` }],
      ["a folder with a similar name", { filePath: `${home}/.claude/plans-old/a.md` }],
      ["another home", { filePath: "/home/v/.claude/plans/a.md" }],
      ["an invisible character", { filePath: `${plans}/a\u0000.md` }],
      ["a field that is not a text", { filePath: { path: plan } }]
    ])("is not read from %s", (_, response) => assert.isNull(planPath(response, home)))

    it("is null without a home", () => {
      assert.isNull(planPath({ filePath: "/.claude/plans/a.md" }, ""))
      assert.isNull(planPath({ filePath: plan }, "home/u"))
    })

    it("is directly in the folder, whatever the answer", () => {
      const part = fc.constantFrom(
        "/",
        "..",
        ".",
        "home",
        "u",
        ".claude",
        "plans",
        "a.md",
        "saved to: ",
        "\n",
        " ",
        '"'
      )
      const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""))
      fc.assert(fc.property(text, fc.boolean(), (said, field) => {
        const found = planPath(field ? { filePath: said } : said, home)
        assert.isTrue(found === null || /^\/home\/u\/\.claude\/plans\/[^/]+\.md$/.test(found))
      }))
    })

    it("is found in a response of any size and depth", () => {
      assert.isNull(planPath("saved to: /".repeat(500_000), home))
      assert.isNull(planPath(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)), home))
    })
  })
})
