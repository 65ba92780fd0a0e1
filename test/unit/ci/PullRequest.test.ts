// PullRequest: what an event says, and that a change is a stranger's where that is in doubt.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { pullRequestOf } from "../../../src/ci/PullRequest.ts"

const sha = "0123456789abcdef0123456789abcdef01234567"
const event = (repo: unknown, more: object = {}) => ({
  pull_request: { number: 7, head: { repo }, base: { ref: "main", sha, repo: { full_name: "o/p" } }, ...more }
})
const readEvent = (given: unknown) => Result.getOrElse(pullRequestOf(given), (problem) => problem)

describe("the pull request of an event", () => {
  it("has its base, and whether a stranger wrote it", () => {
    const own = { number: 7, repository: "o/p", base: { branch: "main", sha }, isFork: false }
    assert.deepStrictEqual(readEvent(event({ full_name: "o/p", id: 1 })), own)
    assert.deepStrictEqual(readEvent(event({ full_name: "s/p" })), { ...own, isFork: true })
  })

  it("is a stranger's where its repository has gone", () => assert.propertyVal(readEvent(event(null)), "isFork", true))

  it("is null for an event about something else", () => {
    for (const other of [{}, { ref: "main" }, { pull_request: null }, null, "x", []]) assert.isNull(readEvent(other))
  })

  const wrong: ReadonlyArray<unknown> = [
    { pull_request: {} },
    { pull_request: "x" },
    event({ full_name: "o/p" }, { number: 0 }),
    event({ full_name: "o/p" }, { base: { ref: "main", sha: "--output=x", repo: { full_name: "o/p" } } }),
    event({ full_name: "o/p" }, { base: { ref: "main", sha, repo: { full_name: "o/../x" } } })
  ]
  it.each(wrong)(
    "is not guessed: %j",
    (given) => assert.match(String(readEvent(given)), /^the event is about a pull request, but/)
  )
})
