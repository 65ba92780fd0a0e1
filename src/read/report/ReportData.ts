// ReportData: the contents of a report of a run, as plain data. The page is written only from this.
// Texts from outside are in it unchanged; whoever shows them escapes them.
import type { AgentState } from "../../agent/State.ts"
import type { TestState } from "../../drive/State.ts"
import type { LongText } from "../../run/Event.ts"
import type { Level } from "../../run/Level.ts"
import { usageText } from "../../run/Usage.ts"
import { counted } from "../../text/Phrases.ts"
import { type Excerpt, excerptOf } from "../Excerpt.ts"
import type { FindingsPart } from "../RunFindings.ts"
import type { AgentView, RoundView, TestView } from "../RunView.ts"
import type { Tone } from "../../text/Paint.ts"
import type { PathPart } from "./Path.ts"

/** A text with its tone. */
export interface Verdict {
  readonly tone: Tone
  readonly text: string
}

/** A name and its value, both for people. */
export interface Fact {
  readonly name: string
  readonly value: string
}

/** The proof of one level by a fixed point. */
interface ProvenLevel {
  readonly level: Level
  readonly tone: Tone
  /** Sentences without a full stop, the most important first. */
  readonly lines: ReadonlyArray<string>
}

/** The proof of a fixed point. */
export interface ProofPart {
  readonly statement: Verdict
  readonly levels: ReadonlyArray<ProvenLevel>
  readonly conclusion: string
}

/** The result of an audit. `words` are its findings and notes, `left` counts the others, which `call` prints too. */
export interface AuditPart {
  readonly verdict: Verdict
  readonly checked: string
  readonly words: ReadonlyArray<Verdict>
  readonly left: number
  readonly call: string
}

/** An agent's work, or a test of the project. Times in epoch milliseconds, null if the log has none. */
export interface WorkPart {
  readonly name: string
  readonly what: string
  readonly verdict: Verdict
  readonly from: number | null
  readonly to: number | null
  readonly facts: ReadonlyArray<Fact>
  /** Its problems, one sentence each. */
  readonly problems: ReadonlyArray<string>
  /** The agent's answer, or the end of the test's output. */
  readonly said: Excerpt | null
  readonly diff: DiffPart | null
}

/** The diff of an agent: from the snapshot before it to the one after it. */
export interface DiffPart {
  readonly title: string
  readonly files: ReadonlyArray<string>
  readonly text: Excerpt
  /** Why there is no diff, or null. */
  readonly problem: string | null
}

/** An agent's answer to a finding. */
export interface AnswerPart {
  readonly fingerprint: string
  readonly title: string | null
  readonly answer: string
  readonly why: string
}

/** A round of a converging run, a cycle of a plan, or the work outside of both. */
export interface TurnPart {
  readonly id: string
  readonly title: string
  readonly verdict: Verdict
  readonly facts: ReadonlyArray<Fact>
  readonly answers: ReadonlyArray<AnswerPart>
  readonly reviews: ReadonlyArray<ReviewPart>
  readonly work: ReadonlyArray<WorkPart>
}

/** A review of a plan's code. */
export interface ReviewPart {
  readonly title: string
  readonly verdict: Verdict
  readonly issues: ReadonlyArray<{ readonly severity: string; readonly place: string | null; readonly text: string }>
  readonly text: Excerpt
  readonly notes: ReadonlyArray<string>
}

/** A task of a plan, as far as the run's log names it. */
export interface TaskPart {
  readonly number: number
  readonly title: string
  readonly verdict: Verdict
}

/** The first and the last events of a log, as in `replay`, and how many between them are left out. */
export interface LogPart {
  /** The kind of the log. */
  readonly name: string
  readonly count: number
  readonly first: ReadonlyArray<string>
  readonly left: number
  readonly last: ReadonlyArray<string>
}

