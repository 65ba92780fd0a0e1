// Prompts: what agents are asked at a clean level: for patterns in the issues, then to implement them.
// What agents said stands in fences; only we write outside of them.
import {
  fenceNote,
  gitRule,
  paragraphs,
  protectPart,
  resultPart,
  statusPart,
  testsPart,
  wordsBlock
} from "../driven/PromptParts.ts"
import type { Level } from "../run/Level.ts"
import { oneLine } from "../text/Text.ts"

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
