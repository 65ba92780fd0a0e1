// agents: a bench for agents that are the real Codex CLI: a scratch repository, a stand-in model, a state root in /tmp.
// With RECORD_AGENTS=1 every stream that a test names is kept in fixtures/agents, without this machine's paths.
import { randomUUID } from "node:crypto"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { assert } from "vitest"
import { writeCodexHome } from "../../fixtures/stand-in-model/codex-home.mjs"
import { plainEnvironment } from "../../fixtures/stand-in-model/environment.mjs"
import { endLeftovers, leftovers, settled } from "../../fixtures/stand-in-model/leftovers.mjs"
import type { ModelRequest } from "../../fixtures/stand-in-model/request.mjs"
import { type Policy, startStandIn } from "../../fixtures/stand-in-model/server.mjs"
import { agentFiles, agentScratch } from "../../src/run/Layout.live.ts"
import { runDirectory } from "../../src/log/LogFile.live.ts"
import { type AgentLimits, type AgentTask, defaultLimits } from "../../src/agent/Task.ts"
import type { AgentRef } from "../../src/log/Refs.ts"
import { Live } from "../../src/layers.ts"
import { Agent, type AgentEnded, type AgentFault, type AgentUpdate } from "../../src/agent/Agent.ts"
import { Environment, type Variables } from "../../src/platform/Environment.ts"
import { CODEX, ROOT } from "./support.ts"

export interface AgentBench {
  readonly directory: string
  readonly repo: string
  readonly run: string
  readonly requests: ReadonlyArray<ModelRequest>
  readonly git: (...args: ReadonlyArray<string>) => string
  readonly ref: (attempt?: number, agent?: number) => AgentRef
  readonly scratch: (attempt: AgentRef) => string
  readonly start: (attempt: AgentRef, change?: Partial<AgentTask>, thread?: string | null) => Promise<void>
  readonly follow: (attempt: AgentRef, limits?: Partial<AgentLimits>) => Promise<ReadonlyArray<AgentUpdate>>
  /** Starts an agent and follows it to its end. `name` names its stream in the fixtures. */
  readonly ask: (
    how?: Partial<AgentTask> & { readonly name?: string; readonly thread?: string; readonly attempt?: AgentRef }
  ) => Promise<{ readonly updates: ReadonlyArray<AgentUpdate>; readonly ended: AgentEnded; readonly attempt: AgentRef }>
  readonly stop: (attempt: AgentRef) => Promise<number>
  /** Runs a program of the library with codex as its agent, everything else live. */
  readonly live: <A, E>(
    program: Effect.Effect<A, E, Agent | Layer.Success<typeof Live.layer>>,
    signal?: AbortSignal
  ) => Promise<A>
  readonly task: (change?: Partial<AgentTask>) => AgentTask
  /** Process ids of what still runs for this bench. */
  readonly running: () => ReadonlyArray<number>
}

const record = (name: string, attempt: AgentRef, directory: string): void => {
  const file = join(ROOT, "fixtures", "agents", `codex-0.169.0-${name}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  const text = readFileSync(agentFiles(attempt).out, "utf8").replaceAll(directory, "/scratch")
  writeFileSync(file, text.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:1"))
}

export const endOf = (updates: ReadonlyArray<AgentUpdate>): AgentEnded => {
  const last = updates.at(-1)
  return last?._tag === "Ended" ? last.ended : assert.fail(`the last is ${last?._tag ?? "nothing"}`)
}

/** A bench for one test. Codex tries a lost stream again `streamRetries` times. */
export const withAgents = async (
  policy: (directory: string) => Policy,
  use: (bench: AgentBench) => Promise<void>,
  { added = {}, streamRetries = 0 }: { readonly added?: Variables; readonly streamRetries?: number } = {}
) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-codex-")))
  const [repo, codexHome] = [join(directory, "repo"), join(directory, "codex-home")]
  const run = {
    root: join(directory, "state"),
    repoId: "repo-noremote",
    targetKey: "uncommitted",
    runId: "20260101T000000Z-000000001-p1"
  }
  const standIn = await startStandIn({ policy: policy(directory) })
  try {
    const env: Variables = {
      ...plainEnvironment(directory),
      ...writeCodexHome({ directory: codexHome, url: standIn.url, streamRetries }),
      ...added
    }
    for (const path of [repo, runDirectory(run)]) mkdirSync(path, { recursive: true })
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" }).trim()
    git("init", "--quiet", "--initial-branch", "main")
    writeFileSync(join(repo, "one.mjs"), "export const one = 1\n")
    git("add", ".")
    git("commit", "--quiet", "--message", "Add one")
    const through = <A>(use: (agent: typeof Agent.Service) => Effect.Effect<A, AgentFault>): Promise<A> =>
      Effect.runPromise(
        Agent.use(use).pipe(Effect.provide(Live.agents.codex(CODEX)), Effect.provideService(Environment, env))
      )
    const task = (change: Partial<AgentTask> = {}): AgentTask => ({
      role: "worker",
      taskId: "T-1",
      prompt: "Please do it.",
      cwd: repo,
      sandbox: "workspace-write",
      effort: "high",
      model: null,
      findings: null,
      answer: null,
      limits: defaultLimits,
      ...change
    })
    const start: AgentBench["start"] = (attempt, change = {}, thread = null) => {
      const asked = task(change)
      return through((agent) => agent.start(attempt, asked, { thread, prompt: asked.prompt }))
    }
    const follow: AgentBench["follow"] = (attempt, limits = {}) =>
      through((agent) => Stream.runCollect(agent.follow(attempt, { ...defaultLimits, ...limits })))
    const ref = (attempt = 1, agent = 1): AgentRef => ({ run, agent, attempt, id: randomUUID(), kind: "codex" })
    await use({
      directory,
      repo,
      run: runDirectory(run),
      requests: standIn.requests,
      git,
      ref,
      scratch: agentScratch,
      start,
      follow,
      ask: async ({ attempt = ref(), name, thread, ...change } = {}) => {
        await start(attempt, change, thread)
        const updates = await follow(attempt, change.limits)
        if (name !== undefined && process.env["RECORD_AGENTS"] === "1") record(name, attempt, directory)
        return { updates, ended: endOf(updates), attempt }
      },
      stop: (attempt) => through((agent) => agent.stop([attempt])),
      live: (program, signal) =>
        Effect.runPromise(
          program.pipe(
            Effect.provide(Layer.merge(Live.layer, Live.agents.codex(CODEX))),
            Effect.provideService(Environment, env)
          ),
          signal === undefined ? {} : { signal }
        ),
      task,
      running: () => leftovers(codexHome)
    })
    // A wrapper records the end first, then it ends itself.
    assert.deepStrictEqual(await settled(codexHome, 5000), [])
  } finally {
    await endLeftovers(codexHome)
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    await standIn.close()
  }
}
