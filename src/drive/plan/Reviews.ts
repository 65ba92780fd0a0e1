// Reviews: reviews of a round's work.
// Every judgement is committed, so that no agent is asked the same twice.
import { Effect } from "effect"
import { askForReview, type ReviewOrder, type Unfinished } from "../../agent/AskForReview.ts"
import { changedBeside, runToEnd } from "../../agent/AskForResult.ts"
import type { AgentOrder } from "../../agent/Order.ts"
import type { ReviewIssue } from "../../agent/PlanReview.ts"
import type { AgentState } from "../../agent/State.ts"
import type { AgentTask } from "../../agent/Task.ts"
import { isOpen } from "../../agent/TaskProgress.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import { Snapshots } from "../../code/Snapshots.ts"
import type { Identity } from "../../run/Identity.ts"
import { keepLong, takeFitting, textName } from "../../run/LongText.ts"
import { RunStore } from "../../run/RunStore.ts"
import { paragraphs } from "../../text/Phrases.ts"
import { brief } from "../../text/Untrusted.ts"
import { record } from "../Drive.ts"
import { orderOf } from "../Kernel.ts"
import { lastAgent, planTaskId } from "../Tasks.ts"
import { analyse, analysisJsonSchema } from "./Analysis.ts"
import type { Decision } from "./Decide.ts"
import type { PlanDrive } from "./Drive.ts"
import { comparable } from "./OpenPlan.ts"
import { contextOf } from "./Orders.ts"
import { PlanFiles } from "./PlanFiles.ts"
import {
  analysisPrompt,
  type GivenReview,
  reReviewPrompt,
  reviewBlock,
  reviewPrompt,
  type Scope,
  scopeSince
} from "./Prompts.ts"
import { firstUnmarked, type RoundState } from "./State.ts"
import type { Plan } from "./file/Plan.ts"

const reviewRole = "spec-reviewer"

// An event has room for so many bytes of issues. What the agent printed and the text kept beside the log are whole.
const bounds = {
  bytes: 30_000,
  place: 300,
  description: 800,
  suggestion: 400,
  problems: 5,
  problem: 300,
  rules: 20_000,
  changes: 4_000_000
} as const

const short = ({ description, place, severity, suggestion }: ReviewIssue): ReviewIssue => ({
  severity,
  place: place === null ? null : brief(place, bounds.place),
  description: brief(description, bounds.description),
  suggestion: brief(suggestion, bounds.suggestion)
})

/** What every agent that only reads is asked with. */
const reading = (drive: PlanDrive, round: number, taskId: string, prompt: string) =>
  orderOf(drive, { role: reviewRole, taskId, round, prompt })

/** What the work is compared with: the run's own branch, or the code when tasks were last marked. */
const scopeOf = ({ driver: { state }, settings: { step: { target } } }: PlanDrive, now: Identity): Scope => {
  if (target._tag === "Base") return { _tag: "Since", revision: target.branch }
  const first = firstUnmarked(state)
  return first === null ? { _tag: "Uncommitted" } : scopeSince(first, now)
}

/** A review for those that come after it: all its issues, as far as they can be read again. */
const givenReview = Effect.fn("Reviews.givenReview")(
  function*(drive: PlanDrive, round: RoundState, fix: number) {
    const { result } = yield* readAgain(drive, round, fix)
    const { issues, review } = round.reviews.findLast((one) => one.round === fix) ??
      { issues: [], review: { text: "" } }
    return result._tag === "Reviewed" ? result : { issues, text: review.text } satisfies GivenReview
  }
)

// What engines obey. No agent may have changed it: it is protected.
const obeyed = ["AGENTS.md", "CLAUDE.md"]

