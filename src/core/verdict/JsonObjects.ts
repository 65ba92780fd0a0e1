// JsonObjects: finds JSON objects in a text that may have fences and prose around them.
// The one rule: one pass over the text, plus a bounded number of restarts; hostile braces cost no more.
import { Result } from "effect"
import { isFields } from "../text/Fields.ts"
import { readJsonTree, repeatedKey } from "../text/JsonTree.ts"

/** A text split into the objects that parsed and what stood around them. */
export interface JsonObjects {
  readonly objects: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly around: string
  /** Whether an object has a key twice, or nests too deep for that to be seen: parsers differ on what it says. */
  readonly ambiguous: boolean
}

// Braces that open nothing (prose, code, a cut-off object) each cost a scan to the end; more than these are ignored.
const restarts = 12
const opener = /\{\s{0,200}(?=["}])/g

// The index after the brace that closes the one at `start`, strings skipped; -1 when the text ends first.
const closing = (text: string, start: number): number => {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (quoted) {
      if (c === 0x5c) i++
      else if (c === 0x22) quoted = false
    } else if (c === 0x22) quoted = true
    else if (c === 0x7b) depth++
    else if (c === 0x7d && --depth === 0) return i + 1
  }
  return -1
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

const isAmbiguous = (text: string): boolean => {
  const read = readJsonTree(text)
  return Result.isFailure(read) || repeatedKey(read.success) !== null
}

/** Every object of the text that is not inside another one, in order. */
export const jsonObjects = (text: string): JsonObjects => {
  const whole = parseObject(text)
  if (whole !== null) return { objects: [whole], around: "", ambiguous: isAmbiguous(text.trim()) }
  const objects: Array<Readonly<Record<string, unknown>>> = []
  const around: Array<string> = []
  let kept = 0
  let failures = 0
  let ambiguous = false
  opener.lastIndex = 0
  for (let found = opener.exec(text); found !== null && failures < restarts; found = opener.exec(text)) {
    const end = closing(text, found.index)
    const object = end < 0 ? null : parseObject(text.slice(found.index, end))
    if (object === null) {
      failures++
      opener.lastIndex = found.index + 1
    } else {
      objects.push(object)
      ambiguous ||= isAmbiguous(text.slice(found.index, end))
      around.push(text.slice(kept, found.index))
      kept = end
      opener.lastIndex = end
    }
  }
  return { objects, around: [...around, text.slice(kept)].join("\n"), ambiguous }
}
