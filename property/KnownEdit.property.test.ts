// KnownEdit: what is said to an edit that comes again without decoding its session is what would be said anyway.
import fc from "fast-check"
import { assert, it } from "vitest"
import { knownEdit } from "../src/core/hook/KnownEdit.ts"
import { encodeSessionState, type SessionState } from "../src/core/hook/SessionState.ts"
import { edited } from "../src/hook/Edited.ts"
import { could, hooking, onStage, said } from "../test/unit/hook/stage.ts"

const edit = fc.record({
  file_path: fc.constantFrom("/w/a.ts", "b.ts", "/w/ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5.ts"),
  content: fc.constantFrom("x", "y")
})
const event = fc.record({ tool_input: edit, prompt_id: fc.constantFrom("p", "q") })
const replies = fc.array(fc.constantFrom(said("PASS"), said("FAIL\n- wrong"), said("Hm."), could("no codex")), {
  minLength: 1,
  maxLength: 8
})

/** What a Stop and later edits go by. Numbers and times of an edit that comes again may be later. */
const standing = ({ dismissed, fails, passed, pending, seen, turn }: SessionState) => ({
  fails: fails.map(({ change, path, reason }) => [path, change, reason]).sort(),
  passed: passed.map(({ path }) => path).sort(),
  seen: seen.map(({ key, verdict }) => [key, verdict]).sort(),
  rest: [dismissed, pending, turn]
})

it("agrees with whoever decodes the session, and leaves nothing else behind", async () => {
  let known = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 6, maxLength: 12 }),
      replies,
      fc.boolean(),
      async (events, all, quiet) => {
        const stage = onStage({ replies: all })
        for (const one of events) {
          const call = hooking({ hook_event_name: "PostToolUse", tool_name: "Write", ...one }, { quiet })
          const [before, asked] = [stage.state(), stage.questions.length]
          const answer = knownEdit(encodeSessionState(before), call, 0)
          const { stdout } = await stage.run(edited(call), 0.1)
          if (answer === null) continue
          known++
          assert.deepStrictEqual([answer, asked], [stdout, stage.questions.length])
          assert.deepStrictEqual(standing(before), standing(stage.state()))
        }
      }
    ),
    {
      numRuns: 100,
      examples: [[Array(2).fill({ tool_input: { file_path: "b.ts", content: "x" }, prompt_id: "p" }), [
        said("FAIL\n- wrong")
      ], false]]
    }
  )
  assert.isAbove(known, 20)
})
