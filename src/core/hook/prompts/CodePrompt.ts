// CodePrompt: what codex is asked of an edit that Claude Code has just made.
import type { FocusHint, SizeHint } from "../Hints.ts"
import { dataElement, dataNote, limits } from "./DataElement.ts"
import { hintsPart, methodPart, paragraphs, readerPart, verdictPart } from "./ReviewParts.ts"

/** What the prompt is made of. */
export interface CodeAsked {
  /** Random for each prompt. */
  readonly tag: string
  readonly tool: string
  readonly path: string
  /** What the edit took away; empty for a new file. */
  readonly before: string
  /** What the edit put in its place. */
  readonly after: string
  /** What the tool answered; null where that says nothing more. */
  readonly response: string | null
  readonly focus: ReadonlyArray<FocusHint>
  readonly size: ReadonlyArray<SizeHint>
}

/** Asks for a verdict on an edit. */
export const codePrompt = ({ after, before, focus, path, response, size, tag, tool }: CodeAsked): string =>
  paragraphs(
    "An agent has just edited a file in this directory. Review the edit as a second pair of eyes.",
    readerPart,
    dataNote(tag),
    dataElement(tag, [
      { name: "tool", text: tool, limit: limits.name },
      { name: "file", text: path, limit: limits.name },
      { name: "before", text: before },
      { name: "after", text: after },
      ...(response === null ? [] : [{ name: "response", text: response, limit: limits.error }])
    ]),
    "`before` is what the edit took away, `after` what stands there now. The file may hold more; read it where that " +
      "decides something. More edits may follow: what this one could not do alone is no defect of it.",
    hintsPart(focus, size),
    methodPart,
    verdictPart
  )
