// agentBench: agents in a temporary state root: shell scripts instead of codex, and their living processes.
// Every bench ends with all of its processes dead.
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { assert } from "vitest"
import { codexProgram } from "../../src/agent/Kinds.live.ts"
import { makeAgent } from "../../src/agent/Agent.live.ts"
import type { Program } from "../../src/agent/Program.live.ts"
import { type AgentLimits, type AgentTask, defaultLimits } from "../../src/agent/Task.ts"
import type { AgentRef } from "../../src/log/Refs.ts"
import type { Agent, AgentEnded, AgentUpdate, AgentTurn } from "../../src/agent/Agent.ts"
import { Environment, type Variables } from "../../src/platform/Environment.ts"
import { eventually, kill, marked } from "../unit/platform/guard/processes.ts"
import { task as plainTask } from "./agents.ts"

/** Lines of `codex exec --json` for shell scripts. */
export const say = {
  begun: `echo '{"type":"thread.started","thread_id":"t-1"}'; echo '{"type":"turn.started"}'; `,
  message: (text: string) =>
    `echo '{"type":"item.completed","item":{"id":"m","type":"agent_message","text":"${text}"}}'; `,
  command: (end: "started" | "completed") =>
    `echo '{"type":"item.${end}","item":{"id":"c","type":"command_execution","command":"make","aggregated_output":""}}'; `,
  reconnecting: `echo '{"type":"error","message":"Reconnecting... 1/5"}'; `,
  done: `echo '{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":2}}'; `
}

export interface AgentBench {
  readonly root: string
  readonly work: string
  readonly path: (name: string) => string
  readonly ref: (attempt?: number, agent?: number) => AgentRef
  readonly task: (change?: Partial<AgentTask>) => AgentTask
  /** A program that runs this shell script instead of codex. */
  readonly script: (text: string) => Program
  readonly start: (agent: typeof Agent.Service, attempt: AgentRef, task?: AgentTask, turn?: AgentTurn) => Promise<void>
  /** Starts this script as an agent. */
  readonly run: (script: string, attempt?: AgentRef, task?: AgentTask) => Promise<AgentRef>
  /** Everything that a new follower gets. */
  readonly follow: (attempt: AgentRef, limits?: Partial<AgentLimits>) => Promise<ReadonlyArray<AgentUpdate>>
  readonly ended: (attempt: AgentRef, limits?: Partial<AgentLimits>) => Promise<AgentEnded>
  readonly stop: (...attempts: ReadonlyArray<AgentRef>) => Promise<number>
  readonly living: (attempt: AgentRef) => ReadonlyArray<number>
  readonly run1: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

/** How it ended, by a follower's last update. */
export const endOf = (updates: ReadonlyArray<AgentUpdate>): AgentEnded => {
  const last = updates.at(-1)
  return last?._tag === "Ended" ? last.ended : assert.fail(`the last is ${last?._tag ?? "nothing"}`)
}

/** The tags of a follower's updates, in order. */
export const tagsOf = (updates: ReadonlyArray<AgentUpdate>): ReadonlyArray<string> =>
  updates.map((one) => one._tag === "Heard" ? one.event._tag : one._tag)

/** A bench for one test. */
export const withAgents = async (
  use: (bench: AgentBench) => Promise<void>,
  variables: Variables = process.env
): Promise<void> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-agents-")))
  const [root, work] = [join(directory, "state"), join(directory, "work")]
  for (const path of [root, work]) mkdirSync(path)
  const run = { root, repoId: "repo-noremote", targetKey: "uncommitted", runId: "20260101T000000Z-000000001-p1" }
  const ids: Array<string> = []
  const run1 = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(Effect.provideService(effect, Environment, variables))
  const script = (text: string): Program => {
    const file = join(directory, `agent-${randomUUID()}`)
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return codexProgram(file)
  }
  const task = (change: Partial<AgentTask> = {}): AgentTask =>
    plainTask({ taskId: "T-1", prompt: "Do it.", cwd: work, ...change })
  const ref = (attempt = 1, agent = 1): AgentRef => {
    const id = randomUUID()
    ids.push(id)
    return { run, agent, attempt, id, kind: "codex" }
  }
  const start: AgentBench["start"] = (agent, attempt, asked = task(), turn = { thread: null, prompt: asked.prompt }) =>
    run1(agent.start(attempt, asked, turn))
  const follow = (attempt: AgentRef, limits: Partial<AgentLimits> = {}) =>
    run1(Stream.runCollect(makeAgent(codexProgram("codex")).follow(attempt, { ...defaultLimits, ...limits })))
  try {
    await use({
      root,
      work,
      path: (name) => join(directory, name),
      ref,
      task,
      script,
      start,
      run: async (text, attempt = ref(), asked = task()) => {
        await start(makeAgent(script(text)), attempt, asked)
        return attempt
      },
      follow,
      ended: async (attempt, limits) => endOf(await follow(attempt, limits)),
      stop: (...attempts) => run1(makeAgent(codexProgram("codex")).stop(attempts)),
      living: ({ id }) => marked(id),
      run1
    })
  } finally {
    await eventually("the end of everything marked", () => {
      const left = ids.flatMap(marked)
      for (const pid of left) kill(pid)
      return left.length === 0
    })
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    assert.isFalse(existsSync(directory))
  }
}

/** A file's text. */
export const textOf = (path: string): string => readFileSync(path, "utf8")
