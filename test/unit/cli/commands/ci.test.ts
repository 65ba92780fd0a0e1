// ci: its arguments, what the event of a workflow makes it do, what it writes and how it ends.
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import * as ci from "../../../../src/cli/commands/ci.ts"
import { ciRun, files, read, type Request } from "../../../../src/cli/commands/ci.ts"
import type { Change } from "../../../../src/ci/Change.ts"
import { Scripted } from "../../../../src/testing.ts"
import type { Script } from "../../../../src/testing/World.ts"
import { type Around, grammar, inJob } from "../../../support/commands.ts"

describe("the arguments of ci", () => {
  const { asked, problem } = grammar(ci)
  const plain: Request = {
    action: "run",
    mode: "review",
    levels: ["high"],
    failOn: "findings",
    forkTests: false,
    author: "github-actions[bot]",
    out: null,
    texts: new Map()
  }

  describe("ci", () => {
    it("reads as the command does", () => assert.strictEqual(ci.read, read))

    it("has a default for everything, also where all is handed on empty", async () => {
      assert.deepStrictEqual(await asked("run"), plain)
      const empty = [
        "--mode=",
        "--base=",
        "--levels=",
        "--test=",
        "--agent=",
        "--max-time=",
        "--fail-on=",
        "--fork-tests="
      ]
      assert.deepStrictEqual(await asked(["run", ...empty, "--comment-author=", "--out-dir="]), plain)
      assert.deepStrictEqual(await asked(["run", "-n="]), plain)
    })

    it("takes levels, tests of several lines and what a person allows", async () => {
      const given = [
        "run",
        "--mode=converge",
        "--levels=low..high",
        "--test=a b\n\nc\n",
        "--allow=unsandboxed, red-baseline"
      ]
      assert.deepStrictEqual(await asked(given), {
        ...plain,
        mode: "converge",
        levels: ["low", "medium", "high"],
        texts: new Map([["--test", ["a b", "c"]], ["--allow", ["unsandboxed", "red-baseline"]]])
      })
      assert.deepInclude(await asked(["run", "-n=4", "--trust-state-root", "--fork-tests=always"]), {
        forkTests: true,
        texts: new Map([["-n", ["4"]], ["--trust-state-root", [""]]])
      })
    })

    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [[], /^ACTION is required$/],
      [["publish"], /^ACTION "publish": expected run or post$/],
      [["run", "--levels=high..low"], /^--levels "high\.\.low": expected LVL or LVL\.\.LVL, the lower first$/],
      [["run", "--levels=low..medium..high"], /^--levels .*: expected LVL or/],
      [["run", "--levels=top"], /^--levels "top": expected low, medium/],
      [["run", "--fail-on=P4"], /^--fail-on "P4": expected never, error/],
      [["run", "--test=npm test"], /^--test "npm test": it needs --mode converge$/],
      [["run", "--uncommitted"], /^unknown flag --uncommitted/]
    ]
    it.each(wrong)("%j is misuse", async (argv, message) => assert.match(await problem(argv), message))
  })
})

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
    const { code, channels } = await called("post", { event })
    assert.deepStrictEqual([code, channels.get("stdout")], [0, "comment updated\n"])
    assert.deepStrictEqual(JSON.parse(channels.get("comment") ?? ""), {
      repository: "o/p",
      number: 7,
      author: "bot",
      marker: "<!-- ooda-codex-review -->",
      file: "/temp/ooda-codex-review.md"
    })
  })

  it("says where there is no pull request, and fails where the comment does", async () => {
    const without = await called("post", { event: { ref: "main" } })
    assert.deepStrictEqual([without.code, without.channels.get("stdout")], [0, "no pull request to comment on\n"])
    assert.strictEqual((await called("post", { event, refuses: "comments" })).code, 6)
  })

  it("does nothing for a pull request that it cannot read", async () => {
    const { code, stderr, channels } = await called("run", { event: { pull_request: {} } })
    assert.deepStrictEqual([code, channels.size], [6, 0])
    assert.match(stderr, /^error: GITHUB_EVENT_PATH: the event is about a pull request, but/)
  })

  it("quotes no command of the runner in what it says of a failure", async () => {
    const { code, stderr } = await called(
      "run",
      { event: { ref: "main" }, env: { GITHUB_EVENT_NAME: "push" }, config: '"##[set-output]" = 1\n' },
      "converge"
    )
    assert.strictEqual(code, 6)
    assert.notInclude(stderr, "##[")
  })

  it("reviews where it runs", async () => {
    const { code, channels } = await called("run", { event: { ref: "main" } })
    assert.deepStrictEqual([code, channels.has("output")], [0, true])
  })
})

