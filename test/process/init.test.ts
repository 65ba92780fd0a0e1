// `init`: the file that it writes, what it asks, what it refuses, and that its tests run without another consent.
// What is refused or declined writes nothing.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { onTerminal, terminals } from "./terminals.ts"
import { eventually, it, type World } from "./world.ts"

const config = (world: World) => join(world.repo, ".ooda/config.toml")
const written = (world: World): string => readFileSync(config(world), "utf8")
const nothingOf = (world: World) =>
  assert.deepEqual([existsSync(config(world)), existsSync(world.stateRoot)], [false, false])
const converge = ["converge", "--uncommitted", "-n", "1", "--ceiling", "low"]
const asksFor = "--allow repository-tests"

describe.concurrent("init", () => {
  it("finds the tests, and converge runs exactly these without another consent", async ({ world }) => {
    world.scenario("default", "clean")
    writeFileSync(join(world.repo, "Makefile"), "test:\n\ttest -e a.txt\n")
    const { exit, stderr, stdout } = await world.step("init", "--yes")
    assert.deepEqual([exit, stderr], [0, ""])
    assert.match(
      stdout,
      /^wrote \.ooda\/config\.toml\n.*git add \.ooda\/config\.toml\nnext: +ooda-codex-review converge --uncommitted .*\n$/
    )
    assert.match(written(world), /^# .*\ntest = \[ ?"make test" ?\]\n$/)
    const fixed = await world.step(...converge)
    assert.match(fixed.stderr, /\nDoneFixedPoint\n$/)
    assert.lengthOf(world.events("ConsentGiven"), 0)
    writeFileSync(config(world), 'test = ["make test", "true"]\n')
    const other = await world.step(...converge)
    assert.strictEqual(other.exit, 3, other.stderr)
    assert.include(other.stderr, asksFor)
  })

  it("in a named state root says a next call that finds its consent there", async ({ world }) => {
    world.scenario("default", "clean")
    const root = world.path("other state")
    const { stdout } = await world.step("init", "--yes", "--test", "true", "--state-root", root)
    assert.include(stdout, `ooda-codex-review converge --uncommitted --state-root '${root}' `)
    assert.match((await world.step(...converge, "--state-root", root)).stderr, /\nDoneFixedPoint\n$/)
  })

  it("is a consent for its own worktree alone", async ({ world }) => {
    assert.strictEqual((await world.step("init", "--yes", "--test", "true")).exit, 0)
    const other = world.path("other")
    world.git("worktree", "add", "-q", other)
    mkdirSync(join(other, ".ooda"))
    writeFileSync(join(other, ".ooda/config.toml"), written(world))
    const { exit, stderr } = await world.start(converge, {}, other).ended
    assert.strictEqual(exit, 3, stderr)
    assert.include(stderr, asksFor)
  })

  it("quotes whatever the tests hold", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    const test = `test "$(printf '\\t')" != 'a"b\u007f'`
    assert.strictEqual((await world.step("init", "--yes", "--test", test, "--test", "true")).exit, 0)
    const { settings } = JSON.parse((await world.step("config", "--json")).stdout)
    assert.deepInclude(settings, { key: "test", value: [test, "true"], from: ".ooda/config.toml" })
    assert.match((await world.step(...converge)).stderr, /\nDoneFixedPoint\n$/)
  })

  it("refuses in one line what it cannot do", async ({ world }) => {
    const named = ["--yes", "--test", "true"]
    const refused = async (code: number, text: RegExp, ...args: ReadonlyArray<string>) => {
      const { exit, stderr, stdout } = await world.step("init", ...args)
      assert.deepEqual([exit, stdout], [code, ""])
      assert.match(stderr, text)
    }
    await refused(6, /^error: no tests found [^\n]*\[[^\n]*init --test 'CMD'\]\n$/, "--yes")
    await refused(64, /^error: init needs --yes [^\n]*\nsee 'ooda-codex-review init --help'\n$/, "--test", "true")
    nothingOf(world)
    mkdirSync(join(world.repo, ".ooda"))
    symlinkSync("/etc/hostname", config(world))
    await refused(6, /^error: \.ooda\/config\.toml: not a regular file [^\n]*\n$/, ...named)
    rmSync(config(world))
    for (const text of ["jobs = 1\n", ""]) {
      writeFileSync(config(world), text)
      await refused(6, /^error: \.ooda\/config\.toml(: it)? exists already \[edit it[^\n]*\n$/, ...named)
      assert.strictEqual(written(world), text)
    }
  })

  it("warns where git ignores the file", async ({ world }) => {
    writeFileSync(join(world.repo, ".gitignore"), ".ooda\n")
    const { exit, stderr, stdout } = await world.step("init", "--yes", "--test", "true")
    assert.deepEqual([exit, stdout], [0, "wrote .ooda/config.toml\n"])
    assert.match(stderr, /^warning: \.ooda\/config\.toml is not read, because git ignores it \[.*\]\n$/)
  })
})

describe.runIf(terminals).concurrent("init on a terminal", () => {
  const asked = async (world: World, answer: string) => {
    const run = onTerminal(world, { errors: "same", out: "tty" }, "init", "--test", "npm test")
    await eventually("the question", () => run.tty().includes("[y/N]"))
    assert.match(run.tty(), /test = \[ ?"npm test" ?\]/)
    nothingOf(world)
    run.type(answer)
    return { exit: await run.ended, tty: run.tty() }
  }

  it("shows what it would write, and writes nothing after a no", async ({ world }) => {
    const { exit, tty } = await asked(world, "n\n")
    assert.strictEqual(exit, 8)
    assert.include(tty, "nothing was written")
    nothingOf(world)
  })

  it("writes after a yes", async ({ world }) => {
    const { exit, tty } = await asked(world, "y\n")
    assert.strictEqual(exit, 0)
    assert.include(tty, "wrote .ooda/config.toml")
    assert.match(written(world), /\ntest = \[ ?"npm test" ?\]\n$/)
  })
})
