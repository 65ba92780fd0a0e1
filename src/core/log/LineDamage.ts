// LineDamage: the kinds of damage a line of the log can have, by name.
// The names are for people and for audit. Whether a line is damaged does not depend on them.

import { Schema } from "effect"

/** What is wrong with a line. `no newline`: an acknowledged line has lost its end. */
export const Damage = Schema.Literals([
  "no newline",
  "blank line",
  "BOM",
  "CRLF",
  "NUL",
  "not JSON",
  "no hash",
  "bad hash",
  "not a line of this log",
  "no genesis",
  "too long",
  "duplicate",
  "gap",
  "broken chain"
])
export type Damage = typeof Damage.Type

const NUL = 0
const space = 0x20
const carriageReturn = 0x0d
const bom: ReadonlyArray<number> = [0xef, 0xbb, 0xbf]

/** The damage that can be seen without parsing the line, or null. */
export const looksLike = (bytes: Uint8Array): Damage | null => {
  if (bytes.includes(NUL)) return "NUL"
  if (bom.every((byte, i) => bytes[i] === byte)) return "BOM"
  if (bytes.every((byte) => byte <= space)) return "blank line"
  if (bytes[bytes.length - 1] === carriageReturn) return "CRLF"
  return null
}
