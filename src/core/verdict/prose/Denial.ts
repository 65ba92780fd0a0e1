// Denial: the places where a sentence says that there are no defects, and how far it says so.

const noun = "(?:issues?|bugs?|defects?|regressions?|problems?|findings?|concerns?|flaws?|faults?|mistakes?|" +
  "breakages?|breaking (?:changes?|behaviou?rs?)|mismatch(?:es)?|inconsistenc(?:y|ies)|discrepanc(?:y|ies)|" +
  "vulnerabilit(?:y|ies)|blockers?|failure modes?|side effects?|counterexamples?|feedback|suggestions?|anything|" +
  "deadlocks?|race conditions?|contradictions?|unintended differences|deadlock potential|data[- ]loss " +
  "scenarios?|comments)"
/** What opens an exception: "no issues besides the leak". */
const exceptive = "(?:(?:apart|aside) from|except(?:ing)?|excluding|besides|beyond(?! the (?:intended|" +
  "documented) )|outside|save|bar(?= (?:the|one|a)\\b)|barring|short of|minus|with the exception|in addition to|" +
  "not counting|but for|(?:leaving|setting) aside)"
const condition = "(?:if|unless|(?<!\\bthe )provided(?= \\w)|(?:as|so) (?:long|far) as)"
const contrast = "(?:but|however|although|though|while|yet|which|when|so|the|a|an|is|has|have|" +
  `${exceptive}|${condition})\\b`
const word = `(?!${contrast})[\\w'/\\u25a1-]{1,60},?`
const rowOf = (first: string) =>
  `(?:${word} ){0,14}?${first}(?:(?:,| or| and| nor|, or|, and)(?: ${word}){0,4}? ${noun}){0,6}`
const row = rowOf(noun)
const verb = "(?:find|found|identify|identified|see|saw|seen|notice|noticed|spot|spotted|detect|detected|uncover|" +
  "uncovered|observe|observed|discover|discovered|introduce|introduced|reveal|revealed|surface|surfaced|cause|" +
  "be|turn up|turned up|contain|have|show|add|create|leave|trigger|flag)"
// Code under review that "does not detect any issue" is no reviewer.
const negated =
  "(?:(?:did|do|does(?! not (?:find|detect|see|identify|flag|notice|spot|show))|could|have|has|can|was|were)" +
  "(?: not|n't)|cannot|can't)(?: been)?(?: able to)?" +
  `(?: (?:appear|seem) to)?(?: clearly)? ${verb}(?: any| a| an| the)?`
const bare = "nothing (?:actionable|(?:else )?(?:to (?:flag|report|fix|address|change)|(?:that )?(?:needs|" +
  "warrants|requires) (?:\\w{1,20} ){0,3}\\w{1,20}|(?:that |which )?(?:would|could) (?:\\w{1,20} )?break))"
// What limits a denial: a part that was read, a time, a place, or that the defects are not shown.
const limit =
  "(?:\\w{1,20} half|(?:the|that|this|visible) (?:parts?|portion|section|beginning)|excerpts?|partial|quick|brief|" +
  "shown|displayed|linked|assigned|(?:visible|available)(?! (?:diff|code))|loaded|so far|up to|as of|before|" +
  "(?:linux|debug|theory)|reading|building|compiling|opening|when (?!(?:compar|review|run|check|trac|inspect|" +
  "test))|for \\w{1,20} (?:inputs?|cases)|(?:i|we)(?! (?:would|(?:have )?(?:reviewed|inspected|examined))\\b))"
const words = (but: string) => `(?:(?! (?:${but})\\b)[^;:.,\\u2014\\u2013()]){0,200}?`
// The rest of what is denied: "issues that would break existing behaviour in the changed code".
const tail = `(?: (?:that|which)\\b${words(exceptive)}|${words(`${exceptive}|${condition}|${limit}`)})` +
  `(?=$| ?[;:,\\u2014\\u2013()](?! ?(?:${exceptive}|${condition}|${limit})\\b)|` +
  " (?:but|however|although|though|while|yet|nor|because|since|until|once)\\b|" +
  ",? (?=(?:(?:apart|aside) from|other than|except) [^;.]{0,80}\\b(?:tests?|lint|typecheck|build)\\b)|" +
  " and (?:the|all|i|we|it|its|this|these|both|tests?|typecheck\\w*|there)\\b)"
