// Change: what an event says, and that a change is a stranger's where that is in doubt.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { changeOf } from "../../../src/ci/Change.ts"

const sha = "0123456789abcdef0123456789abcdef01234567"
const event = (repo: unknown, more: object = {}) => ({
  pull_request: { number: 7, head: { repo }, base: { ref: "main", sha, repo: { full_name: "o/p" } }, ...more }
})
const readEvent = (given: unknown, name = "pull_request") =>
  Result.getOrElse(changeOf(name, given), (problem) => problem)
const nothing = { pull: null, isFork: true, base: null, trusts: null, defaultBranch: null }

describe("the change of an event", () => {
  it("of a pull request has its base, and whether a stranger wrote it", () => {
    const own = {
      pull: { number: 7, repository: "o/p" },
      isFork: false,
      base: "main",
      trusts: { _tag: "Base", sha } as const,
      defaultBranch: null
    }
    assert.deepStrictEqual(readEvent(event({ full_name: "o/p", id: 1 })), own)
    assert.deepStrictEqual(readEvent(event({ full_name: "s/p" }), "pull_request_target"), { ...own, isFork: true })
  })

  it("is a stranger's where its repository has gone", () => assert.propertyVal(readEvent(event(null)), "isFork", true))

  it("of a merge group has its base, and counts as a stranger's", () => {
    const group = { merge_group: { base_sha: sha, base_ref: "refs/heads/main" } }
    assert.deepStrictEqual(readEvent(group, "merge_group"), {
      ...nothing,
      base: "main",
      trusts: { _tag: "Base", sha } as const
    })
    assert.match(
      String(readEvent({ merge_group: { base_sha: "x" } }, "merge_group")),
      /^the event is about a merge group/
    )
  })

  it("of a push has the commit before it", () => {
    const given = { before: sha, repository: { default_branch: "trunk" } }
    const pushed = { ...nothing, isFork: false, trusts: { _tag: "Push", sha } as const, defaultBranch: "trunk" }
    assert.deepStrictEqual(readEvent(given, "push"), pushed)
    assert.deepStrictEqual(readEvent({ before: 1 }, "push"), { ...nothing, isFork: false })
    assert.deepStrictEqual(readEvent(given, "schedule"), { ...pushed, trusts: null })
  })

  it("is a stranger's unless only those start it who may write", () => {
    for (const name of ["schedule", "workflow_dispatch", "repository_dispatch", "push"]) {
      assert.propertyVal(readEvent({}, name), "isFork", false, name)
    }
    for (const name of ["workflow_run", "issue_comment", "", "pull_request"]) {
      for (const other of [{}, { ref: "main", before: sha }, { pull_request: null }, null, "x", []]) {
        assert.deepStrictEqual(readEvent(other, name), nothing)
      }
    }
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
