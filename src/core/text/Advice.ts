// Advice: the command that a program advises against its own complaint.

/** The command that git advises where it does not trust a repository's owner, as it words it; null for no advice. */
export const adviceIn = (complaint: string): string | null =>
  /^\s*(git config --global --add safe\.directory \S.*)$/m.exec(complaint)?.[1]?.trim() ?? null
