// The bench of the real-Claude suite: a scratch repository, a stand-in model, a home of its own, agents as processes.
// With RECORD_AGENTS=1 every stream that a test names is kept in fixtures/agents, without this machine's paths.
import { randomUUID } from "node:crypto"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Stream } from "effect"
import { assert } from "vitest"
import { type ModelRequest, type Policy, startStandIn } from "../../fixtures/stand-in-claude/server.mjs"
import { plainEnvironment } from "../../fixtures/stand-in-model/environment.mjs"
import { agentFiles } from "../../src/run/Layout.live.ts"
import { runDirectory } from "../../src/log/LogFile.live.ts"
import { type AgentTask, defaultLimits } from "../../src/agent/Task.ts"
import type { AgentRef } from "../../src/log/Refs.ts"
import { Live } from "../../src/layers.ts"
import { Agent, type AgentEnded, type AgentUpdate } from "../../src/agent/Agent.ts"
import { Environment, type Variables } from "../../src/platform/Environment.ts"
import { pinnedClaude } from "./install.mjs"

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const CLI = join(ROOT, "dist", "ooda-codex-review.cjs")

export interface Asked {
  readonly updates: ReadonlyArray<AgentUpdate>
  readonly ended: AgentEnded
}

export interface Bench {
  readonly repo: string
  /** The directory of the run. */
  readonly run: string
  readonly requests: ReadonlyArray<ModelRequest>
  /** Starts an agent and follows it to its end. `name` names its stream in the fixtures. */
  readonly ask: (
    how?: Partial<AgentTask> & { readonly name?: string; readonly thread?: string; readonly attempt?: number }
  ) => Promise<Asked>
}

const record = (name: string, attempt: AgentRef, directory: string, version: string): void => {
  const file = join(ROOT, "fixtures", "agents", `claude-${version}-${name}.jsonl`)
  const text = readFileSync(agentFiles(attempt).out, "utf8").replaceAll(directory, "/scratch")
    .replaceAll(directory.replaceAll("/", "-"), "-scratch")
  writeFileSync(file, text.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:1"))
}

/** A bench for one test. */
export const withBench = async (
  policy: Policy,
  use: (bench: Bench) => Promise<void>,
  added: Variables = {}
): Promise<void> => {
  const { claude, version } = pinnedClaude(ROOT)
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-claude-")))
  const repo = join(directory, "repo")
  const run = {
    root: join(directory, "state"),
    repoId: "repo-noremote",
    targetKey: "uncommitted",
    runId: "20260101T000000Z-000000001-p1"
  }
  const standIn = await startStandIn(policy)
  try {
    const env: Variables = {
      ...plainEnvironment(directory),
      ANTHROPIC_BASE_URL: standIn.url,
      ANTHROPIC_API_KEY: "placeholder",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
      ...added
    }
    for (const path of [repo, runDirectory(run)]) mkdirSync(path, { recursive: true })
    execFileSync("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: repo, env, stdio: "pipe" })
    await use({
      repo,
      run: runDirectory(run),
      requests: standIn.requests,
      ask: async ({ attempt = 1, name, thread, ...change } = {}) => {
        const ref: AgentRef = { run, agent: 1, attempt, id: randomUUID(), kind: "claude" }
        const task: AgentTask = {
          role: "worker",
          taskId: "T-1",
          prompt: "Please do it.",
          cwd: repo,
          sandbox: "workspace-write",
          effort: null,
          model: null,
          findings: null,
          answer: null,
          limits: defaultLimits,
          ...change
        }
        const asked = Agent.use((agent) =>
          Effect.andThen(
            agent.start(ref, task, { thread: thread ?? null, prompt: task.prompt }),
            Stream.runCollect(agent.follow(ref, task.limits))
          )
        )
        const updates = await Effect.runPromise(
          asked.pipe(Effect.provide(Live.agents.claude(claude)), Effect.provideService(Environment, env))
        )
        if (name !== undefined && process.env["RECORD_AGENTS"] === "1") record(name, ref, directory, version)
        const last = updates.at(-1)
        return last?._tag === "Ended" ? { updates, ended: last.ended } : assert.fail(`the last is ${last?._tag}`)
      }
    })
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    await standIn.close()
  }
}
