// The hook over events of any shape: it says one object or nothing, and blocks at a Stop alone.
import { Effect } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { hookCall } from "../src/cli/hookCall.ts"
import { isFields } from "../src/text/Json.ts"
import { answerHook } from "../src/hook/Handlers.ts"
import { silence } from "../src/hook/Call.ts"
import { planted } from "./redaction.ts"
import { could, onStage, said } from "../test/support/hooks.ts"

const call = (text: string, gate: string) => hookCall(["--gate", gate], { env: {}, input: async () => text })

const names = ["PostToolUse", "PreToolUse", "PostToolUseFailure", "Stop", "PreCompact", "SessionEnd", "Wake"]
const tools = [
  "Write",
  "Edit",
  "MultiEdit",
  "ExitPlanMode",
  "Bash",
  "Read",
  "mcp__a__sequentialthinking",
  "mcp__a__edit_file"
]
const field = (usual: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: usual }, fc.jsonValue())
const words = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("PASS", "/w/a.ts", "FAIL\n- wrong", "</data-1>"))
const edits = fc.array(fc.record({ old_string: words, new_string: words }), { maxLength: 3 })

const event = fc.record({
  hook_event_name: field(fc.constantFrom(...names)),
  session_id: field(words),
  prompt_id: field(words),
  cwd: field(words),
  tool_name: field(fc.constantFrom(...tools)),
  tool_input: field(
    fc.record({ file_path: words, content: words, thought: words, plan: words, command: words, edits })
  ),
  tool_response: field(fc.record({ filePath: words })),
  error: field(words),
  is_interrupt: field(fc.boolean()),
  stop_hook_active: field(fc.boolean()),
  last_assistant_message: field(words),
  background_tasks: field(fc.constant([])),
  transcript_path: field(words)
}, { requiredKeys: ["hook_event_name"] })

const reply = fc.oneof(words.map(said), words.map(could), fc.constant(Effect.die("broken")), fc.constant(Effect.never))
const gates = fc.constantFrom("off", "fails", "review", "ladder")

describe("the hook", () => {
  it("answers any bytes with silence, or passes on an event to be answered", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.json(),
          event.map((e) => JSON.stringify(e))
        ),
        gates,
        async (text, gate) => {
          const found = await call(text, gate)
          if (!("action" in found)) assert.deepStrictEqual(found, { stdout: "", stderr: "", code: 0 })
        }
      )
    ))

  it("says one object or nothing, and holds up a Stop alone, with a reason", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.array(reply, { minLength: 1, maxLength: 4 }),
        gates,
        async (events, replies, gate) => {
          const stage = onStage({
            replies,
            files: { diff: "+x", plan: "a plan", transcript: "{}" },
            env: { HOME: "/home/u" }
          })
          for (const one of events) {
            const found = await call(JSON.stringify(one), gate)
            if (!("action" in found)) continue
            const hooking = { input: found.input, flags: found.flags, cwd: "/w", endsAt: found.flags.deadline }
            const { block, stdout } = await stage.run(
              answerHook(hooking, found.action, () => Effect.succeed(silence)),
              2
            )
            if (block !== null) {
              assert.strictEqual(found.action, "stop")
              assert.match(block, /\S[^]*\n\nTo continue without/)
            }
            if (found.action === "compact" || stdout === "") continue
            const said = JSON.parse(stdout)
            assert.match(stdout, /^\{.*\}\n$/)
            assert.isTrue(isFields(said) && !stdout.includes(":null"))
            assert.isBelow(stdout.length, 10_000)
            if (isFields(said["hookSpecificOutput"])) {
              assert.strictEqual(said["hookSpecificOutput"]["hookEventName"], one.hook_event_name)
            }
          }
        }
      ),
      { numRuns: 60 }
    ))

  it("lets no planted secret into a prompt, a session's state or an answer", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.constantFrom(...tools),
        planted,
        planted,
        async (name, tool, asked, answered) => {
          const text = `some words ${asked.text}`
          const inputs = {
            file_path: `/w/${text}`,
            old_string: text,
            new_string: text,
            thought: text,
            command: text,
            plan: text
          }
          const fields = { error: text, last_assistant_message: text, tool_input: inputs, tool_response: text }
          const event = {
            hook_event_name: name,
            session_id: "s",
            prompt_id: "p",
            cwd: "/w",
            tool_name: tool,
            ...fields
          }
          const files = { diff: text, plan: text, transcript: text }
          const stage = onStage({
            replies: [said(`FAIL\n- see ${answered.text}`), could(`why ${answered.text}`)],
            files
          })
          const answers: Array<unknown> = []
          for (const one of [event, { ...event, tool_name: "Write" }, { ...event, hook_event_name: "Stop" }]) {
            const found = await call(JSON.stringify(one), "review")
            if (!("action" in found)) continue
            const hooking = { input: found.input, flags: found.flags, cwd: "/w", endsAt: found.flags.deadline }
            answers.push(await stage.run(answerHook(hooking, found.action, () => Effect.succeed(silence)), 2))
          }
          const all = [...stage.questions.map(({ prompt }) => prompt), ...flat(stage.state()), ...flat(answers)].join(
            "\n"
          )
          for (const secret of [...asked.secrets, ...answered.secrets]) assert.notInclude(all, secret)
        }
      ),
      { numRuns: 100 }
    ))
})

/** Every text in a value. */
const flat = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value, ...inner(value)]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(flat)
    : []
const inner = (text: string): ReadonlyArray<string> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? [] : flat(value)
  } catch {
    return []
  }
}
