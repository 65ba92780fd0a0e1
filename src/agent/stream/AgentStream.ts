// AgentStream: what a whole stream says: answer, thread, tokens, ending.
import { hunk } from "../../text/ProgramOutput.ts"
import type { Usage } from "../../run/Usage.ts"
import {
  type AgentEnding,
  failedLater,
  type FailedReport,
  failureOf,
  failureOfStatus,
  parseFailedReport
} from "../AgentEnding.ts"
import { interruptedSentence, lastLines, lastWords } from "../CodexFailure.ts"
import { toHeaders } from "../Result.ts"
import type { AgentEvent, AgentItem } from "./AgentEvent.ts"
import { decodeAgentLine } from "./CodexLines.ts"
import { lineReader, longestLine } from "./Lines.ts"

// The commands that an agent has started and not ended, and its tasks in the background. While one is open, silence does
// not count as idle, and the end of a turn is no end of the agent: it goes on when the task ends.

export type OpenCommands = ReadonlySet<string>

const taskName = (task: string): string => `task ${task}`
const isTask = (name: string): boolean => name.startsWith("task ")

const without = (open: OpenCommands, name: string): OpenCommands =>
  open.has(name) ? new Set([...open].filter((one) => one !== name)) : open

/** The open commands and tasks after one more event. The end of a turn ends all commands. */
export const evolveOpen = (open: OpenCommands, event: AgentEvent): OpenCommands => {
  switch (event._tag) {
    case "ItemStarted":
      return event.item._tag === "Command" ? new Set([...open, event.id]) : open
    case "ItemCompleted":
      return without(open, event.id)
    case "ExecCommandBegin":
      return new Set([...open, event.callId])
    case "ExecCommandEnd":
      return without(open, event.callId)
    case "TurnCompleted":
    case "TurnFailed":
    case "TaskComplete":
      return new Set([...open].filter(isTask))
    case "TaskOpened":
      return new Set([...open, taskName(event.task)])
    case "TaskClosed":
      return without(open, taskName(event.task))
    case "OpenTasks":
      return new Set([...[...open].filter((name) => !isTask(name)), ...event.tasks.map(taskName)])
    default:
      return open
  }
}

// What a whole stream says: the agent's answer, its thread, its tokens, and how it ended.

/** The status of the last turn; `none` if the stream names no turn, as the old grammar does until its end. */
export type Turn = "completed" | "failed" | "open" | "none"

/** What was read so far. `read`: whether anything was printed, and whether any of it was JSON. */
export interface AgentStream {
  /** The last completed message; null without one, or if `last` says why it is no answer. */
  readonly message: string | null
  /** What the last message was: `notice` is codex's own about an interruption, `cut` was too long to be read. */
  readonly last: "none" | "answer" | "blank" | "notice" | "cut"
  readonly threadId: string | null
  readonly usage: Usage | null
  readonly turn: Turn
  /** The message of the turn that failed. */
  readonly turnError: string | null
  /** The last error after which no reconnection succeeded. */
  readonly lastError: string | null
  /** The codes of this turn's errors, and when a quota is full again, from the program's own record. */
  readonly codes: ReadonlyArray<string>
  readonly until: number | null
  /** The window of the model's context in tokens, if known. */
  readonly contextWindow: number | null
  readonly read: "nothing" | "unparsed" | "events"
  /** The best result of a command or another tool that reads; `unclear` if its result may be anything. */
  readonly tools: "none" | "unclear" | "failed" | "succeeded"
  /** The calls of such tools: a result of Claude Code does not name its tool. */
  readonly reading: ReadonlySet<string>
}

/** Nothing read yet. */
export const emptyStream: AgentStream = {
  message: null,
  last: "none",
  threadId: null,
  usage: null,
  turn: "none",
  turnError: null,
  lastError: null,
  codes: [],
  until: null,
  contextWindow: null,
  read: "nothing",
  tools: "none",
  reading: new Set()
}

// The last message is the answer, unless it is blank or codex's own notice of an interruption.
const said = (stream: AgentStream, message: string): AgentStream => {
  const last = message.trim() === "" ? "blank" : message.trim() === interruptedSentence ? "notice" : "answer"
  return { ...stream, message: last === "answer" ? message : null, last }
}

