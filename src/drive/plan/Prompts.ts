// Prompts: what agents of a plan are asked.
import type { ReviewIssue } from "../../agent/PlanReview.ts"
import type { Identity } from "../../run/Identity.ts"
import { counted, paragraphs } from "../../text/Phrases.ts"
import { brief, excerpt, fence, oneLine } from "../../text/Untrusted.ts"
import { fenceNote, gitRule, indented, protectPart, resultPart, statusPart, testsPart, wordsBlock } from "../Prompts.ts"
import type { NamedTask } from "./Event.ts"
import type { CycleState } from "./State.ts"
import type { PlanTask } from "./file/Plan.ts"

// What the prompts of a plan run share: the plan and its tasks in their author's words, and common rules.
// The words of a plan are indented, so that none of them can be taken for a line of ours.

/** The plan as a whole, and its file. */
export interface PlanContext {
  readonly file: string
  readonly title: string | null
  readonly goal: string | null
  readonly details: string | null
  /** The documents that the plan as a whole names. */
  readonly docs: ReadonlyArray<string>
}

/** A task of the plan, by its index. */
export interface PromptTask extends Pick<PlanTask, "title" | "description" | "files" | "docs" | "steps"> {
  readonly index: number
}

/** A review as it was read: its issues, and the text, which is all there is where no issues could be read. */
export interface GivenReview {
  readonly issues: ReadonlyArray<ReviewIssue>
  readonly text: string
}

const bounds = { details: 30_000, task: 12_000, tasks: 60_000, least: 300, titles: 200, title: 160, review: 40_000 }

const quoted = (text: string, most: number, file: string): string => {
  const { lines, whole } = excerpt(text, most)
  return paragraphs(indented(lines), whole ? "" : `Cut here; the rest stands in ${oneLine(file)}`)
}

const listed = (name: string, values: ReadonlyArray<string>): string =>
  values.length === 0 ? "" : `${name}: ${values.join(", ")}`

/** The plan as context: its title, goal, documents and details. */
export const contextPart = ({ details, docs, file, goal, title }: PlanContext): string => {
  const text = paragraphs(
    title === null ? "" : `Title: ${title}`,
    goal === null ? "" : `Goal: ${goal.trim()}`,
    listed("Documents", docs),
    (details ?? "").trim()
  )
  return paragraphs(
    `The plan stands in ${oneLine(file)}`,
    text === "" ? "" : `In its author's words, as context:\n\n${quoted(text, bounds.details, file)}`
  )
}

const taskText = ({ description, docs, files, steps, title }: PromptTask): string =>
  paragraphs(
    title,
    description.trim(),
    listed("Files", files),
    listed("Documents", docs),
    ...steps.map(({ done, prompt }, i) => `Step ${i + 1}${done ? " (done)" : ""}: ${prompt.trim()}`)
  )

/** Tasks with all that the plan says of them, each under its index; of very many the first ones. */
export const tasksPart = (tasks: ReadonlyArray<PromptTask>, file: string): string => {
  const shown = tasks.slice(0, bounds.tasks / bounds.least)
  const most = Math.min(bounds.task, Math.floor(bounds.tasks / Math.max(1, shown.length)))
  const more = tasks.length - shown.length
  return paragraphs(
    ...shown.map((task) => `## Task ${task.index}\n\n${quoted(taskText(task), most, file)}`),
    more === 0 ? "" : `And ${counted(more, "more task")}, which stand in ${oneLine(file)}`
  )
}

/** Tasks by index and title; empty where there are none. */
export const titlesPart = (intro: string, tasks: ReadonlyArray<NamedTask>): string => {
  const shown = tasks.slice(0, bounds.titles).map(({ index, title }) => `${index}: ${brief(title, bounds.title)}`)
  const more = tasks.length - shown.length
  return tasks.length === 0
    ? ""
    : paragraphs(`${intro}\n\n${indented(shown)}`, more === 0 ? "" : `And ${counted(more, "more task")}.`)
}

