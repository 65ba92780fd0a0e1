// Claims: which tasks an implementer says are done, read from the lines `DONE: <index>` of its last message.
// Whatever is not said plainly is no claim.
import { brief, cut, lines } from "../../text/Untrusted.ts"
import type { Plan } from "./file/Plan.ts"

/** What a message claims. `problems` say what of it could not be taken. */
interface Claims {
  /** Indexes of tasks, each once, ascending. */
  readonly tasks: ReadonlyArray<number>
  readonly problems: ReadonlyArray<string>
}

// The most of one line that is read, and the most problems that are kept.
const bounds = { line: 2000, problems: 5, problem: 200 } as const

// Each repetition is bounded, so that a line costs no more than its length.
const mark = "[\\s*_`~]{0,20}"
const list = "(?:[\\s*_`~+>#\\u2022-]|\\d{1,3}[.)]\\s|\\[[ xX]?\\]\\s){0,20}"
const claim = new RegExp(`^${list}done${mark}:${mark}((?:tasks?\\s{1,3})?[#[(]{0,2}\\d.*)$`, "iu")
const index = "(?:task\\s{1,3})?[#[(]{0,2}(\\d{1,9})[\\])]?"
const first = new RegExp(`^(?:tasks\\s{1,3})?${index}${mark}`, "iu")
const next = new RegExp(`^[,;&]${mark}(?:and\\s{1,3})?${index}${mark}|^and\\s{1,3}${index}${mark}`, "iu")
// What may follow the indexes: nothing, or an explanation that takes nothing back.
const rest = /^(?:$|[.;]\s*$|(?:\(|[-:\u2012-\u2015]{1,3}\s)[^]*)$/u
const takenBack =
  /^[\s(:\u2012-\u2015-]{0,9}(?:\d|(?:not?|in)\b|part|almost|nearly|mostly|half|except|incompl|to ?do|fail|block|skip)/i

/** The indexes that a line names; null where it names some in no way that can be read. */
const indexesOf = (said: string): ReadonlyArray<number> | null => {
  const found: Array<number> = []
  let left = said
  for (let match = first.exec(left); match !== null; match = next.exec(left)) {
    found.push(Number(match[1] ?? match[2]))
    left = left.slice(match[0].length)
  }
  return found.length > 0 && rest.test(left) && !takenBack.test(left) ? found : null
}

/**
 * What a message claims of the tasks that were in play. A line is `DONE: <index>`, with any Markdown around it; several
 * indexes have commas between them. An index that was not in play is a problem, and so is a message that claims nothing.
 */
export const claims = (message: string, inPlay: ReadonlyArray<number>): Claims => {
  const asked = new Set(inPlay)
  const tasks = new Set<number>()
  const problems = new Set<string>()
  for (const line of lines(message)) {
    const said = claim.exec(cut(line, bounds.line).trimEnd())?.[1]
    if (said === undefined) continue
    const indexes = indexesOf(said)
    if (indexes === null) {
      problems.add(brief(`this line names no task index: ${line.trim()}`, bounds.problem))
    }
    for (const one of indexes ?? []) {
      if (asked.has(one)) tasks.add(one)
      else problems.add(`${one} is the index of no task that was asked for`)
    }
  }
  if (tasks.size === 0 && problems.size === 0) problems.add("no line says `DONE: <index>` of a task")
  return { tasks: [...tasks].sort((a, b) => a - b), problems: [...problems].slice(0, bounds.problems) }
}

/** The claims that can hold: no task is done before the pending ones that it waits for. */
export const founded = ({ tasks: all }: Pick<Plan, "tasks">, { problems, tasks }: Claims): Claims => {
  const waiting = tasks.flatMap((index) => {
    const needed = all[index]?.dependencies.find((one) => all[one]?.done !== true && !tasks.includes(one))
    return needed === undefined ? [] : [{ index, needed }]
  })
  if (waiting.length === 0) return { tasks, problems }
  const found = waiting.map(({ index, needed }) =>
    `task ${index} waits for task ${needed}, which no line names as done`
  )
  return founded({ tasks: all }, {
    tasks: tasks.filter((one) => !waiting.some(({ index }) => index === one)),
    problems: [...problems, ...found].slice(0, bounds.problems)
  })
}
