// CommandAgent: any program as an agent, named by a line of the shell.
// It reads the prompt on standard input and prints its answer; its task stands in its environment.
import { Layer } from "effect"
import { Agent } from "../../services/Agent.ts"
import { makeAgent } from "./LiveAgent.ts"
import type { Program } from "./Program.ts"
import { agentVariables, withoutAttachments } from "./Secrets.ts"

/** A program by the line of the shell that runs it. */
export const commandProgram = (line: string): Program => ({
  kind: "command",
  confined: false,
  command: () => ["/bin/sh", "-c", line],
  variables: ({ environment, prepared, task }) => ({
    ...agentVariables(environment, () => false),
    // The line may start Claude Code.
    ...withoutAttachments,
    OODA_ROLE: task.role,
    OODA_TASK_ID: task.taskId,
    OODA_PROMPT_FILE: prepared.prompt,
    OODA_FINDINGS: task.findings ?? undefined
  })
})

/** Agents that are this program. */
export const layer = (line: string): Layer.Layer<Agent> => Layer.sync(Agent, () => makeAgent(commandProgram(line)))
