// `ci`: what the event of a workflow makes it do.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as ci from "../../../../src/cli/commands/ci.ts"
import { type Around, inJob } from "./ciBench.ts"

const base = { ref: "main", sha: "0".repeat(40), repo: { full_name: "o/p" } }
const event = { pull_request: { number: 7, head: { repo: { full_name: "o/p" } }, base } }

const called = (action: "run" | "post", around: Around, mode: "review" | "converge" = "review") => {
  const asked = { action, mode, levels: ["low"], failOn: "findings", forkTests: false } as const
  const texts = new Map([["-n", ["1"]], ["--base", ["main"]]])
  const all = { ...asked, author: "bot", out: null, texts }
  return inJob(ci.run(all, { cwd: Effect.succeed("/repo"), version: "0" }), around)
}

describe("ci", () => {
  it("posts the comment of the step before on the pull request", async () => {
    const { code, told } = await called("post", { event })
    assert.deepStrictEqual([code, told.get("stdout")], [0, "comment updated\n"])
    assert.deepStrictEqual(JSON.parse(told.get("comment") ?? ""), {
      repository: "o/p",
      number: 7,
      author: "bot",
      marker: "<!-- ooda-codex-review -->",
      file: "/temp/ooda-codex-review.md"
    })
  })

  it("says where there is no pull request, and fails where the comment does", async () => {
    const without = await called("post", { event: { ref: "main" } })
    assert.deepStrictEqual([without.code, without.told.get("stdout")], [0, "no pull request to comment on\n"])
    assert.strictEqual((await called("post", { event, refuses: "comments" })).code, 6)
  })

  it("does nothing for a pull request that it cannot read", async () => {
    const { code, stderr, told } = await called("run", { event: { pull_request: {} } })
    assert.deepStrictEqual([code, told.size], [6, 0])
    assert.match(stderr, /^error: GITHUB_EVENT_PATH: the event is about a pull request, but/)
  })

  it("quotes no command of the runner in what it says of a failure", async () => {
    const { code, stderr } = await called(
      "run",
      { event: { ref: "main" }, config: '"##[set-output]" = 1\n' },
      "converge"
    )
    assert.strictEqual(code, 6)
    assert.notInclude(stderr, "##[")
  })

  it("reviews where it runs", async () => {
    const { code, told } = await called("run", { event: { ref: "main" } })
    assert.deepStrictEqual([code, told.has("output")], [0, true])
  })
})
