// RunnerLines: no text is a command of the runner, and no value is more than its own output.
import { assert, describe, it } from "vitest"
import { harmless, outputLines } from "../../../src/ci/Summary.ts"

// As the runner finds them: at the beginning of a line behind spaces, or the older form anywhere.
const isCommand = (line: string): boolean => line.trim().startsWith("::") || line.includes("##[")

describe("a harmless text", () => {
  const texts = [
    "::set-output name=a::b",
    "  \t::add-mask::x",
    "\u00a0::error::x",
    "a\n::error::x\n ::b",
    "see ##[set-env name=PATH]x",
    "##[[a]",
    "a\r::error::x",
    "\v::error::x"
  ]
  it.each(texts)("is %j without its commands", (text) => {
    assert.isTrue(text.split(/[\r\n]/).some(isCommand))
    assert.isFalse(harmless(text).split(/[\r\n]/).some(isCommand), harmless(text))
  })

  it.each([":\r:error::x", "#\r#[error]x", "##\r[error]x", "\r:\r\r:x"])("does not become one: %j", (text) => {
    assert.isFalse(harmless(text).split(/[\r\n]/).some(isCommand), harmless(text))
  })

  it("is otherwise as it was", () => {
    const text = "BinaryError: a::b at 1:2 # [x]\n  prompt: c"
    assert.strictEqual(harmless(text), text)
  })
})

describe("outputs", () => {
  it("are a line each, whatever a value holds", () =>
    assert.strictEqual(
      outputLines({ findings: 2, head: "1:a\nverdict=pass", ok: true }),
      "findings=2\nhead=1:a\\nverdict=pass\nok=true\n"
    ))
})
