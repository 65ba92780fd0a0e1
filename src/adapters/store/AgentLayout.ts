// AgentLayout: where the agents and the tests of a run lie on this machine's disk.
import type { AgentRef, RunRef, TestRef } from "../../core/run/Refs.ts"
import { runDirectory } from "./Layout.ts"

/** The directory above those of a run's agents. */
export const agentsDirectory = (run: RunRef): string => `${runDirectory(run)}/agents`

type AgentPlace = Pick<AgentRef, "run" | "agent">

const agentDirectory = ({ agent, run }: AgentPlace): string => `${agentsDirectory(run)}/${agent}`

/** The directory of an agent's temporary files, the only one of a run that an agent may write to. */
export const agentScratch = (place: AgentPlace): string => `${agentDirectory(place)}/tmp`

/** The directory that followers of an agent watch, and the file in it that tells of the end of an attempt. */
export const agentWakeDirectory = (place: AgentPlace): string => `${agentDirectory(place)}/wake`
export const agentWakeFile = (attempt: AgentRef): string => `${agentWakeDirectory(attempt)}/${attempt.attempt}`

/** The directory above those of a run's tests. */
export const testsDirectory = (run: RunRef): string => `${runDirectory(run)}/tests`

const testDirectory = ({ run, test }: TestPlace): string => `${testsDirectory(run)}/${test}`

type TestPlace = Pick<TestRef, "run" | "test">

/** The directory that followers of a test watch, and the file in it that tells of its end. */
export const testWakeDirectory = (place: TestPlace): string => `${testDirectory(place)}/wake`
export const testWakeFile = (place: TestPlace): string => `${testWakeDirectory(place)}/1`

/** The files of a test: those of its guard. */
export const testFiles = (place: TestPlace) => {
  const stem = `${testDirectory(place)}/1`
  return { log: `${stem}.log`, out: `${stem}.out`, exit: `${stem}.exit`, journal: `${stem}.run`, lock: `${stem}.lock` }
}

/** The files of one attempt of an agent: those of its guard, what it is asked, and the schema of its answer. */
export const agentFiles = (one: Omit<AgentRef, "id" | "kind">) => {
  const stem = `${agentDirectory(one)}/${one.attempt}`
  return {
    log: `${stem}.log`,
    out: `${stem}.out`,
    exit: `${stem}.exit`,
    journal: `${stem}.run`,
    lock: `${stem}.lock`,
    prompt: `${stem}.prompt`,
    schema: `${stem}.schema.json`
  }
}
