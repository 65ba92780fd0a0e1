// implement: whole calls on a real repository with a real program as agent, and the subcommands that look at its run.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { eventually, it, type World } from "./world.ts"

const plan = [
  "---",
  "title: Sums # kept",
  "tasks:",
  "  - title: Add",
  "    description: Add two numbers.",
  "  - title: Sum",
  "    description: Add up a list of numbers.",
  "    dependencies: [0]",
  "---",
  ""
].join("\r\n")

/** An agent that writes its task into a file, and claims all tasks; a reviewer finds its first work wanting. */
const agent = `#!/bin/sh
prompt=$(cat)
echo "$OODA_TASK_ID" >> "$AGENT_LOG"
if [ -e "$AGENT_WAIT" ]; then echo working >&2; while [ -e "$AGENT_WAIT" ]; do sleep 0.1; done; fi
result() { printf 'role: worker\\ntask_id: %s\\nstatus: pass\\ngit_range: HEAD..HEAD\\n\\nDone.\\nDONE: 0\\nDONE: 1\\n' "$OODA_TASK_ID"; }
case "$OODA_TASK_ID" in
  */review-0) echo 'It adds one too many. VERDICT: NEEDS_FIXES'; echo 'VERDICT: NEEDS_FIXES' ;;
  */review-*) echo 'VERDICT: ACCEPTABLE' ;;
  */analysis) echo '{"needs_fixes": true, "fix_instructions": "Start at zero.", "dropped": []}' ;;
  */fix-1) echo fixed >> sum.txt; case "$prompt" in *"Start at zero."*) result ;; *) exit 1 ;; esac ;;
  *) echo "$OODA_TASK_ID" >> sum.txt; result ;;
esac
`

const made = (world: World) => {
  const [program, log, wait] = ["agent.sh", "agents", "wait"].map((name) => world.path(name))
  if (program === undefined || log === undefined || wait === undefined) return assert.fail("no paths")
  writeFileSync(program, agent)
  chmodSync(program, 0o755)
  writeFileSync(join(world.repo, "plan.md"), plan)
  world.git("add", ".")
  world.git("commit", "-qm", "Plan")
  const flags = [
    "plan.md",
    "--agent-cmd",
    program,
    "--allow",
    "unsandboxed",
    "--test",
    "! grep -q red sum.txt 2>/dev/null"
  ]
  const start = (...more: ReadonlyArray<string>) =>
    world.start(["implement", ...flags, ...more], { AGENT_LOG: log, AGENT_WAIT: wait })
  const runs = () => {
    const top = join(world.stateRoot, "repo-noremote", "plan")
    return existsSync(top) ? readdirSync(top).flatMap((key) => readdirSync(join(top, key, "runs"))) : []
  }
  const asked = () => existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  return { start, runs, asked, wait }
}

const steps = ["implement", "test", "review-0", "analysis", "fix-1", "review-1"].map((step) => `cycle-1/${step}`)

describe.concurrent("implement", () => {
  it("works through a plan, and its run can be listed, replayed and audited", async ({ world }) => {
    const { asked, runs, start } = made(world)
    const { exit, header, stderr } = await start().ended
    assert.deepStrictEqual([exit, stderr.trimEnd().split("\n").at(-1)], [0, "DoneAccepted"], `${header} ${stderr}`)
    assert.deepStrictEqual(asked(), steps)
    const text = readFileSync(join(world.repo, "plan.md"), "utf8")
    assert.strictEqual(text.match(/ {4}done: true\r\n/g)?.length, 2)
    assert.include(text, "title: Sums # kept\r\n")
    const [run = ""] = runs()
    const listed = await world.step("runs")
    assert.match(listed.stdout, new RegExp(`^${run} .* 2 tasks done, DoneAccepted$`, "m"))
    const replayed = await world.step("replay", run)
    assert.match(replayed.stdout, /TasksMarked +cycle 1: tasks 0, 1$/m)
    assert.match(replayed.stdout, /CodeReviewed +cycle 1, review 0 by agent 3: NEEDS_FIXES/)
    const audited = await world.step("audit", run)
    assert.deepStrictEqual([audited.exit, /sound/.test(audited.stdout)], [0, true], audited.stdout)
    assert.strictEqual((await world.step("replay", run, "--at", "1")).exit, 6)
  })

  it("goes on after it was killed, and nobody is asked twice", async ({ world }) => {
    const { asked, runs, start, wait } = made(world)
    writeFileSync(wait, "")
    const first = start()
    await eventually("an agent", () => asked().length === 1)
    first.signal("SIGKILL")
    await first.ended
    const second = start("--json")
    await eventually("a driver", () => second.said() !== "" || runs().length === 1)
    rmSync(wait)
    const { exit, stdout } = await second.ended
    assert.strictEqual(exit, 0)
    assert.deepStrictEqual(asked(), steps)
    assert.deepInclude(JSON.parse(stdout), { outcome: "DoneAccepted", exitCode: 0 })
    assert.lengthOf(runs(), 1)
  })

  it("is ended by stop, which ends its agent too", async ({ world }) => {
    const { asked, runs, start, wait } = made(world)
    writeFileSync(wait, "")
    const working = start()
    await eventually("an agent", () => asked().length === 1)
    const stopped = await world.step("stop", runs()[0] ?? "")
    assert.deepStrictEqual([stopped.exit, stopped.stdout.trim()], [8, "stopped 1 agent, the driver"])
    assert.strictEqual((await working.ended).exit, 8)
    assert.deepStrictEqual(world.reviewers(), [])
    assert.include((await world.step("stop", runs()[0] ?? "")).stdout, "nothing to stop")
  })
})
