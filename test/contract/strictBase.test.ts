// What a base branch is for a strict run: what codex compares with, asked of gh again and again.
// Another base is another target; committing what was reviewed against a base is not.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, outcome } from "./expect.ts"
import { blocked, clean } from "./plans.ts"
import { it, type World } from "./support.ts"

const PR = ["--pr", "42", "-n", "1"]
const LOW = ["--ceiling", "low"]
const MEDIUM = ["--ceiling", "medium"]

/** A topic branch with a commit of its own, beside `main` and a `release` that is elsewhere. */
const given = (world: World): void => {
  world.plan("default", clean)
  world.git("switch", "-qc", "release")
  world.write("released.txt", "1\n")
  world.git("add", "released.txt")
  world.git("commit", "-qm", "Release")
  world.git("switch", "-qc", "topic")
  world.write("tracked.txt", "two\n")
  world.git("commit", "-qam", "Two")
  world.ghSays("main\n")
}

/** The branches that reviewers were asked to compare with. */
const bases = (world: World): ReadonlyArray<string | undefined> => world.calls().map(({ argv }) => argv[2])

/** The answer that a hand-off asks for. */
const answerTo = (rest: ReadonlyArray<string>): ReadonlyArray<string> => (rest.at(-1) ?? "").split(" ").slice(2)

const ghFails = (world: World): void => rmSync(join(world.dir, "control", "gh-answer"))

const audited = async (world: World, ...target: ReadonlyArray<string>): Promise<void> => {
  const audit = await world.stepFrom({ stateRoot: null }, "audit", ...target, "--state-root", world.stateRoot)
  assert.strictEqual(audit.exit, 0, audit.stdout)
  assert.include(audit.stdout, "every level was reviewed clean, on the same code")
}

describe.concurrent("the base of a pull request, on a strict run", () => {
  for (const where of ["elsewhere", "at the same commit"]) {
    it(`that changes after the fixed point is another target (${where})`, { tags: "slow" }, async ({ world }) => {
      given(world)
      if (where !== "elsewhere") world.git("branch", "-f", "release", "main")
      outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
      outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
      assert.deepStrictEqual(bases(world), ["main"])
      world.ghSays("release\n")
      outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
      assert.deepStrictEqual(bases(world), ["main", "release"])
    })
  }

  it(
    "that changes between levels has every level reviewed against the new one",
    { tags: "slow", timeout: 180_000 },
    async ({ world }) => {
      given(world)
      const answer = answerTo(handoff(await world.step(...PR, ...MEDIUM, "--strict"), 5, "Retrospective").rest)
      world.ghSays("release\n")
      const marked = await world.step(...PR, ...MEDIUM, "--strict", "--mark-retro-clean", ...answer)
      binaryError(marked, /^BinaryError: mark refused: reviews at level low/)
      const again = answerTo(handoff(await world.step(...PR, ...MEDIUM, "--strict"), 5, "Retrospective").rest)
      assert.strictEqual((await world.step(...PR, ...MEDIUM, "--strict", "--mark-retro-clean", ...again)).exit, 7)
      outcome(await world.step(...PR, ...MEDIUM, "--strict"), 0, "DoneFixedPoint")
      assert.deepStrictEqual(bases(world), ["main", "release", "release"])
      await audited(world, "--pr", "42")
    }
  )

  it("that changes under review voids that review", async ({ world }) => {
    given(world)
    world.plan("call-1", blocked(clean))
    const waiting = world.start({}, ...PR, ...LOW, "--strict")
    while (world.calls().length === 0) await sleep(20)
    world.ghSays("release\n")
    world.release()
    outcome(await waiting.ended, 0, "DoneFixedPoint")
    assert.deepStrictEqual(bases(world), ["main", "release"])
  })

  it(
    "that gh cannot resolve is a BinaryError, and the fixed point is not reported again",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      ghFails(world)
      binaryError(await world.step(...PR, ...LOW, "--strict"), /Could not resolve to a PullRequest/)
      assert.isEmpty(world.calls())
      world.ghSays("main\n")
      outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
      ghFails(world)
      binaryError(await world.step(...PR, ...LOW, "--strict"), /Could not resolve to a PullRequest/)
      assert.lengthOf(world.calls(), 1)
    }
  )

  it("that is not in this repository is refused with what brings it", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.git("remote", "add", "origin", "https://example.org/a.git")
    world.ghSays("release/9\n")
    binaryError(await world.step(...PR, ...LOW, "--strict"), /release\/9.*\[git fetch origin release\/9:release\/9\]$/)
    assert.isEmpty(world.calls())
    world.ghSays("main\n")
    outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
    world.ghSays("release/9\n")
    binaryError(await world.step(...PR, ...LOW, "--strict"), /\[git fetch origin release\/9:release\/9\]$/)
    assert.lengthOf(world.calls(), 1)
  })
})

