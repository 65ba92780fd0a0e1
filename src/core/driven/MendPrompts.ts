// MendPrompts: what a worker is asked whose tests are red, whose work git refused, or who says that something is left.
// What tests and agents said stands in fences.
import { oneLine } from "../text/Text.ts"
import {
  answersPart,
  endOf,
  fenceNote,
  gitRule,
  outputBlock,
  paragraphs,
  resultPart,
  statusPart,
  wordsBlock
} from "./PromptParts.ts"

/** How an agent goes on with its work. */
export interface Again {
  readonly taskId: string
  /** Which attempt this is, and how many there are. */
  readonly attempt: number
  readonly of: number
  /** The findings of a round, whose answers are asked for again; none where no answers are asked for. */
  readonly fingerprints: ReadonlyArray<string>
  /** Whether the agent knows nothing of the round: then the prompt of the round stands in front of this one. */
  readonly whole: boolean
}

/** Red tests. `exit` is null where the test was killed after `timeout` milliseconds. */
export interface MendAsked extends Again {
  readonly command: string
  readonly exit: number | null
  readonly timeout: number
  /** The end of the output. */
  readonly tail: string
}

const mending = (asked: Again, what: string, output: string): string =>
  paragraphs(
    asked.whole
      ? "---\n\nAn agent before you was asked all of the above, and its work lies in the worktree. Go on from there."
      : "Your work lies in the worktree. Go on from there.",
    what,
    outputBlock(output),
    fenceNote,
    `Find the cause and mend it (attempt ${asked.attempt} of ${asked.of}). Keep what was fixed: do not take a fix ` +
      "back, and do not weaken or skip a test, unless the test itself is wrong; then say why.",
    gitRule,
    resultPart({ role: "worker", taskId: oneLine(asked.taskId) }),
    answersPart(asked.fingerprints),
    statusPart("the cause is mended")
  )

/** Asks an agent to mend the tests that are red after its work. */
export const mendPrompt = (asked: MendAsked): string =>
  mending(
    asked,
    `The tests are red after it. This test ${endOf(asked)}, twice in a row:\n\n${wordsBlock(asked.command)}`,
    asked.tail
  )

/** Asks an agent to mend what git refuses to commit, by a hook as a rule. */
export const mendCommitPrompt = (asked: Again & { readonly output: string }): string =>
  mending(asked, "The tests pass, but git refused to commit the work: a hook failed, as a rule.", asked.output)

/** What a worker itself said was left. */
export interface RemediateAsked {
  readonly taskId: string
  readonly issues: string
  readonly fingerprints: ReadonlyArray<string>
}

/** Asks a worker, on its own thread or behind the whole prompt, to do what it said was left. */
export const remediatePrompt = ({ fingerprints, issues, taskId }: RemediateAsked): string =>
  paragraphs(
    "The work that lies in the worktree is not done. The last answer said that this is left:",
    wordsBlock(issues),
    fenceNote,
    "Do what of it belongs to the task that was asked for, then run the tests again.",
    gitRule,
    resultPart({ role: "worker", taskId: oneLine(taskId) }),
    answersPart(fingerprints),
    statusPart("nothing is left")
  )
