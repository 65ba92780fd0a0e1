// ThoughtPrompt: what codex is asked of a thought in a chain of thoughts. It gives no verdict.
import type { ThinkingStage } from "../Tools.ts"
import { dataElement, dataNote, limits } from "./DataElement.ts"
import { advicePart, paragraphs, readerPart } from "./ReviewParts.ts"

/** What the prompt is made of. */
export interface ThoughtAsked {
  /** Random for each prompt. */
  readonly tag: string
  readonly thought: string
  readonly number: number
  readonly total: number
  readonly stage: ThinkingStage
}

const staged: Readonly<Record<ThinkingStage, string>> = {
  early: "The chain has just begun. Ask whether the question is the right one: what is taken for granted, what was " +
    "left out, which other way was not looked at?",
  mid: "The chain is in its midst. Ask whether it holds: which step does not follow, what evidence is missing, what " +
    "speaks against it?",
  late: "The chain is about to end. Ask whether the end is sound: does it answer the question, what would prove it " +
    "wrong, what is still open?"
}

/** Asks for a reflection on a thought. */
export const thoughtPrompt = ({ number, stage, tag, thought, total }: ThoughtAsked): string =>
  paragraphs(
    `An agent thinks aloud in steps; this is thought ${number} of about ${total}. Reflect on how it thinks.`,
    readerPart,
    dataNote(tag),
    dataElement(tag, [{ name: "thought", text: thought, limit: limits.thought }]),
    staged[stage],
    "Give no verdict and do not solve the problem for it.",
    advicePart
  )
