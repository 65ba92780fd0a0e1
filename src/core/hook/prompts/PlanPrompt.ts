// PlanPrompt: what codex is asked of a plan that Claude Code is about to follow.
import { dataElement, dataNote } from "./DataElement.ts"
import { methodPart, paragraphs, readerPart, verdictPart } from "./ReviewParts.ts"

/** What the prompt is made of. */
export interface PlanAsked {
  /** Random for each prompt. */
  readonly tag: string
  readonly plan: string
}

const rules = [
  "Of a plan ask also:",
  "- does it solve the problem that it names, and is there a way with fewer parts;",
  "- which of its statements about this code are wrong: look at the files that it names;",
  "- what is missing without which it fails: a step, a case, an error, a test, a way back;",
  "- in what order do its steps break something that works."
].join("\n")

/** Asks for a verdict on a plan. */
export const planPrompt = ({ plan, tag }: PlanAsked): string =>
  paragraphs(
    "An agent has written a plan for work in this directory. Review the plan before anybody follows it.",
    readerPart,
    dataNote(tag),
    dataElement(tag, [{ name: "plan", text: plan }]),
    methodPart,
    rules,
    verdictPart
  )
