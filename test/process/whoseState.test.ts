// Whose state: a state root that others own, can write or have put into the repository is refused, however named.
// Real users and real repositories; what needs another user is skipped where this one is not root.
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe } from "vitest"
import { copyOfCli, it, type World } from "./world.ts"

const ladder = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]
const readers = ["runs", "findings", "audit", "replay", "watch"]
const isRoot = process.getuid?.() === 0
const canChangeUser = isRoot && spawnSync("setpriv", ["--version"]).status === 0

/** A run at its fixed point. */
const reviewed = async (world: World) => {
  writeFileSync(join(world.repo, "a.txt"), "two\n")
  world.scenario("default", "clean")
  assert.strictEqual((await world.step(...ladder)).header, "DoneFixedPoint")
  return world.runDir()
}

/** Every call that reads or writes the root is refused in one line, and says how it is allowed. */
const refused = async (world: World, said: RegExp) => {
  const calls = world.calls().length
  for (const argv of [ladder, [...ladder, "--fresh"], ["--uncommitted", "--advance-level"], ["stop"]]) {
    const { exit, stderr } = await world.step(...argv)
    assert.strictEqual(exit, 6, argv.join(" "))
    assert.match(stderr, new RegExp(`^${argv[0] === "stop" ? "error" : "BinaryError"}: ${said.source}`), argv.join(" "))
  }
  for (const reader of readers) {
    const { exit, stderr, stdout } = await world.step(reader)
    assert.deepEqual([exit, stdout], [6, ""], reader)
    assert.match(stderr, new RegExp(`^error: ${said.source}`))
  }
  assert.lengthOf(world.calls(), calls)
  assert.match((await world.step("doctor")).stdout, new RegExp(`^wrong {2}state root +${said.source}`, "m"))
}

describe.concurrent("a directory of the state root", () => {
  it("that others can write is refused, unless it is trusted", { tags: "slow" }, async ({ world }) => {
    await reviewed(world)
    const path = world.stateRoot
    chmodSync(path, 0o777)
    await refused(world, new RegExp(`${path}: others can write into it; make it private .*--trust-state-root`))
    for (const reader of readers) {
      assert.strictEqual((await world.step(reader, "--trust-state-root")).exit, 0, reader)
    }
    assert.strictEqual((await world.step(...ladder, "--trust-state-root")).header, "DoneFixedPoint")
    assert.match((await world.step("doctor", "--trust-state-root")).stdout, /^ok +state root/m)
    chmodSync(path, 0o700)
    assert.strictEqual((await world.step(...ladder)).header, "DoneFixedPoint")
  })

  it("that others can write is refused, whichever it is", { tags: "slow" }, async ({ world }) => {
    for (let path = await reviewed(world); path !== world.stateRoot; path = dirname(path)) {
      chmodSync(path, 0o777)
      await refused(world, new RegExp(`${path}: others can write into it; make it private .*--trust-state-root`))
      chmodSync(path, 0o700)
    }
    assert.strictEqual((await world.step(...ladder)).header, "DoneFixedPoint")
  })

  it.skipIf(!isRoot)(
    "that is another user's is refused, whichever it is (needs root to make one)",
    { tags: "slow" },
    async ({ world }) => {
      for (let path = await reviewed(world); path !== world.dir; path = dirname(path)) {
        chownSync(path, 12345, 12345)
        await refused(world, new RegExp(`${path}: belongs to another user; .*--trust-state-root`))
        chownSync(path, 0, 0)
      }
    }
  )

  it.skipIf(!canChangeUser)(
    "that another user has filled gives no fixed point (needs root and setpriv)",
    async ({ world }) => {
      await reviewed(world)
      execFileSync("chown", ["-R", "12345:12345", world.stateRoot])
      execFileSync("chmod", ["-R", "a+rwX", world.dir])
      execFileSync("chown", ["-R", "65534:65534", world.repo])
      // The program itself may lie where only root can read it.
      const cli = copyOfCli(world.dir)
      const victim = (...argv: ReadonlyArray<string>) =>
        spawnSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, cli, ...argv], {
          cwd: world.repo,
          env: { ...world.env, OODA_STATE_ROOT: world.stateRoot },
          encoding: "utf8"
        })
      for (const argv of [ladder, ["--uncommitted", "--mark-retro-clean", "--ceiling", "low"]]) {
        const { status, stderr } = victim(...argv)
        assert.strictEqual(status, 6, stderr)
        assert.include(stderr, `BinaryError: ${world.stateRoot}: belongs to another user; `)
      }
      assert.strictEqual(victim(...ladder, "--trust-state-root").stderr, "DoneFixedPoint\n")
    }
  )
})

