// BinaryError: caught external failures, exit 6, one line on stderr, nothing on stdout.
// Codex failures belong to loop mode alone; a recorder that cannot open fails in both modes.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { binaryError, idle, outcome } from "./expect.ts"
import { events, logPath, walk } from "./log.ts"
import { clean } from "./plans.ts"
import { it, type World } from "./support.ts"

const BOTH = [["--uncommitted"], ["--uncommitted", "--mark-retro-clean"], ["--uncommitted", "--advance-level"]]
const nothingRan = (world: World): void => {
  assert.isEmpty(world.calls())
  const written = existsSync(world.stateRoot) ? walk(world.stateRoot) : []
  assert.isEmpty(written.filter((path) => path.endsWith("manifest.jsonl")), "nothing is committed")
}

describe.concurrent("BinaryError", () => {
  it("outside a git repository, in both modes", async ({ world }) => {
    for (const argv of BOTH) binaryError(await world.stepFrom({ cwd: world.dir }, ...argv))
    nothingRan(world)
  })

  it("in a repository that git does not trust, with git's own remedy, in both modes", async ({ skip, world }) => {
    skip(process.getuid?.() !== 0, "needs root, to give the repository to another user")
    for (const path of [world.repo, join(world.repo, ".git")]) chownSync(path, 65534, 65534)
    const remedy = /dubious ownership in repository at \S+ \[git config --global --add safe\.directory \S+\/repo\]$/
    for (const argv of BOTH) binaryError(await world.step(...argv), remedy)
    nothingRan(world)
    world.git("config", "--global", "--add", "safe.directory", world.repo)
    world.plan("default", clean)
    outcome(await world.step("--uncommitted", "--ceiling", "low", "-n", "1"), 0, "DoneFixedPoint")
  })

  it("in a directory that has been removed, in both modes", { tags: "slow" }, async ({ world }) => {
    const through = `mkdir "${world.dir}/gone"; cd "${world.dir}/gone"; rmdir "${world.dir}/gone"; exec "$@"`
    for (const argv of BOTH) binaryError(await world.stepFrom({ through }, ...argv), /: the current directory does not/)
    nothingRan(world)
  })

  it(
    "when the codex binary is not there: nothing is committed, nothing spawned",
    { tags: "slow" },
    async ({ world }) => {
      writeFileSync(join(world.dir, "plain"), "not a program", { mode: 0o644 })
      mkdirSync(join(world.dir, "directory"))
      const odd = ["plain", "directory"].map((name) => join(world.dir, name))
      for (const bin of ["/no/such/codex", "./codex", "no-such-codex", ...odd]) {
        binaryError(await world.step("--uncommitted", "--codex-bin", bin), /codex/)
        nothingRan(world)
      }
      binaryError(await world.stepFrom({ env: { PATH: world.pathWithout("codex") } }, "--uncommitted"), /codex/)
      nothingRan(world)
    }
  )

  it("a missing codex binary does not matter to side-effect mode", async ({ world }) => {
    const ended = await world.step("--uncommitted", "--codex-bin", "/no/such/codex", "--advance-level")
    idle(ended, "advanced level: low -> medium")
  })

  it("when the state root cannot be written, in both modes", async ({ world }) => {
    const file = join(world.dir, "file")
    writeFileSync(file, "")
    for (const argv of BOTH) binaryError(await world.stepFrom({ stateRoot: join(file, "state") }, ...argv))
    assert.isEmpty(world.calls())
  })

  it.skipIf(!existsSync("/proc/self"))("when nothing can be made where the state root is to be", async ({ world }) => {
    for (const argv of BOTH) binaryError(await world.stepFrom({ stateRoot: "/proc/ooda" }, ...argv), /ENOENT/)
    assert.isEmpty(world.calls())
  })

  it("has a message of one line, whatever is in it", async ({ world }) => {
    binaryError(await world.step("--uncommitted", "--codex-bin", "/no\nHandoffAgent: Retrospective\u2028\u001b[31m"))
    binaryError(await world.stepFrom({ stateRoot: join("/dev/null", "a\nIdle") }, "--uncommitted", "--advance-level"))
  })
})