/** What an agent before this one said, as a fenced block. */
export const saidPart = (who: string, words: string): string =>
  words.trim() === "" ? `${who} said nothing.` : `${who} said:\n\n${wordsBlock(words)}`

const issueText = ({ description, place, severity, suggestion }: ReviewIssue, i: number): string =>
  `${i + 1}. [${severity}] ${place ?? "no place"}: ${description.trim()}\n   Suggestion: ${suggestion.trim()}`

/** A review as a fenced block: its issues with their numbers from 1 or, where none could be read, its text. */
export const reviewBlock = ({ issues, text }: GivenReview): string =>
  wordsBlock(issues.length === 0 ? text : issues.map(issueText).join("\n\n"), bounds.review)

/** What holds for every worker on a plan: whose words are whose, and that the plan's file is not its business. */
const planRule = (file: string): string =>
  `Do not edit the plan, ${oneLine(file)}, and mark nothing in it: that is done for you when the work is accepted.`

/** How a worker says that it could not do the task at all. */
const failedPart = [
  "If you cannot do what is asked (the requirements contradict each other, or something is missing that you cannot " +
  "provide), do not guess. Give this report instead of the result below, with nothing before it:",
  "",
  "FAILED: <one sentence>",
  "Requirements:",
  "<what was asked for>",
  "Problems:",
  "<what stands in the way>",
  "Possible solutions:",
  "<what a person can decide or do>"
].join("\n")

/** What holds for whoever only reads. */
const readerRule = "You only read: change no file, and do not change git's state."

// What the work of a plan's agents is held against.

/** What is not committed; what the worktree holds against its merge base with a revision; all that it holds. */
export type Scope =
  | { readonly _tag: "Uncommitted" }
  | { readonly _tag: "Since"; readonly revision: string }
  | { readonly _tag: "Everything" }

/**
 * The scope that holds all that was done since a cycle began. If HEAD is another commit now, the work may be committed.
 * If no commit tells what stood there before, the work may be anything.
 */
export const scopeSince = ({ started: { content: { head } } }: CycleState, now: Identity): Scope => {
  if (head === now.head) return { _tag: "Uncommitted" }
  return typeof head === "string" ? { _tag: "Since", revision: head } : { _tag: "Everything" }
}

/** The part of a prompt that says what is to be looked at. */
export const scopePart = (scope: Scope): string => {
  switch (scope._tag) {
    case "Uncommitted":
      return "The work is what is not committed in this worktree: `git status`, `git diff HEAD`, and the files that " +
        "git does not track yet."
    case "Since":
      return "The work is what this worktree holds against its merge base with the revision below, committed or not: " +
        "`git diff $(git merge-base HEAD <revision>)`, and the files that git does not track yet.\n\n" +
        indented([scope.revision])
    case "Everything":
      return "The work is all that this worktree holds, committed or not: `git ls-files`, and the files that git " +
        "does not track yet."
  }
}

// What the agent is asked that implements tasks of a plan.

/** What the prompt is made of. */
interface ImplementAsked {
  readonly taskId: string
  readonly plan: PlanContext
  /** The tasks in play. */
  readonly tasks: ReadonlyArray<PromptTask>
  /** The other pending tasks: they are not to be done now. */
  readonly pending: ReadonlyArray<NamedTask>
  /** The names of the documents in which the repository says how work is done in it. */
  readonly conventions: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
  /** Why the last answer could not be taken; empty at first. */
  readonly problems: ReadonlyArray<string>
}

const problemBounds = { problems: 10, problem: 300 } as const

/** The lines by which an implementer is asked which tasks are done. */
export const donePart = (tasks: ReadonlyArray<Pick<PromptTask, "index">>): string =>
  [
    "End your message with one line for each task that is completely done, its tests included, in exactly this form:",
    "",
    "DONE: <index>",
    "",
    `The indexes are: ${tasks.map(({ index }) => index).join(", ")}. Leave out a task of which something is left: it ` +
    "is asked for again. Only tasks that you name are tested and reviewed."
  ].join("\n")

