// AgentEvent: one line of an agent's output. Every line that is not blank is exactly one event.
// The tags are codex's own names: `item.completed` is ItemCompleted, `exec_command_begin` is ExecCommandBegin.
import type { Usage } from "../../run/Usage.ts"

/** A file that an agent changed, by the path that it named. */
export interface FileChange {
  readonly path: string
  readonly kind: "add" | "delete" | "update" | "unknown"
}

export interface PlanStep {
  readonly text: string
  readonly completed: boolean
}

/** What an agent does or says, from `item.started`, `item.updated` and `item.completed`. */
export type AgentItem =
  | { readonly _tag: "Message"; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly text: string }
  | {
    readonly _tag: "Command"
    readonly command: string
    readonly output: string
    readonly exitCode: number | null
    readonly status: string
  }
  | { readonly _tag: "FileChanges"; readonly changes: ReadonlyArray<FileChange>; readonly status: string }
  | { readonly _tag: "TodoList"; readonly items: ReadonlyArray<PlanStep> }
  | { readonly _tag: "ToolCall"; readonly server: string; readonly tool: string; readonly status: string }
  | { readonly _tag: "WebSearch"; readonly query: string }
  | { readonly _tag: "Plan"; readonly text: string }
  | { readonly _tag: "Warning"; readonly message: string }
  | { readonly _tag: "UnknownItem"; readonly type: string }

/** A window of a service's rate limit: how much of it is used, how long it is, when the next one begins. */
export interface RateWindow {
  readonly usedPercent: number
  readonly minutes: number | null
  readonly resetsInSeconds: number | null
}

interface Item {
  readonly id: string
  readonly item: AgentItem
}

/** A failure in the program's words, with the codes and the reset of a quota (epoch milliseconds) that it records. */
interface Reported {
  readonly message: string
  readonly codes?: ReadonlyArray<string>
  readonly until?: number
}

/** One event. `Unknown` keeps a line of an unknown type, `Unparsed` one that is not JSON. */
export type AgentEvent =
  | { readonly _tag: "Unparsed"; readonly line: string }
  | { readonly _tag: "Unknown"; readonly type: string | null; readonly line: string }
  | {
    readonly _tag: "Started"
    readonly model: string | null
    readonly provider: string | null
    readonly sandbox: string | null
  }
  // Present grammar.
  | { readonly _tag: "ThreadStarted"; readonly threadId: string }
  | { readonly _tag: "SessionCreated"; readonly sessionId: string | null }
  | { readonly _tag: "TurnStarted" }
  | { readonly _tag: "TurnCompleted"; readonly usage: Usage | null }
  | ({ readonly _tag: "TurnFailed" } & Reported)
  | ({ readonly _tag: "Error"; readonly reconnecting: boolean } & Reported)
  | ({ readonly _tag: "ItemStarted" } & Item)
  | ({ readonly _tag: "ItemUpdated" } & Item)
  | ({ readonly _tag: "ItemCompleted" } & Item)
  | { readonly _tag: "ItemDelta" }
  // Tasks in the background, which outlive a turn.
  | { readonly _tag: "TaskOpened" | "TaskClosed"; readonly task: string }
  | { readonly _tag: "OpenTasks"; readonly tasks: ReadonlyArray<string> }
  // Old grammar.
  | { readonly _tag: "TaskStarted"; readonly contextWindow: number | null }
  | { readonly _tag: "AgentReasoning"; readonly text: string }
  | { readonly _tag: "AgentReasoningSectionBreak" }
  | { readonly _tag: "AgentMessage"; readonly message: string }
  | {
    readonly _tag: "ExecCommandBegin"
    readonly callId: string
    readonly command: string
    readonly cwd: string | null
  }
  | { readonly _tag: "ExecCommandOutputDelta"; readonly callId: string }
  | {
    readonly _tag: "ExecCommandEnd"
    readonly callId: string
    readonly exitCode: number | null
    readonly output: string
    readonly millis: number | null
  }
  | {
    readonly _tag: "TokenCount"
    readonly usage: Usage | null
    readonly contextWindow: number | null
    readonly limits: ReadonlyArray<RateWindow>
  }
  | { readonly _tag: "PlanUpdate"; readonly explanation: string | null; readonly plan: ReadonlyArray<PlanStep> }
  | { readonly _tag: "TurnDiff"; readonly diff: string }
  | { readonly _tag: "PatchApplyBegin"; readonly changes: ReadonlyArray<FileChange> }
  | { readonly _tag: "PatchApplyEnd"; readonly success: boolean }
  | { readonly _tag: "TaskComplete"; readonly lastMessage: string | null }
