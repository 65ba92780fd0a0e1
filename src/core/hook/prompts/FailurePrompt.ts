// FailurePrompt: what codex is asked of a shell command that failed. It gives a diagnosis and no verdict.
import type { CommandHint } from "../CommandHints.ts"
import { dataElement, dataNote, limits } from "./DataElement.ts"
import { advicePart, paragraphs, readerPart } from "./ReviewParts.ts"

/** What the prompt is made of. */
export interface FailureAsked {
  /** Random for each prompt. */
  readonly tag: string
  readonly command: string
  /** What the client says of the failure: the exit status and what was printed. */
  readonly error: string
  readonly hints: ReadonlyArray<CommandHint>
}

const hinted: Readonly<Record<CommandHint, string>> = {
  test: "tests: is the code wrong or the test, and which is the first that fails",
  build: "a build: which error is the first, and which follow from it",
  dependencies: "packages: what is missing, in which version, from which lock file",
  git: "git: in what state are the worktree, the index and the branch",
  network: "the network: can the host be reached from here at all, and is a name or a right missing",
  container: "containers: does the service run, and is the image or the name there",
  database: "a database: does it run, with which schema, and who may do this",
  files: "files: does the path exist, who owns it, is it a folder"
}

/** Asks why a command failed. */
export const failurePrompt = ({ command, error, hints, tag }: FailureAsked): string =>
  paragraphs(
    "A command that an agent ran in this directory failed. Find out why.",
    readerPart,
    dataNote(tag),
    dataElement(tag, [
      { name: "command", text: command, limit: limits.error },
      { name: "error", text: error, limit: limits.error }
    ]),
    hints.length === 0 ? "" : ["The command is about:", ...hints.map((one) => `- ${hinted[one]}`)].join("\n"),
    "Name the cause that the output proves, before any that is only likely, and say how to tell. Do not run the " +
      "command again. Then say what to do next; a way around the cause is none unless you say that it is one.",
    advicePart
  )
