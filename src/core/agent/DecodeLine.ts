// DecodeLine: one line of an agent's output as one event. It is total: nothing throws, and nothing is left out.
import type { AgentEvent } from "./AgentEvent.ts"
import { type Fields, isFields, textOrNull } from "../text/Fields.ts"
import { oldEvent } from "./OldGrammar.ts"
import { presentEvent } from "./PresentGrammar.ts"

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const banner = ({ model, provider, sandbox }: Fields): AgentEvent | null =>
  model === undefined && provider === undefined && sandbox === undefined
    ? null
    : { _tag: "Started", model: textOrNull(model), provider: textOrNull(provider), sandbox: textOrNull(sandbox) }

/**
 * Decodes a line, without its line end. Null for a blank line. An object with a `type` that is a text is read in the
 * present grammar, one with a `msg` object in the old one, and one that names a model, a provider or a sandbox is the
 * banner. Everything else is `Unknown` or, where it is no JSON, `Unparsed`; both keep the line.
 */
export const decodeAgentLine = (line: string): AgentEvent | null => {
  if (line.trim() === "") return null
  const value = parsed(line)
  if (value === undefined) return { _tag: "Unparsed", line }
  if (!isFields(value)) return { _tag: "Unknown", type: null, line }
  const type = textOrNull(value["type"])
  if (type !== null) return presentEvent(type, value) ?? { _tag: "Unknown", type, line }
  const msg = value["msg"]
  if (isFields(msg)) return oldEvent(msg) ?? { _tag: "Unknown", type: textOrNull(msg["type"]), line }
  return banner(value) ?? { _tag: "Unknown", type: null, line }
}
