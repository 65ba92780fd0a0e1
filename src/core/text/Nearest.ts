// Nearest: which of some names was probably meant by a word that is none of them.

/** How many letters have to be added, taken away or replaced to make one word of another. */
const distance = (from: string, to: string): number =>
  [...from].reduce((above, letter, i) => {
    const row = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const [left = 0, diagonal = 0, up = 0] = [row[j], above[j], above[j + 1]]
      row.push(Math.min(left + 1, up + 1, diagonal + (letter === other ? 0 : 1)))
    }
    return row
  }, Array.from({ length: to.length + 1 }, (_, i) => i)).at(-1) ?? to.length

const mostLetters = 2

/** The name of these that was probably meant by a word, or null: `audit` by `audti`. */
export const nearest = (word: string, names: ReadonlyArray<string>): string | null => {
  const near = names.map((name) => ({ name, letters: distance(word, name) }))
    .filter(({ letters, name }) => letters <= mostLetters && letters < name.length / 2)
    .sort((a, b) => a.letters - b.letters)
  return near[0]?.name ?? null
}
