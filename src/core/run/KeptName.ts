// KeptName: the names in the log of a run for the files that the run keeps beside it.
// A forged log may name anything. Only names that the program itself would give are looked up.

/** The name of the rest of a long text, from the sha256 of it. */
export const textName = (hex: string): string => `texts/${hex}.txt`

const names = { text: /^texts\/[0-9a-f]{64}\.txt$/, torn: /^(?:[a-z]+(?:-[a-z]+)*\.)?torn\/\d+-[0-9a-f]{8}$/ } as const

/** What is kept: the rest of a long text, or the bytes of a line that was never whole. */
export type Kept = keyof typeof names

/** Whether the program itself would give this name to something that it keeps. */
export const isKeptName = (kept: Kept, name: string): boolean => names[kept].test(name)
