// Reading: whether a reviewer has read anything, judged by the commands that it ran.
import { hunk } from "../../text/ProgramOutput.ts"
import { type Fields, isFields, listOf, textOf } from "../../text/Json.ts"
import { cut } from "../../text/Untrusted.ts"

/*
 * Words can say that nothing was read, never that something was; commands can. `codex review` gives the model an
 * instruction and never the diff, so a reviewer without a successful command has read nothing. Two sources show its
 * commands: the session files that codex writes, and the `exec` blocks and lines of tools in the transcript.
 *
 * One success is enough: a command that ended with 0, or a hunk in the output of one that did not. What a command
 * printed is a project's text and decides nothing else: in a session it is a string inside its own record, whose head
 * alone gives the exit code; in a transcript a result counts only for an `exec` line before it. A project that prints
 * a whole block into a transcript is believed, but then a command has shown its text.
 */

/** A command that a reviewer ran. `unknown`: its end was not recorded. */
interface Call {
  readonly command: string
  readonly outcome: "succeeded" | "failed" | "unknown"
}

/** The commands that one source shows. `whole`: it shows all of them. `calls`: the first ones. */
export interface CommandCounts {
  readonly succeeded: number
  readonly failed: number
  readonly unknown: number
  readonly whole: boolean
  readonly calls: ReadonlyArray<Call>
}

/** Both sources; null if one is missing, or is too large to be read whole. */
export interface Reading {
  readonly session: CommandCounts | null
  readonly transcript: CommandCounts | null
}

/** No source shows anything. */
export const notShown: Reading = { session: null, transcript: null }

const keptCalls = 200
const longestCommand = 300

const ranOf = (calls: ReadonlyArray<Call>, whole: boolean): CommandCounts => {
  const count = (outcome: Call["outcome"]) => calls.filter((call) => call.outcome === outcome).length
  return {
    succeeded: count("succeeded"),
    failed: count("failed"),
    unknown: count("unknown"),
    whole,
    calls: calls.slice(0, keptCalls).map(({ command, outcome }) => ({
      command: cut(command, longestCommand),
      outcome
    }))
  }
}

/** Whether a reviewer's commands show that it read something, that it read nothing, or neither. */
export const readBy = ({ session, transcript }: Reading): "tools" | "nothing" | "not-shown" => {
  const bySession = (session?.succeeded ?? 0) > 0
  const byTranscript = (transcript?.succeeded ?? 0) > 0
  if (session !== null && !bySession) {
    const tried = session.failed + session.unknown > 0
    if (tried ? session.unknown === 0 || !byTranscript : session.whole) return "nothing"
  }
  // A command that was left running has no result in the transcript of older versions.
  const complete = transcript !== null && transcript.failed > 0 && !(bySession && transcript.unknown > 0)
  if (complete && !byTranscript) return "nothing"
  return bySession || byTranscript ? "tools" : "not-shown"
}

const field = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

const outputText = (output: unknown): string =>
  typeof output === "string" ? output : listOf(output).map((part) => textOf(field(part, "text"))).join("\n")

// "Process exited with code 0" comes before the output, which may say the same.
const outcomeOf = (output: string): Call["outcome"] => {
  const at = output.indexOf("\nOutput:\n")
  const head = at < 0 ? output : output.slice(0, at)
  if (/^(?:Process exited with code|Exit code:) 0$/m.test(head) || (at >= 0 && hunk.test(output.slice(at)))) {
    return "succeeded"
  }
  return /^(?:Process running with|Script completed|Plan )/m.test(head) ? "unknown" : "failed"
}

/**
 * Reads the payloads of a review's session files, its own and its reviewer's, in any order. If codex records commands
 * as items (a `paginated` file), it records each of them; otherwise the outputs of the calls decide.
 */
