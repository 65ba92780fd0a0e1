// PlanOnly: whether an implementer's message reads like a plan for work that was not done.
// Only the worktree can tell whether nothing was done.

/** Patterns of one line each. Marks, numbers and list signs may stand around the words. */
const ofLines = [/^[^\p{L}]*(?:detailed\s+)?plan(?![\p{L}\p{N}_])/iu, /(?<![\p{L}\p{N}_])plan[\s:*_`"'\u2019)\]]*$/iu]
const anywhere = [
  /\bhere['\u2019]s\s+what\s+i['\u2019]ll\s+do\b/i,
  /\bi(?:\s+will|['\u2019]ll|\s+can)\s+plan\b/i,
  /\bi(?:\s+will|['\u2019]ll)\s+(?:implement|do|make)\b/i,
  /\bthe\s+implementation\s+will\b/i
]

/** Whether a message reads like a plan. */
export const looksLikePlanOnly = (text: string): boolean =>
  anywhere.some((pattern) => pattern.test(text)) ||
  text.split(/\r\n|[\n\r]/).some((line) => ofLines.some((pattern) => pattern.test(line)))
