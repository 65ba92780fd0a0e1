// Negation: words that take a verdict back.
import { plain } from "../text/Untrusted.ts"

// Whether the words around a verdict take it back: a denial, a condition, a question.
// In doubt they do: good work that is rejected is looked at again, bad work that is accepted is not.

// A cross, or a box that is not ticked.
const marks = "\\[ ?\\]|[\u2610\u274c\u2717\u2718\u2716\ud83d\udc4e\ud83d\udeab\u26d4]"

/** A pattern of these words, with no letter or digit directly before or after. */
export const wholeWord = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`

const negative = `${
  wholeWord(
    "not?|nope|never|none|nothing|nobody|nowhere|neither|nor|cannot|\\p{L}+n't|non|un|dis|without|hardly|barely|" +
      "scarcely|far from|short of|false|untrue|wrong|incorrect|unable|impossible|refus(?:es?|ed|ing)|" +
      "reject(?:s|ed|ing)?|den(?:y|ies|ied)|declin(?:es?|ed)|fail(?:s|ed|ing|ures?)?|lack(?:s|ing)?|missing|" +
      "(?:is|are|was|were|do|does|did|ca|wo|could|should|would|has|have)nt"
  )
}|${marks}`
const condition = wholeWord(
  "if|unless|until|till|once|except(?:ing)?|provided|assuming|pending|condition(?:s|al|ally)?|" +
    "only (?:if|when|after|once)"
)
// Before a verdict, these words put it in the future.
const unreal = wholeWord(
  "would|could|should|might|may|will|shall|must|almost|nearly|partly|partially|half|mostly|whether|to be|awaiting"
)

const inHead = new RegExp(`${negative}|${condition}|${unreal}`, "iu")
const inClause = new RegExp(`${negative}|${condition}`, "iu")
const negation = new RegExp(negative, "iu")
const filler = "(?:and|or|so|is|was|absolutely|definitely|certainly|clearly|still)"
const answer = new RegExp(`^ ?(?:${filler} )*(?:${negative}|${condition})|(?:${negative}) ?$`, "iu")
const contrast = /^ ?(?:but|however|although|though|yet|while|whereas)(?!\p{L})/iu
const clauseEnd = /[,;:=()[\]{}\n\u2013\u2014\u2192]+|[?!.](?=\s|$)| -+>? |(?<!\p{L})(?:because|since)(?!\p{L})/u
const unticked = /^ ?\[ ?\]/
const question = /^[^,;:=()\n.!\u2013\u2014]*\?/

// `no issues found`, `0 failures`, `nothing is broken`: denials that are good news.
const nouns =
  "issues?|problems?|gaps?|findings?|defects?|bugs?|errors?|warnings?|failures?|failed|concerns?|blockers?|" +
  "objections?|deviations?|regressions?|remarks?|comments?|reservations?|caveats?|changes|fixes"
const kinds =
  "(?:blocking|critical|major|minor|new|open|further|other|more|remaining|serious|significant|tests?|checks?)"
const denied = `(?:no|zero|0|without(?: any)?)(?:[ \\n]${kinds}){0,2}[ \\n](?:${nouns})`
const made = "[ \\n](?:(?:were|was|are|is)[ \\n])?(?:found|needed|required|left|remain(?:s|ing)?)"
const alone = "(?=[ \\n](?:and|or|in|at)(?!\\p{L})|(?! ?[\\p{L}\\p{N}]))"
const whole = "nothing[ \\n](?:(?:is|was|seems|must|needs)[ \\n])?(?:broken|missing|wrong|left|lacking|blocking|" +
  "(?:to[ \\n])?(?:fix|add|change|be[ \\n](?:fixed|added|changed)))"
const harmless = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${denied}(?:${made}|${alone})|${whole})(?![\\p{L}\\p{N}])`, "giu")

/** The text without Markdown's marks, with plain apostrophes and single blanks; a blank line stays. */
export const dropMarkup = (text: string): string =>
  plain(text)
    .replace(/[*_`"~<>#|]+/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, (ends) => ends.indexOf("\n") === ends.lastIndexOf("\n") ? "\n" : "\n\n")

/** The unmarked text without denials that are good news, such as `no issues found`. */
export const dropHarmless = (text: string): string => text.replace(harmless, " ")

/** Whether an unmarked text holds a denial. */
export const denies = (text: string): boolean => negation.test(text)

// A header line in the wrong place: its author did not mean a pass.
const otherStatus = /^[^\p{L}\n\r]{0,8}status[^\p{L}\n\r]{1,8}(?:gaps|error)[^\p{L}\n\r]{0,8}$/imu
const undone = new RegExp(
  wholeWord(
    "fail(?:s|ed|ures?)?|(?:is|are|was|were|still) (?:failing|red)|blocked|blockers?|stuck|unable|impossible|denied|" +
      "prevent(?:s|ed)|could(?: not|n'?t)|can(?: ?not|'?t)|wo(?:n't| not)|will not|g[ai]v(?:e|en|ing) up|todo|" +
      "(?:ran|timed) out|incomplete|unfinished|abort\\p{L}*|unavailable|part(?:ial)?ly|I stopped|refused?|" +
      "not let|wait(?:ing)? for|need (?:your|help|access)|(?:no|I lack) (?:permission|access|network|way|changes)|" +
      "nothing (?:is |was |has been |got )?(?:done|changed|fixed)|not[- ](?:yet|able|possible|done|finished|fixed|" +
      "completed?|implemented|available|working)|(?:did|do|does|have|has|had|was|were|is|are)(?: not|n't) (?:been )?" +
      "(?:able|do|done|fix|finish|complete|implement|succe|manage|start|work|f[io]u?nd|g[eo]t|ma[kd]e|chang|tr)\\p{L}*"
  ),
  "iu"
)

/** Whether a worker's words say that it failed, is blocked or could not do its work, or give it another status. */
export const saysUndone = (text: string): boolean =>
  otherStatus.test(text) || undone.test(dropHarmless(dropMarkup(text)))

/** Whether the words before a verdict take it back. */
export const deniesBefore = (head: string): boolean => inHead.test(head)

/**
 * Whether the words after a verdict take it back: the rest of its own clause, or a later clause that is a denial, a
 * condition, or a contrast that denies. Other explanations do not count: `the parser checks if …`.
 */
export const deniesAfter = (tail: string): boolean => {
  if (question.test(tail) || unticked.test(tail)) return true
  const [own = "", ...clauses] = tail.split(clauseEnd)
  return inClause.test(own) ||
    clauses.some((clause) => answer.test(clause) || (contrast.test(clause) && denies(clause)))
}
