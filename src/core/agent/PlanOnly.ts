// PlanOnly: whether an implementer's message reads like a plan for work that was not done.

const patterns = [
  /^\W*(?:detailed\s+)?plan\b/im,
  /\bplan\W*$/im,
  /\bhere['\u2019]s what i['\u2019]ll do\b/i,
  /\bi (?:will|can) plan\b/i,
  /\bi will (?:implement|do|make)\b/i,
  /\bthe implementation will\b/i
]

/** Whether a message reads like a plan. Whether nothing was done, the worktree must tell: this is but the text. */
export const looksLikePlanOnly = (text: string): boolean => patterns.some((pattern) => pattern.test(text))
