// OpenCommands: the commands that an agent has started and not yet ended. While one is open, silence is no idleness.
import type { AgentEvent } from "./AgentEvent.ts"

/** The names of the commands that are open. */
export type OpenCommands = ReadonlySet<string>

const without = (open: OpenCommands, name: string): OpenCommands =>
  open.has(name) ? new Set([...open].filter((one) => one !== name)) : open

/** The open commands after one more event. The end of a turn ends them all. */
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
      return new Set()
    default:
      return open
  }
}