export const sessionReader = () => {
  const items = new Map<string, Call>()
  const called = new Map<string, { command: string; script: boolean; output: string | null }>()
  let paginated = false
  let whole = false
  const callOf = (id: string) => called.get(id) ?? { command: "", script: false, output: null }
  const item = (one: Fields): void => {
    if (one["type"] !== "CommandExecution") return
    const command = listOf(one["command"]).map(textOf).at(-1) ?? textOf(one["command"])
    const read = one["exit_code"] === 0 || hunk.test(textOf(one["aggregated_output"]))
    items.set(textOf(one["id"]), { command, outcome: read ? "succeeded" : "failed" })
  }
  return {
    /** Takes the payload of a line; `own` says whether it comes from the reviewer's own file. */
    take: (payload: Fields, own: boolean): void => {
      const type = textOf(payload["type"])
      const id = textOf(payload["call_id"])
      if (payload["history_mode"] === "paginated") paginated = true
      if (own && type === "task_complete") whole = true
      else if (type === "item_completed" && isFields(payload["item"])) item(payload["item"])
      else if (type.endsWith("_call_output")) called.set(id, { ...callOf(id), output: outputText(payload["output"]) })
      else if (type.endsWith("_call")) {
        const command = textOf(payload["arguments"]) || textOf(payload["input"]) || textOf(payload["name"])
        called.set(id, { ...callOf(id), command, script: type.startsWith("custom") })
      }
    },
    /** The commands in the lines. `complete` is false if a file was too large to be read whole. */
    ran: (complete: boolean): CommandCounts => {
      // A script prints anything, so it proves nothing beside items; without items the transcript may show more.
      const calls = [...called].filter(([id]) => !items.has(id)).map(([, { command, output, script }]): Call => ({
        command,
        outcome: script && paginated ? "failed" : output === null ? "unknown" : outcomeOf(output)
      }))
      return ranOf([...items.values(), ...calls], whole && complete)
    }
  }
}

const result = /^ (succeeded|exited -?\d+|declined)(?: in \S+)?:$/
// "mcp: graph/read started", "mcp: graph/read (failed)", "tool graph.read({})", "graph.read({}) failed in 2ms:"
const toolLine =
  /^(mcp: [\w.-]{1,100}\/|tool:? )?([\w./:-]{1,200})(\(.*\))?(?: started| \((\w+)\)| (success|succeeded|failed) in \S+:)?$/

/** Reads the lines of a transcript that follow its banner. */
export const transcriptReader = () => {
  const calls: Array<Call> = []
  const open: Array<string> = []
  // Tools without a shell show no output here: that one ended well does not say what it returned.
  const tools = new Map<string, Call>()
  let header = false
  return {
    take: (line: string): void => {
      const found = result.exec(line)
      const last = calls.length - 1
      const [, kind, name = "", given, state, ended] = toolLine.exec(line) ?? []
      if (kind !== undefined || (given !== undefined && ended !== undefined)) {
        const failed = /^(?:failed|error|cancell?ed|declined|denied)$/.test(state ?? ended ?? "")
        tools.set(name, { command: name, outcome: failed ? "failed" : "unknown" })
      }
      if (line === "exec") header = true
      else if (header) {
        open.push(line)
        header = false
      } else if (found !== null && calls.length < open.length) {
        calls.push({ command: open[calls.length] ?? "", outcome: found[1] === "succeeded" ? "succeeded" : "failed" })
      } else if (last >= 0 && hunk.test(line)) {
        calls[last] = { command: open[last] ?? "", outcome: "succeeded" }
      }
    },
    ran: (): CommandCounts =>
      ranOf([
        ...calls,
        ...open.slice(calls.length).map((command): Call => ({ command, outcome: "unknown" })),
        ...tools.values()
      ], true)
  }
}

/** The commands in a stored copy of a session; null if it has no record of them. */
export const ranFrom = (value: unknown): CommandCounts | null => {
  const [succeeded, failed, unknown] = ["succeeded", "failed", "unknown"].map((name) => field(value, name))
  if (typeof succeeded !== "number" || typeof failed !== "number" || typeof unknown !== "number") return null
  return { succeeded, failed, unknown, whole: field(value, "whole") === true, calls: [] }
}
