// What the real Codex CLI prints and how it exits for every scenario, without our CLI: what our reading of it rests on.
// An upgrade of Codex that changes one of these texts fails here first, by name.
import { assert, describe, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { VERSION, withBench } from "./support.ts"

const INTERRUPTED = "Review was interrupted. Please re-run /review and wait for it to complete.\n"

const PRINTED: ReadonlyArray<readonly [string, (path: string) => Policy, RegExp]> = [
  ["a clean review", () => scenarios.clean, /^The change does what it says\. No issues were found\.\n$/],
  [
    "one finding",
    scenarios.oneFinding,
    /^One problem\.\n\nReview comment:\n\n- \[P1\] .+ — \/.+\/one\.mjs:1-1\n {2}`user`/
  ],
  [
    "several findings",
    scenarios.severalFindings,
    /\n\nFull review comments:\n\n- \[P1\] [^]+\n- \[P2\] .+:2-5\n[^]+\n- \[P3\] /
  ],
  ["no priorities: raw JSON", scenarios.withoutPriority, /^\{"findings":\[\{"title":"\[P1\] .+\}\n$/],
  ["prose", () => scenarios.prose("Looks fine."), /^Looks fine\.\n$/]
]

const REFUSED: ReadonlyArray<readonly [string, Policy, string]> = [
  ["401", scenarios.unauthorized, "unexpected status 401 Unauthorized: Incorrect API key provided, url: "],
  ["500", scenarios.serverError, "We’re currently experiencing high demand, which may cause temporary errors."],
  ["429", scenarios.tooManyRequests, "exceeded retry limit, last status: 429 Too Many Requests"],
  ["429 with retry-after", scenarios.tooManyRequestsRetryAfter(2), "exceeded retry limit, last status: 429"],
  ["a usage limit", scenarios.usageLimit(4_102_444_800), "You’ve hit your usage limit."],
  ["a model at capacity", scenarios.overloaded, "Selected model is at capacity. Please try a different model."],
  ["a cut stream", scenarios.cutStream, "stream disconnected before completion: "]
]

describe("codex review prints", () => {
  for (const [name, policy, expected] of PRINTED) {
    it(name, () =>
      withBench((repo) => policy(`${repo}/one.mjs`), async ({ codex, requests }) => {
        const { exit, stderr, stdout } = await codex("--uncommitted")
        assert.strictEqual(exit, 0, stderr)
        assert.match(stdout, expected)
        assert.include(stderr, `OpenAI Codex v${VERSION}\n`)
        assert.match(stderr, /^session id: [0-9a-f-]{36}$/m)
        assert.deepStrictEqual(requests.map(({ outputs }) => outputs.map(({ exitCode }) => exitCode)), [[], [0]])
      }))
  }

  it("a fixed sentence, and exits 0, when the answer is empty", () =>
    withBench(() => scenarios.emptyAnswer, async ({ codex }) => {
      const { exit, stdout } = await codex("--uncommitted")
      assert.deepStrictEqual([exit, stdout], [0, INTERRUPTED])
    }))
})

describe("codex review exits 1 and prints nothing on standard output after", () => {
  for (const [name, policy, expected] of REFUSED) {
    it(name, () =>
      withBench(() => policy, async ({ codex, requests }) => {
        const { exit, stderr, stdout } = await codex("--uncommitted")
        assert.deepStrictEqual([exit, stdout], [1, ""], stderr)
        const last = stderr.trimEnd().split("\n").at(-1) ?? ""
        assert.isTrue(last.startsWith(`ERROR: ${expected}`), last)
        assert.include(stderr, `\ncodex\n${INTERRUPTED}`)
        assert.lengthOf(requests, 1)
      }))
  }
})
