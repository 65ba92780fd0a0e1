// DismissedFail: an open FAIL is dismissed by its file's name, with a reason without secrets, and does not block any more.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { dismissFails } from "../../../src/hook/DismissedFail.ts"
import { reviewEdit } from "../../../src/hook/Reviews.ts"
import { hooking, onStage, said } from "../../support/hooks.ts"

const edit = hooking({
  hook_event_name: "PostToolUse",
  tool_name: "Write",
  tool_input: { file_path: "/w/a.ts", content: "x" }
})
const here = { session: "s", stateRoot: null, cwd: "/w" }

describe("a FAIL", () => {
  it.each(["a.ts", "/w/a.ts"])("can be dismissed as %s, and the same change opens none again", async (name) => {
    const { run, state } = onStage({ replies: [said("FAIL\n- wrong")] })
    await run(reviewEdit(edit))
    const found = await run(dismissFails(here, name, "it is right, password: hunter2hunter2"))
    assert.deepStrictEqual(found.map(({ path }) => path), ["/w/a.ts"])
    assert.deepStrictEqual([state().fails, state().dismissed.length], [[], 1])
    assert.notInclude(JSON.stringify(state()), "hunter2")
    await run(reviewEdit(edit))
    assert.deepStrictEqual(state().fails, [])
  })

  it("that is not open is refused with the names of the open ones, and nothing changes", async () => {
    const { run, state } = onStage({ replies: [said("FAIL\n- wrong")] })
    const refused = (of: typeof here) => run(Effect.flip(dismissFails(of, "b.ts", "because")))
    assert.match(
      (await refused(here)).message,
      /^no open FAIL is named b\.ts \[nothing is open in this session; --session/
    )
    await run(reviewEdit(edit))
    assert.strictEqual((await refused(here)).message, "no open FAIL is named b.ts [open: a.ts]")
    assert.strictEqual(state().fails.length, 1)
  })
})
