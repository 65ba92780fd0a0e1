// StatedVerdict: a verdict that a review states as such: "Verdict: pass", "The patch is incorrect".
// The one rule: an unfavourable word beats a favourable one, wherever both stand.

const labelled = new RegExp(
  "^[\\s*_#>-]{0,8}(?:overall[ _]?correctness|(?:final |overall )?" +
    '(?:verdict|decision|assessment|recommendation|status|result))[\\s*_"`]{0,4}[:=—-][\\s*_"`]{0,4}(.{1,200})$',
  "gim"
)
const unfavourable = new RegExp(
  "\\b(?:incorrect|not correct|fail(?:s|ed|ing)?|reject(?:s|ed)?|request(?:ed)?[ _]changes|" +
    "changes[ _](?:requested|required)|needs[ -](?:changes|work|fix(?:es)?|revision)|do not merge|not approved|" +
    "block(?:ed|ing)?|no[- ]go|has[ -]issues|issues found|not ready)\\b|❌|🔴",
  "i"
)
const favourable = /\b(?:correct|pass(?:es|ed)?|approved?|lgtm|clean|ship it|no issues|ok|good|accept(?:ed)?)\b|✅/i
// A verdict that is the whole text needs no label.
const alone = /^[\s*_"`✅]{0,8}(?:pass(?:ed)?|approved?|lgtm|ship it|ok|clean|looks good(?: to me)?)[\s*_"`✅.!]{0,8}$/i
// "0 failed", "no blocking issues": the unfavourable word is denied.
const denied = /\b(?:no|not|non|0|zero|without)[ -](?:\w{1,20}[ -]){0,2}?(?:fail|block|reject|issues found)\w{0,6}/gi
const sentence = /\b(?:patch|change|diff|commit|pr) is (?:(?:not|in)[ -]?correct|not (?:safe|ready)|wrong|broken)\b/i

/** The verdict a plain text states; null when it states none. */
export const statedVerdict = (text: string): "favourable" | "unfavourable" | null => {
  const said = [...text.matchAll(labelled)].map((found) => found[1] ?? "")
  if (said.some((line) => unfavourable.test(line.replace(denied, ""))) || sentence.test(text)) return "unfavourable"
  return alone.test(text.trim()) || said.some((line) => favourable.test(line)) ? "favourable" : null
}
