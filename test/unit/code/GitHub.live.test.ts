// GitHub.live: a pull request's base through `gh`: what it is asked, and what is made of every kind of answer.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/code/GitHub.live.ts"
import { GitHub } from "../../../src/code/GitHub.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { PrNumber } from "../../../src/run/Target.ts"
import { eachInHome, git, inHome, makeRepo } from "../../support/repositories.ts"

eachInHome()

/** Asks for the base of a pull request with a fake `gh` that runs a shell script. */
const baseWith = (script: string | null): Promise<string> => {
  mkdirSync(inHome("bin"), { recursive: true })
  mkdirSync(inHome("work"), { recursive: true })
  if (script !== null) writeFileSync(inHome("bin", "gh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const path = script === null ? inHome("bin") : `${inHome("bin")}${delimiter}${process.env["PATH"]}`
  return Effect.runPromise(
    GitHub.use((github) => github.baseOf(inHome("work"), PrNumber.make(1234))).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (branch) => branch }),
      Effect.provide(layer),
      Effect.provideService(Environment, { PATH: path, GH_TOKEN: "secret" })
    )
  )
}

describe("the base of a pull request", () => {
  it("is what gh answers, asked in the worktree, without prompts and colours", async () => {
    const asked = inHome("asked")
    const script = `{ pwd; echo "$@"; echo "$GH_PROMPT_DISABLED $NO_COLOR $GH_TOKEN"; } >${asked}; echo release/1.2`
    assert.strictEqual(await baseWith(script), "release/1.2")
    assert.strictEqual(
      readFileSync(asked, "utf8"),
      [
        `${inHome("work")}\n`,
        "pr view 1234 --json baseRefName,baseRefOid,url\n",
        "1 1 secret\n"
      ].join("")
    )
  })

  it.each([
    ["no branch name", "echo --upload-pack=x", /^gh pr view 1234: answered with an unusable base branch: /],
    ["no commit", `echo '{"baseRefName":"main","baseRefOid":"","url":"x"}'`, /^gh pr view 1234: answered with an unus/],
    ["nothing", ":", /^gh pr view 1234: answered with an unusable base branch: /],
    [
      "a failure",
      "echo 'no pull requests found' >&2; exit 1",
      /^gh pr view 1234: no pull requests found \[check `gh auth status`, or review with --base BRANCH\]$/
    ],
    [
      "a failure without a word",
      "exit 4",
      /^gh pr view 1234: gh ended with exit status 4 \[check `gh auth status`, or review with --base BRANCH\]$/
    ]
  ])("is a typed error when it is %s", async (_, script, message) => assert.match(await baseWith(script), message))

  it("is a typed error when gh is missing", async () =>
    assert.strictEqual(
      await baseWith(null),
      "gh pr view 1234: gh is not installed or not on PATH [check `gh auth status`, or review with --base BRANCH]"
    ))
})

