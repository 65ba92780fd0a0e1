// Why there is no such run, in words: every reason has its message.
import { assert, describe, it } from "vitest"
import { NoSuchRun, type NoSuchRunReason } from "../../../src/run/Owner.ts"

const run = (runId: string) => ({ runId, repoId: "repo", targetKey: "pr/7" })

const found = " [`ooda-codex-review runs --all` lists those that are there; --state-root names another place]"

describe("there is no such run", () => {
  const messages: {
    readonly [T in NoSuchRunReason["_tag"]]: ReadonlyArray<
      readonly [Extract<NoSuchRunReason, { readonly _tag: T }>, string]
    >
  } = {
    NoneHere: [
      [
        { _tag: "NoneHere", repoId: "repo-noremote", root: "/s" },
        `no run of this repository (repo-noremote) under /s${found}`
      ]
    ],
    OnlyElsewhere: [
      [
        { _tag: "OnlyElsewhere", worktree: "/p1/app", newest: "21" },
        "no such run of /p1/app; name the run of another checkout, such as --run 21"
      ]
    ],
    SeveralUnderWay: [
      [
        { _tag: "SeveralUnderWay", runs: ["21", "22"].map(run) },
        "several runs of this worktree are under way: 21 (repo/pr/7), 22 (repo/pr/7); name one"
      ]
    ],
    NoneBegins: [[{ _tag: "NoneBegins", prefix: "2031", root: "/s" }, `no run begins with 2031 under /s${found}`]],
    Several: [
      [
        { _tag: "Several", prefix: "2", runs: ["21", "22", "23"].map(run) },
        "2 is the beginning of several runs: 21 (repo/pr/7), 22 (repo/pr/7), 23 (repo/pr/7); name more of one"
      ],
      [
        { _tag: "Several", prefix: "2", runs: ["21", "22", "23", "24"].map(run) },
        "2 is the beginning of several runs: 21 (repo/pr/7), 22 (repo/pr/7), 23 (repo/pr/7) and more; name more of one"
      ]
    ],
    NoneOfTarget: [[
      { _tag: "NoneOfTarget", targetKey: "pr/7", place: "/s/r/pr/7" },
      `no run of pr/7 under /s/r/pr/7${found}`
    ]],
    LatestDangling: [
      [
        { _tag: "LatestDangling", targetKey: "pr/7", place: "/s/r/pr/7" },
        "latest of pr/7 names a run that does not exist under /s/r/pr/7 [a step opens a new one]"
      ]
    ],
    NotBegun: [[{ _tag: "NotBegun", runId: "21" }, "run 21 has not begun [call the step again]"]]
  }
  it.each(Object.values(messages).flat())(
    "%o",
    (reason, message) => assert.strictEqual(new NoSuchRun({ reason }).message, message)
  )

  it("in a message of bounded length, whatever was typed", () => {
    const long = "x".repeat(100_000)
    const { message } = new NoSuchRun({ reason: { _tag: "NoneBegins", prefix: long, root: long } })
    assert.isBelow(message.length, 600)
  })
})
