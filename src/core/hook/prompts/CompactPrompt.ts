// CompactPrompt: what codex is asked before Claude Code sums up a session: a reflection for whoever writes the summary.
import { dataElement, dataNote } from "./DataElement.ts"
import { advicePart, paragraphs, readerPart } from "./ReviewParts.ts"

/** What the prompt is made of. */
export interface CompactAsked {
  /** Random for each prompt. */
  readonly tag: string
  /** The session, or the end of it. */
  readonly transcript: string
  /** What was found in the session and is still open. */
  readonly open: string
}

const rules = [
  "Say what must not get lost:",
  "- decisions, and the reasons that would otherwise be looked for again;",
  "- what was tried and failed, and what is still open;",
  "- what the person asked for and forbade;",
  "- habits that cost time, and those to keep."
].join("\n")

/** Asks for a reflection on a session. */
export const compactPrompt = ({ open, tag, transcript }: CompactAsked): string =>
  paragraphs(
    "A session of an agent is about to be summed up, and the session itself will be forgotten. Reflect on it for " +
      "whoever writes the summary.",
    readerPart,
    dataNote(tag),
    dataElement(tag, [{ name: "session", text: transcript }, { name: "open", text: open }]),
    rules,
    advicePart
  )