describe.concurrent("the base of a pull request, without strictness", () => {
  it(
    "counts if it is known to be another one, but not if gh cannot resolve it",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      outcome(await world.step(...PR, ...LOW), 0, "DoneFixedPoint")
      ghFails(world)
      outcome(await world.step(...PR, ...LOW), 0, "DoneFixedPoint")
      assert.deepStrictEqual(bases(world), ["main"])
      world.ghSays("release\n")
      outcome(await world.step(...PR, ...LOW), 0, "DoneFixedPoint")
      assert.deepStrictEqual(bases(world), ["main", "release"])
    }
  )

  it("is asked for again before a hand-off is repeated", { tags: "slow" }, async ({ world }) => {
    given(world)
    handoff(await world.step(...PR, ...MEDIUM), 5, "Retrospective")
    world.ghSays("release\n")
    handoff(await world.step(...PR, ...MEDIUM), 5, "Retrospective")
    assert.deepStrictEqual(bases(world), ["main", "release"])
  })
})

describe.concurrent("a base branch", () => {
  it("that its upstream is ahead of gives way to that, until it moves back", { tags: "slow" }, async ({ world }) => {
    given(world)
    const low = ["--base", "main", "-n", "1", ...LOW, "--strict"]
    world.git("clone", "-q", "--bare", ".", join(world.dir, "origin.git"))
    world.git("remote", "add", "origin", join(world.dir, "origin.git"))
    world.git("fetch", "-q", "origin")
    world.git("branch", "-q", "--set-upstream-to", "origin/main", "main")
    outcome(await world.step(...low), 0, "DoneFixedPoint")
    world.git("push", "-q", "origin", "topic:main")
    world.git("fetch", "-q")
    binaryError(await world.step(...low), /nothing to review/)
    binaryError(await world.step(...low, "--fresh"), /nothing to review/)
    world.git("push", "-qf", "origin", "topic~1:main")
    world.git("fetch", "-q")
    outcome(await world.step(...low), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })

  for (const [target, name] of [[["--base", "main"], "--base"], [["--pr", "42"], "--pr"]] as const) {
    it(
      `is not moved by committing what was reviewed against it (${name})`,
      { tags: "slow", timeout: 180_000 },
      async ({ world }) => {
        given(world)
        const strict = [...target, "-n", "1", ...MEDIUM, "--strict"]
        world.write("tracked.txt", "three\n")
        const answer = answerTo(handoff(await world.step(...strict), 5, "Retrospective").rest)
        world.git("commit", "-qam", "Three")
        idle(
          await world.step(...strict, "--mark-retro-clean", ...answer),
          "retrospective clean at low; advanced to medium"
        )
        outcome(await world.step(...strict), 0, "DoneFixedPoint")
        world.git("commit", "-q", "--amend", "-m", "Three, reworded")
        outcome(await world.step(...strict), 0, "DoneFixedPoint")
        assert.lengthOf(world.calls(), 2)
        await audited(world, ...target)
      }
    )

    it(`is not moved by it without strictness either (${name})`, { tags: "slow" }, async ({ world }) => {
      given(world)
      world.write("tracked.txt", "three\n")
      outcome(await world.step(...target, "-n", "1", ...LOW), 0, "DoneFixedPoint")
      world.git("commit", "-qam", "Three")
      outcome(await world.step(...target, "-n", "1", ...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 1)
    })
  }

  it("is compared with nothing untracked: to commit that is a change", { tags: "slow" }, async ({ world }) => {
    given(world)
    const low = ["--base", "main", "-n", "1", ...LOW, "--strict"]
    world.write("new.txt", "new\n")
    outcome(await world.step(...low), 0, "DoneFixedPoint")
    world.git("add", ".")
    world.git("commit", "-qm", "New")
    outcome(await world.step(...low), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })
})

describe.concurrent("a base branch whose name a tag has too", () => {
  const ambiguous = /main is ambiguous: refs\/heads\/main and refs\/tags\/main are different commits; use the full name/

  for (const [how, ...argv] of [["strict", "--strict"], ["not strict"], ["isolated", "--strict", "--isolate"]]) {
    it(
      `is refused before anything is spawned (${how})`,
      { tags: how === "strict" ? [] : ["slow"] },
      async ({ world }) => {
        given(world)
        world.git("tag", "main", "topic")
        binaryError(await world.step("--base", "main", "-n", "1", ...LOW, ...argv), ambiguous)
        binaryError(await world.step(...PR, ...LOW, ...argv), ambiguous)
        assert.isEmpty(world.calls())
        outcome(await world.step("--base", "refs/heads/main", "-n", "1", ...LOW, ...argv), 0, "DoneFixedPoint")
        assert.deepStrictEqual(bases(world), ["refs/heads/main"])
      }
    )
  }

  it("proves nothing of a run that had its reviews before", { tags: "slow" }, async ({ world }) => {
    given(world)
    const argv = ["--base", "main", "-n", "1", "--strict"]
    handoff(await world.step(...argv, ...MEDIUM), 5, "Retrospective")
    world.git("tag", "main", "topic")
    binaryError(await world.step(...argv, ...MEDIUM), ambiguous)
    binaryError(await world.step(...argv, "--mark-retro-clean", "--batch", "low/1"), /./)
    world.git("tag", "-d", "main")
    handoff(await world.step(...argv, ...MEDIUM), 5, "Retrospective")
    assert.lengthOf(world.calls(), 1)
    outcome(await world.step(...argv, ...LOW), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
    world.git("tag", "main", "topic")
    binaryError(await world.step(...argv, ...LOW), ambiguous)
  })

  it("is trusted under its full name alone", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.git("tag", "main", "topic")
    const argv = ["--base", "refs/heads/main", "-n", "1", "--strict", ...LOW, "--trust-from"]
    binaryError(await world.step(...argv, "main"), ambiguous)
    outcome(await world.step(...argv, "refs/heads/main"), 0, "DoneFixedPoint")
  })

  it("is no base where there is no such branch", { tags: "slow" }, async ({ world }) => {
    given(world)
    world.git("tag", "v1", "main")
    binaryError(
      await world.step("--base", "v1", "-n", "1", "--strict"),
      /base branch v1 cannot be resolved in this repository \[git branch lists all\]$/
    )
    assert.isEmpty(world.calls())
  })
})

describe.concurrent("the base of a pull request that is old here", () => {
  const answer = (world: World, commit: string): void =>
    world.ghSays(JSON.stringify({ baseRefName: "main", baseRefOid: commit, url: "https://github.com/o/r/pull/42" }))
  const refused = "gh pr view 42: local main differs from main on GitHub, so another change would be reviewed " +
    "[git fetch https://github.com/o/r main:refs/remotes/o/main, then review with --base o/main]"

  for (const argv of [["--strict"], [], ["--strict", "--isolate"]]) {
    const tags = argv.length === 1 ? [] : ["slow"]
    it(`is refused before anything is spawned (${argv.join(" ")})`, { tags }, async ({ world }) => {
      given(world)
      const [base, mine] = [world.git("rev-parse", "release"), world.git("rev-parse", "main")]
      answer(world, base)
      const { exit, header } = await world.step(...PR, ...LOW, ...argv)
      assert.deepStrictEqual([exit, header], [6, `BinaryError: ${refused}`])
      answer(world, "1".repeat(40))
      binaryError(await world.step(...PR, ...LOW, ...argv), /local main differs from main on GitHub/)
      assert.isEmpty(world.calls())
      world.git("branch", "-qf", "main", base)
      answer(world, base)
      outcome(await world.step(...PR, ...LOW, ...argv), 0, "DoneFixedPoint")
      assert.notStrictEqual(base, mine)
    })
  }

  it(
    "leaves what was reviewed unchanged, and a run continues once the base is fetched",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      const [first, base] = [world.git("rev-parse", "main"), world.git("rev-parse", "release")]
      answer(world, first)
      outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
      answer(world, base)
      binaryError(await world.step(...PR, ...LOW, "--strict"), /local main differs from main on GitHub/)
      world.git("branch", "-qf", "main", base)
      outcome(await world.step(...PR, ...LOW, "--strict"), 0, "DoneFixedPoint")
      assert.deepStrictEqual(bases(world), ["main", "main"])
      await audited(world, "--pr", "42")
    }
  )
})
