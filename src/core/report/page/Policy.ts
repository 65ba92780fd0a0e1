// Policy: what a page may do by its own word: show its one style sheet, run its one script, and nothing else.
import { sha256 } from "../../text/Sha256.ts"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** Hexadecimal digits of whole bytes in base 64. */
export const base64 = (hex: string): string => {
  const bits = [...hex].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0")).join("")
  const sextets = bits.match(/.{1,6}/g) ?? []
  const text = sextets.map((bits) => alphabet[Number.parseInt(bits.padEnd(6, "0"), 2)] ?? "").join("")
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=")
}

const source = (text: string): string => `'sha256-${base64(sha256(text))}'`

/** The policy of a page with this style sheet and this script. */
export const policy = (style: string, script: string): string =>
  [
    "default-src 'none'",
    `style-src ${source(style)}`,
    `script-src ${source(script)}`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")