describe("the base of a pull request here", () => {
  const url = "https://github.com/Up/stream/pull/1234"

  const commit = (message: string): string => {
    git(inHome("work"), "commit", "-q", "--allow-empty", "-m", message)
    return git(inHome("work"), "rev-parse", "HEAD")
  }
  const set = (ref: string, to: string) => git(inHome("work"), "update-ref", ref, to)
  const remote = (name: string, of: string) => git(inHome("work"), "remote", "add", name, of)

  /** A topic branch with a commit of its own on two of somebody else's. `main` here has the first of these alone. */
  const stale = () => {
    makeRepo("work")
    const old = git(inHome("work"), "rev-parse", "HEAD")
    git(inHome("work"), "checkout", "-qb", "topic")
    const [base, head] = [commit("Of others"), commit("Own")]
    return { old, base, head }
  }
  const says = (baseRefOid: string, where: string | null = url): Promise<string> => {
    const answer = { baseRefName: "main", baseRefOid, ...(where === null ? {} : { url: where }) }
    return baseWith(`echo '${JSON.stringify(answer)}'`)
  }
  const refused = (fetch: string, base: string): string =>
    "gh pr view 1234: local main differs from main on GitHub, so another change would be reviewed " +
    `[${fetch}, then review with --base ${base}]`
  const fromUrl = refused("git fetch https://github.com/Up/stream main:refs/remotes/Up/main", "Up/main")

  it("is refused where it lacks commits of others that HEAD has", async () => {
    const { base } = stale()
    assert.strictEqual(await says(base), fromUrl)
    set("refs/heads/main", base)
    assert.strictEqual(await says(base), "main")
  })

  it("may lack commits that HEAD lacks too, or have more of these", async () => {
    const { base, head } = stale()
    set("refs/heads/main", base)
    git(inHome("work"), "checkout", "-q", "--detach", base)
    const newer = commit("Later on main")
    git(inHome("work"), "checkout", "-q", "--detach", head)
    assert.strictEqual(await says(newer), "main")
    set("refs/heads/main", newer)
    assert.strictEqual(await says(base), "main")
  })

  it("is refused where GitHub names a commit that is not here", async () => {
    stale()
    assert.strictEqual(await says("1".repeat(40)), fromUrl)
  })

  it("is refused where it has commits of the change itself, as the main of a fork", async () => {
    const { head, old } = stale()
    set("refs/heads/main", head)
    assert.strictEqual(await says(old), fromUrl)
  })

  it.each([
    "https://github.com/Up/stream",
    "https://github.com/Up/stream.git",
    "git@github.com:Up/stream.git",
    "ssh://git@github.com/Up/stream.git",
    "https://github.com/up/STREAM.git/",
    "ssh://git@ssh.github.com:443/Up/stream.git",
    "work:Up/stream.git",
    "gh:Up/stream"
  ])("is fetched from the remote at %s", async (at) => {
    const { base } = stale()
    remote("origin", "https://github.com/me/stream")
    remote("upstream", at)
    assert.strictEqual(await says(base), refused("git fetch upstream main", "upstream/main"))
  })

  it("is fetched from origin if gh does not name the repository", async () => {
    const { base } = stale()
    assert.strictEqual(await says(base, null), refused("git fetch origin main", "origin/main"))
    assert.strictEqual(
      await says(base, "https://github.com/Up/str;eam/pull/1"),
      refused(
        "git fetch 'https://github.com/Up/str;eam' main:refs/remotes/Up/main",
        "Up/main"
      )
    )
  })

  it("is compared with the upstream of the branch here where that is ahead", async () => {
    const { base, old } = stale()
    remote("origin", "https://github.com/me/stream")
    set("refs/remotes/origin/main", base)
    git(inHome("work"), "branch", "-q", "--set-upstream-to", "origin/main", "main")
    assert.strictEqual(await says(base), "main")
    assert.strictEqual(await says(old), fromUrl)
  })

  it("counts what was fetched of its repository after the last push to the pull request", async () => {
    const { base, old } = stale()
    remote("upstream", "git@github.com:Up/stream.git")
    set("refs/remotes/upstream/main", base)
    assert.strictEqual(await says(old), refused("git fetch upstream main", "upstream/main"))
    set("refs/heads/main", base)
    assert.strictEqual(await says(old), "main")
  })

  it("counts what was fetched from every remote of its repository, wherever the remote puts it", async () => {
    const { base, old } = stale()
    remote("first", url.replace("/pull/1234", ""))
    remote("second", "up:Up/stream")
    git(inHome("work"), "config", "remote.second.fetch", "+refs/heads/*:refs/remotes/all/second/*")
    set("refs/remotes/all/second/main", base)
    assert.strictEqual(await says(old), refused("git fetch first main", "first/main"))
    set("refs/heads/main", base)
    assert.strictEqual(await says(old), "main")
  })

  it("counts what a remote fetched whose URL git replaces", async () => {
    const { base, old } = stale()
    git(inHome("work"), "config", "url./srv/mirrors/one.insteadOf", "https://github.com/Up/stream")
    git(inHome("work"), "config", "url.https://github.com/.insteadOf", "gh:")
    for (const at of ["https://github.com/Up/stream", "gh:Up/stream"]) {
      remote("upstream", at)
      set("refs/remotes/upstream/main", base)
      assert.strictEqual(await says(old), refused("git fetch upstream main", "upstream/main"))
      git(inHome("work"), "remote", "remove", "upstream")
    }
  })

  it("counts the present commit on GitHub, whatever the remotes are named", async () => {
    const { base, head, old } = stale()
    remote("origin", "https://github.com/me/stream")
    set("refs/remotes/origin/main", head)
    const asked = inHome("asked")
    const answers = (baseRefOid: string, present: string): Promise<string> =>
      baseWith(
        `if [ $1 = api ]; then echo "$@" >${asked}; echo ${present}; else echo '${
          JSON.stringify({ baseRefName: "main", baseRefOid, url })
        }'; fi`
      )
    assert.strictEqual(await answers(old, base), fromUrl)
    assert.strictEqual(
      readFileSync(asked, "utf8"),
      "api --hostname github.com repos/Up/stream/branches/main --jq .commit.sha\n"
    )
    assert.strictEqual(await answers(old, "2".repeat(40)), "main")
    set("refs/heads/main", base)
    assert.strictEqual(await answers(old, base), "main")
    // The base was rewritten: its old commit is gone.
    assert.strictEqual(await answers("1".repeat(40), base), "main")
  })

  it("is refused where GitHub cannot be asked and a remote of another name has more of HEAD", async () => {
    const { base, old } = stale()
    remote("upstream", "https://github.com/old-name/stream")
    set("refs/remotes/upstream/main", base)
    assert.strictEqual(await says(old), fromUrl)
    set("refs/heads/main", base)
    assert.strictEqual(await says(old), fromUrl)
    assert.strictEqual(await says(base), "main")
  })

  it("is asked of the API where gh does not know the commit of a base", async () => {
    const { base, old } = stale()
    const answers = (baseRefOid: string): Promise<string> =>
      baseWith(
        `case "$1 $2" in "pr view") echo 'Unknown JSON field: "baseRefOid"' >&2; exit 1;;
          "api repos/{owner}/{repo}/pulls/1234") echo '${JSON.stringify({ baseRefName: "main", baseRefOid, url })}';;
          *) exit 1;; esac`
      )
    assert.strictEqual(await answers(old), "main")
    assert.strictEqual(await answers(base), fromUrl)
  })

  it("is not compared if it is missing, or has no common commit: the check of every target reports that", async () => {
    const { base } = stale()
    git(inHome("work"), "branch", "-qD", "main")
    assert.strictEqual(await says(base), "main")
    git(inHome("work"), "checkout", "-q", "--orphan", "main")
    commit("Another beginning")
    git(inHome("work"), "checkout", "-q", "topic")
    assert.strictEqual(await says(base), "main")
  })
})
