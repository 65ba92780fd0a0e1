// Blocks: what an agent does and says, as blocks of text for people: `### <label> [time]`, then indented lines.
// Everything below a label is from strangers: indented, so that no line of it can be a label, and with nothing hidden.
import { type Usage, usageText } from "../../run/Usage.ts"
import { counted, span } from "../../text/Phrases.ts"
import { blockLine, lines, oneLine, shortened } from "../../text/Untrusted.ts"
import type { AgentEvent, AgentItem, FileChange, PlanStep, RateWindow } from "./AgentEvent.ts"

/** What was shown last of what is shown once per change. */
export interface Shown {
  readonly usage: string
  readonly limits: string
  readonly message: string
}

/** Nothing shown yet. */
export const nothingShown: Shown = { usage: "", limits: "", message: "" }

/** How many lines of a command's output and of a patch are shown, and how many characters of a line of them. */
export const blockLimits = { output: 20, preview: 10, line: 400 } as const

interface Block {
  readonly label: string
  readonly body: ReadonlyArray<string>
}

const block = (label: string, body: ReadonlyArray<string> = []): ReadonlyArray<Block> => [{ label, body }]
const none: ReadonlyArray<Block> = []

/** The lines of a text. A newline at its end is the end of a line and begins none. */
const linesOf = (text: string): ReadonlyArray<string> => text === "" ? [] : lines(text.replace(/(\r\n|\n|\r)$/, ""))

const firstOf = (all: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const left = all.length - most
  const shown = all.slice(0, most).map((line) => shortened(line, blockLimits.line))
  return left > 0 ? [...shown, `... ${counted(left, "more line")}`] : shown
}

const output = (text: string): ReadonlyArray<string> => firstOf(linesOf(text), blockLimits.output)
const preview = (text: string): ReadonlyArray<string> => firstOf(linesOf(text), blockLimits.preview)
const exitLine = (exit: number | null): ReadonlyArray<string> =>
  exit === null || exit === 0 ? [] : [`exit code ${exit}`]
const ended = (text: string, exit: number | null): ReadonlyArray<Block> => {
  const body = [...output(text), ...exitLine(exit)]
  return body.length === 0 ? none : block("Output", body)
}
const files = (changes: ReadonlyArray<FileChange>): ReadonlyArray<string> =>
  firstOf(changes.map(({ kind, path }) => `${kind} ${path}`), blockLimits.preview)
const steps = (plan: ReadonlyArray<PlanStep>): ReadonlyArray<string> =>
  plan.map(({ completed, text }) => `[${completed ? "x" : " "}] ${text}`)
const optional = (text: string | null): ReadonlyArray<string> => text === null ? [] : linesOf(text)

const completedItem = (item: AgentItem): ReadonlyArray<Block> => {
  switch (item._tag) {
    case "Message":
      return block("Message", linesOf(item.text))
    case "Reasoning":
      return block("Reasoning", linesOf(item.text))
    case "Command":
      return item.status === "declined"
        ? block("Command refused", output(item.command))
        : ended(item.output, item.exitCode)
    case "FileChanges":
      return block(item.status === "failed" ? "Files not changed" : "Files changed", files(item.changes))
    case "TodoList":
      return block("Plan", steps(item.items))
    case "ToolCall":
      return block("Tool", [`${item.server} ${item.tool} ${item.status}`])
    case "WebSearch":
      return block("Search", linesOf(item.query))
    case "Plan":
      return block("Plan", linesOf(item.text))
    case "Warning":
      return block("Warning", linesOf(item.message))
    case "UnknownItem":
      return block("Unknown item", [item.type])
  }
}

const limitText = ({ minutes, resetsInSeconds, usedPercent }: RateWindow): string => {
  const window = minutes === null ? "the limit" : span(minutes * 60_000)
  const next = resetsInSeconds === null ? "" : ` (new in ${span(resetsInSeconds * 1000)})`
  return `${Math.round(usedPercent)}% of ${window}${next}`
}

/** The rate limits without the time, which passes with every event. */
const limitKey = (all: ReadonlyArray<RateWindow>): string =>
  all.map((one) => limitText({ ...one, resetsInSeconds: null })).join(", ")

