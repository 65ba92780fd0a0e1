// Activity: what an agent was last seen doing.
import type { AgentKind } from "../../log/Refs.ts"
import { activityOf, bareCommand, terminalLine } from "../../text/ProgramOutput.ts"
import type { AgentEvent, AgentItem, PlanStep } from "./AgentEvent.ts"
import { decodeClaudeLine } from "./ClaudeLines.ts"
import { decodeAgentLine } from "./CodexLines.ts"

// What an agent was last seen doing, in a few words, from the end of what it printed.
// Only for people to look at.

/** The first line with words, without the Markdown around it. */
const firstLine = (text: string): string =>
  text.split(/\r?\n/).map((line) => terminalLine(line).replaceAll("**", "")).find((line) => line !== "") ?? ""

/** A message. One with the headers of a result is the answer to the task. */
const said = (text: string): string => /^role: \w/m.test(text) ? "answers" : firstLine(text)

const ran = (command: string, exitCode: number | null): string => {
  const failed = exitCode === null || exitCode === 0 ? "" : `exit ${exitCode} of `
  return `${failed}$ ${firstLine(bareCommand(command))}`
}

const planned = (steps: ReadonlyArray<PlanStep>): string =>
  `plan: ${firstLine(steps.find(({ completed }) => !completed)?.text ?? "done")}`

const edited = (paths: ReadonlyArray<string>): string => `edits ${firstLine(paths.join(", "))}`

const doneIn = (item: AgentItem): string | null => {
  switch (item._tag) {
    case "Message":
      return said(item.text)
    case "Reasoning":
    case "Plan":
      return firstLine(item.text)
    case "Command":
      return ran(item.command, item.exitCode)
    case "FileChanges":
      return edited(item.changes.map(({ path }) => path))
    case "TodoList":
      return planned(item.items)
    case "ToolCall":
      return terminalLine(`calls ${item.tool} of ${item.server}`)
    case "WebSearch":
      return `searches the web: ${firstLine(item.query)}`
    case "Warning":
      return firstLine(item.message)
    case "UnknownItem":
      return null
  }
}

const doneBy = (event: AgentEvent): string | null => {
  switch (event._tag) {
    case "ItemStarted":
    case "ItemUpdated":
    case "ItemCompleted":
      return doneIn(event.item)
    case "ExecCommandBegin":
      return ran(event.command, null)
    case "AgentMessage":
      return said(event.message)
    case "AgentReasoning":
      return firstLine(event.text)
    case "PlanUpdate":
      return planned(event.plan)
    case "PatchApplyBegin":
      return edited(event.changes.map(({ path }) => path))
    case "Error":
    case "TurnFailed":
      return firstLine(event.message)
    case "ThreadStarted":
    case "TurnStarted":
    case "TaskStarted":
      return "thinking"
    default:
      return null
  }
}

/** What an agent was doing, from the end of its output. Empty if unknown. */
export const agentActivity = (kind: AgentKind, end: string): string => {
  // Such an agent prints only its answer.
  if (kind === "command") return activityOf(end)
  const lines = end.split("\n")
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] ?? ""
    const one = kind === "codex" ? decodeAgentLine(line) : null
    const events = kind === "claude" ? decodeClaudeLine(line) : one === null ? [] : [one]
    for (const event of events.toReversed()) {
      const doing = doneBy(event)
      if (doing !== null && doing !== "") return terminalLine(doing)
    }
  }
  return ""
}
