// AgentKind: which program an agent is.
import { Schema } from "effect"

/** `command` is any program: it says nothing until it ends. */
export const AgentKind = Schema.Literals(["codex", "claude", "command"])
export type AgentKind = typeof AgentKind.Type
