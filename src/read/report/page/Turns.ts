// Turns: the rounds of a run.
import type { AnswerPart, DiffPart, ReportData, ReviewPart, TurnPart, WorkPart } from "../ReportData.ts"
import { counted, span } from "../../../text/Phrases.ts"
import {
  type Child,
  colouredBlock,
  el,
  excerptBlock,
  facts,
  folded,
  instant,
  mark,
  type Markup,
  section,
  short,
  table,
  words
} from "./Markup.ts"

// The rounds of a run: answers, agents, tests, diffs, reviews.

const classOf = (line: string): string =>
  /^(diff |index |--- |\+\+\+ )/.test(line)
    ? "file"
    : line.startsWith("+")
    ? "added"
    : line.startsWith("-")
    ? "removed"
    : "same"

const mostFiles = 40

const diffBlock = ({ files, problem, text, title }: DiffPart): Markup => {
  const more = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : ""
  const names = files.length === 0
    ? "no file"
    : `${files.slice(0, mostFiles).map((file) => short(file)).join(", ")}${more}`
  return problem !== null
    ? el("p", { class: "quiet" }, `${title}: no diff: ${short(problem, 600)}`)
    : folded(`${title}: ${counted(files.length, "file")} changed`, [
      el("p", { class: "quiet" }, names),
      text.text === ""
        ? null
        : colouredBlock(text.text, title, classOf),
      text.rest === null ? null : el("p", { class: "quiet" }, `Cut here; ${text.rest}.`)
    ])
}

const when = ({ from, to }: WorkPart): string =>
  from === null ? "" : `${instant(from)}${to === null ? "" : `, ${span(to - from)}`}`

const work = (one: WorkPart): Markup =>
  el(
    "li",
    { class: "card" },
    el("h3", {}, mark(one.verdict), el("span", { class: "name" }, `${one.name}: `, el("code", {}, short(one.what)))),
    el("p", { class: "quiet" }, when(one)),
    facts(one.facts),
    one.problems.length === 0
      ? null
      : el("ul", { class: "plain" }, one.problems.map((text) => el("li", {}, short(text, 1000)))),
    one.said === null
      ? null
      : folded(one.name.startsWith("Agent") ? "Its answer" : "The end of its output", excerptBlock(one.said)),
    one.diff === null ? null : diffBlock(one.diff)
  )

const answerTones = { fixed: "good", refuted: "neutral", documented: "neutral", "not-done": "bad" } as const

const toneOf = (answer: string) =>
  answer === "fixed" || answer === "refuted" || answer === "documented" ? answerTones[answer] : answerTones["not-done"]

const answers = (all: ReadonlyArray<AnswerPart>): Child =>
  all.length === 0 ? null : table(
    "What the agents answered",
    [{ name: "Finding" }, { name: "Answer" }, { name: "Why" }],
    all.map(({ answer, fingerprint, title, why }) => [
      { content: [title === null ? null : [short(title), " "], el("code", {}, fingerprint)], kind: "name" },
      { content: mark({ tone: toneOf(answer), text: answer }) },
      { content: short(why, 600) }
    ])
  )

const review = ({ issues, notes, text, title, verdict }: ReviewPart): Markup =>
  el(
    "div",
    {},
    el("h4", {}, title, " ", mark(verdict)),
    el("ul", { class: "plain" }, notes.map((note) => el("li", {}, short(note, 600)))),
    issues.length === 0 ?
      null :
      el(
        "ul",
        { class: "plain" },
        issues.map((issue) =>
          el(
            "li",
            {},
            mark({
              tone: issue.severity === "critical" || issue.severity === "major" ? "bad" : "neutral",
              text: issue.severity
            }),
            " ",
            issue.place === null ? null : el("code", {}, short(issue.place)),
            words(issue.text, 4000)
          )
        )
      ),
    folded("The whole review", excerptBlock(text))
  )

const turn = ({ answers: answered, facts: known, id, reviews, title, verdict, work: done }: TurnPart): Markup =>
  el(
    "article",
    { class: "card", id },
    el("h3", {}, mark(verdict), el("span", { class: "name" }, short(title, 400))),
    facts(known),
    answers(answered),
    reviews.map(review),
    done.length === 0
      ? null
      : folded("Agents and tests", el("ol", { class: "plain" }, done.map(work)), { class: "print" })
  )

/** The tasks of a plan, or null. */
export const tasksSection = ({ tasks }: ReportData): Markup | null =>
  tasks === null ? null : section(
    "tasks",
    "Tasks",
    tasks.length === 0
      ? el("p", {}, "No round has begun yet.")
      : table(
        "The tasks that this run worked on",
        [{ name: "Task" }, { name: "Title" }, { name: "State" }],
        tasks.map(({ number, title, verdict }) => [
          { content: number, kind: "short" },
          { content: short(title), kind: "name" },
          { content: mark(verdict) }
        ])
      )
  )

/** The rounds, or null. */
export const turnsSection = ({ turns }: ReportData): Markup | null =>
  turns.length === 0
    ? null
    : section("turns", "Rounds", turns.map(turn))
