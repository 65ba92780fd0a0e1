// Words: sets of words, and looks at a clause that never go further than they are told.
// The one rule: whoever asks about a neighbourhood names its ends, so that reading stays linear.

/** A set of the words in a text, split at white space. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""))

/** Whether the word, if there is one, is in the set. */
export const has = (set: ReadonlySet<string>, word: string | undefined): boolean => word !== undefined && set.has(word)

/** Whether one of the words from `from` up to, not including, `to` is in the set. */
export const within = (at: ReadonlyArray<string>, from: number, to: number, set: ReadonlySet<string>): boolean => {
  for (let i = Math.max(0, from); i < Math.min(at.length, to); i++) if (has(set, at[i])) return true
  return false
}

/** Whether any word of the clause is in the set. */
export const any = (at: ReadonlyArray<string>, set: ReadonlySet<string>): boolean => within(at, 0, at.length, set)

const notNegating = words("longer doubt fewer less only just merely without least later sooner")

/** Whether the word negates the verb behind it. */
export const isNot = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  if (word === "not" || word === "never") return !has(notNegating, at[i + 1])
  return word === "cannot" || word === "unable" || word.endsWith("n't")
}

const determiners = words("no nothing none neither nor zero 0 without nobody nowhere")

/** Whether the word says that there is none of what follows: `no`, `without`, `free of`, `not a single`. */
export const isNone = (at: ReadonlyArray<string>, i: number): boolean =>
  (has(determiners, at[i]) && !has(notNegating, at[i + 1]) && !(at[i] === "without" && at[i - 1] === "not")) ||
  (at[i] === "single" && at[i - 1] === "a" && at[i - 2] === "not") ||
  (at[i] === "free" && (at[i + 1] === "of" || at[i + 1] === "from") && at[i - 1] !== "not")
