// TextEdit: changes of a text at places that count its line ends as one character each; all other text stays.

/** Text that takes the place of what stands from `from` to `to`. Its line ends are `\n`. */
export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Edits a file at places in its normal text (see `normalOf`). What is not touched stays as it is: byte order mark, line
 * ends of any kind. New lines end as the first line of the file does. Edits do not overlap.
 */
export const edited = (text: string, edits: ReadonlyArray<TextEdit>): string => {
  const end = /\r\n?|\n/.exec(text)?.[0] ?? "\n"
  const mark = text.startsWith("\ufeff") ? 1 : 0
  // The places at which the normal text has one character less than the file.
  const shorter = Array.from(text.matchAll(/\r\n/g), ({ index }, before) => index - before - mark)
  let passed = 0
  const placeOf = (normal: number): number => {
    while ((shorter[passed] ?? Infinity) < normal) passed++
    return normal + passed + mark
  }
  const kept: Array<string> = []
  let last = 0
  for (const { from, text: added, to } of edits.toSorted((a, b) => a.from - b.from)) {
    kept.push(text.slice(last, placeOf(from)), added.replaceAll("\n", end))
    last = placeOf(to)
  }
  return kept.join("") + text.slice(last)
}
