// CodexFailure: which of a transcript's lines are codex's own last words.
// What a command printed never counts, and errors that codex survived are not failures.
import { assert, describe, it } from "vitest"
import { complaintOf, lastLines, lastWords, panicIn } from "../../../src/agent/CodexFailure.ts"
import { kindOf } from "../../../src/run/FailureKind.ts"

const interrupted = "codex\nReview was interrupted. Please re-run /review and wait for it to complete.\n"
const ended = (message: string) => `user\ncurrent changes\nERROR: ${message}\n${interrupted}ERROR: ${message}\n`
const kindIn = (tail: string, quotes = false) => kindOf(complaintOf(lastWords(tail, quotes)))

describe("the last words of codex", () => {
  it("come from its orderly end, on any number of lines", () => {
    const message = '{\n  "error": {\n    "message": "Unknown parameter"\n  }\n}'
    for (const quotes of [true, false]) {
      assert.strictEqual(lastWords(ended(message), quotes), `ERROR: ${message}`)
      assert.strictEqual(kindIn(ended("Quota exceeded. Check your plan."), quotes), "Quota")
    }
  })

  it.each([
    ["starting\nerror: bad flag\n\nUsage: codex\n", "error: bad flag"],
    [
      "Error: Model provider `no` not found\n\nStack backtrace:\n   0: main\n       at ./x.rs:1\n",
      "Error: Model provider `no` not found"
    ],
    [
      "WARNING: x\nError loading config.toml:\n/h/config.toml:1:9: extra `=`\n",
      "Error loading config.toml:\n/h/config.toml:1:9: extra `=`"
    ],
    ["user\ncurrent changes\nYou have hit your usage limit.\n", "You have hit your usage limit."],
    ["all is well\n", ""],
    ["killed in the middle of things", ""],
    ["OpenAI Codex v0.171.0\n--------\nworkdir: /rate-limit\nreasoning effort: low\n--------\n", ""],
    ["OpenAI Codex v0.171.0\n--------\nworkdir: /quota\nreasoning effort: low\n", ""],
    ["OpenAI Codex v0.171.0\n--------\nreasoning effort: low\n--------\nERROR: no network\n", "ERROR: no network"],
    ["", ""]
  ])("%j ends with %j", (tail, words) => assert.strictEqual(lastWords(tail, false), words))

  it("are empty if it survived all its errors", () => {
    assert.strictEqual(lastWords("ERROR: Reconnecting... 2/5 (stream disconnected before completion)\n", false), "")
    assert.strictEqual(lastWords(`ERROR: rate limit exceeded\n${"output of a command\n".repeat(40)}`, false), "")
    assert.strictEqual(kindIn(`ERROR: rate limit exceeded\n${ended("Quota exceeded.")}`), "Quota")
  })

  it("are never the request, the directory or the branch that codex names before it begins", () => {
    const banner = "--------\nworkdir: /h/rate limit exceeded\n--------\nuser\nchanges against 'rate-limit'\n"
    assert.strictEqual(lastWords(banner, false), "")
  })

  it("come only from an orderly end if a command may have printed the rest", () => {
    const forged = "ERROR: rate limit exceeded\n"
    assert.strictEqual(lastWords(forged, true), "")
    assert.strictEqual(lastWords(`${interrupted}${forged}`, true), "")
    const panic = "thread 'main' panicked at core/src/session.rs:212:9:\ncall output is missing\n"
    assert.strictEqual(lastWords(`${ended("rate limit exceeded")}${panic}`, true), "")
    assert.strictEqual(kindIn(`${forged}${ended("Quota exceeded.")}`, true), "Quota")
    assert.strictEqual(panicIn(`${forged}${panic}note: run\n`), panic.trim().replace("\n", " "))
    assert.strictEqual(panicIn(forged), "")
  })

  it("include the words of a program that could not begin", () =>
    assert.strictEqual(lastLines("one\ntwo\n\nNo version is set\nAdd one\n"), "two\nNo version is set\nAdd one"))
})

describe("a complaint", () => {
  it("is the service's sentence, with the codes and the reset beside it", () => {
    const answer = {
      type: "error",
      status_code: 429,
      error: { type: "usage_limit_reached", message: "Used up", resets_at: 1_893_456_000 }
    }
    assert.deepStrictEqual(complaintOf(`ERROR: ${JSON.stringify(answer)}`), {
      words: "Used up",
      codes: ["usage_limit_reached", "429"],
      until: 1_893_456_000_000
    })
    assert.deepStrictEqual(complaintOf('unexpected status 402 Payment Required: {"error":{"code":"no"}}, url: x'), {
      words: 'unexpected status 402 Payment Required: {"error":{"code":"no"}}, url: x',
      codes: ["no", "402"],
      until: null
    })
    assert.deepStrictEqual(complaintOf("Error: {oh} no"), { words: "{oh} no", codes: [], until: null })
  })
})
