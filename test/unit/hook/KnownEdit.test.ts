// An edit that comes again is answered from the session's text alone where its verdict stands, and nowhere else.
import { assert, describe, it } from "vitest"
import { defaultFlags } from "../../../src/hook/Flags.ts"
import { editKey, readInput } from "../../../src/hook/Event.ts"
import { knownEdit } from "../../../src/hook/KnownEdit.ts"
import { empty, encodeSessionState, type SessionState } from "../../../src/hook/Session.ts"

const toolInput = { file_path: "a.ts", content: "x" }
const key = editKey("Write", toolInput)
const edit = { path: "/w/a.ts", change: key, seq: 1, at: 1000 }
const fail = { ...edit, reason: "- wrong" }
const seen = { key, verdict: "PASS", reason: "", at: 1000 } as const
const passed: SessionState = { ...empty, seen: [seen], turn: { id: "p", paths: ["/w/a.ts"] } }
const failed: SessionState = { ...passed, seen: [{ ...seen, verdict: "FAIL", reason: "- wrong" }], fails: [fail] }

const said = (state: SessionState | string, now = 2000, fields: object = {}, quiet = false): string | null => {
  const event = { hook_event_name: "PostToolUse", session_id: "s", prompt_id: "p", cwd: "/w", tool_name: "Write" }
  const input = readInput(JSON.stringify({ ...event, tool_input: toolInput, ...fields }))
  if (input === null) return assert.fail("no event")
  const text = typeof state === "string" ? state : encodeSessionState(state)
  return knownEdit(text, { input, flags: { ...defaultFlags, quiet } }, now)
}

describe("an edit that comes again", () => {
  it("says nothing where it has passed", () => assert.strictEqual(said(passed), ""))

  it("gives its reason again to both where it has failed, and in the background to Claude alone", () => {
    const both = JSON.parse(said(failed) ?? "")
    assert.strictEqual(both.systemMessage, "Codex on a.ts: found problems\n- wrong")
    assert.match(both.hookSpecificOutput.additionalContext, /reviewed a\.ts\. [^]*\n- wrong$/)
    assert.notProperty(JSON.parse(said(failed, 2000, {}, true) ?? ""), "systemMessage")
  })

  it.each<readonly [string, SessionState | string]>([
    ["nothing is known of it", { ...passed, seen: [] }],
    ["another turn has made it", { ...passed, turn: { id: "q", paths: ["/w/a.ts"] } }],
    ["its turn does not list it", { ...passed, turn: { id: "p", paths: [] } }],
    ["it has passed and its file has failed since", { ...passed, fails: [{ ...fail, change: "other" }] }],
    ["it has failed and its file has passed since", { ...failed, fails: [] }],
    ["a review of its file is under way", { ...failed, pending: [{ ...edit, change: "other", until: 9000 }] }],
    ["a person has dismissed it", { ...failed, fails: [{ ...fail, path: "/w/b.ts" }] }],
    ["the text is of another version", encodeSessionState(passed).replace('"version":1', '"version":2')],
    ["the text is none", "{"],
    ["the text is no object", "[]"],
    ["the text has another verdict", encodeSessionState(passed).replace('"PASS"', '"OK"')],
    ["a FAIL names no file", encodeSessionState(failed).replace('"path":"/w/a.ts"', '"path":null')],
    ["the text is of another shape", '{"version":1,"seen":7,"turn":"p"}']
  ])("is left to others where %s", (_, state) => assert.isNull(said(state)))

  it("is left to others where its verdict is old, or of the future", () => {
    assert.deepStrictEqual([said(passed, 300_999), said(passed, 301_000), said(passed, 999)], ["", null, null])
  })

  it("is left to others where its file, its input or its tool is another one", () => {
    for (const fields of [{ cwd: "/v" }, { tool_input: { ...toolInput, content: "y" } }, { tool_name: "Patch" }]) {
      assert.isNull(said(passed, 2000, fields))
    }
  })
})
