// RoundParts: the rounds of a converging run: what each answered, what agents and tests did in it, and how it ended.
import type { ConvergeState, RoundState } from "../converge/ConvergeState.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { usageOf } from "../agent/AgentsState.ts"
import type { Answered } from "./FindingsPart.ts"
import type { DriverPart } from "./PathPart.ts"
import type { AnswerPart, Fact, TurnPart, Verdict } from "./ReportData.ts"
import { type WorkRecords, workParts, workText } from "./WorkParts.ts"

const kinds = { AddressBatch: "answers the findings of", Retrospective: "looks over" } as const

const marks = {
  AddressPassed: { tone: "good", text: "answered, and the tests pass" },
  AddressFailed: { tone: "bad", text: "answered, and the tests fail" },
  RetroClean: { tone: "good", text: "nothing to change" },
  RetroChanges: { tone: "good", text: "patterns were changed" }
} as const

const closes = {
  Marked: null,
  AnsweredElsewhere: { tone: "open", text: "somebody else answered" },
  TestsRed: { tone: "bad", text: "its tests stayed red" },
  Rejected: { tone: "bad", text: "its result was rejected" },
  Protected: { tone: "bad", text: "protected files were changed" }
} as const

const skips = {
  Never: "no agent looks over clean levels",
  NoFindings: "nothing had been found",
  AskedBefore: "the same was asked before"
} as const

const verdictOf = ({ closed, concluded, skipped }: RoundState): Verdict => {
  const close = closed === null ? null : closes[closed.because]
  if (close !== null) return close
  if (skipped !== null) return { tone: "neutral", text: `skipped: ${skips[skipped.because]}` }
  return concluded === null ? { tone: "open", text: "not ended" } : marks[concluded.mark]
}

const factsOf = ({ answered, commits, concluded, restored }: RoundState, work: string): ReadonlyArray<Fact> => [
  { name: "Work", value: work },
  ...(restored === null
    ? []
    : [{ name: "Undone", value: `the worktree was put back to snapshot ${restored.snapshot}` }]),
  ...commits.map(({ commit, output }) => ({
    name: "Commit",
    value: commit ?? `git refused: ${output.text}`
  })),
  ...answered.flatMap(({ agent, protectedFiles }) =>
    protectedFiles.map((file) => ({ name: "Protected", value: `agent ${agent} changed ${file}` }))
  ),
  ...(concluded === null || concluded.reason.text === "" ? [] : [{ name: "Reason", value: concluded.reason.text }])
]

const answersOf = ({ answered }: RoundState, titles: ReadonlyMap<string, string>): ReadonlyArray<AnswerPart> => {
  // An agent that is asked again answers again: its last word on a finding counts.
  const last = new Map(answered.flatMap(({ answers }) => answers).map((one) => [one.fingerprint, one]))
  return [...last.values()].map(({ answer, fingerprint, why }) => ({
    fingerprint,
    title: titles.get(fingerprint) ?? null,
    answer,
    why
  }))
}

/** The rounds of a run. `titles` are those of its findings, by their names. */
export const roundParts = (
  state: ConvergeState,
  records: WorkRecords,
  titles: ReadonlyMap<string, string>
): ReadonlyArray<TurnPart> => {
  const outside = workParts(state, { prefix: "\n", number: 0 }, records)
  const rounds = state.rounds.map((round): TurnPart => {
    const { findings, kind, round: number } = round.started
    const work = workParts(state, { prefix: `round-${number}/`, number }, records)
    const about = kind === "AddressBatch" ? `, ${counted(findings.length, "finding")}` : ""
    return {
      id: `round-${number}`,
      title: `Round ${number} ${kinds[kind]} ${batchName(round.started)}${about}`,
      verdict: verdictOf(round),
      facts: factsOf(round, workText(work)),
      answers: answersOf(round, titles),
      reviews: [],
      work
    }
  })
  return outside.length === 0 ? rounds : [outsideOf(outside, "round"), ...rounds]
}

/** The tests that ran before the first turn, or between two. */
export const outsideOf = (work: TurnPart["work"], turn: "round" | "cycle"): TurnPart => ({
  id: `${turn}-0`,
  title: `Tests outside of any ${turn}`,
  verdict: work.at(-1)?.verdict ?? { tone: "neutral", text: "" },
  facts: [{ name: "Work", value: workText(work) }],
  answers: [],
  reviews: [],
  work
})

/** What a driver did, for the way of its run. */
export const driverPart = ({ agents, rounds }: ConvergeState): DriverPart => {
  const names = [...new Set(rounds.map(({ started }) => batchName(started)))]
  const of = (name: string) => rounds.flatMap(({ started }) => batchName(started) === name ? [started.round] : [])
  return { agents: usageOf(agents), rounds: new Map(names.map((name) => [name, of(name)])) }
}

/** What agents answered, by the names of findings, in the order of the rounds. */
export const answersByName = ({ rounds }: ConvergeState): ReadonlyMap<string, ReadonlyArray<Answered>> => {
  const all = new Map<string, Array<Answered>>()
  for (const round of rounds) {
    for (const { answer, fingerprint, why } of answersOf(round, new Map())) {
      const known = all.get(fingerprint)
      const one = { round: round.started.round, answer, why }
      if (known === undefined) all.set(fingerprint, [one])
      else known.push(one)
    }
  }
  return all
}
