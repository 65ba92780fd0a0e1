// FrontMatter: where the YAML of a plan file stands, and what stands below it.
import { Result } from "effect"
import type { Fault } from "./Fault.ts"

/** The parts of a file. `start` is where its YAML begins. `below` is null in a file that is all YAML. */
export interface Parts {
  readonly yaml: string
  readonly start: number
  readonly below: string | null
}

const border = /^---[ \t]*$/m

/** The parts of a text with `\n` at the ends of its lines: front matter begins on its first line, or there is none. */
export const partsOf = (text: string): Result.Result<Parts, Fault> => {
  const [first = ""] = text.split("\n", 1)
  if (!border.test(first)) return Result.succeed({ yaml: text, start: 0, below: null })
  const start = first.length + 1
  const rest = text.slice(start)
  const end = border.exec(rest)
  return end === null
    ? Result.fail({ at: 0, says: "the front matter has no end", remedy: "write a line --- below its YAML" })
    : Result.succeed({ yaml: rest.slice(0, end.index), start, below: rest.slice(end.index + end[0].length + 1) })
}
