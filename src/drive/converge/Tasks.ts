// Tasks: the tasks of agents in a round, and the agents that work on them.
import type { AgentState } from "../../agent/State.ts"
import { brief, cut, lines } from "../../text/Untrusted.ts"
import type { Answer, AnswerWord } from "./Event.ts"
import type { ConvergeState } from "./State.ts"

/** A task of a round: address the batch, mend red tests, look over a clean level, implement what that found. */
export type AgentTaskName =
  | { readonly _tag: "Address" }
  | { readonly _tag: "Mend"; readonly mend: number }
  | { readonly _tag: "Retro" }
  | { readonly _tag: "Patterns" }

const word = (task: AgentTaskName): string => {
  switch (task._tag) {
    case "Address":
      return "address"
    case "Mend":
      return `mend-${task.mend}`
    case "Retro":
      return "retrospective"
    case "Patterns":
      return "patterns"
  }
}

/** The name of a task in the result contract. */
export const taskIdOf = (round: number, task: AgentTaskName): string => `round-${round}/${word(task)}`

const ofRound = ({ agents: { agents } }: ConvergeState, round: number): ReadonlyArray<AgentState> =>
  agents.filter(({ started }) => started.taskId.startsWith(`round-${round}/`))

/** The last agent of a round, or of one task in it; null for none. */
export const lastOf = (state: ConvergeState, round: number, taskId: string | null = null): AgentState | null =>
  ofRound(state, round).findLast(({ started }) => taskId === null || started.taskId === taskId) ?? null

/**
 * The number up to which a task's agents gave answers that named gaps; 0 for none. Whoever asks again asks after it:
 * an earlier answer would be told again otherwise, whatever became of the agents since.
 */
export const gapsUpTo = (state: ConvergeState, round: number, taskId: string): number =>
  ofRound(state, round).findLast(({ judged, started }) => started.taskId === taskId && judged?.action === "remediate")
    ?.agent ?? 0

/** How often an agent was asked to mend red tests in a round. */
export const mends = (state: ConvergeState, round: number): number =>
  new Set(
    ofRound(state, round).map(({ started }) => started.taskId).filter((id) => id.startsWith(`round-${round}/mend-`))
  ).size

// What an agent says it did about each finding, read from its last message.
// Whatever is not said plainly counts as not done.

// The most of one line that is read, of a reason that is kept, and of all reasons: an event has to hold them.
const bounds = { line: 2000, why: 400, whys: 12_000 } as const

const silent = "the agent did not say"
const unexplained = "the agent gave no reason"

// Each repetition is bounded, so that a line costs no more than its length.
const mark = "[\\s*_`~<>]{0,20}"
const list = "(?:[\\s*_`~+\\u2022-]|\\d{1,3}[.)]\\s|\\[[ xX]?\\]\\s){0,20}"
const separator = "[-:=\\u2012-\\u2015]{1,3}"
const answer = new RegExp(
  `^(${list})finding\\b${mark}([0-9a-f]{16})${mark}${separator}${mark}(fixed|refuted|documented|not[-_ ]?done)` +
    `${mark}(?:$|${separator}|[.,;]|(?=\\())(.*)$`,
  "iu"
)

const wordOf = (said: string): AnswerWord => {
  const word = said.toLowerCase()
  return word === "fixed" || word === "refuted" || word === "documented" ? word : "not-done"
}

/** The reason without the marks around it; those at its end are marks only where the line began with some. */
const reasonOf = (said: string, before: string): string => {
  const text = said.replace(/^[\s*_`~]+/, "").trimEnd()
  const bare = /[*_`~]/.test(before) ? text.replace(/[*_`~]+$/, "").trimEnd() : text
  return bare === "" ? unexplained : brief(bare, bounds.why)
}

const readLine = (line: string): Answer | null => {
  const found = answer.exec(cut(line, bounds.line).trimEnd())
  if (found === null) return null
  const [, before = "", fingerprint = "", word = "", why = ""] = found
  return { fingerprint: fingerprint.toLowerCase(), answer: wordOf(word), why: reasonOf(why, before) }
}

/** Whether a message says of each of `fingerprints`, of which there is one at least, what was done about it. */
export const answersAll = (message: string, fingerprints: ReadonlyArray<string>): boolean =>
  fingerprints.length > 0 && parseAnswers(message, fingerprints).every(({ answer }) => answer !== "not-done")

/**
 * One answer for each of `fingerprints`, in their order. An agent answers with one line for each finding:
 * `finding <fingerprint>: fixed|refuted|documented|not-done - <why>`. Of several lines for one finding the last one
 * counts. A finding without a line is not done.
 */
export const parseAnswers = (message: string, fingerprints: ReadonlyArray<string>): ReadonlyArray<Answer> => {
  const said = new Map<string, Answer>()
  for (const line of lines(message)) {
    const read = readLine(line)
    if (read !== null) said.set(read.fingerprint, read)
  }
  const most = Math.max(silent.length, Math.floor(bounds.whys / Math.max(1, fingerprints.length)))
  return fingerprints.map((fingerprint) => {
    const one = said.get(fingerprint) ?? { fingerprint, answer: "not-done", why: silent }
    return { ...one, why: brief(one.why, most) }
  })
}
