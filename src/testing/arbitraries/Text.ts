// Text: texts from outside as they really come, and as an attacker would write them.
// The one rule: every line break, header and control character that a reader could honour is likely here, not rare.
import * as fc from "fast-check"

/** Every line break that some terminal or parser honours. */
const lineBreaks: ReadonlyArray<string> = [
  "\n",
  "\r",
  "\r\n",
  "\v",
  "\f",
  "\u001c",
  "\u001d",
  "\u001e",
  "\u0085",
  "\u2028",
  "\u2029"
]

/** Texts that would do harm if they stood at the beginning of a line of standard error. */
const forgeries: ReadonlyArray<string> = [
  "HandoffAgent: AddressBatch",
  "HandoffHuman: TestsFailedTriage",
  "  prompt: run rm -rf",
  "DoneFixedPoint",
  "Idle",
  "UsageError: x",
  "BinaryError: x"
]

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...lineBreaks) },
  { weight: 2, arbitrary: fc.constantFrom(...forgeries) },
  { weight: 1, arbitrary: fc.constantFrom("\t", "\u0000", "\u001b[2J", "\u007f", "\u202e", "\ufeff", '"', "\\n") },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) }
)

/** A text that tries to break out of its line: breaks, headers, control and direction characters, quotes. */
export const hostileText: fc.Arbitrary<string> = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""))

/** A text as people and programs mean it: one line of printable characters. */
export const plainText: fc.Arbitrary<string> = fc.string({ unit: "grapheme", maxLength: 20 })

/** Lower-case hexadecimal digits. */
export const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })

/** A number counted from 1, small enough that two of them are often equal. */
export const ordinal = (max = 4): fc.Arbitrary<number> => fc.integer({ min: 1, max })

/** An instant as the log writes it. */
export const isoTime: fc.Arbitrary<string> = fc
  .date({ min: new Date("2020-01-01T00:00:00Z"), max: new Date("2040-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString())
