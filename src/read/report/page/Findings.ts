// Findings: findings with their stories, and the filter.
import {
  answeredText,
  type FindingPart,
  type FindingsPart,
  type FindingState,
  type Sighting
} from "../../RunFindings.ts"
import type { Tone } from "../../../text/Paint.ts"
import { priorityName } from "../../../review/findings/words.ts"
import { batchName, counted } from "../../../text/Phrases.ts"
import { block, type Child, el, excerptBlock, folded, mark, Markup, section, short, words } from "./Markup.ts"

// Every finding with its history, and the filter over them.

const states = {
  open: { tone: "bad", text: "open" },
  unseen: { tone: "open", text: "not reported so far" },
  light: { tone: "neutral", text: "does not block" },
  dismissed: { tone: "neutral", text: "dismissed" },
  gone: { tone: "good", text: "gone" }
} as const satisfies Record<FindingState, { readonly tone: Tone; readonly text: string }>

const order: ReadonlyArray<FindingState> = ["open", "unseen", "light", "dismissed", "gone"]
const answers: Readonly<Record<string, Tone>> = { fixed: "good", refuted: "neutral", documented: "neutral" }

// With this many findings, those out of sight are not laid out, and on paper only their heads appear.
const many = 300
// The most batches that are listed for a finding.
const mostSightings = 12

const sighting = ({ at, of, slots, state }: Sighting): string =>
  `${batchName(at)}: ${state}, ${slots.length} of ${counted(of, "reviewer")} (slot ${slots.join(", ")})`

const history = ({ gone, seen }: FindingPart): Markup => {
  const left = Math.max(0, seen.length - mostSightings)
  const shown = left === 0 ? seen : [...seen.slice(0, 1), ...seen.slice(1 - mostSightings)]
  const [first = "", ...later] = shown.map(sighting)
  const between = left === 0 ? [] : [`${counted(left, "batch", "batches")} left out here`]
  const end = gone === null ? [] : [`${batchName(gone)}: no longer reported`]
  return block([first, ...between, ...later, ...end].join("\n"))
}

const details = (one: FindingPart): Child => [
  excerptBlock(one.body),
  one.twins.length === 0 ? null : el("p", { class: "quiet" }, `Also at ${one.twins.join("; ")}`),
  one.wordings.length === 0 ? null : [
    el("h4", {}, "In the words of other reviewers"),
    one.wordings.map((
      { body, slot, title }
    ) => [el("p", {}, `Slot ${slot}: ${short(title)}`), body === "" ? null : words(body, 2000)])
  ],
  el("h4", {}, "From batch to batch"),
  history(one),
  el("p", { class: "quiet" }, `Its name: ${one.fingerprint}`)
]

const card = (one: FindingPart, onPaper: boolean): Markup => {
  const last = one.seen.at(-1)
  const by = last === undefined
    ? ""
    : `${last.slots.length} of ${counted(last.of, "reviewer")} in ${batchName(last.at)}`
  return el(
    "article",
    { class: "card", "data-state": one.state, "data-priority": one.priority === null ? "none" : `P${one.priority}` },
    el(
      "h3",
      {},
      mark(states[one.state]),
      mark({ tone: "neutral", text: priorityName(one) }),
      el("span", { class: "name" }, short(one.title, 400))
    ),
    el("p", { class: "quiet" }, el("code", {}, one.place), by === "" ? null : ` · ${by}`),
    one.dismissal === null ? null : el("p", {}, one.dismissal),
    one.answers.map((answered) =>
      el(
        "p",
        {},
        mark({ tone: answered.undone ? "open" : answers[answered.answer] ?? "open", text: answeredText(answered) }),
        " ",
        short(answered.why, 600)
      )
    ),
    folded("Text and history", details(one), onPaper ? { class: "print" } : {})
  )
}

const choice = (id: string, name: string, options: ReadonlyArray<readonly [string, string]>): Markup =>
  el("label", { for: id }, name, el("select", { id }, options.map(([value, text]) => el("option", { value }, text))))

const filter = ({ findings }: FindingsPart): Markup => {
  const present = order.filter((state) => findings.some((one) => one.state === state))
  const priorities = ["P0", "P1", "P2", "P3"].filter((name) => findings.some((one) => priorityName(one) === name))
  return el(
    "div",
    { id: "filter", class: "filter", role: "search", "aria-label": "Filter of the findings", hidden: true },
    el(
      "label",
      { for: "filter-words" },
      "Search (key: /)",
      Markup.empty("input", { id: "filter-words", type: "search", autocomplete: "off" })
    ),
    choice("filter-state", "State", [["", "all"], ...present.map((state) => [state, states[state].text] as const)]),
    choice("filter-priority", "Priority", [["", "all"], ...priorities.map((name) => [name, name] as const), [
      "none",
      "no priority"
    ]]),
    el("output", { id: "filter-shown", for: "filter-words filter-state filter-priority", "aria-live": "polite" })
  )
}

/** If a review is missing, the page must not say that there is nothing to find. */
const overview = ({ findings, notes, unlisted }: FindingsPart): string =>
  findings.length === 0
    ? unlisted.length > 0
      ? "No review lists its findings."
      : notes.length > 0
      ? "No reviewer has reported a finding so far."
      : "No reviewer reported a finding."
    : `${counted(findings.length, "finding")} in all: ` + order.flatMap((state) => {
      const count = findings.filter((one) => one.state === state).length
      return count === 0 ? [] : [`${count} ${states[state].text}`]
    }).join(", ") + "."

/** The section. */
export const findingsSection = (part: FindingsPart): Markup =>
  section(
    "findings",
    "Findings",
    el("p", {}, overview(part)),
    part.estimate === null
      ? null
      : el(
        "p",
        { class: "quiet" },
        `Expected but not reported yet, by ${batchName(part.estimate.at)}: ${part.estimate.text}.`
      ),
    part.notes.length === 0
      ? null
      : el("ul", { class: "plain" }, part.notes.map((note) => el("li", {}, short(note, 600)))),
    part.unlisted.map(({ body, title }) => folded(title, excerptBlock(body), { class: "print" })),
    part.findings.length === 0
      ? null
      : [
        filter(part),
        el(
          "div",
          { id: "findings-list", class: part.findings.length > many ? "many" : null },
          part.findings.map((one) => card(one, part.findings.length <= many))
        )
      ]
  )
