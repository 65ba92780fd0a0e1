// LegacyResult: results in the words that agents used before there were headers.
import type { DecodedResult } from "./Result.ts"

const passes = /\breview passed\b|\bspec[- ]compliant\b|\bAPPROVED\b|\bimplementation (?:is )?complete\b/gi
const fails = new RegExp(
  "\\bFAILED\\b|\\bissues? found\\b|\\bprecondition failure\\b|\\btask (?:is )?blocked on\\b|" +
    "\\breview loop (?:limit )?exceeded\\b",
  "gi"
)
// These two are verdicts in capitals alone: "approved" and "failed" are words of every report.
const shouted = /^(?:approved|failed)$/i
const range = /\b[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}\b/
const denied = new RegExp(
  "(?:\\bno|\\bnot|n['\u2019]t|\\bcannot|\\bnever|\\bwithout|\\bzero|\\b0|\\bnone|\\bneither|\\bnor)" +
    "(?:\\s+(?!but\\b)[\\w'-]+){0,3}\\s*$",
  "i"
)

interface Said {
  readonly asserted: boolean
  readonly denied: boolean
}

const heard = (text: string, words: RegExp): Said => {
  const all = Array.from(text.matchAll(words))
    .filter(([word]) => !shouted.test(word) || word === word.toUpperCase())
    .map(({ index }) => {
      const clause = text.slice(Math.max(0, index - 80), index).split(/[.;:!?\n]/).at(-1) ?? ""
      return denied.test(clause)
    })
  return { asserted: all.includes(false), denied: all.includes(true) }
}

/** A message without headers. Only a pass that nothing contradicts is one. */
export const legacyResult = (text: string): DecodedResult => {
  const pass = heard(text, passes)
  const fail = heard(text, fails)
  const found = range.exec(text)?.[0]
  const fields = found === undefined ? {} : { git_range: found }
  if (!pass.asserted && !pass.denied && !fail.asserted) {
    return {
      grammar: "none",
      valid: false,
      status: null,
      fields,
      problems: ["the message begins with no role: header and says neither that it passed nor that it failed"]
    }
  }
  const passed = pass.asserted && !pass.denied && !fail.asserted
  return { grammar: "legacy", valid: true, status: passed ? "pass" : "gaps", fields, problems: [] }
}