const start = `\\b(?:${negated} ${rowOf(`(?:errors?|${noun})`)}|(?:no|zero|0|neither|without|free of|` +
  `free from)(?: ` +
  `(?:introducing|causing|revealing))?(?: any| a| an| the)? ${row}|` +
  `unable to (?:find|identify|spot)(?: any| a| an)? ${row}|${bare})\\b`
const span = new RegExp(start + tail, "g")
// A denial that goes on in words that limit it.
const limited = new RegExp(start)
const doubled = /\bnot without\b|\bno (?:doubt|fewer|less|longer)\b|\bnot only\b|\bno one (?:fixed|noticed)\b/

// "No other issues" tells of some; "no major issues" leaves the minor ones open.
const residual = /\b(?:known|other|another|further|additional|remaining|else|elsewhere|more|otherwise|outstanding)\b/
// "No remaining mismatch or new regression" leaves none open.
const both = /\bremaining\b.{0,60}\bor\b.{0,10}\bnew\b/
const partial = /\b(?:security|performance|style|p[0-3])\b/
const elsewhere = new RegExp(
  "\\b(?:in the (?:tests$|previous|base)|comments in|(?:with|about) the (?:idea|approach|naming|style|design))\\b"
)
const general = /\b(?:correctness|functional|actionable|maintainability|regressions?|bugs?|discrete|introduced|new)\b/

/** What a sentence denies: everything, a part, the rest of something told elsewhere, or nothing. */
export interface Denial {
  readonly kind: "full" | "partial" | "residual" | "none"
  /** The sentence without what it denies. */
  readonly rest: string
}

// What stands in front of a denial and limits it: an exception, a condition, a part, a glance.
const opening = new RegExp(
  `^(?:so |overall,? )?(?:${exceptive}|${condition}|(?:in|for) (?:the|that|this) (?:part|portion|half|first)|` +
    "from what|at (?:a|first) glance|in theory|on a \\w{1,20} (?:look|glance))\\b"
)
// Somebody else denies, or defects of something else are denied.
const hearsay = new RegExp(
  "\\b(?:author|developer|description|message|comment|pull request|readme|ticket|changelog|they|colleague|bot|" +
    "(?:previous|earlier) (?:reviewer|review)|reviewer before)\\b(?: \\w{1,20}){0,4}? (?:says?|said|states?|" +
    "claim(?:s|ed)?|believes?|promises|assure[sd]?|found|report(?:s|ed)?)\\b|\\b(?:according to|supposedly|" +
    "allegedly|claimed|told|asked|instruct(?:ed|ions))\\b|\\b(?:base|old|original|previous|former)\\b(?: " +
    "\\w{1,20}){1,2} (?:has|had|have)$|\\bthere (?:should|would) be$"
)
// The last clause in front of the denial.
const clauseStart = /^.*(?:[;:]|\band (?:i|we|there|no)\b)/

// An opening holds for the clause it opens: "besides the rename nothing changed, and no issues were found" denies all.
const isOpened = (head: string): boolean => opening.test(head) && !/;|\band\b/.test(head.slice(head.indexOf(",") + 1))

/** Reads the denials of a sentence, as `sentences` gives it. */
export const denialIn = (sentence: string): Denial => {
  if (doubled.test(sentence)) return { kind: "none", rest: sentence }
  const said = sentence.match(span) ?? []
  const rest = sentence.replace(span, " ")
  if (limited.test(rest)) return { kind: "residual", rest }
  if (said.length === 0) return { kind: "none", rest }
  const head = sentence.slice(0, sentence.search(span)).trim()
  if (isOpened(head) || sentence.endsWith("?")) return { kind: "residual", rest }
  if (hearsay.test(head.replace(clauseStart, "")) || said.every((one) => elsewhere.test(one))) {
    return { kind: "partial", rest }
  }
  if (said.some((part) => residual.test(part) && !both.test(part)) || /\b(?:otherwise|elsewhere)\b/.test(rest)) {
    return { kind: "residual", rest }
  }
  return { kind: said.some((part) => !partial.test(part) || general.test(part)) ? "full" : "partial", rest }
}
