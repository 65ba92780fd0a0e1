// Prompts: what agents are asked in a round.
import type { DigestPrompt } from "../../agent/PromptBudget.ts"
import { namesOf } from "../../review/findings/History.ts"
import type { ReportedFinding } from "../../review/findings/Report.ts"
import type { UnlistedReview } from "../../review/findings/ReviewedBatch.ts"
import { block, lineOf, priorityName } from "../../review/findings/words.ts"
import type { Level } from "../../run/Level.ts"
import { batchName, counted, paragraphs } from "../../text/Phrases.ts"
import { brief, excerpt, fence, fenced, oneLine, tail } from "../../text/Untrusted.ts"
import {
  answersPart,
  fenceNote,
  gitRule,
  protectPart,
  resultPart,
  statusPart,
  testsPart,
  wordsBlock
} from "../Prompts.ts"
import type { Answer } from "./Event.ts"

// What the agent that addresses a batch is asked: each finding with its history, the rules, the answer.
// Where the whole does not fit, earlier answers go first, then what reviewers wrote; the list of findings always stays.

/** What an earlier round answered to a finding. */
export interface EarlierAnswer extends Answer {
  readonly title: string
}

/** What the prompt is made of. `contractPrompt` and `findingsFile` are those of the hand-off. */
export interface AddressAsked {
  readonly contractPrompt: string
  readonly taskId: string
  /** All findings of the batch; those that do not block are left alone. */
  readonly findings: ReadonlyArray<ReportedFinding>
  readonly unlisted: ReadonlyArray<UnlistedReview>
  /** The answers of earlier rounds, oldest first. */
  readonly earlier: ReadonlyArray<EarlierAnswer>
  readonly findingsFile: string
  readonly budget: { readonly used: number; readonly limit: number } | null
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
  /** The end of the output of the tests that were red before anybody began, where that was allowed. */
  readonly redBaseline: string | null
}

const bounds = { body: 8000, review: 20_000, baseline: 8000, line: 160, why: 400 } as const

/** Whether a finding is to be addressed. */
export const blocks = ({ dismissed, light }: ReportedFinding): boolean => dismissed === null && !light

const historyOf = ({ before, state }: ReportedFinding): string =>
  before === null
    ? state
    : `${state}, reported before in ${counted(before.times, "batch", "batches")}, last in ${batchName(before.last)}`

const answerOf = ({ answer, fingerprint, title, why }: EarlierAnswer): string =>
  `${fingerprint}  ${brief(title, bounds.line)}: ${answer} - ${brief(why, bounds.why)}`

/** The earlier answers to a finding under any of its names. */
const answersTo = (
  { finding }: ReportedFinding,
  earlier: ReadonlyArray<EarlierAnswer>
): ReadonlyArray<EarlierAnswer> => {
  const names = new Set(namesOf(finding))
  return earlier.filter(({ fingerprint }) => names.has(fingerprint))
}

const listOf = (findings: ReadonlyArray<ReportedFinding>): string =>
  findings.length === 0
    ? ""
    : `The findings to address, the gravest first:\n\n${
      fence(findings.map(({ finding }) => `${finding.fingerprint}  ${lineOf(finding)}`))
    }`

const refutedAgain = ({ earlier }: AddressAsked, findings: ReadonlyArray<ReportedFinding>): string => {
  const last = findings.map((one) => answersTo(one, earlier).at(-1)).filter((one) => one?.answer === "refuted")
  const again = [...new Set(last.filter((one) => one !== undefined))]
  return again.length === 0
    ? ""
    : "These were refuted in an earlier round, and reviewers report them again. Look once more: fix what is " +
      `real after all; else make the code say so where the reviewers looked.\n\n${fence(again.map(answerOf))}`
}

const detailOf = (one: ReportedFinding, { earlier, findingsFile }: AddressAsked): string => {
  const { finding, found, of } = one
  const answers = answersTo(one, earlier)
  return paragraphs(
    `## Finding ${finding.fingerprint}: ${priorityName(finding)}, ${historyOf(one)}, ` +
      `reported by ${found} of ${of} (slot ${finding.detectedBy.join(", ")})`,
    block(finding, bounds.body, findingsFile),
    answers.length === 0 ? "" : `Earlier rounds answered:\n\n${fence(answers.map(answerOf))}`
  )
}

const unlistedOf = ({ body, reason, slot }: UnlistedReview, { findingsFile }: AddressAsked): string => {
  const { lines, whole } = excerpt(body, bounds.review)
  return paragraphs(
    `## Slot ${slot}: issues without a list of findings (${brief(reason, 60)})`,
    body.trim() === "" ? `Nothing is left of it here; look into ${oneLine(findingsFile)}` : fence(lines),
    whole ? "" : `Cut here; the rest is named in ${oneLine(findingsFile)}`
  )
}

