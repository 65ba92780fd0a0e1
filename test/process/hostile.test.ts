// Hostile: no command runs a program that the settings of a repository name, in it, in a submodule or in a nested one.
import { spawnSync } from "node:child_process"
import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { makeHostile } from "../../property/hostileRepository.ts"
import { gitIn } from "../../property/worktrees.ts"
import { CLI, it } from "./world.ts"

const small = ["-n", "1", "--ceiling", "low"]
const agent = [
  "--agent-cmd",
  'echo fixed >>a.txt; echo "role: worker"; echo "task_id: $OODA_TASK_ID"; echo "status: pass"'
]

const allowed = ["--allow", "unsandboxed", "--allow", "partial-snapshot"]

/** The commands in the order in which each has something to do. */
const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["doctor"],
  ["--uncommitted", "--inspect", "--strict", ...small],
  ["--uncommitted", ...small],
  ["--uncommitted", "--isolate", "--fresh", ...small],
  ["--base", "main", "--strict", ...small],
  ["--uncommitted", "--strict", "--fresh", ...small],
  ["--uncommitted", "--strict", ...small],
  ["converge", "--uncommitted", "--test", "true", ...allowed, ...small, ...agent],
  ["implement", "plan.md", "--test", "true", ...allowed, ...agent],
  ...["status", "runs", "findings", "report", "audit", "attest", "replay", "dismiss --list"]
    .map((line) => line.split(" ")),
  ["undo", "--list"],
  ["undo", "--dry-run"],
  ["undo", "--all"],
  ["config", "show"],
  ["stop"],
  ["hook", "status"],
  ["runs", "--prune", "1d"]
]

/** One of each kind: it looks, reviews, copies, has an agent edit, undoes. */
const few = commands.filter(([first, second, third]) =>
  first === "doctor" || first === "converge" || second === "--isolate" || second === "--all" || third === "--inspect"
)

describe("in a repository whose settings name programs", () => {
  for (const [name, run, ...tags] of [["every", commands, "slow"], ["each kind of", few]] as const) {
    it(`${name} command runs none of them`, { timeout: 240_000, tags: [...tags] }, async ({ world }) => {
      const home = world.path("of-another")
      mkdirSync(home)
      const { marks, repo } = makeHostile(home)
      appendFileSync(join(repo, "plan.md"), "---\ntasks:\n  - title: One\n    description: Do it.\n---\n# One\n")
      world.scenario("default", "issues 1")
      // A missing object is not fetched; once it is there, the rest has something to do.
      const lacking = await world.start(["--base", "main", "--strict", ...small], {}, repo).ended
      assert.match(lacking.stderr, /lacks 1 object of commit/)
      for (const at of [repo, join(repo, "sub"), join(repo, "nested")]) {
        gitIn(at, ["hash-object", "-w", "--no-filters", "--stdin"], "gone.bin\n")
      }
      const event = { hook_event_name: "PostToolUse", session_id: "s", cwd: repo, tool_name: "Edit" }
      const edit = { ...event, tool_input: { file_path: join(repo, "a.txt"), old_string: "a", new_string: "b" } }
      for (const input of [edit, { hook_event_name: "Stop", session_id: "s", cwd: repo, stop_hook_active: false }]) {
        const done = spawnSync(process.execPath, [CLI, "hook"], {
          cwd: repo,
          env: { ...world.env, OODA_STATE_ROOT: world.stateRoot },
          input: JSON.stringify(input),
          encoding: "utf8"
        })
        assert.strictEqual(done.status, 0, done.stderr)
        assert.deepStrictEqual(marks(), [], input.hook_event_name)
      }
      for (const args of run) {
        const { exit, stderr } = await world.start(args, {}, repo).ended
        assert.notStrictEqual(exit, 64, stderr)
        assert.deepStrictEqual(marks(), [], args.join(" "))
      }
    })
  }
})
