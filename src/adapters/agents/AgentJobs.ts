// AgentJobs: attempts of agents as the jobs and orders of the guard, and what is prepared for them on the disk.
import { realpathSync } from "node:fs"
import { sep } from "node:path"
import type { AgentTask } from "../../core/agent/Task.ts"
import type { AgentRef } from "../../core/run/Refs.ts"
import { jsonText } from "../../core/text/JsonText.ts"
import { makeDirectories } from "../process/Directories.ts"
import type { Job, Order } from "../process/Job.ts"
import { agentFiles, agentScratch, agentWakeFile } from "../store/AgentLayout.ts"
import { replaceFile } from "../store/SmallFile.ts"
import type { Prepared, Program, Start } from "./Program.ts"

/** The job of an attempt. */
export const jobOf = (attempt: AgentRef): Job => {
  const { exit, journal, lock, log, out } = agentFiles(attempt)
  return { id: attempt.id, files: { journal, lock, log, out, exit } }
}

/** What is done to an attempt, for faults. */
export const doing = (verb: string, { agent, attempt }: AgentRef): string =>
  `${verb} agent ${agent}, attempt ${attempt}`

/** Whether a directory is another one or lies below it, links resolved. Throws what the system throws. */
export const isInside = (path: string, directory: string): boolean => {
  const [inner, outer] = [realpathSync(path), realpathSync(directory)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

/** Writes down what an attempt is asked, and makes its directories. Throws what the system throws. */
export const prepare = (attempt: AgentRef, { answer }: AgentTask, prompt: string): Prepared => {
  const files = agentFiles(attempt)
  const scratch = agentScratch(attempt)
  makeDirectories(scratch)
  replaceFile(files.prompt, prompt)
  if (answer !== null) replaceFile(files.schema, jsonText(answer))
  return { prompt: files.prompt, schema: answer === null ? null : files.schema, scratch }
}

/** The order to run an agent. The attempts before it must be over first; their files are their own. */
export const orderOf = (program: Program, start: Start): Order => {
  const { attempt, prepared, task } = start
  return {
    ...jobOf(attempt),
    label: doing("starting", attempt),
    command: program.command(start),
    cwd: task.cwd,
    line: null,
    environment: program.variables(start),
    input: prepared.prompt,
    wake: agentWakeFile(attempt),
    deadline: task.limits.timeout,
    maxBytes: task.limits.maxTranscript,
    tied: false,
    earlier: Array.from({ length: attempt.attempt - 1 }, (_, back) => ({
      ...jobOf({ ...attempt, attempt: attempt.attempt - 1 - back, id: "" }),
      moves: []
    }))
  }
}
