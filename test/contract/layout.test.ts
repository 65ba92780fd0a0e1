// The filesystem layout: repo ids, target keys, run ids, `latest`, batches, modes, state roots inside the worktree.
// What another program may read of the state root is exactly what the contract draws.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { handoff, idle, outcome } from "./expect.ts"
import { batchDir, hashOf, latest, lines, logText, parseLine, runDir, runs, targetDir, walk } from "./log.ts"
import { clean, issues } from "./plans.ts"
import { it } from "./support.ts"

const SHA = "0123456789abcdef0123456789abcdef01234567"
const advanced = "advanced level: low -> medium"

describe.concurrent("<repo-id>", () => {
  it("is <repo-basename>-noremote without a remote", async ({ world }) => {
    idle(await world.step("--uncommitted", "--advance-level"), advanced)
    assert.deepEqual(readdirSync(world.stateRoot), ["repo-noremote"])
  })

  for (const url of ["https://example.org/o/r.git", "git@example.org:o/r.git", "/srv/git/with space"]) {
    it(`is <repo-basename>-<sha256(remote-url)[..12]> with the remote ${url}`, async ({ world }) => {
      world.git("remote", "add", "origin", url)
      idle(await world.step("--uncommitted", "--advance-level"), advanced)
      const hash = createHash("sha256").update(url).digest("hex").slice(0, 12)
      assert.deepEqual(readdirSync(world.stateRoot), [`repo-${hash}`])
    })
  }

  it("is the worktree's root, from a subdirectory as well", async ({ world }) => {
    mkdirSync(join(world.repo, "a", "b"), { recursive: true })
    idle(await world.stepFrom({ cwd: join(world.repo, "a", "b") }, "--uncommitted", "--advance-level"), advanced)
    assert.lengthOf(runs(world), 1)
  })

  it("keeps an odd directory name", { tags: "slow" }, async ({ world }) => {
    const repo = join(world.dir, 'my repo\'s "x"')
    world.makeRepo(repo)
    world.plan("default", clean)
    outcome(await world.stepFrom({ cwd: repo }, "--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
    assert.deepEqual(readdirSync(world.stateRoot), ['my repo\'s "x"-noremote'])
    assert.strictEqual(world.calls()[0]?.cwd, repo)
  })
})

describe.concurrent("<target-key>", () => {
  for (
    const [argv, key] of [
      [["--uncommitted"], "uncommitted"],
      [["--base", "main"], "base/main"],
      [["--base", "feature/x"], "base/feature/x"],
      [["--commit", SHA], `commit/${SHA}`],
      [["--pr", "1234"], "pr/1234"]
    ] as const
  ) {
    it(`of ${argv.join(" ")} is ${key}`, async ({ world }) => {
      idle(await world.step(...argv, "--advance-level"), advanced)
      assert.isTrue(existsSync(join(world.stateRoot, "repo-noremote", key, "latest")))
      assert.lengthOf(runs(world, key), 1)
    })
  }

  it("a branch and a branch below it have runs of their own", { tags: "slow" }, async ({ world }) => {
    const bases = ["feature", "feature/x", "feature/x/y"]
    for (const base of bases) idle(await world.step("--base", base, "--advance-level"), advanced)
    for (const base of bases) assert.lengthOf(runs(world, `base/${base}`), 1)
  })

  it("a branch with the name of a target's own file is no obstacle to others", { tags: "slow" }, async ({ world }) => {
    const bases = ["release", "release/latest", "release/lock", "release/runs", "release/runs/x"]
    for (const base of [...bases, ...bases]) {
      assert.strictEqual((await world.step("--base", base, "--advance-level")).header, "Idle", base)
    }
    const keys = ["release", "release/latest~", "release/lock~", "release/runs~", "release/runs~/x"]
    for (const key of keys) assert.lengthOf(runs(world, `base/${key}`), 1)
  })
})

describe.concurrent("a run", () => {
  it("has the id <utc-second>-<nanos>-p<pid>, of the instant of its creation", async ({ world }) => {
    const before = Date.now()
    await world.step("--uncommitted", "--advance-level")
    const run = latest(world)
    const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{9})-p([1-9]\d*)$/.exec(run)
    assert.isNotNull(parts, run)
    const [, year, month, day, hour, minute, second, nanos] = parts ?? []
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + Number(nanos) / 1e6
    assert.isAtLeast(at, before - 1)
    assert.isAtMost(at, Date.now() + 1)
    assert.strictEqual(lines(world)[0]?.events[0]?.["runId"], run)
  })

  it("is named by latest: its id and nothing more, no newline, a plain file", async ({ world }) => {
    await world.step("--uncommitted", "--advance-level")
    assert.strictEqual(readFileSync(join(targetDir(world), "latest"), "utf8"), runs(world)[0])
  })

  it("holds levels/level-<L>/batch-<n>/<L>-<slot>.{log,out,exit}", async ({ world }) => {
    world.plan("default", issues)
    handoff(await world.step("--uncommitted", "--level", "high", "-n", "4"), 5, "AddressBatch")
    assert.deepEqual(readdirSync(join(runDir(world), "levels")), ["level-high"])
    assert.deepEqual(readdirSync(join(runDir(world), "levels", "level-high")), ["batch-1"])
    const names = readdirSync(batchDir(world, "high", 1))
    for (const kind of ["log", "out", "exit"]) {
      const found = names.filter((name) => new RegExp(`^high-\\d+\\.${kind}$`).test(name)).sort()
      assert.deepEqual(found, [1, 2, 3, 4].map((slot) => `high-${slot}.${kind}`))
    }
  })

  it("is kept in directories 0700 and files 0600, whatever the umask", async ({ world }) => {
    world.plan("default", issues)
    handoff(await world.stepFrom({ through: 'umask 000; exec "$@"' }, "--uncommitted", "-n", "1"), 5, "AddressBatch")
    for (const path of walk(world.stateRoot)) {
      const stat = statSync(path)
      assert.strictEqual((stat.mode & 0o777).toString(8), stat.isDirectory() ? "700" : "600", path)
    }
  })

  it("is made with no variable that a reviewer sees", async ({ world }) => {
    world.plan("default", issues)
    handoff(await world.stepFrom({ through: 'umask 027; exec "$@"' }, "--uncommitted", "-n", "1"), 5, "AddressBatch")
    const [call] = world.calls()
    assert.doesNotHaveAnyKeys(call?.env, ["OODA_UMASK"])
  })

  it("is a hash chain of lines, one for a command", async ({ world }) => {
    await world.step("--uncommitted", "--advance-level")
    const created = lines(world).length
    await world.step("--uncommitted", "--mark-retro-changes", 'ünïcode \u2028 " \\')
    assert.lengthOf(lines(world), created + 1, "the outcome and the transition of a mark are one line")
    await world.step("--uncommitted", "--mark-address-failed", "x")
    await world.step("--uncommitted", "--mark-address-passed")
    assert.lengthOf(lines(world), created + 3)
    const text = logText(world)
    assert.isTrue(text.endsWith("\n"))
    let previous = ""
    for (const [i, raw] of text.slice(0, -1).split("\n").entries()) {
      const line = parseLine(raw)
      assert.deepEqual(Object.keys(line), ["v", "seq", "at", "by", "prev", "events", "hash"])
      assert.strictEqual(line.v, 1)
      assert.strictEqual(line.seq, i + 1)
      assert.match(raw.slice(-75), /^,"hash":"[0-9a-f]{64}"\}$/)
      assert.strictEqual(line.hash, hashOf(raw))
      if (previous !== "") assert.strictEqual(line.prev, previous)
      assert.match(line.prev, /^[0-9a-f]{64}$/)
      previous = line.hash
    }
    const head: unknown = JSON.parse(readFileSync(join(runDir(world), "head.json"), "utf8"))
    assert.deepInclude(head, { seq: created + 3, hash: previous })
  })
})

