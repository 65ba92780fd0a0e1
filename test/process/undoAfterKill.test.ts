// undo after a kill: what a person writes before the next call is not the agent's, and stays.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { eventually, it, processesWith, type World } from "./world.ts"

// Writes down who works, and goes on as long as a file is there.
const waits = `echo "$$" >"$PLACE/pids"; while [ -e "$PLACE/hold" ]; do sleep 0.1; done`

/** A call whose agent and test wait where they are named in `hold`. */
const begun = (world: World) => {
  const agent = world.path("agent")
  const script = [
    "#!/bin/sh",
    "cat >/dev/null",
    "echo two >a.txt; echo agent >new.txt",
    `if grep -qs agent "$PLACE/hold"; then ${waits}; fi`,
    "printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\nissues: none\\n\\ndone\\n' \"$OODA_TASK_ID\"",
    ""
  ]
  writeFileSync(agent, script.join("\n"), { mode: 0o755 })
  writeFileSync(join(world.repo, "a.txt"), "changed\n")
  world.scenario("default", "clean")
  world.scenario("1", "issues 1")
  const test = `if [ -e new.txt ] && grep -qs test "$PLACE/hold"; then ${waits}; fi`
  const what = ["--uncommitted", "-n", "1", "--ceiling", "low", "--retro", "never", "--allow", "unsandboxed"]
  return () => world.start(["converge", ...what, "--agent-cmd", agent, "--test", test], { PLACE: world.dir })
}

const pidsIn = (path: string): ReadonlyArray<number> =>
  existsSync(path)
    ? (/^\d+\n$/.exec(readFileSync(path, "utf8"))?.[0] ?? "").split(/\s/).filter(Boolean).map(Number)
    : []

describe.concurrent("undo", () => {
  it.for(["agent", "test"])(
    "keeps a file of a person's, made after driver and %s were killed",
    async (who, { world }) => {
      const call = begun(world)
      writeFileSync(world.path("hold"), who)
      const first = call()
      await eventually(who, () => pidsIn(world.path("pids")).length === 1)
      const pids = pidsIn(world.path("pids"))
      first.signal("SIGKILL")
      for (const pid of pids) process.kill(pid, "SIGKILL")
      await first.ended
      // Who watches over them notes their end.
      await eventually("their ends", () => processesWith((all) => all.includes(`PLACE=${world.dir}`)).length === 0)
      const ended = Date.now()
      const mine = join(world.repo, "mine.txt")
      // The clock of files is behind by milliseconds.
      do writeFileSync(mine, "mine\n")
      while (statSync(mine).ctimeMs <= ended)
      rmSync(world.path("hold"))
      const second = await call().ended
      assert.strictEqual(second.exit, 0, second.stderr)
      await world.step("undo")
      assert.strictEqual(readFileSync(mine, "utf8"), "mine\n")
    }
  )
})