describe("a run of ci", () => {
  const plain: Request = {
    action: "run",
    mode: "review",
    levels: ["low"],
    failOn: "findings",
    forkTests: false,
    author: "x",
    out: null,
    texts: new Map([["-n", ["1"]], ["--retries", ["0"]], ["--base", ["main"]]])
  }

  const pushed: Change = { pull: null, isFork: false, base: null, trusts: null, defaultBranch: "main" }

  const stepped = (change: Partial<Request>, script: Script, refuses?: Around["refuses"]) =>
    inJob(ciRun({ ...plain, ...change }, pushed, "/repo", "1"), {
      script,
      ...(refuses === undefined ? {} : { refuses })
    })

  describe("a step", () => {
    it("writes its files where the runner keeps them, then its outputs", async () => {
      const { code, stderr, channels } = await stepped({}, () => Scripted.clean())
      assert.deepStrictEqual([code, stderr], [0, "DoneFixedPoint\n"])
      assert.sameMembers([...channels.keys()], [
        `/temp/${files.sarif}`,
        `/temp/${files.comment}`,
        "/temp/ooda-codex-review-low.html",
        "summary",
        "output",
        "stdout"
      ])
      assert.match(
        channels.get("output") ?? "",
        /^mode=review\noutcome=DoneFixedPoint\nexit-code=0\nfindings=0\nverdict=pass\n/
      )
      assert.match(channels.get("output") ?? "", /\ncomment=\n$/)
      assert.strictEqual(channels.get("stdout"), "")
    })

    it("fails for findings, and could not where a review is missing", async () => {
      const found = await stepped({}, () => Scripted.issues())
      assert.deepStrictEqual([found.code, found.stderr], [1, "HandoffAgent: AddressBatch\n"])
      assert.match(found.channels.get("stdout") ?? "", /^::error file=/)
      assert.strictEqual((await stepped({ failOn: "P0" }, () => Scripted.issues())).code, 0)
      assert.strictEqual((await stepped({ failOn: "error" }, () => Scripted.failure())).code, 6)
    })

    it("continues past a level with findings, and reports the worst outcome", async () => {
      const script: Script = ({ level }) => level === "low" ? Scripted.issues() : Scripted.clean()
      const { channels } = await stepped({ levels: ["low", "medium"] }, script)
      assert.match(channels.get("output") ?? "", /\noutcome=HandoffAgent\n/)
      const failing: Script = ({ level }) => level === "low" ? Scripted.issues() : Scripted.failure()
      const failed = await stepped({ levels: ["low", "medium"] }, failing)
      assert.match(
        failed.channels.get("output") ?? "",
        /\noutcome=BinaryError\nexit-code=6\nfindings=1\nverdict=fail\n/
      )
    })

    it("never passes where it could not report what came of it", async () => {
      for (const refuses of ["files", "runner"] as const) {
        const { code, stderr } = await stepped({ failOn: "never" }, () => Scripted.clean(), refuses)
        assert.strictEqual(code, 6, stderr)
      }
    })

    it("converges where it is asked to, and what it says meanwhile is no command", async () => {
      const texts = new Map([...plain.texts, ["--test", ["npm test"]]])
      const { code, stderr, channels } = await stepped({ mode: "converge", texts }, () => Scripted.clean())
      assert.deepStrictEqual([code, stderr], [0, "DoneFixedPoint\n"])
      assert.match(channels.get("output") ?? "", /^mode=converge\n/)
      assert.isNotEmpty(channels.get("narrator"))
    })

    it("trusts no code that its agents work on, with a pull request or without", async () => {
      const texts = new Map([...plain.texts, ["--test", ["npm test"]], ["--max-rounds", ["1"]]])
      const { tasks } = await stepped({ mode: "converge", texts }, () => Scripted.issues())
      assert.deepStrictEqual(new Set(tasks.map(({ untrusted }) => untrusted)), new Set([true]))
    })

    describe("for a fork", () => {
      const sha = "a".repeat(40)
      const change: Change = {
        pull: { number: 7, repository: "o/p" },
        isFork: true,
        base: "main",
        trusts: { _tag: "Base", sha },
        defaultBranch: "main"
      }
      const texts = new Map([...plain.texts, ["--test", ["npm test"]]])
      const forked = (asked: Partial<Request>, around: Around = {}, of = change) =>
        inJob(ciRun({ ...plain, mode: "converge", texts, ...asked }, of, "/repo", "1"), around)
      const outputs = { "pull_request": { GITHUB_EVENT_NAME: "pull_request" } }

      it("reviews in place of converging, and says so, unless the workflow allows the fork's tests", async () => {
        const { channels } = await forked({})
        assert.match(channels.get("output") ?? "", /^mode=review\noutcome=DoneFixedPoint\n/)
        assert.include(
          channels.get("summary"),
          "This pull request comes from a fork. It was reviewed and not worked on"
        )
        const unknown = await forked({}, {}, { ...change, pull: null })
        assert.include(unknown.channels.get("summary"), "This event does not say whose the change is. It was reviewed")
        const allowed = await forked({ forkTests: true })
        assert.match(allowed.channels.get("output") ?? "", /^mode=converge\n/)
      })

      it("reads the configuration of the commit that the pull request began from", async () => {
        const { channels } = await forked({ forkTests: true })
        assert.include(channels.get("read"), `of {"_tag":"Revision","revision":"${sha}"}`)
      })

      it("has no comment where the token of its event cannot write one", async () => {
        const without = await forked({}, { env: outputs.pull_request })
        assert.match(without.channels.get("output") ?? "", /\ncomment=\n$/)
        const { channels } = await forked({}, { env: { GITHUB_EVENT_NAME: "pull_request_target" } })
        assert.match(channels.get("output") ?? "", /\ncomment=\/temp\/ooda-codex-review\.md\n$/)
      })

      it("is skipped without secrets, and fails nothing", async () => {
        const login = "Not logged in\n"
        const { code, channels } = await forked({}, { login, env: outputs.pull_request })
        assert.deepStrictEqual([code, channels.has("comment")], [0, false])
        assert.match(channels.get("output") ?? "", /\nverdict=skipped\ncomment=\n$/)
        assert.match(channels.get("stdout") ?? "", /^::notice title=Not reviewed::/)
        const inhouse = await forked({}, { login, env: { GITHUB_EVENT_NAME: "pull_request_target" } })
        assert.match(inhouse.channels.get("output") ?? "", /^mode=review\n/)
      })
    })

    it("needs something to compare with", async () => {
      const { code, stderr } = await stepped({ texts: new Map() }, () => Scripted.clean())
      assert.strictEqual(code, 6)
      assert.match(stderr, /\[name what to compare with: --base BRANCH\]\n$/)
    })
  })
})
