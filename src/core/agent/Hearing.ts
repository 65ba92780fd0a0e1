// Hearing: what an agent says, heard as it comes in chunks: events line by line, or one answer at its end.
import type { AgentEvent } from "./AgentEvent.ts"
import { lineReader } from "./Lines.ts"

/** Takes what an agent prints, in chunks that may be cut anywhere, and gives its events. `end` gives the last ones. */
export interface Hearing {
  readonly push: (chunk: Uint8Array) => ReadonlyArray<AgentEvent>
  readonly end: () => ReadonlyArray<AgentEvent>
}

/** Hears an agent that prints events, by the decoder of its lines. */
export const hearLines = (decode: (line: string) => ReadonlyArray<AgentEvent>) => (): Hearing => {
  const reader = lineReader()
  return { push: (chunk) => reader.push(chunk).flatMap(decode), end: () => reader.end().flatMap(decode) }
}

/** The most of an answer that is kept, in bytes. */
export const longestAnswer = 8 * 1024 * 1024

/** Hears an agent whose whole output is its answer. */
export const hearAnswer = (): Hearing => {
  const decoder = new TextDecoder()
  let parts: Array<string> = []
  let bytes = 0
  return {
    push: (chunk) => {
      const room = longestAnswer - bytes
      if (room > 0) parts.push(decoder.decode(chunk.subarray(0, room), { stream: true }))
      bytes += chunk.length
      return []
    },
    end: () => {
      const text = parts.join("") + decoder.decode()
      parts = []
      const cut = bytes > longestAnswer ? `\n[cut: the first ${longestAnswer} of ${bytes} bytes]` : ""
      if (text.trim() === "") return []
      return [{ _tag: "ItemCompleted", id: "answer", item: { _tag: "Message", text: text.trimEnd() + cut } }]
    }
  }
}
