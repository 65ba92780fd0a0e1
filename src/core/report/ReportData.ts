// ReportData: what a report of a run tells, as plain data. The page is written from this and from nothing else.
// Texts from outside stand in it as they were written; whoever shows them escapes them.
import type { Level } from "../run/Level.ts"
import type { FindingsPart } from "./FindingsPart.ts"
import type { PathPart } from "./PathPart.ts"

/** How something turned out, for its mark and its colour. */
export type Tone = "good" | "bad" | "open" | "neutral"

/** A text with its tone. */
export interface Verdict {
  readonly tone: Tone
  readonly text: string
}

/** A name and its value, both for people. */
export interface Fact {
  readonly name: string
  readonly value: string
}

/** A text that may have been cut: where the rest of it is, null where this is all. */
export interface Excerpt {
  readonly text: string
  readonly rest: string | null
}

/** What a fixed point has proven of one level. */
export interface ProvenLevel {
  readonly level: Level
  readonly tone: Tone
  /** Sentences without a full stop, the most important first. */
  readonly lines: ReadonlyArray<string>
}

/** What a fixed point has proven. */
export interface ProofPart {
  readonly statement: Verdict
  readonly levels: ReadonlyArray<ProvenLevel>
  readonly conclusion: string
}

/** What an audit says of the run. `words` are its findings and notes, `left` counts those that are not shown. */
export interface AuditPart {
  readonly verdict: Verdict
  readonly checked: string
  readonly words: ReadonlyArray<Verdict>
  readonly left: number
}

/** An agent at work, or a test of the project. Times in epoch milliseconds, null where the log tells none. */
export interface WorkPart {
  readonly name: string
  readonly what: string
  readonly verdict: Verdict
  readonly from: number | null
  readonly to: number | null
  readonly facts: ReadonlyArray<Fact>
  /** What is wrong with it, a sentence each. */
  readonly problems: ReadonlyArray<string>
  /** What the agent answered, or the end of what the test printed. */
  readonly said: Excerpt | null
  readonly diff: DiffPart | null
}

/** What an agent changed: from the snapshot before it to the one after it. */
export interface DiffPart {
  readonly title: string
  readonly files: ReadonlyArray<string>
  readonly text: Excerpt
  /** Why there is no diff; null where there is one. */
  readonly problem: string | null
}

/** What an agent did about a finding. */
export interface AnswerPart {
  readonly fingerprint: string
  readonly title: string | null
  readonly answer: string
  readonly why: string
}

/** A round of a converging run, a cycle of a plan, or what was done outside of both. */
export interface TurnPart {
  readonly id: string
  readonly title: string
  readonly verdict: Verdict
  readonly facts: ReadonlyArray<Fact>
  readonly answers: ReadonlyArray<AnswerPart>
  readonly reviews: ReadonlyArray<ReviewPart>
  readonly work: ReadonlyArray<WorkPart>
}

/** A review of a plan's code. */
export interface ReviewPart {
  readonly title: string
  readonly verdict: Verdict
  readonly issues: ReadonlyArray<{ readonly severity: string; readonly place: string | null; readonly text: string }>
  readonly text: Excerpt
  readonly notes: ReadonlyArray<string>
}

/** A task of a plan, as far as the run's log names it. */
export interface TaskPart {
  readonly number: number
  readonly title: string
  readonly verdict: Verdict
}

/** The first and the last events of a log, as `replay` tells them, and how many between them are left out. */
export interface LogPart {
  /** The kind of the log. */
  readonly name: string
  readonly count: number
  readonly first: ReadonlyArray<string>
  readonly left: number
  readonly last: ReadonlyArray<string>
}

/** The whole report. */
export interface ReportData {
  readonly run: string
  readonly title: string
  readonly verdict: Verdict
  readonly facts: ReadonlyArray<Fact>
  readonly proof: ProofPart | null
  readonly audit: AuditPart
  readonly path: PathPart | null
  readonly findings: FindingsPart | null
  /** The tasks of a plan; null for other runs. */
  readonly tasks: ReadonlyArray<TaskPart> | null
  readonly turns: ReadonlyArray<TurnPart>
  readonly logs: ReadonlyArray<LogPart>
  /** When and by which version of the program this was made. */
  readonly made: string
}
