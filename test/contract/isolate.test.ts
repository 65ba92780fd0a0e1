// --isolate: reviewers read a private copy of the code, taken when their batch started.
// Whatever people do meanwhile, no reviewer sees it; nothing of the copy is left once its batch is decided.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { binaryError, handoff, outcome } from "./expect.ts"
import { batchDir, events } from "./log.ts"
import { blocked, clean, failsWith, issues } from "./plans.ts"
import { it, type World } from "./support.ts"
import { until } from "./wait.ts"

const HOW = ["--isolate", "-n", "1", "--ceiling", "low"]
const LOW = ["--uncommitted", ...HOW]

/** Every private repository of a world, by its path below the state root. */
const copies = (world: World, root = world.stateRoot): ReadonlyArray<string> =>
  !existsSync(root) ? [] : readdirSync(root, { recursive: true }).map(String)
    .filter((path) => /\/isolated\/[0-9a-f]{16}$/.test(path))

/** A finding that says what its reviewer saw: git's diff, a file and its own directory. */
const looking = `body="The patch can crash.

Review comment:

- [P1] Guard $(git diff HEAD -- | grep '^+[a-z]' | tr -d '+' | tr '\\n' ' ') — $PWD/tracked.txt:1-1
  In $PWD/tracked.txt: $(cat tracked.txt | tr '\\n' ' ')"
review "$body"`

const command = (world: World, ...argv: ReadonlyArray<string>) =>
  world.stepFrom({ stateRoot: null }, ...argv, "--state-root", world.stateRoot)

