// Prompts: what strangers wrote is in the element alone, and no prompt is a verdict itself where an answer repeats it.
import { assert, describe, it } from "vitest"
import {
  codePrompt,
  compactPrompt,
  failurePrompt,
  planPrompt,
  stopPrompt,
  summaryPrompt,
  thoughtPrompt
} from "../../../src/hook/Prompts.ts"
import { parseHookVerdict } from "../../../src/hook/Verdict.ts"
import { render } from "../../../src/prompts/Prompt.ts"
import { evil, outsideOf, tag } from "./evil.ts"

const edit = { tag, tool: evil, path: evil, before: evil, after: evil, response: evil, focus: [], size: [] }
const thought = { tag, thought: evil, number: 1, total: 3 }

/** Each prompt with nothing but what strangers wrote, how many texts those are, and whether it asks for a verdict. */
const prompts: ReadonlyArray<readonly [name: string, text: string, count: number, verdict: boolean]> = [
  ["an edit", codePrompt(edit), 5, true],
  ["a plan", planPrompt({ tag, plan: evil }), 1, true],
  ["a stop", stopPrompt({ tag, message: evil, files: [evil], diff: evil }), 3, true],
  ["a failure", failurePrompt({ tag, command: evil, error: evil, hints: [] }), 2, false],
  ["a thought", thoughtPrompt({ ...thought, stage: "early" }), 1, false],
  ["a session", compactPrompt({ tag, transcript: evil, open: evil }), 2, false],
  ["a long text", summaryPrompt({ tag, text: evil }), 1, false]
]

describe.each(prompts)("the prompt about %s", (_, text, count, verdict) => {
  it("holds what strangers wrote in its element and nowhere else", () => {
    assert.lengthOf(text.split("EVIL"), count + 1)
    assert.notInclude(outsideOf(text), "EVIL")
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "\u202e")
  })

  it("asks for a verdict, or for none", () => assert.strictEqual(text.includes("PASS or FAIL"), verdict))
})

it("hints are told on a line each, and not at all where there are none", () => {
  assert.notInclude(codePrompt(edit), "Look at this first")
  const hinted = codePrompt({ ...edit, focus: ["security", "test"], size: ["large"] })
  assert.match(hinted, /\nLook at this first:\n- .*\n- .*\n- .*\n\n/)
  assert.include(
    failurePrompt({ tag, command: "git x", error: "y", hints: ["git"] }),
    "\nThe command is about:\n- git:"
  )
})

it("a diff that is empty is said to be", () =>
  assert.include(stopPrompt({ tag, message: "done", files: ["a"], diff: "" }), 'name="diff" empty'))

it("another thing is asked at each stage of a chain of thoughts", () => {
  const stages = (["early", "mid", "late"] as const).map((stage) => thoughtPrompt({ ...thought, stage }))
  assert.strictEqual(new Set(stages).size, 3)
})

it("the parts are no verdict themselves, where an answer repeats them", () => {
  for (const part of ["hook-read-only", "hook-method", "hook-verdict", "hook-advice"] as const) {
    assert.strictEqual(parseHookVerdict(render(part, {})), "UNCERTAIN", part)
  }
})
