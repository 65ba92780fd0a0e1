// Denial: the places where a sentence says that there are no defects, and how far it says so.

const noun = "(?:issues?|bugs?|defects?|regressions?|problems?|findings?|concerns?|flaws?|faults?|mistakes?|" +
  "break(?:s|ages?)|breaking (?:changes?|behaviou?rs?)|mismatch(?:es)?|inconsistenc(?:y|ies)|discrepanc(?:y|ies)|" +
  "vulnerabilit(?:y|ies)|blockers?|failure modes?|side effects?|counterexamples?|feedback|suggestions?|anything|" +
  "deadlocks?|race conditions?|contradictions?|unintended differences|deadlock potential|data[- ]loss " +
  "scenarios?|comments)"
const contrast = "(?:but|however|although|though|except|while|yet|which|when|so|the|a|an|is|has|have)\\b"
const word = `(?!${contrast})[\\w'/\\u25a1-]{1,60},?`
const rowOf = (first: string) =>
  `(?:${word} ){0,14}?${first}(?:(?:,| or| and| nor|, or|, and)(?: ${word}){0,4}? ${noun}){0,6}`
const row = rowOf(noun)
const verb = "(?:find|found|identify|identified|see|saw|seen|notice|noticed|spot|spotted|detect|detected|uncover|" +
  "uncovered|observe|observed|discover|discovered|introduce|introduced|reveal|revealed|surface|surfaced|cause|" +
  "contain|have|show|add|create|leave|trigger|flag)"
const negated = "(?:(?:did|do|does|could|have|has|can|was|were)(?: not|n't)|cannot)(?: been)?(?: able to)?" +
  `(?: (?:appear|seem) to)?(?: clearly)? ${verb}(?: any| a| an| the)?`
const bare = "nothing (?:actionable|(?:else )?(?:to (?:flag|report|fix|address|change)|(?:that )?(?:needs|warrants|" +
  "requires) (?:\\w{1,20} ){0,3}\\w{1,20}|(?:that |which )?(?:would|could) (?:\\w{1,20} )?break))"
// The rest of what is denied: "issues that would break existing behaviour in the changed code".
const tail = "[^;:.,\u2014\u2013()]{0,200}?(?=$|[;:,\u2014\u2013()]|" +
  " (?:but|however|although|though|except|while|yet|nor|because|since|unless|until|once)\\b|" +
  " and (?:the|all|i|we|it|its|this|these|both|tests?|typecheck\\w*|there)\\b)"
const span = new RegExp(
  `\\b(?:${negated} ${rowOf(`(?:errors?|${noun})`)}|(?:no|zero|0|neither|without|free of|free from)(?: ` +
    `(?:introducing|causing|revealing))?(?: any| a| an| the)? ${row}|` +
    `unable to (?:find|identify|spot)(?: any| a| an)? ${row}|${bare})\\b${tail}`,
  "g"
)
const doubled = /\bnot without\b|\bno (?:doubt|fewer|less|longer)\b|\bnot only\b|\bno one (?:fixed|noticed)\b/

// "No other issues" tells of some; "no major issues" leaves the minor ones open.
const residual = /\b(?:other|another|further|additional|remaining|else|elsewhere|more|otherwise|outstanding)\b/
// "No remaining mismatch or new regression" leaves none open.
const both = /\bremaining\b.{0,60}\bor\b.{0,10}\bnew\b/
const partial = /\b(?:security|performance|style|p[0-3])\b/
const general = /\b(?:correctness|functional|actionable|maintainability|regressions?|bugs?|discrete|introduced|new)\b/

/** What a sentence denies: everything, a part, the rest of something told elsewhere, or nothing. */
export interface Denial {
  readonly kind: "full" | "partial" | "residual" | "none"
  /** The sentence without what it denies. */
  readonly rest: string
}

/** Reads the denials of a sentence, as `sentences` gives it. */
export const denialIn = (sentence: string): Denial => {
  if (doubled.test(sentence)) return { kind: "none", rest: sentence }
  const said = sentence.match(span) ?? []
  if (said.length === 0) return { kind: "none", rest: sentence }
  const rest = sentence.replace(span, " ")
  if (said.some((part) => residual.test(part) && !both.test(part)) || /\b(?:otherwise|elsewhere)\b/.test(rest)) {
    return { kind: "residual", rest }
  }
  return { kind: said.some((part) => !partial.test(part) || general.test(part)) ? "full" : "partial", rest }
}