describe.concurrent("the repository", () => {
  it("is not written to: nothing changes below .git or in the worktree", async ({ world }) => {
    world.plan("default", issues)
    world.write("tracked.txt", "changed\n")
    world.write("untracked.txt", "new\n")
    const look = () => walk(world.repo).map((path) => [path, statSync(path).mtimeMs, statSync(path).size])
    const before = look()
    handoff(await world.step("--uncommitted", "-n", "1"), 5, "AddressBatch")
    idle(
      await world.step("--uncommitted", "--mark-address-passed"),
      "address passed at floor low (1 review(s) with issues); no drop; advanced to batch 2"
    )
    assert.deepEqual(look(), before)
  })

  it("may have no commit yet", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    const cwd = join(world.dir, "unborn")
    mkdirSync(cwd)
    execFileSync("git", ["init", "-q", cwd])
    outcome(await world.stepFrom({ cwd }, "--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
  })
})

describe.concurrent("a state root inside the worktree", () => {
  it("gets a .gitignore of * and is never part of what is reviewed", async ({ world }) => {
    world.plan("default", clean)
    const stateRoot = join(world.repo, ".ooda", "state")
    const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]
    outcome(await world.stepFrom({ stateRoot }, ...argv), 0, "DoneFixedPoint")
    assert.strictEqual(readFileSync(join(stateRoot, ".gitignore"), "utf8").trim(), "*")
    assert.strictEqual(world.git("status", "--porcelain", "--untracked-files=all"), "")
    outcome(await world.stepFrom({ stateRoot }, ...argv), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
  })

  for (const isolate of [[], ["--isolate"]]) {
    it(
      `gets its .gitignore again where that is lost while a run is open ${isolate.join("")}`,
      { tags: "slow" },
      async ({ world }) => {
        world.write("tracked.txt", "two\n")
        world.plan("default", issues)
        const stateRoot = join(world.repo, ".st")
        const argv = ["--uncommitted", "-n", "1", "--ceiling", "low", "--strict", ...isolate]
        handoff(await world.stepFrom({ stateRoot }, ...argv), 5, "AddressBatch")
        rmSync(join(stateRoot, ".gitignore"))
        handoff(await world.stepFrom({ stateRoot }, ...argv), 5, "AddressBatch")
        assert.lengthOf(world.calls(), 1)
        rmSync(join(stateRoot, ".gitignore"))
        const answers = ["--mark-address-passed", "--batch", "low/1"]
        assert.strictEqual((await world.stepFrom({ stateRoot }, ...argv, ...answers)).exit, 7)
        world.plan("default", clean)
        outcome(await world.stepFrom({ stateRoot }, ...argv), 0, "DoneFixedPoint")
        assert.strictEqual(world.git("status", "--porcelain"), "M tracked.txt")
      }
    )
  }

  it(
    "is no part of what is reviewed where it has a .gitignore of its own, which stays as it is",
    { tags: "slow" },
    async ({ world }) => {
      world.plan("default", clean)
      const stateRoot = join(world.repo, "kept")
      mkdirSync(stateRoot)
      writeFileSync(join(stateRoot, ".gitignore"), "")
      const argv = ["--uncommitted", "-n", "1", "--ceiling", "low"]
      outcome(await world.stepFrom({ stateRoot }, ...argv), 0, "DoneFixedPoint")
      assert.strictEqual(readFileSync(join(stateRoot, ".gitignore"), "utf8"), "")
      assert.strictEqual(world.git("status", "--porcelain", "--untracked-files=all"), "?? kept/.gitignore")
      assert.lengthOf(world.calls(), 1)
    }
  )
})
