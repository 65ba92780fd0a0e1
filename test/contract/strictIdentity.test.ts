// What counts as the reviewed code, and what is reported if it cannot be determined in time.
// A known difference counts, strict or not; an unknown identity never makes a strict fixed point.
import { mkdirSync, readdirSync, readlinkSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { binaryError, outcome } from "./expect.ts"
import { clean } from "./plans.ts"
import { it, type World } from "./support.ts"
import { until } from "./wait.ts"

const PLAIN = ["--uncommitted", "-n", "1", "--ceiling", "low"]
const STRICT = [...PLAIN, "--strict"]

const given = (world: World): void => {
  world.plan("default", clean)
  world.write("tracked.txt", "two\n")
}

const gitIn = (world: World, path: string, ...args: ReadonlyArray<string>): void => {
  world.git("-C", path, "-c", "protocol.file.allow=always", ...args)
}

const submodule = (world: World, at: string, from: string): void => {
  gitIn(world, at, "submodule", "--quiet", "add", from, "lib")
  gitIn(world, at, "commit", "-qm", "Lib")
}

interface Hidden {
  readonly name: string
  readonly before: (world: World) => void
  readonly edit: (world: World) => void
}

const hidden: ReadonlyArray<Hidden> = [
  {
    name: "a file of a submodule",
    before: (world) => {
      world.makeRepo(join(world.dir, "lib"))
      submodule(world, ".", join(world.dir, "lib"))
    },
    edit: (world) => world.write("lib/tracked.txt", "EVIL\n")
  },
  {
    name: "a file of a submodule's submodule",
    before: (world) => {
      for (const name of ["inner", "lib"]) world.makeRepo(join(world.dir, name))
      submodule(world, join(world.dir, "lib"), join(world.dir, "inner"))
      submodule(world, ".", join(world.dir, "lib"))
      gitIn(world, ".", "submodule", "--quiet", "update", "--init", "--recursive")
    },
    edit: (world) => world.write("lib/lib/tracked.txt", "EVIL\n")
  },
  {
    name: "a file of an untracked repository",
    before: (world) => world.makeRepo(join(world.repo, "inner")),
    edit: (world) => world.write("inner/tracked.txt", "EVIL\n")
  },
  {
    name: "a file of an untracked repository that sorts right before a submodule",
    before: (world) => {
      world.makeRepo(join(world.dir, "lib"))
      submodule(world, ".", join(world.dir, "lib"))
      world.makeRepo(join(world.repo, "inner"))
    },
    edit: (world) => world.write("inner/tracked.txt", "EVIL\n")
  },
  {
    name: "a file of an untracked repository without a commit",
    before: (world) => {
      mkdirSync(join(world.repo, "inner"))
      gitIn(world, "inner", "init", "-q")
      world.write("inner/file", "1\n")
    },
    edit: (world) => world.write("inner/file", "EVIL\n")
  },
  {
    name: "a file of an untracked repository in another one",
    before: (world) => {
      world.makeRepo(join(world.repo, "inner"))
      world.makeRepo(join(world.repo, "inner", "innermost"))
    },
    edit: (world) => world.write("inner/innermost/tracked.txt", "EVIL\n")
  },
  ...["--assume-unchanged", "--skip-worktree"].map((flag): Hidden => ({
    name: `a file with the flag ${flag}`,
    before: (world) => {
      world.write("other.txt", "one\n")
      world.git("add", "other.txt")
      world.git("commit", "-qm", "Other", "other.txt")
      world.git("update-index", flag, "other.txt")
    },
    edit: (world) => world.write("other.txt", "EVIL\n")
  }))
]

describe.concurrent.each([{ mode: "strict", argv: STRICT }, { mode: "plain", argv: PLAIN }])(
  "a $mode run",
  ({ argv }) => {
    // Without strictness the same identity is compared: one of these is enough to see that.
    for (const { before, edit, name } of argv === STRICT ? hidden : hidden.slice(0, 1)) {
      const tags = argv === STRICT && name === "a file of an untracked repository" ? [] : ["slow"]
      it(`sees an edit of ${name}`, { timeout: 180_000, tags }, async ({ world }) => {
        before(world)
        given(world)
        outcome(await world.step(...argv), 0, "DoneFixedPoint")
        assert.lengthOf(world.calls(), 1)
        edit(world)
        outcome(await world.step(...argv), 0, "DoneFixedPoint")
        assert.lengthOf(world.calls(), 2)
      })
    }

    it("reviews a sparse checkout once", { tags: "slow" }, async ({ world }) => {
      for (const directory of ["in", "out"]) {
        mkdirSync(join(world.repo, directory))
        world.write(`${directory}/file`, "1\n")
      }
      world.git("add", ".")
      world.git("commit", "-qm", "Files")
      given(world)
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      world.git("sparse-checkout", "set", "--cone", "in")
      assert.notInclude(readdirSync(world.repo), "out")
      // Other files lie in the worktree, so they are reviewed.
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      mkdirSync(join(world.repo, "out"))
      world.write("out/file", "EVIL\n")
      outcome(await world.step(...argv), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 3)
    })
  }
)

/** A file that takes minutes to read and no space. */
const enormous = (world: World): void => {
  world.write("enormous", "")
  truncateSync(join(world.repo, "enormous"), 600 * 1024 ** 3)
}

/** The processes that work in the repository. */
const working = (world: World): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(world.repo)
    } catch {
      return false
    }
  })

/** What is asked to end has two seconds for that. */
const nothingWorks = (world: World) => until("nothing works in the repository", () => working(world).length === 0)

const IN_TIME = ["--identity-timeout", "2s"]

describe.concurrent("code whose identity takes too long", () => {
  it(
    "is refused on a strict run before anything is spawned, and nothing of the attempt is left",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      enormous(world)
      binaryError(
        await world.step(...STRICT, ...IN_TIME),
        /cannot read the code to review: reading the files took longer than 2s \[raise --identity-timeout, [^[]*\]$/m
      )
      assert.isEmpty(world.calls())
      assert.isEmpty(readdirSync(join(world.dir, "tmp")))
      await nothingWorks(world)
      rmSync(join(world.repo, "enormous"))
      outcome(await world.step(...STRICT), 0, "DoneFixedPoint")
      enormous(world)
      binaryError(await world.step(...STRICT, ...IN_TIME), /cannot read the code to review/)
      assert.lengthOf(world.calls(), 1)
    }
  )

  it(
    "changes nothing without strictness, but for a commit that is known all the same",
    { tags: "slow" },
    async ({ world }) => {
      given(world)
      outcome(await world.step(...PLAIN), 0, "DoneFixedPoint")
      enormous(world)
      outcome(await world.step(...PLAIN, ...IN_TIME), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 1)
      world.write("tracked.txt", "EVIL\n")
      world.git("commit", "-qm", "Evil", "tracked.txt")
      outcome(await world.step(...PLAIN, ...IN_TIME), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      assert.isEmpty(readdirSync(join(world.dir, "tmp")).filter((name) => name.startsWith("ooda-identity-")))
      await nothingWorks(world)
    }
  )
})
