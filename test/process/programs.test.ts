// Programs: none that lies in the worktree runs, unless the caller names it by its path; tests keep the caller's PATH.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe } from "vitest"
import { edit } from "./hooking.ts"
import { it, type World } from "./world.ts"

const helpers = ["cat", "codex", "dd", "find", "flock", "gh", "git", "grep", "mv", "perl", "python3", "rm", "setsid"]
const names = [...helpers, "sh", "sleep", "sync", "tail", "tr", "wc", "node", "env", "gpg"]

/** Puts a script in the place of each program; it notes that it ran. Returns the directory. */
const plant = (world: World, place = "node_modules/.bin"): string => {
  const bin = join(world.repo, place)
  mkdirSync(bin, { recursive: true })
  for (const name of names) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>${world.path("planted")}\nexit 1\n`, { mode: 0o755 })
  }
  writeFileSync(join(bin, "mine"), `#!/bin/sh\necho "$1 $PATH" >>${world.path("mine")}\n`, { mode: 0o755 })
  return bin
}
const ran = (world: World): string =>
  existsSync(world.path("planted")) ? readFileSync(world.path("planted"), "utf8") : ""
const before = (world: World, ...directories: ReadonlyArray<string>) => ({
  PATH: [...directories, world.env["PATH"]].join(delimiter)
})

describe.concurrent("programs in the worktree", () => {
  it("run neither for a step nor for its reviewers", async ({ world }) => {
    const bin = plant(world)
    symlinkSync(bin, world.path("link"))
    mkdirSync(world.path("outside"))
    for (const name of names) symlinkSync(join(bin, name), world.path(`outside/${name}`))
    for (const name of ["flock", "sync"]) {
      mkdirSync(world.path(`only-${name}`))
      symlinkSync(join(bin, name), world.path(`only-${name}/${name}`))
    }
    const linked = ["link", "outside", "only-flock", "only-sync"].map((name) => world.path(name))
    const directories = ["node_modules/.bin", "", bin, ...linked]
    const args = ["--uncommitted", "--strict", "--isolate", "-n", "2", "--ceiling", "low"]
    const { exit, stderr } = await world.start(args, before(world, ...directories)).ended
    assert.strictEqual(exit, 0, stderr)
    assert.strictEqual(ran(world), "")
  })

  it("run from a directory below it neither", { tags: "slow" }, async ({ world }) => {
    const bin = plant(world)
    mkdirSync(join(world.repo, "pkg/.git"), { recursive: true })
    const args = ["--uncommitted", "-n", "1", "--ceiling", "low"]
    const { exit } = await world.start(args, before(world, bin), join(world.repo, "pkg")).ended
    assert.strictEqual(exit, 0)
    assert.strictEqual(ran(world), "")
  })

  it("run for converge only where a test, an agent or a hook of git runs them", { tags: "slow" }, async ({ world }) => {
    world.git("checkout", "--quiet", "-b", "topic")
    writeFileSync(join(world.repo, ".gitignore"), "node_modules\n")
    writeFileSync(join(world.repo, ".git/hooks/pre-commit"), "#!/bin/sh\nmine hook\n", { mode: 0o755 })
    world.git("add", "--all")
    world.git("commit", "--quiet", "--no-verify", "--message", "ignores")
    world.scenario("1", "issues")
    const bin = plant(world)
    const agent = `mine agent; fp=$(/usr/bin/grep -Eo '[0-9a-f]{16}' "$OODA_PROMPT_FILE" | head -1); echo x >>a.txt
printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\n\\nfinding %s: fixed - done\\n' "$OODA_TASK_ID" "$fp"`
    const args = ["converge", "--base", "main", "-n", "1", "--ceiling", "low", "--retro", "never", "--commit-fixes"]
    const asked = [...args, "--test", "mine test", "--allow", "unsandboxed", "--agent-cmd", agent]
    const { exit, stderr } = await world.start(asked, before(world, bin)).ended
    assert.strictEqual(exit, 0, stderr)
    assert.strictEqual(ran(world), "")
    const said = readFileSync(world.path("mine"), "utf8").trimEnd().split("\n").map((line) => line.split(" "))
    const PATH = before(world, bin).PATH
    assert.deepStrictEqual(
      new Map(said.map(([who, path]) => [who, path === PATH])),
      new Map([
        ["test", true],
        ["agent", true],
        // What is installed elsewhere too is found there first.
        ["hook", false]
      ])
    )
  })

  it("run for no event of Claude Code", { tags: "slow" }, async ({ world }) => {
    const variables = { ...before(world, plant(world)), EVENT: world.path("event") }
    writeFileSync(variables.EVENT, JSON.stringify({ session_id: "s", prompt_id: "p", cwd: world.dir, ...edit("x") }))
    const { exit } = await world.start(["hook"], variables, world.repo, ["/bin/sh", "-c", 'exec "$@" <"$EVENT"', "sh"])
      .ended
    assert.strictEqual(exit, 0)
    assert.strictEqual(world.calls().length, 1)
    assert.strictEqual(ran(world), "")
  })

  it("are named where there is no other, and run if the caller names them by their path", async ({ world }) => {
    const bin = join(world.repo, "node_modules/.bin")
    mkdirSync(bin, { recursive: true })
    const fake = (world.env["PATH"] ?? "").split(delimiter)[0] ?? ""
    symlinkSync(join(fake, "codex"), join(bin, "codex"))
    const PATH = [bin, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter)
    const step = (...more: ReadonlyArray<string>) =>
      world.start(["--uncommitted", "-n", "1", "--ceiling", "low", ...more], { PATH }).ended
    const refused = await step()
    assert.strictEqual(refused.exit, 6)
    assert.include(refused.stderr, `${join(bin, "codex")} is in the repository`)
    assert.include(refused.stderr, "name it with --codex-bin")
    assert.strictEqual((await step("--codex-bin", "node_modules/.bin/codex")).exit, 0)
  })

  it("are named where a link to one is all there is", { tags: "slow" }, async ({ world }) => {
    const bin = plant(world)
    mkdirSync(world.path("linked"))
    symlinkSync(join(bin, "gh"), world.path("linked/gh"))
    const fakes = (world.env["PATH"] ?? "").split(delimiter)[0] ?? ""
    const PATH = [world.path("linked"), fakes, "/usr/bin", "/bin"].join(delimiter)
    const { exit, stderr } = await world.start(["--pr", "5", "-n", "1"], { PATH }).ended
    assert.notStrictEqual(exit, 0)
    assert.include(stderr, `${world.path("linked/gh")} is not run`)
    assert.strictEqual(ran(world), "")
  })
})