describe.concurrent("a repository that brings a state root along", () => {
  const stored = async (world: World) => {
    const inside = join(world.repo, ".ooda", "state")
    await reviewed(world)
    mkdirSync(dirname(inside))
    cpSync(world.stateRoot, inside, { recursive: true })
    world.git("add", "--force", ".ooda")
    return inside
  }

  it(
    "learns nothing from the run, under any name, even if that root is trusted",
    { tags: "slow" },
    async ({ world }) => {
      const inside = await stored(world)
      world.git("commit", "-qm", "Two", "--", ".ooda")
      const named = [["--state-root", ".ooda/state"], ["--state-root", ".ooda/../.ooda/state"], [
        "--state-root",
        inside
      ]]
      for (const root of named) {
        for (const argv of [[...ladder], [...ladder, "--trust-state-root"], ["audit"], ["findings"], ["doctor"]]) {
          const { exit, stderr, stdout } = await world.step(...argv, ...root)
          assert.include([6, 1], exit)
          assert.match(stderr + stdout, /git tracks files of this state root \(\.ooda\/state\/repo-noremote\//)
        }
      }
    }
  )

  it("may keep one below .ooda, and .ooda itself is never one", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    const { stderr } = await world.step(...ladder, "--state-root", ".ooda")
    assert.match(stderr, /^BinaryError: \S+\/\.ooda: a directory called \.ooda is never a state root itself; .*\n$/)
    assert.isFalse(existsSync(join(world.repo, ".ooda")))
    assert.strictEqual((await world.step(...ladder, "--state-root", ".ooda/state")).header, "DoneFixedPoint")
    assert.strictEqual(readFileSync(join(world.repo, ".ooda/state/.gitignore"), "utf8"), "*\n")
    assert.strictEqual((await world.step(...ladder, "--state-root", ".ooda/state")).header, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 1)
  })
})

describe.concurrent("under any umask", () => {
  for (const umask of ["0177", "0277", "0777"]) {
    it.skipIf(!canChangeUser)(
      `${umask}: only its user can use what is kept (needs root and setpriv)`,
      { tags: umask === "0777" ? [] : ["slow"] },
      async ({ world }) => {
        world.scenario("default", "clean")
        execFileSync("chown", ["-R", "65534:65534", world.dir])
        const cli = copyOfCli(world.dir)
        chmodSync(world.dir, 0o755)
        const user = (through: string) =>
          spawnSync("setpriv", [
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "sh",
            "-c",
            `${through}exec "$@"`,
            "sh",
            process.execPath,
            cli,
            ...ladder
          ], { cwd: world.repo, env: { ...world.env, OODA_STATE_ROOT: world.stateRoot }, encoding: "utf8" })
        assert.strictEqual(user(`umask ${umask}; `).stderr, "DoneFixedPoint\n")
        assert.strictEqual(user("").stderr, "DoneFixedPoint\n")
        for (const name of readdirSync(world.stateRoot, { recursive: true, encoding: "utf8" })) {
          const facts = statSync(join(world.stateRoot, name))
          assert.strictEqual((facts.mode & 0o777).toString(8), facts.isDirectory() ? "700" : "600", name)
        }
        rmSync(world.stateRoot, { recursive: true })
      }
    )
  }
})
