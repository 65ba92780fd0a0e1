// Silence: the end of a stream of events that is no progress: it only tries to reach its model again.
import { decodeClaudeLine } from "../../core/agent/ClaudeStream.ts"
import { decodeAgentLine } from "../../core/agent/DecodeLine.ts"
import type { StalledTail, Transcript } from "../process/Progress.ts"

// A line is decoded only if it holds one of these words. Both decoders may try it: neither takes a line of the other's
// for a reconnection.
const isStalled = (line: string): boolean => {
  if (!line.includes("Reconnecting") && !line.includes("api_retry")) return false
  return [decodeAgentLine(line), ...decodeClaudeLine(line)].some((event) =>
    event?._tag === "Error" && event.reconnecting
  )
}

const stalledTail = (text: string): StalledTail | null => {
  let end = text.length
  let waits = 0
  while (end > 0) {
    const start = end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1
    if (!isStalled(text.slice(start, end))) break
    waits += 1
    end = start
  }
  return waits === 0 ? null : { from: end, waits, cut: end === 0 }
}

/** How the silence of an agent is told: by its events alone, whatever it writes to standard error. */
export const transcript: Transcript = { file: "out", alone: true, stalledTail }
