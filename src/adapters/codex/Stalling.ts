// Stalling: whether the end of a transcript is progress, or only codex trying to reach its model again.
// Codex's own lines about reconnecting are no progress. Everything else that it writes counts as progress.
import type { StalledTail } from "../process/Progress.ts"

const reconnecting = /^(?:ERROR: |warning: )?Reconnecting\.\.\. /
const waiting = /Reconnecting\.\.\. waiting for network/
// Other lines that codex logs while it reconnects. They are no progress, and do not prove that it waits.
const beside = /^(?:\d{4}-\d\d-\d\dT\S+\s+(?:ERROR|WARN)\s+codex_api::|warning: Falling back from WebSockets )/

/** The stalled tail of a transcript's end, or null when its last line is progress. One character must be one byte. */
export const stalledTail = (text: string): StalledTail | null => {
  let waits = 0
  let retries = 0
  let end = text.length
  while (end > 0) {
    const start = end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1
    const line = text.slice(start, end).trimEnd()
    if (reconnecting.test(line)) {
      retries += 1
      if (waiting.test(line)) waits += 1
    } else if (line !== "" && !beside.test(line)) {
      // The first line of the text may lack its beginning, so nobody can tell what it is.
      return retries === 0 ? null : { from: end, waits, cut: start === 0 }
    }
    end = start
  }
  return retries === 0 ? null : { from: 0, waits, cut: true }
}