// A cut line is no longer JSON, but its beginning is intact. An earlier message is not the answer.
const isCutMessage = (line: string): boolean =>
  line.length >= longestLine && /^\s*\{.{0,300}"type":\s*"agent_message"/.test(line.slice(0, 400))

// In Claude Code, an answer by a schema or a list of tasks is a tool call too, and reads nothing.
const reads = (item: AgentItem): boolean =>
  item._tag === "Command" || (item._tag === "ToolCall" && /^(?:Read|Grep)$/.test(item.tool))

const cameTo = ({ reading }: AgentStream, id: string, item: AgentItem): AgentStream["tools"] => {
  if (item._tag === "Command") return item.exitCode === 0 || hunk.test(item.output) ? "succeeded" : "failed"
  const isDone = item._tag === "ToolCall" && item.status === "completed"
  if (reading.has(id)) return isDone ? "succeeded" : "failed"
  return isDone && item.tool !== "" ? "unclear" : "none"
}

const ranks = ["none", "unclear", "failed", "succeeded"] as const
const used = (stream: AgentStream, id: string, item: AgentItem): AgentStream => {
  const tools = cameTo(stream, id, item)
  return ranks.indexOf(tools) > ranks.indexOf(stream.tools) ? { ...stream, tools } : stream
}

const coded = (
  stream: AgentStream,
  { codes = [], until }: Extract<AgentEvent, { readonly _tag: "Error" | "TurnFailed" }>
): AgentStream => ({
  ...stream,
  codes: [...stream.codes, ...codes],
  until: until ?? stream.until
})

const heard = (stream: AgentStream, event: AgentEvent): AgentStream => {
  switch (event._tag) {
    case "ThreadStarted":
      return { ...stream, threadId: event.threadId }
    case "TurnStarted":
      return { ...stream, turn: "open", turnError: null, codes: [], until: null }
    case "TurnCompleted":
      // A failed turn stays failed.
      return {
        ...stream,
        turn: stream.turn === "failed" ? "failed" : "completed",
        usage: event.usage ?? stream.usage
      }
    case "TurnFailed":
      return { ...coded(stream, event), turn: "failed", turnError: event.message }
    case "Error":
      return event.reconnecting ? stream : { ...coded(stream, event), lastError: event.message }
    case "ItemStarted":
      return reads(event.item) ? { ...stream, reading: new Set(stream.reading).add(event.id) } : stream
    case "ItemCompleted":
      return event.item._tag === "Message" ? said(stream, event.item.text) : used(stream, event.id, event.item)
    case "ExecCommandEnd":
      return used(stream, event.callId, { ...event, _tag: "Command", command: "", status: "" })
    case "AgentMessage":
      return said(stream, event.message)
    case "TaskStarted":
      return { ...stream, contextWindow: event.contextWindow ?? stream.contextWindow }
    case "TokenCount":
      return {
        ...stream,
        usage: event.usage ?? stream.usage,
        contextWindow: event.contextWindow ?? stream.contextWindow
      }
    case "TaskComplete": {
      const done: AgentStream = { ...stream, turn: stream.turn === "failed" ? "failed" : "completed" }
      return done.last === "none" && event.lastMessage !== null ? said(done, event.lastMessage) : done
    }
    case "Unparsed":
      return isCutMessage(event.line) ? { ...stream, message: null, last: "cut" } : stream
    default:
      return stream
  }
}

/** Adds one event. */
export const evolveStream = (stream: AgentStream, event: AgentEvent): AgentStream => {
  const next = heard(stream, event)
  const read = event._tag === "Unparsed" && next.read !== "events" ? "unparsed" : "events"
  return next.read === read ? next : { ...next, read }
}

/** Whether a stream's tool calls show that its agent read something; absent if it was cut off before any. */
export const readEvidence = ({ tools, turn }: AgentStream): { readonly read?: "tools" | "nothing" } => {
  if (tools === "succeeded") return { read: "tools" }
  return tools === "failed" || (tools === "none" && turn === "completed") ? { read: "nothing" } : {}
}

// An agent that refuses its arguments, or whose program is missing, says why on standard error only. Once its turn has
// begun, standard error may hold the project's text, and is only shown.
const unheard = ({ turn }: AgentStream, errors: string, exit: number | null): AgentEnding => {
  if (turn !== "none") return failedLater(lastLines(errors), exit)
  const said = lastWords(errors, false)
  return said === "" ? failureOfStatus(lastLines(errors), exit) : failureOf(said, exit)
}

const noticeIn = ({ last }: AgentStream): string => last === "notice" ? interruptedSentence : ""

/**
 * How an agent ended, from its stream and its exit status (null if a signal ended it). A turn that failed or was left
 * open fails the step whatever the status, and so does a status other than 0, and silence. `errors` is the end of its
 * standard error, which counts if the stream has no error. A result in JSON becomes headers and text, so that every
 * reader of a message knows one form.
 */
export const endingOf = (stream: AgentStream, exit: number | null, errors = ""): AgentEnding => {
  if (stream.turn === "failed") return failureOf(stream.turnError || stream.lastError || "", exit, stream)
  if (exit !== 0) {
    const said = stream.lastError ?? noticeIn(stream)
    return said === "" ? unheard(stream, errors, exit) : failureOf(said, exit, stream)
  }
  if (stream.last === "notice") return failureOf(interruptedSentence, exit)
  if (stream.turn === "open") return { _tag: "Crashed", message: "the turn was never completed", exit }
  if (stream.message === null && stream.last === "cut") {
    const message = `the agent's answer is longer than ${longestLine} characters, so it was not read`
    return { _tag: "Empty", message, unreadable: true }
  }
  if (stream.message === null) {
    return { _tag: "Empty", message: "the agent gave no answer", unreadable: stream.read === "unparsed" }
  }
  const message = toHeaders(stream.message)
  const report = parseFailedReport(message)
  return report === null ? { _tag: "Done", message } : { _tag: "Reported", message, report }
}

/** A stream with its ending. `failed` is the agent's own report of failure, if its last message is one. */
export interface FoldedStream {
  readonly ok: boolean
  readonly message: string | null
  readonly failed: FailedReport | null
  readonly threadId: string | null
  readonly usage: Usage | null
  readonly turn: Turn
  readonly ending: AgentEnding
}

/**
 * Folds everything that an agent printed on standard output, in chunks of any size, with its exit status. The same
 * bytes give the same answer however they are cut. Memory holds one line.
 */
export const foldAgentStream = (chunks: Iterable<string | Uint8Array>, exit: number | null): FoldedStream => {
  const reader = lineReader()
  let stream = emptyStream
  const take = (lines: ReadonlyArray<string>) => {
    for (const line of lines) {
      const event = decodeAgentLine(line)
      if (event !== null) stream = evolveStream(stream, event)
    }
  }
  for (const chunk of chunks) take(reader.push(chunk))
  take(reader.end())
  const ending = endingOf(stream, exit)
  const { message, threadId, turn, usage } = stream
  const failed = message === null ? null : parseFailedReport(toHeaders(message))
  return { ok: ending._tag === "Done", message, failed, threadId, usage, turn, ending }
}
