// `config show` on real files and a real repository: each source, a commit that is trusted, and files that are refused.
// It only reads: nothing is written, whatever it finds.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

const files = (world: World) => {
  const repository = join(world.repo, ".ooda/config.toml")
  const user = join(world.dir, "home/.config/ooda-codex-review/config.toml")
  for (const path of [repository, user]) mkdirSync(join(path, ".."), { recursive: true })
  return { repository, user }
}

const show = (world: World, ...args: ReadonlyArray<string>) => world.step("config", "show", ...args)

/** The settings that are not the defaults, by their keys: the value and where it is from. */
const named = async (world: World, ...args: ReadonlyArray<string>) => {
  const { exit, stderr, stdout } = await show(world, "--json", ...args)
  assert.deepStrictEqual([exit, stderr], [0, ""])
  assert.isFalse(existsSync(world.stateRoot))
  const settings: ReadonlyArray<{ key: string; value: unknown; from: string }> = JSON.parse(stdout).settings
  return Object.fromEntries(
    settings.filter(({ from }) => from !== "default").map(({ from, key, value }) => [key, [value, from]])
  )
}

describe.concurrent("config show", () => {
  it("shows the nearest source of each setting", async ({ world }) => {
    const { repository, user } = files(world)
    writeFileSync(user, 'patience = 1\nmax-rounds = 2\njobs = 2\nblock = "P2"\nprotect = ["a"]\nnotify = "mail"\n')
    writeFileSync(
      repository,
      "\uFEFFmax-rounds = 3\r\njobs = 3\r\nblock = 'P0'\r\nprotect = ['b']\r\nisolate = true\r\ncommit-fixes = true\r\n"
    )
    assert.deepStrictEqual(await named(world, "--uncommitted", "--link", "x", "--notify", "call"), {
      "patience": ["1", user],
      "max-rounds": ["2", user],
      "jobs": ["3", ".ooda/config.toml"],
      "block": ["P2", user],
      "protect": [["a", "b"], `${user} and .ooda/config.toml`],
      "isolate": [true, ".ooda/config.toml"],
      "link": ["x", "command line"],
      "notify": ["call", "command line"]
    })
    assert.deepStrictEqual((await named(world, "--isolate=false"))["isolate"], [false, "command line"])
    assert.match((await show(world)).stdout, /^patience +"1" +\/.*\/home\/\.config\/ooda-codex-review\/config\.toml$/m)
  })

  it("reads the repository's file where the change cannot reach it", async ({ world }) => {
    const { repository } = files(world)
    writeFileSync(repository, "jobs = 1\n")
    world.git("add", ".")
    world.git("commit", "-qm", "Two")
    writeFileSync(repository, "jobs = 2\n")
    assert.deepStrictEqual(await named(world, "--base", "main"), { jobs: ["2", ".ooda/config.toml"] })
    assert.deepStrictEqual(await named(world, "--base", "main", "--trust-from", "main"), {
      jobs: ["1", ".ooda/config.toml of main"]
    })
    assert.deepStrictEqual(await named(world, "--base", "main", "--trust-from", "main~1"), {})
  })

  it("keeps the file that a run began with while it continues", async ({ world }) => {
    const { repository } = files(world)
    writeFileSync(repository, "jobs = 1\n")
    world.scenario("default", "issues 1")
    const low = ["--uncommitted", "--strict", "-n", "1", "--level", "low", "--ceiling", "low"]
    assert.strictEqual((await world.step(...low)).exit, 5)
    writeFileSync(repository, "jobs = 2\n")
    const jobs = async (...args: ReadonlyArray<string>) => {
      const { exit, stderr, stdout } = await show(world, "--uncommitted", ...args)
      assert.strictEqual(exit, 0)
      return [/^jobs +"(\d)"/m.exec(stdout)?.[1], stderr.split(" [")[0]]
    }
    const changed = "warning: .ooda/config.toml counts as it was when the run began"
    assert.deepStrictEqual(await jobs(), ["1", changed])
    assert.deepStrictEqual(await jobs("--fresh"), ["2", ""])
    assert.deepStrictEqual(await jobs("--level", "medium"), ["2", ""])
  })

  it("refuses in one line what is wrong with a file", { tags: "slow" }, async ({ world }) => {
    const { repository } = files(world)
    const refused = async (prepare: () => void, message: string) => {
      rmSync(repository, { recursive: true, force: true })
      prepare()
      const { exit, stderr, stdout } = await show(world)
      assert.deepStrictEqual([exit, stdout], [6, ""])
      assert.strictEqual(stderr, `error: .ooda/config.toml: ${message}\n`)
    }
    const text = (text: string) => () => writeFileSync(repository, text)
    const plain = "not a regular file (links are not followed)"
    await refused(text("jobs = 1\nretries =\n"), "line 2: invalid value [correct that line]")
    await refused(text("job = 1\n"), "unknown key job (did you mean jobs?) [correct or remove it]")
    await refused(
      text('agent-cmd = "x"\n'),
      "agent-cmd is not taken from a repository [name it on the command line, or in your own configuration file]"
    )
    await refused(text("#".repeat(1024 * 1024 + 1)), "it is larger than 1048576 bytes")
    await refused(() => symlinkSync("/etc/hostname", repository), plain)
    await refused(() => execFileSync("mkfifo", [repository]), plain)
    await refused(() => mkdirSync(repository), plain)
    assert.isFalse(existsSync(world.stateRoot))
  })
})

describe.concurrent("what a repository says of its tests", () => {
  it.for(['test = ["true"]', "no-test = true"])("%s needs consent", async (line, { world }) => {
    const { repository } = files(world)
    writeFileSync(repository, `${line}\n`)
    const asked = await world.step("converge", "--uncommitted", "--agent-cmd", "true", "--allow", "unsandboxed")
    assert.strictEqual(asked.exit, 3, asked.stderr)
    assert.include(asked.stderr, "--allow repository-tests")
    assert.lengthOf(world.calls(), 0)
  })
})
