// Prompts: what agents are asked in a round.
import type { DigestPrompt } from "../../agent/PromptBudget.ts"
import { namesOf } from "../../review/findings/History.ts"
import type { ReportedFinding } from "../../review/findings/Report.ts"
import type { UnlistedReview } from "../../review/findings/ReviewedBatch.ts"
import { block, lineOf, priorityName } from "../../review/findings/words.ts"
import type { Level } from "../../run/Level.ts"
import { render } from "../../prompts/Prompt.ts"
import { batchName, counted, paragraphs } from "../../text/Phrases.ts"
import { brief, excerpt, fence, fenced, oneLine, tail } from "../../text/Untrusted.ts"
import { answerHoles, type ProjectRules, projectHoles, resultHoles, wordsBlock } from "../Prompts.ts"
import type { Answer } from "./Event.ts"

// What the agent that addresses a batch is asked: each finding with its history, the rules, the answer.
// Where the whole does not fit, earlier answers go first, then what reviewers wrote; the list of findings always stays.

/** What an earlier round answered to a finding. */
export interface EarlierAnswer extends Answer {
  readonly title: string
}

/** What the prompt is made of. `contractPrompt` and `findingsFile` come from the hand-off. */
export interface AddressRequest extends ProjectRules {
  readonly contractPrompt: string
  readonly taskId: string
  /** All findings of the batch; those that do not block are left alone. */
  readonly findings: ReadonlyArray<ReportedFinding>
  readonly unlisted: ReadonlyArray<UnlistedReview>
  /** The answers of earlier rounds, oldest first. */
  readonly earlier: ReadonlyArray<EarlierAnswer>
  readonly findingsFile: string
  /** The end of the output of tests that were red before the first agent, if that was allowed; else null. */
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
  findings.length === 0 ? "" : fence(findings.map(({ finding }) => `${finding.fingerprint}  ${lineOf(finding)}`))

const refutedAgain = ({ earlier }: AddressRequest, findings: ReadonlyArray<ReportedFinding>): string => {
  const last = findings.map((one) => answersTo(one, earlier).at(-1)).filter((one) => one?.answer === "refuted")
  const again = [...new Set(last.filter((one) => one !== undefined))]
  return again.length === 0 ? "" : fence(again.map(answerOf))
}

const detailOf = (one: ReportedFinding, { earlier, findingsFile }: AddressRequest): string => {
  const { finding, found, of } = one
  const answers = answersTo(one, earlier)
  return paragraphs(
    `## Finding ${finding.fingerprint}: ${priorityName(finding)}, ${historyOf(one)}, ` +
      `reported by ${found} of ${of} (slot ${finding.detectedBy.join(", ")})`,
    block(finding, bounds.body, findingsFile),
    answers.length === 0 ? "" : `Earlier rounds answered:\n\n${fence(answers.map(answerOf))}`
  )
}

const unlistedOf = ({ body, reason, slot }: UnlistedReview, { findingsFile }: AddressRequest): string => {
  const { lines, whole } = excerpt(body, bounds.review)
  return paragraphs(
    `## Slot ${slot}: issues without a list of findings (${brief(reason, 60)})`,
    body.trim() === "" ? `Nothing of it is left here. Look in ${oneLine(findingsFile)}` : fence(lines),
    whole ? "" : `Cut here. The rest is named in ${oneLine(findingsFile)}`
  )
}

/** What goes first where the prompt is too long: answers to other findings, then reviews, the lightest first. */
const itemsOf = (asked: AddressRequest, findings: ReadonlyArray<ReportedFinding>): ReadonlyArray<string> => {
  const names = new Set(findings.flatMap(({ finding }) => namesOf(finding)))
  const others = asked.earlier.filter(({ fingerprint }) => !names.has(fingerprint))
  return [
    ...others.map((one) =>
      `An earlier round answered a finding that no reviewer reports now:\n\n${fence([answerOf(one)])}`
    ),
    ...findings.toReversed().map((one) => detailOf(one, asked)),
    ...asked.unlisted.map((one) => unlistedOf(one, asked))
  ]
}

/** The prompt in parts, so that it can be made to fit the model's context. */
export const addressPrompt = (asked: AddressRequest): DigestPrompt => {
  const { contractPrompt, findings, findingsFile, redBaseline, taskId, unlisted } = asked
  const open = findings.filter(blocks)
  const items = itemsOf(asked, open)
  const others = findings.length - open.length
  return {
    before: render("address", {
      contractPrompt: contractPrompt.trimEnd(),
      findings: listOf(open),
      others: others === 0 ? "" : counted(others, "more finding"),
      unlisted: unlisted.length === 0 ? "" : counted(unlisted.length, "review"),
      refuted: refutedAgain(asked, open),
      details: items.length === 0 ? "" : "details",
      findingsFile: oneLine(findingsFile)
    }),
    items,
    after: render("address-end", {
      ...projectHoles(asked),
      redBaseline: redBaseline === null ? "" : fenced(tail(redBaseline, bounds.baseline)),
      ...resultHoles({ role: "worker", taskId }),
      ...answerHoles([...new Set(open.map(({ finding }) => finding.fingerprint))])
    })
  }
}

// What agents are asked at a clean level: for patterns in the issues, then to implement them.

/** A clean level. `historyFile` holds the issues of all batches. */
interface RetroRequest {
  readonly contractPrompt: string
  readonly taskId: string
  readonly historyFile: string
  readonly level: Level
}

/** Asks a reader for patterns in the issues of the run. It changes nothing; a worker implements what it names. */
export const retroPrompt = ({ contractPrompt, historyFile, level, taskId }: RetroRequest): string =>
  render("retrospective", {
    contractPrompt: contractPrompt.trimEnd(),
    level,
    historyFile: oneLine(historyFile),
    ...resultHoles({ role: "code-quality-reviewer", taskId })
  })

/** The patterns that a reader named, in its own words. */
interface PatternsRequest extends ProjectRules {
  readonly taskId: string
  readonly patterns: string
  readonly historyFile: string
  /** The level at which the reviews begin again. */
  readonly floor: Level
}

/** Asks a worker to implement the patterns. */
export const patternsPrompt = (asked: PatternsRequest): string =>
  render("patterns", {
    floor: asked.floor,
    historyFile: oneLine(asked.historyFile),
    patterns: wordsBlock(asked.patterns),
    ...projectHoles(asked),
    ...resultHoles({ role: "worker", taskId: asked.taskId })
  })
