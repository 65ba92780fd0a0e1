// clauses: texts as the prose rules see them: their words, the one clause they are, their sentences.
import { assert } from "vitest"
import { type Clause, paragraphs, type Sentence, sentences, unquoted } from "../../../../../src/core/verdict/prose/Sentences.ts"

/** The sentences of a text. */
export const sentencesOf = (text: string): ReadonlyArray<Sentence> =>
  paragraphs(text).map(unquoted).flatMap((paragraph) => sentences(paragraph))

/** The one clause that a text is. */
export const clauseOf = (text: string): Clause => {
  const [clause, ...others] = sentencesOf(text).flatMap(({ clauses }) => clauses)
  assert.lengthOf(others, 0, `"${text}" is more than one clause`)
  return clause ?? assert.fail(`"${text}" is no clause`)
}

/** The words of the one clause that a text is. */
export const wordsOf = (text: string): ReadonlyArray<string> => clauseOf(text).words

/** Where the word stands in the clause for the first time. */
export const indexOf = (at: ReadonlyArray<string>, word: string): number => {
  assert.include(at, word)
  return at.indexOf(word)
}