/** The whole report. */
export interface ReportData {
  readonly run: string
  readonly title: string
  readonly verdict: Verdict
  readonly facts: ReadonlyArray<Fact>
  readonly proof: ProofPart | null
  readonly audit: AuditPart
  readonly path: PathPart | null
  readonly findings: FindingsPart | null
  /** The tasks of a plan; null for other runs. */
  readonly tasks: ReadonlyArray<TaskPart> | null
  readonly turns: ReadonlyArray<TurnPart>
  readonly logs: ReadonlyArray<LogPart>
  /** The command that prints all of the logs. */
  readonly replay: string
  /** When and by which version of the program the report was made. */
  readonly made: string
}

// The work of agents and tests in one turn of a driver, in the order of its beginning.

/** The output of a driver's work beside its log: the tests' output, the agents' diffs. */
export interface WorkRecords {
  /** The ends of the tests' output, by the tests' numbers. */
  readonly printed: ReadonlyMap<number, Excerpt>
  readonly diffs: ReadonlyMap<number, DiffPart>
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

const optional = (name: string, value: string | null): ReadonlyArray<Fact> => value === null ? [] : [{ name, value }]

const agentPart = ({ from, state, to }: AgentView, records: WorkRecords): WorkPart => {
  const { agent, failures, filesChanged = [], gitChanged, judged, standing, started } = state
  const message = messageOf(state)
  const usage = standing._tag === "Finished" ? standing.finished.usage : null
  return {
    name: `Agent ${agent}`,
    what: started.taskId.slice(started.taskId.indexOf("/") + 1),
    verdict: agentVerdict(state),
    from,
    to,
    facts: [
      { name: "Kind", value: `${started.kind} as ${started.role}, ${started.sandbox}` },
      ...optional("Model", started.model),
      ...optional("Effort", started.effort),
      ...optional("Tokens", usage === null ? null : usageText(usage))
    ],
    problems: [
      ...failures.map(({ attempt, because, failure }) => `Attempt ${attempt} failed (${failure}): ${because}`),
      ...(standing._tag === "Failed" ? [`What can be done: ${standing.failed.remedy}`] : []),
      ...(judged?.problems ?? []),
      ...filesChanged.map((what) => `Although it may only read, this changed: ${what}`),
      ...gitChanged.map((what) => `It changed git's own state: ${what}`)
    ],
    said: message === null ? null : excerptOf(message),
    diff: records.diffs.get(agent) ?? null
  }
}

const testVerdict = ({ standing }: TestState): Verdict => {
  if (standing._tag !== "Finished") return { tone: "open", text: standing._tag === "Running" ? "runs" : "stopped" }
  const { exit } = standing.finished
  if (exit === 0) return { tone: "good", text: "passed" }
  return { tone: "bad", text: exit === null ? "failed: ran out of time" : `failed: exit ${exit}` }
}

const testPart = ({ from, state, to }: TestView, records: WorkRecords): WorkPart => ({
  name: `Test ${state.started.test}`,
  what: state.started.command,
  verdict: testVerdict(state),
  from,
  to,
  facts: [],
  problems: [],
  said: records.printed.get(state.started.test) ?? null,
  diff: null
})

const began = ({ from }: WorkPart): number => from ?? Number.MAX_SAFE_INTEGER

/** Agents and tests in the order in which they began. */
export const workParts = (
  { agents, tests }: Pick<RoundView, "agents" | "tests">,
  records: WorkRecords
): ReadonlyArray<WorkPart> =>
  [...agents.map((one) => agentPart(one, records)), ...tests.map((one) => testPart(one, records))]
    .sort((a, b) => began(a) - began(b))

/** The agents and tests of a turn, counted. */
export const workText = (work: ReadonlyArray<WorkPart>): string => {
  const agents = work.filter(({ name }) => name.startsWith("Agent ")).length
  return `${counted(agents, "agent")}, ${counted(work.length - agents, "test run")}`
}
