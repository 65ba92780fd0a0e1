// Golden prompts: every word that the hook says to codex.
// The one rule: a stored text changes on purpose only: UPDATE_GOLDEN=1 writes it, and its diff is read.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { goldenPrompt } from "../prompts/goldenPrompt.ts"
import {
  codePrompt,
  compactPrompt,
  failurePrompt,
  planPrompt,
  stopPrompt,
  summaryPrompt,
  thoughtPrompt
} from "../../../src/hook/Prompts.ts"
import { tag } from "./evil.ts"

const folder = new URL("../../../fixtures/prompts/", import.meta.url)

const stored = (name: string, text: string): string => goldenPrompt(`hook-${name}`, text)

const thought = "The cache is the cause, since it is slow only at first."

const texts = {
  "code": codePrompt({
    tag,
    tool: "Edit",
    path: "/repo/src/auth/login.ts",
    before: "if (a == b) return",
    after: "if (same(a, b)) return\n\treturn null",
    response: null,
    focus: ["security"],
    size: ["expanded"]
  }),
  "code-new": codePrompt({
    tag,
    tool: "Write",
    path: "/repo/a.ts",
    before: "",
    after: "export {}",
    response: "File created",
    focus: [],
    size: []
  }),
  "code-every-hint": codePrompt({
    tag,
    tool: "Edit",
    path: "/repo/a.ts",
    before: "a",
    after: "b",
    response: null,
    focus: ["security", "test", "data", "ui", "config"],
    size: ["expanded", "reduced", "large"]
  }),
  "plan": planPrompt({ tag, plan: "# Plan\n\n1. Cache the answers.\n" }),
  "thought-early": thoughtPrompt({ tag, thought, number: 1, total: 6, stage: "early" }),
  "thought-mid": thoughtPrompt({ tag, thought, number: 3, total: 6, stage: "mid" }),
  "thought-late": thoughtPrompt({ tag, thought, number: 6, total: 6, stage: "late" }),
  "failure": failurePrompt({
    tag,
    command: "npm test",
    error: "Exit code 1\n1 failed",
    hints: ["test", "dependencies"]
  }),
  "stop": stopPrompt({ tag, message: "Done: the cache works.", files: ["a.ts", "b.ts"], diff: "-a\n+b" }),
  "compact": compactPrompt({ tag, transcript: "user: make it fast", open: "" }),
  "summary": summaryPrompt({ tag, text: "export const a = 1" })
}

describe("the text of", () => {
  it.each(Object.entries(texts))(
    "%s is as ever",
    (name, text) => assert.strictEqual(`${text}\n`, stored(name, `${text}\n`))
  )

  it("nothing else is stored", () =>
    assert.sameMembers(
      fs.readdirSync(folder).filter((name) => name.startsWith("hook-")),
      Object.keys(texts).map((name) => `hook-${name}.txt`)
    ))
})
