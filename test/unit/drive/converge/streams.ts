// streams: driven runs as lists of events, and the state that they fold to.
import { begun, type ConvergeState, evolveConverge } from "../../../../src/drive/converge/State.ts"
import type { Handoff, View } from "../../../../src/drive/converge/Decide.ts"
import type { ConvergeEvent, ConvergeEventOf } from "../../../../src/drive/converge/Event.ts"
import { type ConvergeSettings, decode } from "../../../../src/drive/converge/Settings.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import { digest } from "../../run/events.ts"
import { agentFinished, agentStarted } from "./events.ts"

/** The content of the worktree, named by a letter. */
export const content = (letter: string): Identity => ({
  _tag: "Known",
  head: "h".repeat(40),
  tree: letter.repeat(40),
  base: null,
  nested: ""
})

export const driverStarted = (driver = "d1"): ConvergeEvent => ({ _tag: "DriverStarted", driver, pid: 7 })

export const roundStarted = (
  fields: Partial<ConvergeEventOf<"RoundStarted">> = {}
): ConvergeEventOf<"RoundStarted"> => ({
  _tag: "RoundStarted",
  round: 1,
  kind: "AddressBatch",
  level: "low",
  batch: 1,
  findings: ["a".repeat(16)],
  content: content("a"),
  history: "h1",
  ...fields
})

/** An agent of a round that ended, and the verdict on its answer. */
export const worked = (
  agent: number,
  taskId: string,
  action: "accept" | "remediate" | "block" = "accept"
): ReadonlyArray<ConvergeEvent> => [
  agentStarted({ agent, taskId }),
  agentFinished({ agent, threadId: `t${agent}` }),
  {
    _tag: "ResultJudged",
    agent,
    taskId,
    role: "worker",
    grammar: "v2",
    valid: true,
    status: action === "accept" ? "pass" : action === "remediate" ? "gaps" : "error",
    action,
    problems: []
  }
]

export const answered = (round: number, agent: number, protectedFiles: ReadonlyArray<string> = []): ConvergeEvent => ({
  _tag: "RoundAnswered",
  round,
  agent,
  answers: [{ fingerprint: "a".repeat(16), answer: "fixed", why: "the bound is checked" }],
  protectedFiles
})

/** A test of a round that ended. */
export const tested = (test: number, round: number, exit: number | null, command = "npm test") =>
  [
    { _tag: "TestStarted", test, id: `t${test}`, round, command },
    { _tag: "TestFinished", test, exit, output: digest, content: content("b") }
  ] as const satisfies ReadonlyArray<ConvergeEvent>

/** A green test of a round, with its content at the start and at the end. */
export const ran = (test: number, round: number, before: string, end: string, command = "npm test") => {
  const [started, finished] = tested(test, round, 0, command)
  return [{ ...started, before: content(before) }, { ...finished, content: content(end) }]
}

export const concluded = (
  round: number,
  letter: string,
  mark: ConvergeEventOf<"RoundConcluded">["mark"] = "AddressPassed"
): ConvergeEvent => ({ _tag: "RoundConcluded", round, mark, reason: { text: "" }, content: content(letter) })

export const closed = (
  round: number,
  because: ConvergeEventOf<"RoundClosed">["because"] = "Marked"
): ConvergeEvent => ({ _tag: "RoundClosed", round, because })

/** Events, alone or several for one thing. */
export type Facts = ReadonlyArray<ConvergeEvent | ReadonlyArray<ConvergeEvent>>

/** The state after these events, one second apart. */
export const after = (...events: Facts): ConvergeState =>
  events.flat().reduce((state, event, i) => evolveConverge(state, event, i * 1000), begun)

/** Settings with plain defaults. */
export const settings = (change: Partial<ConvergeSettings> = {}): ConvergeSettings => {
  const made = decode({ step: { target: { _tag: "Uncommitted" }, strict: true }, tests: ["npm test"] })
  if (made._tag === "Failure") throw new Error(made.failure)
  return { ...made.success, ...change }
}

/** The context of a decision, with a hand-off of low/1 unless another one is given. */
export const view = (change: Partial<View> = {}): View => ({
  handoff: {
    kind: "AddressBatch",
    level: "low",
    batch: 1,
    findings: ["a".repeat(16)],
    anyFinding: true,
    history: "h1"
  },
  content: content("b"),
  used: { rounds: 0, time: 0, tokens: 0 },
  driver: "d1",
  ...change
})

/** The hand-off of a clean level. */
export const lookOver: Handoff = {
  kind: "Retrospective",
  level: "low",
  batch: 1,
  findings: [],
  anyFinding: true,
  history: "h1"
}