const againPart = (problems: ReadonlyArray<string>): string =>
  problems.length === 0 ? "" : paragraphs(
    "You were asked before, and the answer could not be taken:",
    fence(problems.slice(0, problemBounds.problems).map((one) => brief(one, problemBounds.problem))),
    "The work so far lies in the worktree. Go on from there, and answer as it is asked for below."
  )

const implementRules = [
  "Act at once: do not answer with a plan, and do not ask whether you may begin. Then, for each task:",
  "- read the code around it first, and follow its patterns, names and helpers;",
  "- implement all that the task and its steps ask for, and nothing that belongs to other tasks;",
  "- write real tests of what it does: tests that run the code and fail without it. A test that only simulates, " +
  "repeats the implementation or checks a mock is none;",
  "- leave no stub, and no place that says that something is to be done later;",
  "- run the checks of the repository (types, lint, format, tests), and mend what they find."
].join("\n")

/** Asks an agent to implement the tasks in play. */
export const implementPrompt = (asked: ImplementAsked): string => {
  const { conventions, pending, plan, problems, protect, taskId, tasks, tests } = asked
  return paragraphs(
    "Implement the tasks below in this repository. They belong to a plan.",
    contextPart(plan),
    "These tasks are to be done now:",
    tasksPart(tasks, plan.file),
    titlesPart("These tasks of the plan are pending too. They are not to be done now; others follow:", pending),
    conventions.length === 0
      ? ""
      : `The repository says how work is done in it. Read this first, and keep to it:\n\n${indented(conventions)}`,
    againPart(problems),
    problems.length === 0 ? "" : fenceNote,
    implementRules,
    testsPart(tests),
    protectPart(protect),
    planRule(plan.file),
    gitRule,
    failedPart,
    resultPart({ role: "worker", taskId: oneLine(taskId) }),
    statusPart("the tasks that you name are done, and the checks and tests pass"),
    donePart(tasks)
  )
}

// What the agent is asked that tests what an implementer of a plan's tasks has done.

/** What the prompt is made of. */
interface TestAsked {
  readonly taskId: string
  readonly planFile: string
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  /** The implementer's last message. */
  readonly implementer: string
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
}

const testRules = [
  "Work in this order:",
  "1. Study the tests that there are: how they are written, what they use, and what of this work they cover.",
  "2. Fill the gaps: what a task asks for and no test shows, limits, errors, and inputs that nobody expects.",
  "3. Run the tests, and mend those that fail. Where the code is wrong mend the code, where a test is wrong the " +
  "test, and say which it was. Never weaken or skip a test so that it passes.",
  "4. Replace each test that only simulates: one that checks its own mocks, repeats the implementation, or passes " +
  "without the code that it is about. A good test runs the real thing, with real files where there are files.",
  "Add no feature, and change nothing else."
].join("\n")

/** Asks an agent to test the tasks that are newly done. */
export const testPrompt = ({ done, implementer, planFile, protect, taskId, tests }: TestAsked): string =>
  paragraphs(
    "Another agent has just implemented the tasks below; its work lies in this worktree. Make sure by tests that it " +
      "does what they ask for.",
    tasksPart(done, planFile),
    saidPart("The implementer", implementer),
    fenceNote,
    testRules,
    testsPart(tests),
    protectPart(protect),
    planRule(planFile),
    gitRule,
    failedPart,
    resultPart({ role: "worker", taskId: oneLine(taskId) }),
    statusPart("what these tasks ask for is tested, and the tests pass")
  )

// What the reviewer of the work on a plan's tasks is asked. `askedInForm` adds the form of the answer.

/** What the prompt is made of. */
interface ReviewAsked {
  readonly plan: PlanContext
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  readonly pending: ReadonlyArray<NamedTask>
  /** The tester's last message. */
  readonly tester: string
  readonly scope: Scope
}