/** The usage and the rate limits of an event, each only where it is not what was shown last. */
const changed = (shown: Shown, usage: Usage | null, limits: ReadonlyArray<RateWindow>) => {
  const now = usage === null ? shown.usage : usageText(usage)
  const key = limits.length === 0 ? shown.limits : limitKey(limits)
  const blocks = [
    ...(now === shown.usage ? none : block("Usage", [now])),
    ...(key === shown.limits ? none : block("Rate limits", limits.map(limitText)))
  ]
  return { shown: { ...shown, usage: now, limits: key }, blocks }
}

const blocksOf = (event: AgentEvent, { message }: Shown): ReadonlyArray<Block> => {
  switch (event._tag) {
    case "Unparsed":
      return block("Printed", output(event.line))
    case "Unknown":
      return block("Unknown event", output(event.line))
    case "Started": {
      const { model, provider, sandbox } = event
      const told = Object.entries({ model, provider, sandbox }).filter(([, value]) => value !== null)
      return block("Started", told.map(([name, value]) => `${name} ${value}`))
    }
    case "ThreadStarted":
      return block("Thread", [event.threadId])
    case "TaskStarted":
      return block("Started", event.contextWindow === null ? [] : [`context window ${event.contextWindow} tokens`])
    case "TurnFailed":
      return block("Turn failed", linesOf(event.message))
    case "Error":
      return block(event.reconnecting ? "Reconnecting" : "Error", linesOf(event.message))
    case "ItemStarted":
      return event.item._tag === "Command" ? block("Command", output(event.item.command)) : none
    case "ItemUpdated":
      return event.item._tag === "TodoList" ? completedItem(event.item) : none
    case "ItemCompleted":
      return completedItem(event.item)
    case "AgentReasoning":
      return block("Reasoning", linesOf(event.text))
    case "AgentMessage":
      return block("Message", linesOf(event.message))
    case "ExecCommandBegin":
      return block("Command", output(event.command))
    case "ExecCommandEnd":
      return ended(event.output, event.exitCode)
    case "PlanUpdate":
      return block("Plan", [...optional(event.explanation), ...steps(event.plan)])
    case "TurnDiff":
      return block("Diff", preview(event.diff))
    case "PatchApplyBegin":
      return block("Patch", files(event.changes))
    case "PatchApplyEnd":
      return event.success ? none : block("Patch failed")
    case "TaskComplete":
      // The message has been shown, unless it came with the end alone.
      return event.lastMessage === null || event.lastMessage === message
        ? none
        : block("Message", linesOf(event.lastMessage))
    case "TurnCompleted":
    case "TokenCount":
    case "SessionCreated":
    case "TurnStarted":
    case "ItemDelta":
    case "AgentReasoningSectionBreak":
    case "ExecCommandOutputDelta":
      return none
  }
}

const two = (value: number): string => String(value).padStart(2, "0")
const time = (at: number): string => {
  const seconds = Math.floor(at / 1000) % 86_400
  return [3600, 60, 1].map((unit, i) => two(Math.floor(seconds / unit) % (i === 0 ? 24 : 60))).join(":")
}

/**
 * The lines that an event is shown as, none for most, and what has been shown after it. `at` in epoch milliseconds;
 * `zone` is how far the clock of whoever reads is ahead of UTC.
 */
export const showEvent = (shown: Shown, event: AgentEvent, at: number, zone = 0) => {
  const usage = event._tag === "TurnCompleted" || event._tag === "TokenCount" ? event.usage : null
  const { blocks, shown: next } = changed(shown, usage, event._tag === "TokenCount" ? event.limits : [])
  const said = event._tag === "AgentMessage" ? event.message : shown.message
  const text = [...blocksOf(event, shown), ...blocks].flatMap(({ body, label }) => [
    `### ${oneLine(label)} [${time(at + zone)}]`,
    ...body.map((line) => `  ${lines(line).map(blockLine).join("\\n")}`.trimEnd())
  ])
  return { lines: text, shown: { ...next, message: said } satisfies Shown }
}
