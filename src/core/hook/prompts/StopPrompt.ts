// StopPrompt: what codex is asked when Claude Code says that it is done.
import { dataElement, dataNote, limits } from "./DataElement.ts"
import { methodPart, paragraphs, readerPart, verdictPart } from "./ReviewParts.ts"

/** What the prompt is made of. */
export interface StopAsked {
  /** Random for each prompt. */
  readonly tag: string
  /** The last message of the agent. */
  readonly message: string
  /** The files that were edited in this turn. */
  readonly files: ReadonlyArray<string>
  /** `git diff` of these files; empty where there is none. */
  readonly diff: string
}

const rules = [
  "Of finished work ask also:",
  "- is what the message says true: is each thing that it claims in the change;",
  "- is anything left half done, or put off without being said;",
  "- do the edits of the files fit together."
].join("\n")

/** Asks for a verdict on what a turn changed. */
export const stopPrompt = ({ diff, files, message, tag }: StopAsked): string =>
  paragraphs(
    "An agent says that it is done with its work in this directory. Review what it changed before it stops.",
    readerPart,
    dataNote(tag),
    dataElement(tag, [
      { name: "message", text: message, limit: limits.thought },
      { name: "files", text: files.join("\n"), limit: limits.error },
      { name: "diff", text: diff }
    ]),
    "`message` is a claim: believe the change alone. `diff` holds what is not committed of these files, and may hold " +
      "edits of others. Of a file that it does not tell of, read the file and its last commits: it may be committed " +
      "already, or git does not track it.",
    methodPart,
    rules,
    verdictPart
  )