describe.concurrent("an isolated reviewer", () => {
  it("reads the code from the start of its batch, and its findings are about the worktree", async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", blocked(looking))
    const step = world.start({}, ...LOW)
    await until("the reviewer runs", () => world.calls().length === 1)
    world.git("stash", "-q")
    world.git("checkout", "-qb", "elsewhere")
    world.write("tracked.txt", "evil\n")
    world.git("commit", "-qam", "Evil")
    assert.lengthOf(copies(world), 1)
    assert.strictEqual(world.calls()[0]?.cwd, join(world.stateRoot, copies(world)[0] ?? ""))
    world.release()
    handoff(await step.ended, 5, "AddressBatch")
    assert.lengthOf(copies(world), 1)

    const documents = [
      readFileSync(join(batchDir(world, "low", 1), "findings.md"), "utf8"),
      (await command(world, "findings", "--sarif")).stdout,
      (await command(world, "findings", "--json")).stdout,
      (await command(world, "findings")).stdout
    ]
    for (const text of documents) {
      assert.match(text, /Guard two/)
      assert.notInclude(text, "evil")
      assert.match(text, /tracked\.txt(:1|"|)/)
      assert.notInclude(text.replaceAll("The reviewers read", ""), `${copies(world)[0]}/`)
    }
    assert.include(documents[0], `In ${world.repo}/tracked.txt: two`)
    assert.include(documents[1], '"uri":"tracked.txt"')
    assert.strictEqual((await world.step("--uncommitted", "--isolate", "--mark-address-passed")).exit, 7)
    // It becomes the next one.
    assert.lengthOf(copies(world), 1)
    world.plan("default", clean)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    assert.isEmpty(copies(world))
  })

  it("is not disturbed by an undo, and leaves nothing of its repository behind", async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", blocked(clean))
    const step = world.start({}, ...LOW, "--strict")
    await until("the reviewer runs", () => world.calls().length === 1)
    world.git("stash", "-q")
    world.git("checkout", "-qb", "elsewhere")
    world.git("checkout", "-q", "main")
    world.git("stash", "pop", "-q")
    world.release()
    outcome(await step.ended, 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
    assert.isEmpty(copies(world))
    const audit = await command(world, "audit", "--uncommitted")
    assert.strictEqual(audit.exit, 0, audit.stdout)
    assert.match(audit.stdout, /same code as the last clean batch; isolated\n/)
    outcome(await world.step(...LOW, "--strict"), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
  })

  const tampered: ReadonlyArray<readonly [string, (world: World, place: string) => void]> = [
    ["a setting that hides code", (world, place) => world.git("-C", place, "config", "diff.external", "true")],
    ["a file that is changed", (_, place) => writeFileSync(join(place, "tracked.txt"), "one\n")],
    ["a file that appears", (_, place) => writeFileSync(join(place, "helper.txt"), "")],
    ["what is staged", (world, place) => world.git("-C", place, "add", "tracked.txt")]
  ]
  for (const [name, what] of tampered) {
    it(`proves nothing where its private repository was meddled with: ${name}`, { tags: "slow" }, async ({ world }) => {
      world.write("tracked.txt", "two\n")
      world.plan("default", clean)
      world.plan("call-2", blocked(clean))
      const how = ["--uncommitted", "--isolate", "-n", "2", "--jobs", "1", "--ceiling", "low", "--strict"]
      const step = world.start({}, ...how)
      await until("the second reviewer runs", () => world.calls().length === 2)
      what(world, join(world.stateRoot, copies(world)[0] ?? ""))
      world.release()
      outcome(await step.ended, 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 4)
      const audit = await command(world, "audit", "--uncommitted")
      assert.strictEqual(audit.exit, 0, audit.stdout)
    })
  }

  for (const strict of [[], ["--strict"]]) {
    const tags = strict.length === 0 ? ["slow"] : []
    it(`proves nothing about code that has changed since ${strict.join("")}`, { tags }, async ({ world }) => {
      world.write("tracked.txt", "two\n")
      world.plan("default", clean)
      world.plan("call-1", blocked(clean))
      const step = world.start({}, ...LOW, ...strict)
      await until("the reviewer runs", () => world.calls().length === 1)
      world.write("tracked.txt", "three\n")
      world.release()
      outcome(await step.ended, 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      assert.isEmpty(copies(world))
    })
  }

  it(
    "of a slot that is run again reads the same repository, also after a stop",
    { tags: "slow" },
    async ({ world }) => {
      world.write("tracked.txt", "two\n")
      world.plan("default", issues)
      world.plan("call-1", failsWith(1, "unexpected status 401 Unauthorized"))
      world.plan("call-2", blocked(issues))
      binaryError(await world.step(...LOW), /slot 1/)
      assert.lengthOf(copies(world), 1)
      const step = world.start({}, ...LOW)
      await until("the reviewer runs", () => world.calls().length === 2)
      assert.strictEqual((await command(world, "stop", "--uncommitted")).exit, 0)
      outcome(await step.ended, 8, "DoneAborted")
      handoff(await world.step(...LOW), 5, "AddressBatch")
      assert.lengthOf(new Set(world.calls().map(({ cwd }) => cwd)), 1)
      assert.lengthOf(copies(world), 1)
      const [first] = copies(world)
      handoff(await world.step(...LOW, "--fresh"), 5, "AddressBatch")
      assert.lengthOf(copies(world), 1)
      assert.notStrictEqual(copies(world)[0], first)
    }
  )

  it("is not started where the user's codex has settings for its copy", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", clean)
    world.plan("call-1", failsWith(1, "unexpected status 401 Unauthorized"))
    binaryError(await world.step(...LOW, "--strict"), /slot 1/)
    const place = world.calls()[0]?.cwd ?? ""
    const settings = join(world.dir, "home/.codex/config.toml")
    mkdirSync(join(world.dir, "home/.codex"))
    writeFileSync(settings, `[projects."${place}"]\ntrust_level = "untrusted"\n`)
    for (const _ of ["once", "again"]) {
      const ended = await world.step(...LOW, "--strict")
      binaryError(ended, /home\/\.codex\/config\.toml names .* \[remove it there, then call again\]$/)
      assert.include(ended.header, place)
    }
    rmSync(settings)
    outcome(await world.step(...LOW, "--strict"), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
  })

  for (const strict of [[], ["--strict"]]) {
    it(
      `whose repository is gone when a slot must run again is followed by another batch ${strict.join("")}`,
      { tags: "slow" },
      async ({ world }) => {
        world.write("tracked.txt", "two\n")
        world.plan("default", clean)
        world.plan("call-1", failsWith(1, "unexpected status 401 Unauthorized"))
        const how = ["--uncommitted", "--isolate", "-n", "2", "--ceiling", "low", ...strict]
        binaryError(await world.step(...how), /slot \d/)
        const [lost = ""] = copies(world)
        rmSync(join(world.stateRoot, lost), { recursive: true })
        assert.strictEqual((await world.step(...how, "--inspect")).header, "WouldAdvance: RunReviews")
        const ended = await world.step(...how)
        binaryError(ended, /the private repository of low batch 1 .*is gone: low batch 2 reviews the code instead/)
        assert.include(ended.header, lost)
        outcome(await world.step(...how), 0, "DoneFixedPoint")
        assert.lengthOf(world.calls(), 4)
        const audit = await command(world, "audit", "--uncommitted")
        if (strict.length > 0) assert.strictEqual(audit.exit, 0, audit.stdout)
      }
    )
  }

  it(
    "whose repository is gone while slots wait for their turn is stopped, and another batch continues",
    { tags: "slow" },
    async ({ world }) => {
      world.write("tracked.txt", "two\n")
      world.plan("default", clean)
      world.plan("call-1", blocked(clean))
      const how = ["--uncommitted", "--isolate", "-n", "2", "--jobs", "1", "--ceiling", "low", "--strict"]
      const step = world.start({}, ...how)
      await until("the reviewer runs", () => world.calls().length === 1)
      rmSync(join(world.stateRoot, copies(world)[0] ?? ""), { recursive: true })
      world.release()
      binaryError(await step.ended, /the private repository of low batch 1 .*is gone: low batch 2 /)
      outcome(await world.step(...how), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 3)
    }
  )

  for (const strict of [[], ["--strict"]]) {
    const tags = strict.length === 0 ? ["slow"] : []
    it(`that loses its repository proves nothing ${strict.join("")}`, { tags }, async ({ world }) => {
      world.write("tracked.txt", "two\n")
      world.plan("default", clean)
      world.plan("call-1", blocked(clean))
      const step = world.start({}, ...LOW, ...strict)
      await until("the reviewer runs", () => world.calls().length === 1)
      rmSync(join(world.stateRoot, copies(world)[0] ?? ""), { recursive: true })
      world.release()
      outcome(await step.ended, 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
    })
  }

  it("sees every target", { tags: "slow" }, async ({ world }) => {
    world.plan("default", looking)
    world.git("checkout", "-qb", "topic")
    world.write("tracked.txt", "topic\n")
    world.git("commit", "-qam", "Topic")
    world.ghSays("main")
    const sha = world.git("rev-parse", "HEAD")
    for (const target of [["--base", "main"], ["--commit", sha], ["--pr", "7"]]) {
      handoff(await world.step(...target, ...HOW), 5, "AddressBatch")
      const call = world.calls().at(-1)
      assert.match(call?.cwd ?? "", /\/isolated\/[0-9a-f]{16}$/)
      const seen = (...args: ReadonlyArray<string>) => world.git("-C", call?.cwd ?? "", ...args)
      assert.strictEqual(seen("rev-parse", "HEAD"), sha)
      assert.strictEqual(seen("branch", "--show-current"), target[0] === "--commit" ? "" : "topic")
      if (target[0] !== "--commit") assert.include(seen("diff", "main"), "+topic")
    }
  })

  it("finds ignored files that are linked for it, and no others", { tags: "slow" }, async ({ world }) => {
    world.write(".gitignore", "node_modules\n.env\n")
    mkdirSync(join(world.repo, "deep/node_modules"), { recursive: true })
    for (const file of ["deep/node_modules/pkg", ".env"]) world.write(file, "x\n")
    world.plan("default", issues)
    handoff(await world.step(...LOW, "--link", "node_modules,*.none"), 5, "AddressBatch")
    const cwd = world.calls()[0]?.cwd ?? ""
    assert.strictEqual(readFileSync(join(cwd, "deep/node_modules/pkg"), "utf8"), "x\n")
    assert.isFalse(existsSync(join(cwd, ".env")))
    assert.strictEqual(world.git("-C", cwd, "status", "--porcelain"), "?? .gitignore")
  })

  it("is led to no other repository by variables of its caller", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", looking)
    const env = {
      GIT_DIR: join(world.repo, ".git"),
      GIT_WORK_TREE: world.repo,
      GIT_INDEX_FILE: join(world.repo, ".git/index")
    }
    const before = readdirSync(join(world.repo, ".git"), { recursive: true }).sort()
    handoff(await world.stepFrom({ env }, ...LOW), 5, "AddressBatch")
    const [call] = world.calls()
    for (const name of Object.keys(env)) assert.notProperty(call?.env, name)
    assert.strictEqual(world.git("-C", call?.cwd ?? "", "rev-parse", "--show-toplevel"), call?.cwd)
    assert.deepEqual(readdirSync(join(world.repo, ".git"), { recursive: true }).sort(), before)
  })

  it("reads its copy also where the state lies inside the worktree", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", looking)
    const stateRoot = join(world.repo, ".ooda/state")
    handoff(await world.stepFrom({ stateRoot }, ...LOW), 5, "AddressBatch")
    const { stdout } = await world.stepFrom({ stateRoot: null }, "findings", "--json", "--state-root", stateRoot)
    assert.include(stdout, '"path":"tracked.txt"')
    assert.strictEqual(world.git("-C", world.calls()[0]?.cwd ?? "", "status", "--porcelain").trim(), "M tracked.txt")
  })
})

describe.concurrent("--isolate", () => {
  it("starts nothing and leaves nothing where the code cannot be isolated", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.write("large", "")
    truncateSync(join(world.repo, "large"), 2 ** 30 + 1)
    binaryError(await world.step(...LOW), /large: it is larger than 1 GiB .* \[have git ignore it\]/)
    assert.isEmpty(world.calls())
    assert.isEmpty(copies(world))
    assert.isEmpty(events(world, "BatchStarted"))
  })

  it("counts for new batches alone, and is recorded for each", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", issues)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    assert.strictEqual((await world.step("--uncommitted", "--mark-address-passed")).exit, 7)
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "AddressBatch")
    assert.deepEqual(world.calls().map(({ cwd }) => cwd === world.repo), [false, true])
    const [first, second] = events(world, "BatchStarted")
    assert.strictEqual(first?.["isolated"], world.calls()[0]?.cwd)
    assert.notProperty(second, "isolated")
  })

  it("of two steps at once is done once", { tags: "slow" }, async ({ world }) => {
    world.write("tracked.txt", "two\n")
    world.plan("default", issues)
    const both = await Promise.all([world.step(...LOW), world.step(...LOW)])
    for (const ended of both) handoff(ended, 5, "AddressBatch")
    assert.lengthOf(world.calls(), 1)
    assert.lengthOf(copies(world), 1)
  })

  it("--link without a copy is refused, and so is a pattern that leaves the repository", async ({ world }) => {
    for (
      const argv of [["--link", "x"], ["--isolate", "--link", "/x"], ["--isolate", "--link", "a/../b"], [
        "--isolate",
        "--link="
      ]]
    ) {
      const ended = await world.step("--uncommitted", ...argv)
      assert.strictEqual(ended.exit, 64, argv.join(" "))
      assert.match(ended.header, /^UsageError: .*--link/)
    }
  })
})
