// words: the prompts handed to the outer agent with AddressBatch and Retrospective, and to a human with the triage.
// Words of the contract are kept byte for byte. Only continuation lines are added.
import type { Level } from "./Level.ts"
import { oneLine } from "../text/Untrusted.ts"

/** The AddressBatch prompt: the contract's line, then where the findings and the transcripts are. */
export const addressPrompt = (
  withIssues: number,
  level: Level,
  paths: { readonly findings: string; readonly transcripts: string }
): string =>
  `Verify and address ${withIssues} review(s) with issues at level ${level}. For each issue: real bug -> fix; ` +
  "false positive -> clarify code; design tradeoff -> document rationale. Then run tests.\n" +
  `Findings: ${oneLine(paths.findings)}\nTranscripts: ${oneLine(paths.transcripts)}`

/** The prompt of TestsFailedTriage; it holds DETAILS verbatim. */
export const triagePrompt = (level: Level, details: string): string =>
  `Tests failed after addressing review batch at level ${level}. Surface to a human for triage. Details: ${details}`

/** The Retrospective prompt: one line, then where the history is. `waived` counts reviews that do not block. */
export const retrospectivePrompt = (
  level: Level,
  floor: Level,
  paths: { readonly history: string },
  waived = 0
): string =>
  `${
    waived === 0 ? `All reviews at level ${level} are clean.` : `No issue of the reviews at level ${level} blocks.`
  } Look over the whole issue history for patterns whose removal would have ` +
  "prevented several issues. If there are any, implement them: the loop then restarts from the floor " +
  `(${floor}). If there are none, report a clean retrospective: the loop then advances.\n` +
  `History: ${oneLine(paths.history)}`

/** The line of a strict hand-off that says how a mark names the batch it answers. */
export const answerLine = (at: { readonly level: Level; readonly batch: number; readonly run: string }): string =>
  `Answer with: --batch ${at.level}/${at.batch}@${at.run}`

/** The flags that such a line gives to a mark, read from a prompt that ends in it; empty for any other prompt. */
export const answerFlags = (prompt: string): string => /(?:^|\n)Answer with: (--batch \S+)$/.exec(prompt)?.[1] ?? ""
