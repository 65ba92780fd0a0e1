// Prompts: what agents are asked after the first answer of a round, and at a clean level.
// What tests and agents said stands in fences; only we write outside of them.
import type { Level } from "../run/Level.ts"
import { oneLine } from "../text/Text.ts"
import {
  answersPart,
  endOf,
  fenceNote,
  gitRule,
  outputBlock,
  paragraphs,
  protectPart,
  resultPart,
  statusPart,
  testsPart,
  wordsBlock
} from "../driven/PromptParts.ts"

/** How an agent goes on in a round. */
export interface Again {
  readonly taskId: string
  /** Which attempt this is, and how many there are. */
  readonly attempt: number
  readonly of: number
  /** The findings of the round, whose answers are asked for again. */
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

/** A clean level. `historyFile` holds the issues of all batches. */
export interface RetroAsked {
  readonly contractPrompt: string
  readonly taskId: string
  readonly historyFile: string
  readonly level: Level
}

/** Asks a reader for patterns in the issues of the run. It changes nothing; a worker implements what it names. */
export const retroPrompt = ({ contractPrompt, historyFile, level, taskId }: RetroAsked): string =>
  paragraphs(
    contractPrompt.trimEnd(),
    "You only read: change no file. Where the text above says to implement patterns, name them instead; another " +
      "agent implements what you name.",
    `Read the whole history of issues up to level ${level}: ${oneLine(historyFile)}`,
    fenceNote,
    "A pattern is a cause in the code as it is now that led to several issues, and whose removal would prevent more " +
      "of them. An issue that is fixed is no pattern. Name none that you have not verified in the code.",
    resultPart({ role: "code-quality-reviewer", taskId: oneLine(taskId) }),
    "`status: pass` says that there is no pattern. `status: gaps` says that there are patterns: name them in " +
      "`issues` on one line, and describe each below the headers, with its places and the change that removes it. " +
      "`error` says that you could not read the history."
  )

/** The patterns that a reader named, in its own words. */
export interface PatternsAsked {
  readonly taskId: string
  readonly patterns: string
  readonly historyFile: string
  readonly tests: ReadonlyArray<string>
  readonly protect: ReadonlyArray<string>
  /** The level at which the reviews begin again. */
  readonly floor: Level
}

/** Asks a worker to implement the patterns. */
export const patternsPrompt = (asked: PatternsAsked): string =>
  paragraphs(
    "All reviews of this level are clean. A reader of the whole history of issues named patterns whose removal would " +
      "have prevented several of them. Verify each against the code, and implement those that hold; the reviews then " +
      `begin again at level ${asked.floor}.`,
    `History: ${oneLine(asked.historyFile)}`,
    fenceNote,
    `The reader's words:\n\n${wordsBlock(asked.patterns)}`,
    "Do nothing else: no other changes. For each pattern say below the headers what you did, or why it does not hold.",
    testsPart(asked.tests),
    protectPart(asked.protect),
    gitRule,
    resultPart({ role: "worker", taskId: oneLine(asked.taskId) }),
    statusPart("the patterns are dealt with and the tests pass")
  )

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
