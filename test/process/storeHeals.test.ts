// the store heals: after a full disk, and after git has pruned what was borrowed, the next calls work, and undo does.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

const gitProgram = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()

/** A call with an agent that edits `a.txt`. */
const converge = (world: World, env: Readonly<Record<string, string>> = {}) => {
  const agent = world.path("agent")
  const script = [
    "#!/bin/sh",
    "cat >/dev/null",
    "echo two >a.txt",
    "printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\nissues: none\\n\\ndone\\n' \"$OODA_TASK_ID\"",
    ""
  ]
  writeFileSync(agent, script.join("\n"), { mode: 0o755 })
  const what = ["--uncommitted", "-n", "1", "--ceiling", "low", "--retro", "never", "--allow", "unsandboxed"]
  return world.start(["converge", ...what, "--agent-cmd", agent, "--no-test"], env).ended
}

/** A git whose disk is full at the n-th index of a pack, where it leaves an empty index as git does. */
const fullAt = (world: World, n: number): Readonly<Record<string, string>> => {
  mkdirSync(world.path("bin"))
  const script = `#!/bin/sh
case " $* " in *" index-pack "*)
  echo >>"${world.path("packs")}"
  if [ "$(wc -l <"${world.path("packs")}")" = ${n} ]; then
    last=; out=; for word; do case $last in -o) out=$word;; esac; last=$word; done
    : >"\${out:-\${last%.pack}.idx}"
    echo "fatal: sha1 file '$out' write error: No space left on device" >&2; exit 128
  fi;;
esac
exec ${gitProgram} "$@"
`
  writeFileSync(world.path("bin/git"), script, { mode: 0o755 })
  return { PATH: `${world.path("bin")}:${world.env["PATH"]}` }
}

describe.concurrent("the store of a run", () => {
  it("heals after its disk was full while a snapshot was taken", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "changed\n")
    world.scenario("default", "clean")
    world.scenario("1", "issues 1")
    const env = fullAt(world, 5)
    const first = await converge(world, env)
    assert.strictEqual(first.exit, 6, first.stderr)
    const next = await converge(world, env)
    assert.strictEqual(next.exit, 0, next.stderr)
    const packs = join(world.runDir(), "code/objects/pack")
    for (const name of readdirSync(packs)) assert.strictEqual(statSync(join(packs, name)).mode & 0o777, 0o600, name)
    const undone = await world.step("undo", "--all")
    assert.strictEqual(undone.exit, 0, undone.stderr)
    assert.strictEqual(readFileSync(join(world.repo, "a.txt"), "utf8"), "changed\n")
  })

  it("heals after git has pruned what it had borrowed when it was reviewed", async ({ world }) => {
    for (const name of ["a.txt", "new.txt"]) {
      writeFileSync(join(world.repo, name), "changed\n")
      execFileSync("touch", ["-d", "1 hour ago", join(world.repo, name)])
    }
    world.git("add", ".")
    world.scenario("default", "clean")
    world.scenario("1", "issues 1")
    const review = await world.step("--uncommitted", "--strict", "--ceiling", "low", "-n", "1")
    assert.strictEqual(review.exit, 5, review.stderr)
    world.git("reset", "-q")
    world.git("gc", "-q", "--prune=now")
    const fixed = await converge(world)
    assert.strictEqual(fixed.exit, 0, fixed.stderr)
    assert.strictEqual((await world.step("undo")).exit, 0)
    for (const name of ["a.txt", "new.txt"]) {
      assert.strictEqual(readFileSync(join(world.repo, name), "utf8"), "changed\n", name)
    }
  })
})
