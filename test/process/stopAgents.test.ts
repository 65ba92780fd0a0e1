// `stop` also ends the agents of a run, also those of another driver; `undo` then reverts their edits.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { assert, describe } from "vitest"
import { openDriver } from "../../src/drive/converge/State.ts"
import { runAgent } from "../../src/agent/RunAgent.ts"
import { type AgentTask, defaultLimits } from "../../src/agent/Task.ts"
import { Live } from "../../src/layers.ts"
import { Environment } from "../../src/platform/Environment.ts"
import { marked } from "../unit/platform/guard/processes.ts"
import { say } from "../support/agentBench.ts"
import { eventually, it, living, type World } from "./world.ts"

/** A run that a mark has begun, and a program in the place of codex that edits a file and then never ends. */
const begun = async (world: World) => {
  const { exit } = await world.step("--uncommitted", "--restart-from-floor")
  assert.strictEqual(exit, 7)
  const binary = world.path("agent")
  const script = `trap '' TERM; ${say.begun} echo agent >edited; sleep 1000 & sleep 1000`
  writeFileSync(binary, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const [runId = ""] = world.runs()
  const [repoId = "", targetKey = ""] = world.runDir().slice(world.stateRoot.length + 1).split("/")
  const run = { root: world.stateRoot, repoId, targetKey, runId }
  const task: AgentTask = {
    role: "worker",
    taskId: "T-1",
    prompt: "Work.",
    cwd: world.repo,
    sandbox: "workspace-write",
    effort: null,
    model: null,
    findings: null,
    answer: null,
    limits: defaultLimits
  }
  const layers = Layer.mergeAll(Live.layer, Live.agents.codex(binary))
  const result = Effect.runPromise(
    Effect.flatMap(openDriver(run), (driver) => runAgent(driver, { agent: 1, task })).pipe(
      Effect.provide(layers),
      Effect.provideService(Environment, world.env)
    )
  )
  const events = () =>
    readFileSync(join(world.runDir(), "converge.jsonl"), "utf8").trim().split("\n").flatMap((line): ReadonlyArray<{
      readonly _tag: string
      readonly id?: string
    }> => JSON.parse(line).events)
  const edited = join(world.repo, "edited")
  await eventually("its edit", () => existsSync(edited) && readFileSync(edited, "utf8") === "agent\n")
  return { edited, events, id: events().find(({ _tag }) => _tag === "AgentStarted")?.id ?? "", result }
}

describe.concurrent("stop", () => {
  it("ends an agent that ignores SIGTERM, with all it started, and its driver; an undo removes its edit", async ({ world }) => {
    const { edited, events, id, result } = await begun(world)
    assert.isNotEmpty(marked(id))
    const refused = await world.step("undo")
    assert.match(refused.stderr, /still works \[ooda-codex-review stop --run /)
    const { exit, stderr, stdout } = await world.step("stop")
    assert.deepStrictEqual([exit, stderr], [0, ""])
    assert.match(stdout, /^stopped 1 agent\n$/)
    assert.isEmpty(marked(id))
    // Whichever of the two is the first to record it, the agent was stopped.
    const { result: came } = await result
    assert.strictEqual(
      came._tag === "Ended" ? came.ending._tag : came._tag,
      came._tag === "Ended" ? "Interrupted" : "Stopped"
    )
    const ends = events().filter(({ _tag }) => _tag === "AgentStopped" || _tag === "AgentFailed")
    assert.lengthOf(ends, 1)
    assert.strictEqual((await world.step("stop")).stdout, "nothing to stop: no run of this worktree is under way\n")

    const undone = await world.step("undo")
    assert.strictEqual(undone.exit, 0, undone.stderr)
    assert.isFalse(existsSync(edited))
  })

  it("ends a driver that waits for a hook of git, with the hook", async ({ world }) => {
    const agent = world.path("agent")
    const answer = "role: worker\\n%s\\nstatus: pass\\ngit_range: HEAD..HEAD\\nissues: none\\n\\ndone\\n"
    writeFileSync(
      agent,
      `#!/bin/sh\nid=$(grep -o 'task_id: [a-z0-9/-]*' | head -1)\necho fixed >>a.txt\nprintf '${answer}' "$id"\n`,
      {
        mode: 0o755
      }
    )
    writeFileSync(
      join(world.repo, ".git/hooks/pre-commit"),
      `#!/bin/sh\necho $$ >"${world.path("hook")}"\nsleep 1000\n`,
      {
        mode: 0o755
      }
    )
    world.git("switch", "-qc", "topic")
    world.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "Two")
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    world.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "Three")
    world.scenario("1", "issues 1")
    const what = [
      "--base",
      "main",
      "-n",
      "1",
      "--ceiling",
      "low",
      "--retro",
      "never",
      "--test",
      "true",
      "--commit-fixes"
    ]
    const driving = world.start(["converge", ...what, "--agent-cmd", agent, "--allow", "unsandboxed"])
    await eventually(
      "the hook",
      () => existsSync(world.path("hook")) && readFileSync(world.path("hook"), "utf8") !== ""
    )
    const hook = Number(readFileSync(world.path("hook"), "utf8"))
    const { exit, stderr, stdout } = await world.step("stop")
    assert.deepStrictEqual([exit, stderr, stdout], [0, "", "stopped the driver\n"])
    assert.isFalse(living(hook))
    const ended = await driving.ended
    assert.strictEqual(ended.exit, 8, ended.stderr)
    assert.include((await world.step("status")).stdout, "interrupted: stopped; the same call continues")
  })
})
