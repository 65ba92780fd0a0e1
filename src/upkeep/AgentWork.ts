// AgentWork: what watching tells beside the reviewers: the agents of the run's driver, and the tokens so far.
// The stream of the driver says it. Whether an agent's processes live is not looked at.
import { type AgentState, underWay } from "../core/agent/AgentsState.ts"
import { workingText } from "../core/loop/Row.ts"
import { oneLine } from "../core/text/Text.ts"
import { shortened } from "../core/text/Untrusted.ts"
import { type DriverPlace, type Spending, spendingText, spent as known, type Spent } from "../runs/Spending.ts"

/** An agent that is under way. `elapsed`: milliseconds since its present attempt was started. */
export interface AgentRow {
  readonly agent: number
  readonly attempt: number
  readonly state: "running" | "waiting"
  readonly elapsed: number
  readonly kind: string
  readonly role: string
  readonly task: string
}

/** What is known of agents and tokens. An unknown value has no field. */
export interface AgentWork {
  readonly agents?: ReadonlyArray<AgentRow>
  readonly usage?: Spending
}

const rowOf = ({ agent, standing, started }: AgentState, driver: DriverPlace, now: number): AgentRow => ({
  agent,
  attempt: started.attempt,
  state: standing._tag === "Waiting" ? "waiting" : "running",
  elapsed: Math.max(0, now - (driver?.since.get(agent) ?? now)),
  kind: started.kind,
  role: started.role,
  task: started.taskId
})

/** The agents that are under way now, and what the run has used. */
export const agentWork = ({ driver, spending }: Spent, now: number): AgentWork => {
  const state = driver?.walked.state ?? null
  const agents = state === null ? [] : underWay(state.agents).map((one) => rowOf(one, driver, now))
  return { ...(agents.length === 0 ? {} : { agents }), ...known(spending) }
}

/** The fields of a document alone. */
export const workOf = ({ agents, usage }: AgentWork): AgentWork => ({
  ...(agents === undefined ? {} : { agents }),
  ...(usage === undefined ? {} : { usage })
})

const longestTask = 100

/** A line, and the part of it whose change is printed. */
export interface WorkLine {
  readonly essence: string
  readonly text: string
}

const lineOf = ({ agent, attempt, elapsed, kind, role, state, task }: AgentRow): WorkLine => {
  const doing = `${kind} as ${role} of "${oneLine(shortened(task, longestTask))}"`
  return {
    essence: `agent ${agent} ${attempt} ${state}`,
    text: workingText({ name: `agent ${agent}`, state, elapsed, activity: doing, silentFor: null })
  }
}

/** The lines for people: one for each agent that is under way, one for the tokens. */
export const workLines = ({ agents = [], usage }: AgentWork): ReadonlyArray<WorkLine> => {
  const tokens = usage === undefined ? [] : [`tokens    ${spendingText(usage)}`]
  return [...agents.map(lineOf), ...tokens.map((text) => ({ essence: text, text }))]
}
