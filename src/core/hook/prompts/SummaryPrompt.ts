// SummaryPrompt: what codex is asked of the middle of a text that is too long for a prompt.
import { dataElement, dataNote } from "./DataElement.ts"
import { paragraphs } from "./ReviewParts.ts"

/** Asks for a summary. `tag` is random for each prompt. */
export const summaryPrompt = ({ tag, text }: { readonly tag: string; readonly text: string }): string =>
  paragraphs(
    "Somebody will review a text whose head and tail they are shown. What follows is its middle. Run no command.",
    dataNote(tag),
    dataElement(tag, [{ name: "middle", text }]),
    "Say in at most 1,500 characters what it holds that a reviewer must know: what changes, and what looks wrong. " +
      "Judge nothing."
  )
