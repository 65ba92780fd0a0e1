// The tokens of a review: from the session of its reviewer, within bounds and without trust in any file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { reviewerUsage } from "../../../../src/adapters/codex/ReviewerUsage.ts"

let day = ""
beforeEach(() => {
  day = mkdtempSync(join(tmpdir(), "ooda-tokens-"))
})
afterEach(() => rmSync(day, { recursive: true }))

const uuid = (time: number, rest = 0): string =>
  `01a20461-${String(time).padStart(4, "0")}-7001-8728-${String(rest).padStart(12, "0")}`
const parent = uuid(50)
const file = (id: string): string => join(day, `rollout-2026-11-22T17-50-20-${id}.jsonl`)
const meta = (of: string): string => JSON.stringify({ type: "session_meta", payload: { parent_thread_id: of } })
const fields = (input: number) => ({
  input_tokens: input,
  cached_input_tokens: 2,
  cache_write_input_tokens: 7,
  output_tokens: 3,
  reasoning_output_tokens: 1,
  total_tokens: input + 3
})
const record = (input: number): string =>
  JSON.stringify({
    type: "token_usage_record",
    payload: { usage: fields(5), turn_token_usage: fields(6), thread_token_usage: fields(input) }
  })
const count = (input: number): string =>
  JSON.stringify({
    type: "event_msg",
    payload: { type: "token_count", info: { last_token_usage: fields(5), total_token_usage: fields(input) } }
  })
const leave = (id: string, ...lines: ReadonlyArray<string>): void =>
  writeFileSync(file(id), lines.map((line) => `${line}\n`).join(""))
const used = () => reviewerUsage(file(parent), parent)
const tokens = (input: number) => ({ input, cached: 2, output: 3, reasoning: 1 })

describe("the tokens of a review", () => {
  it.each([["records", record], ["counts", count]])(
    "are the last total of %s, and neither a sum nor the last request alone",
    (_, line) => {
      leave(uuid(51), meta(parent), line(100), "{}", line(250), JSON.stringify({ type: "event_msg", payload: {} }))
      assert.deepStrictEqual(used(), tokens(250))
    }
  )

  it("are those of the reviewer that the review itself began, among others of its time", () => {
    leave(uuid(40), meta(parent), record(1))
    leave(parent, meta(""), record(2))
    leave(uuid(51), meta(uuid(49)), record(3))
    leave(uuid(52), JSON.stringify({ payload: { session_id: parent } }), record(4))
    leave(uuid(53), meta(parent), record(5))
    leave(uuid(54), meta(uuid(52)), record(6))
    assert.deepStrictEqual(used(), tokens(5))
  })

  it("are looked for in the files of the next reviews only, however many there are", () => {
    for (let i = 0; i < 64; i++) leave(uuid(60, i), meta(uuid(49)))
    leave(uuid(61), meta(parent), record(9))
    assert.isNull(used())
    rmSync(file(uuid(60, 63)))
    assert.deepStrictEqual(used(), tokens(9))
  })

  it("are found at the end of a long session, behind lines that are none", () => {
    leave(uuid(51), meta(parent), record(1), "x".repeat(3_000_000), record(8), count(9), "_token_usage", "no json")
    assert.deepStrictEqual(used(), tokens(9))
    leave(uuid(51), meta(parent), record(1), "x".repeat(3_000_000))
    assert.isNull(used())
  })

  it("are none where nothing was counted, or only what codex does not know", () => {
    leave(uuid(51), meta(parent))
    assert.isNull(used())
    leave(uuid(51), meta(parent), JSON.stringify({ payload: { type: "token_count", info: null } }), "")
    assert.isNull(used())
    leave(uuid(51), meta(parent), JSON.stringify({ payload: { thread_token_usage: { input_tokens: 0 } } }))
    assert.isNull(used())
  })

  it("are none where the files are not as expected", () => {
    assert.isNull(used())
    leave(uuid(51), `{"payload":{"parent_thread_id":"${parent}"`, record(1))
    assert.isNull(used())
    leave(uuid(51), `"${parent}"`, record(1))
    assert.isNull(used())
    writeFileSync(file(uuid(51)), `${meta(parent)}${" ".repeat(70_000)}\n${record(1)}\n`)
    assert.isNull(used())
    writeFileSync(join(day, `rollout-x-${uuid(51)}.jsonl.bak`), `${meta(parent)}\n${record(1)}\n`)
    rmSync(file(uuid(51)))
    assert.isNull(used())
    mkdirSync(file(uuid(52)))
    assert.isNull(used())
    assert.isNull(reviewerUsage(join(day, "gone", "x.jsonl"), parent))
  })

  it("are never below zero or broken, whatever a session says", () => {
    const payload = { thread_token_usage: { input_tokens: -5, cached_input_tokens: 0.5, output_tokens: "9e9" } }
    leave(uuid(51), meta(parent), record(4), JSON.stringify({ payload }))
    assert.deepStrictEqual(used(), tokens(4))
  })
})
