// Codex's session files: the one of an id, and the last review in it, within bounds and without trust in any line.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { findSession, reviewOutput } from "../../../../src/adapters/codex/SessionFile.ts"

let home = ""
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ooda-sessions-"))
})
afterEach(() => rmSync(home, { recursive: true }))

const id = "01a1f82b-a11c-7bc3-ae02-8032555061a0"
const session = (day: string, name = `rollout-2026-11-20T10-00-00-${id}.jsonl`): string => {
  mkdirSync(join(home, "sessions", day), { recursive: true })
  const path = join(home, "sessions", day, name)
  writeFileSync(path, "")
  return path
}

describe("the session of an id", () => {
  it("is found, the newest day first", () => {
    assert.isNull(findSession(home, id))
    const old = session("2025/12/31")
    assert.strictEqual(findSession(home, id), old)
    const newer = session("2026/01/02")
    session("2026/01/01")
    assert.strictEqual(findSession(home, id), newer)
  })

  it("is no other id's, and no other kind of file", () => {
    session("2026/11/20", `rollout-x-${id.slice(0, -1)}1.jsonl`)
    session("2026/11/20", `rollout-x-${id}.jsonl.bak`)
    session("2026/11/20", `other-${id}.jsonl`)
    session("notes/11/20")
    assert.isNull(findSession(home, id))
  })

  it("is not searched for in more than two months of days", () => {
    const old = session("2025/01/01")
    for (let day = 1; day <= 31; day++) {
      for (const month of ["02", "03"]) session(`2025/${month}/${String(day).padStart(2, "0")}`, "rollout-other.jsonl")
    }
    assert.isNull(findSession(home, id))
    rmSync(join(home, "sessions", "2025", "03", "31"), { recursive: true })
    assert.strictEqual(findSession(home, id), old)
  })
})

const exited = (output: unknown): string =>
  JSON.stringify({ type: "event_msg", payload: { item: { type: "ExitedReviewMode", review_output: output } } })

describe("the review of a session", () => {
  const of = (...lines: ReadonlyArray<string>): unknown => {
    const path = session("2026/11/20")
    writeFileSync(path, lines.join("\n"))
    return reviewOutput(path)
  }

  it("is the last that codex recorded, whole or not at all", () => {
    assert.deepStrictEqual(of(exited({ a: 1 }), exited({ b: 2 }), "{}"), { b: 2 })
    assert.deepStrictEqual(of(exited({ a: 1 }), `${exited({ b: 2 }).slice(0, -1)}`), { a: 1 })
  })

  it("is null where codex recorded null or nothing with it, and undefined where it recorded no end", () => {
    assert.isNull(of(exited({ a: 1 }), exited(null)))
    assert.isNull(of(exited(undefined)))
    assert.isUndefined(of(""))
    assert.isUndefined(of("{}", "no json", JSON.stringify({ payload: { item: { type: "EnteredReviewMode" } } })))
  })

  it("is nothing that merely quotes such a record", () => {
    const quoted = JSON.stringify({ type: "event_msg", payload: { item: { type: "text", text: exited({ a: 1 }) } } })
    assert.isUndefined(of(quoted, `"ExitedReviewMode"`, JSON.stringify({ type: "ExitedReviewMode" })))
    assert.isUndefined(of(JSON.stringify({ __proto__: null, payload: '"ExitedReviewMode"' })))
  })

  it("is found across the borders of what is read at once", () => {
    const border = 256 * 1024
    for (const shift of [-1, 0, 1, 40]) {
      const noise = JSON.stringify("x".repeat(border - 3 + shift))
      assert.deepStrictEqual(of(noise, exited({ shift }), noise), { shift })
    }
  })

  it("is not looked for in a line that is too long, but in those behind it", () => {
    const path = session("2026/11/20")
    writeFileSync(path, `${exited({ first: true })}\n`)
    appendFileSync(path, `${exited({ huge: "x".repeat(17 * 2 ** 20) })}\n`)
    assert.deepStrictEqual(reviewOutput(path), { first: true })
    appendFileSync(path, exited({ last: true }))
    assert.deepStrictEqual(reviewOutput(path), { last: true })
  })
})
