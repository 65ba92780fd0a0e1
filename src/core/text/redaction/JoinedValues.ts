// JoinedValues: takes the further parts of a secret out of a text that is put together from several quoted ones.
import { marker } from "./Marker.ts"

// Each repetition is bounded, so that the time grows with the text alone.
const joint = String.raw`[ \t]{0,20}(?:[+.\\][ \t]{0,20}(?:\r?\n[ \t]{0,80})?|\r?\n[ \t]{0,80}(?:[+.][ \t]{0,20})?)`
// A quoted text with the letters of its prefix. Before `:` or `=` it is a key, and no part of the value.
const part = String.raw`[A-Za-z@$]{0,2}(?:"[^"\n]{1,1000}"|'[^'\n]{1,1000}')(?![ \t]{0,20}[:=])`
const chain = new RegExp(String.raw`(?<=\[redacted\]["'])(?:${joint}${part}){1,50}`, "g")
const quoted = /(["'])[^\n]{1,1000}?\1/g

/** The text without the parts that are joined to a value that has been taken out. */
export const withoutJoinedValues = (text: string): string =>
  text.replace(chain, (found) => found.replace(quoted, `$1${marker}$1`))