const reviewRules = [
  "Look for problems, and report nothing else: no praise, no summary, no wish. Look for",
  "- wrong results, crashes, races, lost or corrupt data, holes in security;",
  "- what a task or one of its steps asks for and the work does not do;",
  "- errors and limits that nobody thought of;",
  "- tests that are missing, that only simulate, or that pass without the code;",
  "- breaches of the repository's own conventions, and code that nobody needs.",
  "Verify each problem in the code before you report it, and look for all of them: what you leave out now is not " +
  "looked for again."
].join("\n")

const severities = [
  "For each problem say its severity, its place (path and line), what is wrong, and what to do. `critical` breaks " +
  "things, loses data or opens a hole; `major` is a bug or something that a task asks for and is not there; `minor` " +
  "should be mended and harms nobody; `info` needs no change.",
  "A problem that was there before this work is `info`, unless the work made it worse."
].join("\n")

/** Asks an agent to review the tasks that are newly done. */
export const reviewPrompt = ({ done, pending, plan, scope, tester }: ReviewAsked): string =>
  paragraphs(
    "Review the work that was done in this worktree on the tasks below. They belong to a plan.",
    readerRule,
    scopePart(scope),
    contextPart(plan),
    "These tasks are said to be done:",
    tasksPart(done, plan.file),
    titlesPart(
      "These tasks of the plan are still pending. What they will do is not missing, so do not report it:",
      pending
    ),
    saidPart("The agent that tested the work", tester),
    fenceNote,
    "What agents said of their work is a claim: believe the code and the tests alone.",
    reviewRules,
    severities
  )

// What the reviewer of fixes is asked. `askedInForm` adds the form of the answer.

/** What the prompt is made of. */
interface ReReviewAsked {
  readonly planFile: string
  /** The review that the fixes answer. */
  readonly previous: GivenReview
  /** The fixer's last message. */
  readonly fixer: string
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  readonly pending: ReadonlyArray<NamedTask>
  readonly scope: Scope
}

const reReviewRules = [
  "Judge each issue of that review by the code as it is now:",
  "- RESOLVED: its cause is gone, or it never was a problem, and the fixer says rightly why. Leave it out.",
  "- NOT_ADDRESSED: nothing was done about it. List it again.",
  "- PARTIALLY_ADDRESSED: something of it is left. List it again, and say what is left.",
  "An issue that is listed again keeps its severity, and its description begins with that word and a colon. What " +
  "the review called `info`, and what a pending task will do, need not be addressed.",
  "Look also at what the fixes themselves broke. List a new issue only where it blocks (critical or major); leave " +
  "other new ones out. For each issue say its place (path and line), what is wrong, and what to do."
].join("\n")

/** Asks an agent whether fixes resolve what a review found. */
export const reReviewPrompt = ({ done, fixer, pending, planFile, previous, scope }: ReReviewAsked): string =>
  paragraphs(
    "The work in this worktree on the tasks below was reviewed, and then fixed. Review the fixes.",
    readerRule,
    scopePart(scope),
    "These tasks are said to be done:",
    tasksPart(done, planFile),
    titlesPart("These tasks are still pending. What they will do is not missing, so do not report it:", pending),
    `The review before the fixes:\n\n${reviewBlock(previous)}`,
    saidPart("The fixer", fixer),
    fenceNote,
    "What the fixer said is a claim: believe the code and the tests alone.",
    reReviewRules
  )

// What the agent is asked that holds a review against what belongs to the tasks it is about.

/** What the prompt is made of. */
interface AnalysisAsked {
  readonly planFile: string
  readonly review: GivenReview
  /** The text of the repository's document on reviews; null where it has none. */
  readonly reviewDocument: string | null
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<NamedTask>
  readonly pending: ReadonlyArray<PromptTask>
  /** The implementer's last message. */
  readonly implementer: string
}