/** What goes first where the prompt is too long: answers to other findings, then reviews, the lightest first. */
const itemsOf = (asked: AddressAsked, findings: ReadonlyArray<ReportedFinding>): ReadonlyArray<string> => {
  const names = new Set(findings.flatMap(({ finding }) => namesOf(finding)))
  const others = asked.earlier.filter(({ fingerprint }) => !names.has(fingerprint))
  return [
    ...others.map((one) =>
      `An earlier round answered to a finding that no reviewer reports now:\n\n${fence([answerOf(one)])}`
    ),
    ...findings.toReversed().map((one) => detailOf(one, asked)),
    ...asked.unlisted.map((one) => unlistedOf(one, asked))
  ]
}

const rules = [
  "Verify each finding against the code before you act on it:",
  "- a real bug: fix it, and what else the same cause breaks;",
  "- a false positive: make the code say so, so that the next reader is not misled;",
  "- a tradeoff: write down the reason where the next reader looks for it.",
  "Do nothing else: no other changes, and nothing that only silences a reviewer or a test."
].join("\n")

/** The prompt in parts, so that it can be made to fit the model's context. */
export const addressPrompt = (asked: AddressAsked): DigestPrompt => {
  const { budget, contractPrompt, findings, findingsFile, protect, redBaseline, taskId, tests, unlisted } = asked
  const open = findings.filter(blocks)
  const items = itemsOf(asked, open)
  const without = findings.length - open.length
  return {
    before: paragraphs(
      contractPrompt.trimEnd(),
      fenceNote,
      rules,
      listOf(open),
      without === 0 ? "" : `${counted(without, "more finding")} in the file of findings need not be addressed.`,
      unlisted.length === 0 ? "" : `${counted(unlisted.length, "review")} with issues list no finding: read them too.`,
      refutedAgain(asked, open),
      items.length === 0 ? "" : `In detail, the gravest last; what is left out here stands in ${oneLine(findingsFile)}`
    ),
    items,
    after: paragraphs(
      testsPart(tests),
      redBaseline === null
        ? ""
        : `The tests were red before you began; make them pass too. Their output ended so:\n\n${
          fenced(tail(redBaseline, bounds.baseline))
        }`,
      protectPart(protect),
      gitRule,
      resultPart({ role: "worker", taskId: oneLine(taskId) }),
      answersPart([...new Set(open.map(({ finding }) => finding.fingerprint))]),
      statusPart("every finding is answered and the tests pass"),
      budget === null ? "" : `Token usage: ${budget.used}/${budget.limit}`
    )
  }
}

// What agents are asked at a clean level: for patterns in the issues, then to implement them.
// What agents said stands in fences; only we write outside of them.

/** A clean level. `historyFile` holds the issues of all batches. */
interface RetroAsked {
  readonly contractPrompt: string
  readonly taskId: string
  readonly historyFile: string
  readonly level: Level
}

/** Asks a reader for patterns in the issues of the run. It changes nothing; a worker implements what it names. */
export const retroPrompt = ({ contractPrompt, historyFile, level, taskId }: RetroAsked): string =>
  paragraphs(
    contractPrompt.trimEnd(),
    "You only read: change no file. Where the text above says to implement patterns, name them instead; another " +
      "agent implements what you name.",
    `Read the whole history of issues up to level ${level}: ${oneLine(historyFile)}`,
    fenceNote,
    "A pattern is a cause in the code as it is now that led to several issues, and whose removal would prevent more " +
      "of them. An issue that is fixed is no pattern. Name none that you have not verified in the code.",
    resultPart({ role: "code-quality-reviewer", taskId: oneLine(taskId) }),
    "`status: pass` says that there is no pattern. `status: gaps` says that there are patterns: name them in " +
      "`issues` on one line, and describe each below the headers, with its places and the change that removes it. " +
      "`error` says that you could not read the history."
  )

/** The patterns that a reader named, in its own words. */
interface PatternsAsked {
  readonly taskId: string
  readonly patterns: string
  readonly historyFile: string
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
  /** The level at which the reviews begin again. */
  readonly floor: Level
}

/** Asks a worker to implement the patterns. */
export const patternsPrompt = (asked: PatternsAsked): string =>
  paragraphs(
    "All reviews of this level are clean. A reader of the whole history of issues named patterns whose removal would " +
      "have prevented several of them. Verify each against the code, and implement those that hold; the reviews then " +
      `begin again at level ${asked.floor}.`,
    `History: ${oneLine(asked.historyFile)}`,
    fenceNote,
    `The reader's words:\n\n${wordsBlock(asked.patterns)}`,
    "Do nothing else: no other changes. For each pattern say below the headers what you did, or why it does not hold.",
    testsPart(asked.tests),
    protectPart(asked.protect),
    gitRule,
    resultPart({ role: "worker", taskId: oneLine(asked.taskId) }),
    statusPart("the patterns are dealt with and the tests pass")
  )
