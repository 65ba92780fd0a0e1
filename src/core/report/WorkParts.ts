// WorkParts: what agents and tests did in one turn of a driver, in the order in which they began.
import type { AgentState } from "../agent/AgentsState.ts"
import type { DrivenState, TestState } from "../driven/DrivenState.ts"
import type { LongText } from "../run/Event.ts"
import { textName } from "../run/KeptName.ts"
import { usageText } from "../run/Usage.ts"
import { counted } from "../text/Phrases.ts"
import { redact } from "../text/redaction/Redact.ts"
import { cut } from "../text/Untrusted.ts"
import type { DiffPart, Excerpt, Fact, Verdict, WorkPart } from "./ReportData.ts"

/** When something began and ended, in epoch milliseconds; null where the log does not tell. */
export interface Times {
  readonly from: number | null
  readonly to: number | null
}

/** What a driver's work left: when agents and tests began and ended, what tests printed, what agents changed. */
export interface WorkRecords {
  readonly agents: ReadonlyMap<number, Times>
  readonly tests: ReadonlyMap<number, Times>
  /** The ends of what tests printed, by their numbers. */
  readonly printed: ReadonlyMap<number, Excerpt>
  readonly diffs: ReadonlyMap<number, DiffPart>
}

const longest = 8000
const never: Times = { from: null, to: null }

/** A text without its secrets, as far as a page shows it, and where the rest of it is. */
export const excerpt = (text: string, rest: string, most: number = longest): Excerpt => {
  const safe = redact(text)
  return safe.length <= most ? { text: safe, rest: null } : { text: cut(safe, most), rest }
}

/** A text of the log, of which the run may keep the rest in a file. */
export const excerptOf = ({ rest, text }: LongText): Excerpt => {
  const kept = rest === undefined ? "the run's log" : `${textName(rest.hex)} in the run's directory`
  const shown = excerpt(text, `the whole of it is in ${kept}`)
  return rest === undefined ? shown : { ...shown, rest: `the whole of it is in ${kept}` }
}

const agentVerdict = ({ judged, standing }: AgentState): Verdict => {
  switch (standing._tag) {
    case "Running":
      return { tone: "open", text: "is at work" }
    case "Waiting":
      return { tone: "open", text: "waits for another attempt" }
    case "Stopped":
      return { tone: "open", text: `was stopped (${standing.cause})` }
    case "Failed":
      return { tone: "bad", text: `failed: ${standing.failed.failure}` }
    case "Finished":
      if (standing.finished.ending === "Reported") return { tone: "bad", text: "reported that it failed" }
      if (judged !== null && !judged.valid) return { tone: "bad", text: "its result was no valid one" }
      // A reviewer that finds gaps has done its own work well.
      return judged?.status === "gaps" || judged?.status === "error"
        ? { tone: judged.role === "worker" ? "bad" : "neutral", text: `done, and says ${judged.status}` }
        : { tone: "good", text: "done" }
  }
}

const messageOf = ({ standing }: AgentState): LongText | null =>
  standing._tag === "Finished" ? standing.finished.message : standing._tag === "Failed" ? standing.failed.message : null

const told = (name: string, value: string | null): ReadonlyArray<Fact> => value === null ? [] : [{ name, value }]

const agentPart = (one: AgentState, records: WorkRecords): WorkPart => {
  const { agent, failures, gitChanged, judged, standing, started } = one
  const message = messageOf(one)
  const usage = standing._tag === "Finished" ? standing.finished.usage : null
  return {
    name: `Agent ${agent}`,
    what: started.taskId.slice(started.taskId.indexOf("/") + 1),
    verdict: agentVerdict(one),
    ...records.agents.get(agent) ?? never,
    facts: [
      { name: "Kind", value: `${started.kind} as ${started.role}, ${started.sandbox}` },
      ...told("Model", started.model),
      ...told("Effort", started.effort),
      ...told("Tokens", usage === null ? null : usageText(usage))
    ],
    problems: [
      ...failures.map(({ attempt, because, failure }) => `Attempt ${attempt} failed (${failure}): ${because}`),
      ...(standing._tag === "Failed" ? [`What can be done: ${standing.failed.remedy}`] : []),
      ...(judged?.problems ?? []),
      ...gitChanged.map((what) => `It changed git's own state: ${what}`)
    ],
    said: message === null ? null : excerptOf(message),
    diff: records.diffs.get(agent) ?? null
  }
}

const testVerdict = ({ standing }: TestState): Verdict => {
  if (standing._tag !== "Finished") return { tone: "open", text: standing._tag === "Running" ? "runs" : "says nothing" }
  const { exit } = standing.finished
  if (exit === 0) return { tone: "good", text: "green" }
  return { tone: "bad", text: exit === null ? "red: killed for its time" : `red: exit status ${exit}` }
}

const testPart = (one: TestState, records: WorkRecords): WorkPart => ({
  name: `Test ${one.started.test}`,
  what: one.started.command,
  verdict: testVerdict(one),
  ...records.tests.get(one.started.test) ?? never,
  facts: [],
  problems: [],
  said: records.printed.get(one.started.test) ?? null,
  diff: null
})

const began = ({ from }: WorkPart): number => from ?? Number.MAX_SAFE_INTEGER

/**
 * The work of one turn: the agents whose tasks begin with `prefix`, and the tests of its number. Tests of number 0
 * belong to no turn.
 */
export const workParts = (
  state: DrivenState,
  turn: { readonly prefix: string; readonly number: number },
  records: WorkRecords
): ReadonlyArray<WorkPart> => {
  const agents = state.agents.agents.filter(({ started }) => started.taskId.startsWith(turn.prefix))
  const tests = state.tests.filter(({ started }) => started.round === turn.number)
  return [...agents.map((one) => agentPart(one, records)), ...tests.map((one) => testPart(one, records))]
    .sort((a, b) => began(a) - began(b))
}

/** The agents and tests of a turn, counted. */
export const workText = (work: ReadonlyArray<WorkPart>): string => {
  const agents = work.filter(({ name }) => name.startsWith("Agent ")).length
  return `${counted(agents, "agent")}, ${counted(work.length - agents, "test run")}`
}
