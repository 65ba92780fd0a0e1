// The base in codex's prompt against the base that a strict run records: staged content, upstream, pull request.
// The merge base in each batch's identity is the one in the prompt that the model got for it.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import { headerOf, only, recorded } from "./recorded.ts"
import { type Bench, type Ended, withBench } from "./support.ts"

const LOW = ["--strict", "--ceiling", "low", "-n", "1"]
const MEDIUM = ["--strict", "--ceiling", "medium", "-n", "1"]

const assertFixedPoint = ({ exit, stderr }: Ended): void =>
  assert.deepStrictEqual([exit, stderr], [0, "DoneFixedPoint\n"])

/** The answer that a hand-off asks for. */
const answerTo = ({ exit, stderr }: Ended): ReadonlyArray<string> => {
  assert.strictEqual(exit, 5, stderr)
  return /Answer with: (--batch \S+)\n$/.exec(stderr)?.[1]?.split(" ") ?? assert.fail(stderr)
}

/** The commits that the model was asked to compare with, one per review. */
const comparedWith = ({ reviews }: Bench): ReadonlyArray<string | undefined> =>
  reviews().map(({ prompt }) => /`?git diff ([0-9a-f]{40})/.exec(prompt)?.[1])

/** Every batch of the run has recorded the base of the model's prompt. */
const assertRecorded = (bench: Bench, targetKey: string): void => {
  const batches = only(recorded(bench.stateRoot, targetKey), "BatchStarted")
  assert.deepStrictEqual(batches.map(({ identity }) => identity.mergeBase), comparedWith(bench).slice(-batches.length))
}

/** A topic branch with two commits of its own; `main` follows an origin. Returns the commits: main, first, second. */
const cloned = ({ git, repo, write }: Bench): readonly [string, string, string] => {
  const origin = join(dirname(repo), "origin.git")
  git("clone", "--quiet", "--bare", ".", origin)
  git("remote", "add", "origin", origin)
  git("fetch", "--quiet", "origin")
  git("branch", "--quiet", "--set-upstream-to", "origin/main", "main")
  git("switch", "--quiet", "--create", "topic")
  const commits = ["two", "three"].map((name) => {
    write(`${name}.mjs`, `export const ${name} = 1\n`)
    git("add", ".")
    git("commit", "--quiet", "--message", name)
    return git("rev-parse", "HEAD")
  })
  return [git("rev-parse", "main"), commits[0] ?? "", commits[1] ?? ""]
}

describe("a strict run with the real codex", () => {
  it("reviews again what was staged behind an unchanged file", () =>
    withBench(() => scenarios.clean, async ({ git, reviews, step, write }) => {
      write("one.mjs", "export const one = 1.0\n")
      assertFixedPoint(await step("--uncommitted", ...LOW))
      write("one.mjs", "export const one = EVIL\n")
      git("add", "one.mjs")
      write("one.mjs", "export const one = 1.0\n")
      assertFixedPoint(await step("--uncommitted", ...LOW))
      assert.lengthOf(reviews(), 2)
      for (const { prompt } of reviews()) assert.match(prompt, /staged, unstaged, and untracked/)
    }))

  it("compares with the upstream that is ahead of the base, and reviews every level against that", () =>
    withBench(() => scenarios.clean, async (bench) => {
      const { command, git, step } = bench
      const [main, first] = cloned(bench)
      const answer = answerTo(await step("--base", "main", ...MEDIUM))
      assert.deepStrictEqual(comparedWith(bench), [main])
      git("push", "--quiet", "origin", "topic~1:main")
      git("fetch", "--quiet")
      const refused = await step("--base", "main", ...MEDIUM, "--mark-retro-clean", ...answer)
      assert.match(refused.stderr, /^BinaryError: mark refused: reviews at level low/)
      const again = answerTo(await step("--base", "main", ...MEDIUM))
      assert.strictEqual((await step("--base", "main", ...MEDIUM, "--mark-retro-clean", ...again)).exit, 7)
      assertFixedPoint(await step("--base", "main", ...MEDIUM))
      assert.deepStrictEqual(comparedWith(bench), [main, first, first])
      assertRecorded(bench, "base/main")
      const audit = await command("audit", "--base", "main")
      assert.strictEqual(audit.exit, 0, audit.stdout)
      git("push", "--quiet", "origin", "topic:main")
      git("fetch", "--quiet")
      for (const fresh of [[], ["--fresh"]]) {
        const nothing = await step("--base", "main", ...MEDIUM, ...fresh)
        assert.match(nothing.stderr, /^BinaryError: nothing to review: /)
      }
      assert.lengthOf(bench.reviews(), 3)
    }))

  it("never compares with a tag: codex would take it before the branch, and no upstream of a full name", () =>
    withBench(() => scenarios.clean, async (bench) => {
      const { codex, git, requests, step } = bench
      const [main, first] = cloned(bench)
      git("push", "--quiet", "origin", "topic~1:main")
      git("fetch", "--quiet")
      git("tag", "main", "topic")
      await codex("--base", "main")
      assert.deepStrictEqual(comparedWith(bench), [git("rev-parse", "topic")])
      const asked = requests.length
      for (const how of [[], ["--isolate"]]) {
        assert.match((await step("--base", "main", ...LOW, ...how)).stderr, /^BinaryError: .*main is ambiguous: /)
        assert.match((await step("--base", "refs/tags/main", ...LOW, ...how)).stderr, /cannot be resolved/)
      }
      assert.lengthOf(requests, asked)
      assertFixedPoint(await step("--base", "refs/heads/main", ...LOW))
      assertFixedPoint(await step("--base", "heads/main", ...LOW))
      assertFixedPoint(await step("--base", "refs/remotes/origin/main", ...LOW, "--isolate"))
      assertFixedPoint(await step("--base", main, ...LOW, "--isolate"))
      assert.deepStrictEqual(comparedWith(bench).slice(1), [main, main, first, main])
      assertRecorded(bench, `base/${main}`)
      git("tag", "--delete", "main")
      git("tag", "origin/main", "topic")
      assertFixedPoint(await step("--base", "main", ...LOW))
      assert.strictEqual(comparedWith(bench).at(-1), first)
      assertRecorded(bench, "base/main")
    }))

  it("compares with the base that the pull request has now", () =>
    withBench(() => scenarios.clean, async (bench) => {
      const [main, first] = cloned(bench)
      bench.git("branch", "release", first)
      const bin = join(dirname(bench.repo), "bin")
      mkdirSync(bin)
      const says = (answer: string) => writeFileSync(join(bin, "gh"), `#!/bin/sh\n${answer}\n`, { mode: 0o700 })
      const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` }
      const step = () => bench.stepAs({ env }, "--pr", "7", ...LOW)
      const names = (branch: string, commit: string) =>
        says(
          `echo '${JSON.stringify({ baseRefName: branch, baseRefOid: commit, url: "https://github.com/o/r/pull/7" })}'`
        )
      names("main", first)
      assert.match((await step()).stderr, /^BinaryError: .*local main differs from main on GitHub/)
      assert.lengthOf(bench.requests, 0)
      names("main", main)
      assertFixedPoint(await step())
      assertFixedPoint(await step())
      names("release", first)
      assertFixedPoint(await step())
      assert.deepStrictEqual(comparedWith(bench), [main, first])
      assertRecorded(bench, "pr/7")
      says("echo no such pull request >&2; exit 1")
      const unknown = await step()
      assert.deepStrictEqual([unknown.exit, headerOf(unknown.stderr)], [
        6,
        "BinaryError: gh pr view 7: no such pull request [check `gh auth status`, or review with --base BRANCH]"
      ])
      says("echo elsewhere")
      assert.match(
        (await step()).stderr,
        /^BinaryError: base branch elsewhere .*\[git fetch origin elsewhere:elsewhere\]\n$/
      )
      assert.lengthOf(bench.reviews(), 2)
    }))
})
