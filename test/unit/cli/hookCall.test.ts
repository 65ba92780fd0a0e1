// hookCall: what a call of the hook decides before it loads anything: misuse, silence, or an event to answer.
import { assert, describe, it } from "vitest"
import { hookCall, isHookCall } from "../../../src/cli/hookCall.ts"

const event = (name: string, fields: object = {}) =>
  JSON.stringify({ hook_event_name: name, session_id: "s", ...fields })
const edit = event("PostToolUse", { tool_name: "Edit" })
const call = (text: string | null, args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
  hookCall(args, { env, input: () => Promise.resolve(text) })
const silent = { stdout: "", stderr: "", code: 0 }

describe("a command line", () => {
  it.each<readonly [ReadonlyArray<string>, boolean]>([
    [["hook"], true],
    [["hook", "--gate", "off"], true],
    [["hook", "--bogus"], true],
    [["hook", "--model", "status"], true],
    [["hook", "--log", "--help", "--quiet"], true],
    [["hook", "--model=m", "status"], false],
    [["hook", "install"], false],
    [["hook", "--scope", "user", "install"], false],
    [["hook", "dismiss", "a", "--reason", "b"], false],
    [["hook", "remove"], false],
    [["hook", "--gate", "off", "--help"], false],
    [["hook", "-h"], false],
    [["hooks"], false],
    [[], false]
  ])("%j calls the hook itself: %s", (args, expected) => assert.strictEqual(isHookCall(args), expected))
})

describe("a call of the hook", () => {
  it.each<readonly [string, string | null, ReadonlyArray<string>]>([
    ["a tool without reviews", event("PostToolUse", { tool_name: "Read" }), []],
    ["an unknown event", event("Wake"), []],
    ["JSON without an event", "{}", []],
    ["text that is not JSON", "\u0000", []],
    ["empty input", "", []],
    ["a gate that is off", event("Stop"), ["--gate", "off"]],
    ["a Stop after a blocked one", event("Stop", { stop_hook_active: true }), []]
  ])("prints nothing for %s", async (_, text, args) => assert.deepStrictEqual(await call(text, args), silent))

  it("prints nothing if the environment turns it off, and does not even read the event", async () => {
    for (const env of [{ CODEX_REFLECTOR_ENABLED: "0" }, { CODEX_REFLECTOR_ENABLED: "Off" }, { OODA_IN_AGENT: "1" }]) {
      const ending = await hookCall([], { env, input: () => assert.fail("it was read") })
      assert.deepStrictEqual(ending, silent)
    }
  })

  it("is misuse with a wrong flag, and on a terminal, where a person would have to type the event", async () => {
    for (const [args, words] of [[["--bogus"], /unknown option "--bogus" \[ooda-codex-review hook --help/]] as const) {
      const ending = await call(edit, args)
      assert.isTrue("code" in ending && ending.code === 64 && words.test(ending.stderr))
    }
    const ending = await call(null)
    assert.isTrue("code" in ending && ending.code === 64 && /hook install/.test(ending.stderr))
  })

  it("is passed on with its flags if it needs a review", async () => {
    const found = await call(edit, ["--quiet", "--deadline", "7s"])
    assert.isTrue("action" in found)
    if ("action" in found) {
      assert.deepStrictEqual([found.action, found.flags.quiet, found.flags.deadline], ["code_change", true, 7000])
    }
  })
})