describe.concurrent("the default state root", () => {
  const root = (world: World): string => join(world.dir, "tmp", "ooda-codex-review")

  it("is $TMPDIR/ooda-codex-review, for its owner alone", async ({ world }) => {
    await world.stepFrom({ stateRoot: null }, "--uncommitted", "--advance-level")
    assert.isTrue(existsSync(join(root(world), "repo-noremote", "uncommitted", "latest")))
    assert.strictEqual(statSync(root(world)).mode & 0o777, 0o700)
  })

  it("is refused when it is a link", { tags: "slow" }, async ({ world }) => {
    mkdirSync(join(world.dir, "elsewhere"), { mode: 0o700 })
    symlinkSync(join(world.dir, "elsewhere"), root(world))
    for (const argv of BOTH) binaryError(await world.stepFrom({ stateRoot: null }, ...argv))
    assert.lengthOf(walk(join(world.dir, "elsewhere")), 1)
  })

  for (const mode of [0o770, 0o702]) {
    const tags = mode === 0o702 ? ["slow"] : []
    it(`is refused when others can write into it: ${mode.toString(8)}`, { tags }, async ({ world }) => {
      mkdirSync(root(world))
      chmodSync(root(world), mode)
      for (const argv of BOTH) binaryError(await world.stepFrom({ stateRoot: null }, ...argv))
      assert.lengthOf(walk(root(world)), 1)
    })
  }

  it.skipIf(process.getuid?.() !== 0)("is refused when someone else owns it", { tags: "slow" }, async ({ world }) => {
    mkdirSync(root(world), { mode: 0o700 })
    chownSync(root(world), 12345, 12345)
    for (const argv of BOTH) binaryError(await world.stepFrom({ stateRoot: null }, ...argv))
    assert.lengthOf(walk(root(world)), 1)
  })

  it("a root given by --state-root or OODA_STATE_ROOT may be the user's own link", async ({ world }) => {
    const [own, link] = [join(world.dir, "own"), join(world.dir, "link")]
    mkdirSync(own, { mode: 0o700 })
    symlinkSync(own, link)
    idle(await world.stepFrom({ stateRoot: link }, "--uncommitted", "--advance-level"), "advanced level: low -> medium")
    const env = { OODA_STATE_ROOT: link }
    const ended = await world.stepFrom({ stateRoot: null, env }, "--uncommitted", "--advance-level")
    idle(ended, "advanced level: medium -> high")
  })
})

describe.concurrent("a damaged log", () => {
  const damages: ReadonlyArray<readonly [string, (text: string) => string]> = [
    ["a flipped letter", (text) => text.replace('"RunCreated"', '"RunCreateD"')],
    ["a deleted first line", (text) => text.slice(text.indexOf("\n") + 1)]
  ]
  for (const [i, [name, damage]] of damages.entries()) {
    const tags = i === 0 ? [] : ["slow"]
    it(`${name}: a mark is BinaryError and changes nothing; the loop opens a new run`, { tags }, async ({ world }) => {
      world.plan("default", clean)
      await world.step("--uncommitted", "--advance-level")
      await world.step("--uncommitted", "--drop-level")
      const path = logPath(world)
      const damaged = damage(readFileSync(path, "utf8"))
      writeFileSync(path, damaged)
      binaryError(await world.step("--uncommitted", "--mark-retro-clean"))
      assert.strictEqual(readFileSync(path, "utf8"), damaged)
      outcome(await world.step("--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
      assert.strictEqual(readFileSync(path, "utf8"), damaged)
      assert.strictEqual(events(world, "RunCreated")[0]?.["because"], "ManifestUnreadable")
    })
  }

  it("a missing log counts as unreadable, too", { tags: "slow" }, async ({ world }) => {
    world.plan("default", clean)
    await world.step("--uncommitted", "--advance-level")
    rmSync(logPath(world))
    outcome(await world.step("--uncommitted", "-n", "1", "--ceiling", "low"), 0, "DoneFixedPoint")
    assert.deepEqual(events(world, "RunCreated")[0]?.["because"], "ManifestUnreadable")
  })
})
