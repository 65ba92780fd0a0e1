// events: events of a run's driver with plain defaults, for tests of code that reads its stream.
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { created, digest } from "../../run/events.ts"

type EventOf<Tag extends ConvergeEvent["_tag"]> = Extract<ConvergeEvent, { readonly _tag: Tag }>

export const driving: EventOf<"ConvergeStarted"> = {
  _tag: "ConvergeStarted",
  runId: created().runId,
  nonce: "1".repeat(32)
}

export const agentStarted = (fields: Partial<EventOf<"AgentStarted">> = {}): EventOf<"AgentStarted"> => ({
  _tag: "AgentStarted",
  agent: 1,
  attempt: 1,
  id: "a1",
  cause: "First",
  kind: "codex",
  role: "worker",
  taskId: "fix-1",
  sandbox: "workspace-write",
  effort: null,
  model: null,
  thread: null,
  prompt: digest,
  ...fields
})

export const agentFinished = (fields: Partial<EventOf<"AgentFinished">> = {}): EventOf<"AgentFinished"> => ({
  _tag: "AgentFinished",
  agent: 1,
  attempt: 1,
  ending: "Done",
  message: { text: "Fixed." },
  threadId: "t1",
  usage: { input: 300_000, cached: 250_000, output: 12_000, reasoning: 4000 },
  transcript: digest,
  ...fields
})