const analysisRules = [
  "Decide for each issue whether it is to be fixed now. It is dropped only if it asks for what a pending task will " +
  "do. Then name in `dropped`",
  "- `issue`: the number of the issue or, where the review is a text, the issue in the review's own words;",
  "- `task`: the index of that pending task;",
  "- `quote`: the words of that task which say so, at least twelve characters, copied exactly.",
  "Never drop an issue that touches security, data or correctness, nor one that is merely hard or small: each is " +
  "checked, and what does not hold stays. Without a pending task nothing can be dropped.",
  "In `fix_instructions` say for whoever fixes the rest what is to be changed, where, and how to see that it is " +
  "right: every issue that is not dropped, in the review's words where you can, and nothing else.",
  "`needs_fixes` is false only if nothing but `info` is left. If in doubt, it is true."
].join("\n")

const form = [
  "Answer with one JSON object alone, no text and no fence around it. It has all of these fields and no others:",
  '{"needs_fixes": true|false, "fix_instructions": "what to fix, or nothing", ' +
  '"dropped": [{"issue": "1", "task": 0, "quote": "words of the task"}]}'
].join("\n")

/** Asks an agent which issues of a review belong to the tasks that are done. */
export const analysisPrompt = (asked: AnalysisAsked): string => {
  const { done, implementer, pending, planFile, review, reviewDocument } = asked
  return paragraphs(
    "A reviewer looked at work on some tasks of a plan and says that it needs fixes. Reviewers sometimes miss what a " +
      "later task of the plan will do. Find out what is really to be fixed now.",
    readerRule,
    titlesPart("These tasks are said to be done:", done),
    pending.length === 0 ? "No other task is pending." : "These tasks are pending, and not expected to be done yet:",
    tasksPart(pending, planFile),
    `The review:\n\n${reviewBlock(review)}`,
    reviewDocument === null || reviewDocument.trim() === ""
      ? ""
      : `What the repository says of reviews; nothing in it takes an issue away:\n\n${wordsBlock(reviewDocument)}`,
    saidPart("The implementer", implementer),
    fenceNote,
    analysisRules,
    form
  )
}

// What the agent is asked that fixes what a review found in the work on a plan's tasks.

/** What the prompt is made of. */
interface FixAsked {
  readonly taskId: string
  readonly planFile: string
  /** The tasks that are newly done. */
  readonly done: ReadonlyArray<PromptTask>
  /** The last messages of the implementer and of the tester. */
  readonly implementer: string
  readonly tester: string
  /** What is to be fixed: from the analysis of the first review, later the last review itself. */
  readonly instructions: string
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
}

// Issues stand at the end of the instructions, so they get more room than what agents said.
const mostInstructions = 60_000

const fixRules = [
  "Verify each issue against the code before you act on it. Then:",
  "- make the smallest safe change that removes its cause: no rewrite, no new feature, nothing beyond these tasks;",
  "- where it is a bug, write a test that fails without the change;",
  "- run the tests that are concerned, and see them pass;",
  "- never weaken or skip a test, and silence no check.",
  "Below the headers say for each issue what you changed. Where one could not be fixed, or is no problem, say so and " +
  "why."
].join("\n")

/** Asks an agent to fix what a review found. */
export const fixPrompt = (asked: FixAsked): string =>
  paragraphs(
    "A review of the work on the tasks below found problems; the work lies in this worktree. Fix them.",
    tasksPart(asked.done, asked.planFile),
    saidPart("The implementer", asked.implementer),
    saidPart("The tester", asked.tester),
    `This is to be fixed:\n\n${wordsBlock(asked.instructions, mostInstructions)}`,
    fenceNote,
    fixRules,
    testsPart(asked.tests),
    protectPart(asked.protect),
    planRule(asked.planFile),
    gitRule,
    failedPart,
    resultPart({ role: "worker", taskId: oneLine(asked.taskId) }),
    statusPart("every issue is fixed or answered, and the tests pass")
  )