/** What agents have changed since tasks were last marked, in a file, and the repository's own rules. */
const materialOf = Effect.fnUntraced(function*({ driver: { ref, state }, run: { manifest } }: PlanDrive) {
  const { diff, list } = yield* Snapshots
  const { document } = yield* PlanFiles
  const { keepText, runPlaces } = yield* RunStore
  const rules = yield* Effect.forEach(obeyed, (name) => document(manifest.worktree, name, bounds.rules))
  const all = yield* list(ref)
  const since = firstUnmarked(state)?.round
  const [first, last] = [all.find(({ round }) => round === since), all.at(-1)]
  const between = first === undefined || last === undefined ? null : { before: first.number, after: last.number }
  const { hex } = yield* keepText(ref, between === null ? "" : (yield* diff(ref, between, bounds.changes)).text)
  return {
    changes: `${runPlaces(ref).directory}/${textName(hex)}`,
    rules: paragraphs(...rules.map((one) => one ?? ""))
  }
})

const wordsOf = Effect.fnUntraced(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, fix: number, now: Identity) {
    const context = contextOf(drive, plan, round)
    const scope = scopeOf(drive, now)
    const material = yield* materialOf(drive)
    return fix === 0
      ? reviewPrompt(context, scope, material)
      : reReviewPrompt(context, scope, fix, yield* givenReview(drive, round, fix - 1), material)
  }
)

/** After which fix a review is asked for, and which reviewers saw other code than there is now. */
type AfterFix = Pick<Extract<Decision, { readonly _tag: "Review" }>, "after" | "fix">

const reviewersOf = ({ driver: { state } }: PlanDrive, taskId: string) =>
  state.agents.agents.filter(({ started }) => started.taskId === taskId)

/**
 * The review after a fix: asked for, or read again where it was given before. Reviewers that failed in an earlier call
 * are not used again.
 */
const reviewed = Effect.fnUntraced(
  function*(drive: PlanDrive, { round }: RoundState, { after, fix }: AfterFix, prompt: string) {
    const taskId = planTaskId(round, `review-${fix}`)
    const failed = reviewersOf(drive, taskId).findLast(({ judged }) => judged?.action === "block")?.agent ?? 0
    const past = Math.max(after, failed)
    const order: ReviewOrder = { ...reading(drive, round, taskId, prompt), looks: true, after: past }
    const { driver, result } = yield* askForReview(drive.driver, order)
    const first = reviewersOf({ ...drive, driver }, taskId).find(({ agent }) => agent > past)
    return { driver, result, saw: first?.started.before ?? null }
  }
)

/** The last review after a fix again, which was recorded: its reviewers are over, so no agent reads a prompt. */
const readAgain = (drive: PlanDrive, round: RoundState, fix: number) => {
  const [, before] = round.reviews.filter((one) => one.round === fix).toReversed()
  return reviewed(drive, round, { fix, after: before?.agent ?? 0 }, "")
}

/** What has changed since beside agents, whose answers are kept. */
const changedSince = ({ driver }: PlanDrive, before: PlanDrive): Unfinished | null =>
  driver.state.agents.agents.reduce<Unfinished | null>(
    (found, { agent }) => found ?? (changedBeside(before.driver, agent) === null ? changedBeside(driver, agent) : null),
    null
  )

/**
 * Asks for a review of a round's work and records it, with the code as its first reviewer found it. `unfinished` says
 * what came instead of a review.
 */
export const review = Effect.fn("Reviews.review")(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, asked: AfterFix) {
    // A reviewer who cannot compare anything may well find nothing.
    yield* comparable(drive.run.manifest, drive.asked)
    const content = yield* presentIdentity(drive.run.manifest)
    const prompt = yield* wordsOf(drive, plan, round, asked.fix, content)
    const { driver, result, saw } = yield* reviewed(drive, round, asked, prompt)
    const now = { ...drive, driver }
    if (result._tag !== "Reviewed") return { drive: now, unfinished: changedSince(now, drive) ?? result }
    const { agent, issues, problems, text, verdict } = result
    const recorded = yield* record(now, [{
      _tag: "CodeReviewed",
      cycle: round.round,
      round: asked.fix,
      agent,
      verdict,
      issues: takeFitting(issues.map(short), bounds.bytes),
      problems: problems.slice(0, bounds.problems).map((problem) => brief(problem, bounds.problem)),
      review: yield* keepLong(drive.run.ref, text),
      content: saw ?? content
    }])
    return { drive: recorded, unfinished: changedSince(recorded, drive) }
  }
)

