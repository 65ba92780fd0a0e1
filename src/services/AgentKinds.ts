// AgentKinds: the agents that a call can choose from: the port to each kind, by its program.
import { Context, type Layer } from "effect"
import type { AgentKind } from "../core/run/AgentKind.ts"
import type { Agent } from "./Agent.ts"

export class AgentKinds extends Context.Service<AgentKinds, {
  /** The agents of a kind: by the name or path of their program, and of a command by the line of the shell. */
  readonly of: (kind: AgentKind, program: string | null) => Layer.Layer<Agent>
}>()("ooda-codex-review/services/AgentKinds") {}
