// KnownEdit: what is said to an edit that comes again without decoding its session is what would be said anyway.
import fc from "fast-check"
import { assert, it } from "vitest"
import { editKey } from "../src/hook/Event.ts"
import { knownEdit } from "../src/hook/KnownEdit.ts"
import { decodeSessionState, encodeSessionState, type SessionState } from "../src/hook/Session.ts"
import { edited } from "../src/hook/Reviews.ts"
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

const named = fc.constantFrom("/w/a.ts", "k", "")
const entry = fc.record({
  ...{ path: named, change: named, reason: named, key: named, why: named },
  verdict: fc.constantFrom("PASS", "FAIL"),
  ...{ seq: fc.nat(9), at: fc.nat(9), until: fc.nat(9) }
})
const entries = fc.array(entry, { maxLength: 2 })
const session = fc.record({
  ...{ version: fc.constant(1), seq: fc.nat(9), told: fc.constantFrom("Nobody", "Claude", "User"), unasked: named },
  ...{ fails: entries, pending: entries, passed: entries, seen: entries, dismissed: entries },
  turn: fc.record({ id: fc.constant("p"), paths: fc.array(named, { maxLength: 2 }) })
})
/** A session with one value anywhere in it that is another one. */
const damaged = fc.tuple(session, fc.nat(), fc.constantFrom(undefined, null, -1, 1.5, "x", [], {}, [null])).map(
  ([whole, place, value]) => {
    let at = 0
    const texts = JSON.stringify(whole, (_, one) => at++ === 1 + place % 60 ? value : one)
    return texts ?? ""
  }
)

it("answers from no session that whoever decodes it would not take for one", () => {
  let known = 0
  const toolInput = { file_path: "/w/a.ts", content: "x" }
  const call = hooking({ hook_event_name: "PostToolUse", tool_name: "Write", tool_input: toolInput, prompt_id: "p" })
  const key = editKey("Write", toolInput)
  const holds = (text: string) => {
    const state = text.replaceAll('"k"', JSON.stringify(key))
    if (knownEdit(state, call, 9) === null) return
    known++
    assert.isNotNull(decodeSessionState(state), state)
  }
  fc.assert(fc.property(fc.oneof(session.map((one) => JSON.stringify(one)), damaged), holds), { numRuns: 4000 })
  assert.isAbove(known, 20)
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
