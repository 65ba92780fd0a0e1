// Width: how many columns of a terminal a text takes, and the beginning of it that fits.
// Where terminals differ, the larger width counts: a line that is too short does no harm.
import { cut } from "./Untrusted.ts"

const plain = /^[\x20-\x7e]*$/

// East Asian scripts and full-width forms, and characters drawn as emoji.
const ideographs = String
  .raw`\u2e80-\u303e\u3041-\ua4cf\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6`
const hangul = String.raw`\u1100-\u115f\ua960-\ua97f\uac00-\ud7a3`
const beyond = String.raw`\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}`
const wide = new RegExp(`[${ideographs}${hangul}${beyond}]|\\p{Emoji_Presentation}`, "u")
// The selector that draws the character before it as an emoji makes it wider, so it counts as a column.
const narrowest = /[\p{Mn}\p{Me}\u200b-\u200f]/u

const widthOf = (character: string): number =>
  wide.test(character) ? 2 : character !== "\ufe0f" && narrowest.test(character) ? 0 : 1

/** How many columns a text without control characters takes. */
export const width = (text: string): number =>
  plain.test(text) ? text.length : [...text].reduce((sum, character) => sum + widthOf(character), 0)

/** The beginning of a text that fits into so many columns; no character is cut in two. */
export const fitWidth = (text: string, columns: number): string => {
  const most = Math.max(0, columns)
  if (plain.test(text)) return text.slice(0, most)
  let taken = 0
  let end = 0
  for (const character of text) {
    taken += widthOf(character)
    if (taken > most) return cut(text, end)
    end += character.length
  }
  return text
}