// The analysis of a round's first review. It is recorded once, and never asked for again.

// An event has room for so many bytes of drops. The document is the repository's own, of how it is reviewed.
const analysisBounds = { drops: 28_000, document: 20_000 } as const

/** The agent whose analysis of a round's last review can still be used, unless it was ended or could not begin. */
const analystOf = ({ driver: { state } }: PlanDrive, { reviews, round }: RoundState): AgentState | null => {
  const last = lastAgent(state, round, "analysis")
  return last !== null && isOpen(last) && last.agent > (reviews.at(-1)?.agent ?? 0) ? last : null
}

/** The words of the analysis of a round's first review: asked for, or read again. */
const analysisOf = Effect.fnUntraced(function*(drive: PlanDrive, plan: Plan, round: RoundState, given: GivenReview) {
  const { driver: { state }, run: { manifest: { worktree } } } = drive
  const known = analystOf(drive, round)
  const document = yield* (yield* PlanFiles).document(worktree, "REVIEW.md", analysisBounds.document)
  const prompt = analysisPrompt(contextOf(drive, plan, round), given, document)
  const asked = reading(drive, round.round, planTaskId(round.round, "analysis"), prompt)
  const task: AgentTask = { ...asked.task, sandbox: "read-only", answer: analysisJsonSchema() }
  const order: AgentOrder = { ...asked, agent: known?.agent ?? state.agents.agents.length + 1, task }
  return { agent: order.agent, ...(yield* runToEnd(drive.driver, order)) }
})

const analysedAgain = Effect.fnUntraced(function*(drive: PlanDrive, plan: Plan, round: RoundState) {
  const given = yield* givenReview(drive, round, 0)
  const asked = yield* analysisOf(drive, plan, round, given)
  const { pending } = contextOf(drive, plan, round)
  // Of an agent that did not finish, the whole review is to be fixed.
  const answer = asked.ended?.ending._tag === "Done" ? asked.ended.ending.message : null
  return { ...asked, analysed: analyse({ review: given, pending, answer }) }
})

/** Asks what to fix of a round's first review, and records it; `unfinished` says what came instead. */
export const analysis = Effect.fn("Reviews.analysis")(function*(drive: PlanDrive, plan: Plan, round: RoundState) {
  const { agent, analysed, driver, over } = yield* analysedAgain(drive, plan, round)
  const now = { ...drive, driver }
  if (over !== null) return { drive: now, unfinished: changedSince(now, drive) ?? over }
  const { dropped, instructions, needsFixes, problems } = analysed
  const recorded = yield* record(now, [{
    _tag: "ReviewAnalysed",
    cycle: round.round,
    agent,
    needsFixes,
    instructions: yield* keepLong(drive.run.ref, instructions),
    dropped: takeFitting(dropped, analysisBounds.drops),
    problems
  }])
  return { drive: recorded, unfinished: changedSince(recorded, drive) }
})

/** What a fixer is to do: what the analysis left of the first review, later the whole review before. */
export const instructionsFor = Effect.fn("Reviews.instructionsFor")(
  function*(drive: PlanDrive, plan: Plan, round: RoundState, fix: number) {
    if (fix > 1) return reviewBlock(yield* givenReview(drive, round, fix - 1))
    const known = round.analysed?.instructions
    return known?.rest === undefined
      ? known?.text ?? ""
      : (yield* analysedAgain(drive, plan, round)).analysed.instructions
  }
)
