// Phrases: the one wording of counts, times, batches and slots for people.

/** A count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Paragraphs with a blank line between them; empty ones are left out. */
export const paragraphs = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join("\n\n")

const two = (value: number): string => String(value).padStart(2, "0")

/** A span of milliseconds in at most six characters up to 99 days: `12s`, `2m03s`, `1h02m`, `3d04h`. */
export const span = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours}h${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d${two(hours % 24)}h`
}

const units = [["h", 3_600_000], ["m", 60_000], ["s", 1000], ["ms", 1]] as const

/** A number of milliseconds exactly, in the form of an option: `1ms`, `90s` is `1m30s`, `1h30m`. */
export const exactly = (ms: number): string =>
  units.flatMap(([unit, length], i) => {
    const count = Math.floor((ms % (units[i - 1]?.[1] ?? Number.POSITIVE_INFINITY)) / length)
    return count === 0 ? [] : [`${count}${unit}`]
  }).join("")

/** A number of bytes: `12 kB`, `38.1 MB`, `1.2 GB`. */
export const size = (bytes: number): string => {
  // A size that would be rounded up to the next unit has that unit.
  if (bytes <= 999_000) return `${Math.ceil(bytes / 1000)} kB`
  return bytes < 999_950_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

/** A large number in few characters: `950`, `1.2k`, `34k`, `1.2M`. */
export const shortCount = (count: number): string => {
  if (count < 1e3) return String(count)
  // A count that would be rounded up to the next unit is printed in that unit.
  const [unit, one] = count < 999_500
    ? ["k", 1e3] as const
    : count < 999_500_000
    ? ["M", 1e6] as const
    : ["G", 1e9] as const
  const value = count / one
  return `${value < 9.95 ? value.toFixed(1).replace(".0", "") : Math.round(value)}${unit}`
}

/** A path as one word of a command line. */
export const shellWord = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

interface Batch {
  readonly level: string
  readonly batch: number
}

/** `low batch 3`. */
export const batchName = ({ batch, level }: Batch): string => `${level} batch ${batch}`

/** `low batch 3 slot 1`. */
export const slotName = (at: Batch & { readonly slot: number }): string => `${batchName(at)} slot ${at.slot}`

/** How many letters must be added, removed, replaced, or swapped with the next to turn one word into another. */
const distance = (from: string, to: string): number => {
  const [letters, others] = [[...from], [...to]]
  let before: ReadonlyArray<number> = []
  let above: ReadonlyArray<number> = Array.from({ length: others.length + 1 }, (_, i) => i)
  for (const [i, letter] of letters.entries()) {
    const row = [i + 1]
    for (const [j, other] of others.entries()) {
      const [left = 0, diagonal = 0, up = 0] = [row[j], above[j], above[j + 1]]
      const swapped = letter === others[j - 1] && letters[i - 1] === other ? (before[j - 1] ?? 0) + 1 : Infinity
      row.push(Math.min(left + 1, up + 1, diagonal + (letter === other ? 0 : 1), swapped))
    }
    before = above
    above = row
  }
  return above.at(-1) ?? others.length
}

const mostLetters = 2

/** The name that a word probably means, or null: `audit` for `audti`. */
export const nearest = (word: string, names: ReadonlyArray<string>): string | null => {
  const near = names.map((name) => ({ name, letters: distance(word, name) }))
    .filter(({ letters, name }) => letters <= mostLetters && letters < name.length / 2)
    .sort((a, b) => a.letters - b.letters)
  return near[0]?.name ?? null
}
