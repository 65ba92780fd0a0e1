// Prompt: the texts handed to the outer agent with AddressBatch and Retrospective.
// The one rule: the first line of the AddressBatch prompt is the contract's, byte for byte; paths follow it.
import type { Level } from "./Level.ts"

/** The AddressBatch prompt: the contract's line, then where the findings and the transcripts are (L1). */
export const addressPrompt = (
  withIssues: number,
  level: Level,
  paths: { readonly findings: string; readonly transcripts: string }
): string =>
  `Verify and address ${withIssues} review(s) with issues at level ${level}. For each issue: real bug -> fix; ` +
  "false positive -> clarify code; design tradeoff -> document rationale. Then run tests.\n" +
  `Findings: ${paths.findings}\nTranscripts: ${paths.transcripts}`

/** The Retrospective prompt: one line, then where the whole issue history is (L2). */
export const retrospectivePrompt = (level: Level, floor: Level, paths: { readonly history: string }): string =>
  `All reviews at level ${level} are clean. Look over the whole issue history for patterns whose removal would have ` +
  "prevented several issues. If there are any, implement them: the loop then restarts from the floor " +
  `(${floor}). If there are none, report a clean retrospective: the loop then advances.\nHistory: ${paths.history}`
