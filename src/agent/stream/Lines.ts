// Lines: the lines of a stream that arrives in chunks, which may be cut anywhere, even inside a character.
// Memory holds at most one line, up to a limit.
import type { AgentEvent } from "./AgentEvent.ts"

/** The longest line that is kept, in UTF-16 code units. Codex's longest lines hold a command's output of 1 MiB. */
export const longestLine = 16 * 1024 * 1024

/** Takes chunks and gives lines without their ends. `end` gives the last line if it has no line end. */
interface LineReader {
  readonly push: (chunk: string | Uint8Array) => ReadonlyArray<string>
  readonly end: () => ReadonlyArray<string>
}

/** A reader of UTF-8 lines. Invalid bytes become U+FFFD. A line beyond the limit loses its end. */
export const lineReader = (limit = longestLine): LineReader => {
  const decoder = new TextDecoder()
  // A line in parts: joining them at each chunk would copy a long line again and again.
  let parts: Array<string> = []
  let length = 0
  const keep = (part: string) => {
    const room = limit - length
    if (room > 0 && part !== "") parts.push(part.length > room ? part.slice(0, room) : part)
    length += part.length
  }
  const whole = (end: string): string => {
    if (length === 0 && end.length <= limit) return end
    keep(end)
    const text = parts.join("")
    parts = []
    length = 0
    return text
  }
  const line = (end: string): string => {
    const text = whole(end)
    return text.charCodeAt(text.length - 1) === 0x0d ? text.slice(0, -1) : text
  }
  const take = (text: string): ReadonlyArray<string> => {
    const lines: Array<string> = []
    let start = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      lines.push(line(text.slice(start, end)))
      start = end + 1
    }
    keep(text.slice(start))
    return lines
  }
  return {
    push: (chunk) =>
      take(typeof chunk === "string" ? decoder.decode() + chunk : decoder.decode(chunk, { stream: true })),
    end: () => {
      const lines = take(decoder.decode())
      return length > 0 ? [...lines, line("")] : lines
    }
  }
}

// The decoders of an agent's output: events line by line, or one answer at its end.

/** Takes an agent's output in chunks that may be cut anywhere, and gives its events. `end` gives the last ones. */
export interface EventReader {
  readonly push: (chunk: Uint8Array) => ReadonlyArray<AgentEvent>
  readonly end: () => ReadonlyArray<AgentEvent>
}

/** Decodes an agent that prints events, by the decoder of its lines. */
export const readEventLines = (decode: (line: string) => ReadonlyArray<AgentEvent>) => (): EventReader => {
  const reader = lineReader()
  return { push: (chunk) => reader.push(chunk).flatMap(decode), end: () => reader.end().flatMap(decode) }
}

/** The longest answer that is kept, in bytes. */
export const longestAnswer = 8 * 1024 * 1024

/** Decodes an agent whose whole output is its answer. */
export const readWholeAnswer = (): EventReader => {
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
