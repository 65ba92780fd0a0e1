// NoReview: sentences which say that no review took place: nothing seen, nothing to see, tools dead, not finished.
// A tool that could not run does not matter. Code that could not be read does, unless it was read another way.

import { saysNothing } from "./BareWord.ts"

/** Why no review took place. */
export type NoReview =
  | "diff-not-seen"
  | "nothing-to-review"
  | "review-not-finished"
  | "tools-failed"
  | "not-a-review"

const words = "(?:[\\w'/\\u25a1,-]{1,60} )"
const things = "(?:diffs?|patch(?:es)?|changes?|changeset|commits?|repository|repo|code(?:base)?|sources?|files?|" +
  "worktree|working tree|checkout|contents?|spec|review|workspace|anything|\\u25a1read)"
const reviewer = "(?:i|we|me|us|sandbox|environment|session|reviewer|review|tools?|shell|commands?|which|that)"
const cannot = "(?:(?:could|can|was|were|am|are|is|did|do|have|had|has)(?: not|n't)(?: been| get| have)?" +
  "(?: (?:able|possible|a chance|access))?(?: to)?|cannot|can't|" +
  "unable to|impossible to|failed to|(?:prevent|block)(?:ed|ing|s)\\b.{0,30}?(?:from )?|no (?:way|ability|access|" +
  "means)(?: (?:of|to))?|without(?: being able to)?)"
const read = "(?:inspect|read|see|access|view|review|examine|open|retrieve|obtain|fetch|load|look at|analy[sz]e|" +
  "evaluate|assess|compute|compare|locate|enumerate|confirm|determine|verify any|access to)(?:ing|ting)?"
const seen = "(?:inspected|read|seen|accessed|viewed|reviewed|examined|opened|retrieved|obtained|fetched|loaded|" +
  "analy[sz]ed|evaluated|assessed|computed|available|accessible|provided|visible|supplied|produced|generated|found|" +
  "resolved|determined|readable)"
/** Whether a sentence matches one of them. */
const oneOf = (patterns: ReadonlyArray<string>): RegExp => new RegExp(patterns.join("|"))
const partly = new RegExp(
  "\\b(?:tests?|suite|ci|logs?|remote|upstream|runtime|docs|generated|lockfile|browser|database|binary|live)\\b"
)

const unseen = oneOf([
  "\\b(?:from|in|with|on|given) (?:only )?the (?:available|limited|visible) (?:patch |diff |review " +
  "|commit |code )?(?:context|information|metadata|excerpts?|material)\\b",
  "\\b(?:git|shell) commands? failed\\b|\\bshell (?:was|is) unavailable\\b",
  "\\bi (?:only )?(?:reviewed|read|inspected|looked at) (?:only )?the (?:pr|commit|pull request) " +
  "(?:title|message|description)\\b",
  `(?:^|\\b${reviewer} ${words}{0,6})${cannot} ${words}{0,4}?${read}\\b ?${words}{0,6}?${things}\\b`,
  "(?:^|; )(?:so |therefore |and |because |since |that )?(?:the |a |any |no |of the |your |requested |specified )*" +
  `${words}{0,3}?${things} ${words}{0,4}?(?:(?:could|can|was|were|is|are) ?(?:not|n't)(?: be)?|` +
  `cannot be|never) ${seen}\\b`,
  "\\b(?:no|without(?: access to)?(?: the| a| any)?) (?:diff|patch) (?:was |is )?(?:provided|available|" +
  "visible|supplied|contents?)",
  `\\b${cannot} (?:run|execute|use) (?:git|any commands?|commands|the shell|\\u25a1read)`,
  "\\btoo (?:long|large|big) to (?:read|review|inspect)\\b",
  `\\bnot (?:possible|able) to ${read}\\b`,
  "\\b(?:leaving|left) the (?:patch|diff|change) (?:uninspected|unreviewed|unread)",
  "\\bi don't (?:have (?:access|the (?:patch|diff))|see the (?:patch|diff))|\\bno access to (?:the|your|any)\\b",
  `\\b${cannot} find (?:the|your|this) (?:\\w{1,20} )?${things}\\b`,
  `\\b${things} (?:do(?:es)? not exist|(?:is|are) missing from the (?:checkout|workspace|repository))\\b`,
  "\\bnot reviewable\\b|\\bnot (?:a|an actual) review\\b|\\bno actual review\\b|\\breview unavailable\\b"
])

// "I did not see anything that would break" denies.
const seenNothing = /\bdid(?: not|n't) (?:see|find) any.{1,80}\bthat (?:would|could|might)\b/

const kinds = "(?:(?:committed|uncommitted|staged|unstaged|untracked|tracked|local|net|actual|reviewable|code|file|" +
  "source|branch|or|and|its|own|any|pending|effective|changed|modified|unique|remaining|merged|such)[, ]{1,3}){0,7}"
const parts = "(?:changes?|differences?|diffs?|modifications?|commits?|hunks?|contents?|files?|lines?|edits|output|" +
  "patch)"
const about = new RegExp(
  "\\u25a1read|\\b(?:repository|snapshot|diffs?|branch|commits?|ranges?|comparison|patch|changeset|" +
    "change set|base|merge-base|head|main|master|refs?|tags|workspace|working tree|worktree|tree|review|" +
    "reviewed|revisions?|checkout|git)\\b|^no changes (?:detected|found|present)?$"
)
const none = oneOf([
  "\\b(?:no|zero|0|(?:not|\\w{2,6}n't) any|without|nothing was|not (?:contain|include|have|show|introduce|" +
  `make)s? any) ${kinds}${parts}\\b`,
  "\\b(?:empty|blank)\\b(?! (?:strings?|lists?|lines?|input|state|arrays?|values?|slots?|names?))",
  "\\b(?:shows?|returned|contains?|printed|produced) nothing\\b|\\bnothing was changed\\b",
  "\\b(?:nothing|no reason)\\b.{0,20}\\bto (?:review|compare|assess|analy[sz]e|evaluate|judge|inspect)\\b|" +
  "\\byields? nothing\\b",
  "\\bnothing (?:was reviewed|changed|differs)\\b|\\bnot (?:diverged?|differ)\\b|\\bworking tree " +
  "is clean\\b|\\bclean working tree\\b",
  "\\b(?:is|are|was|were|equals?|resolves?|points?)\\b.{0,20}\\b(?:identical|equal|even|up to date|" +
  "same (?:commit|tree|revision)|(?<!\\bin )head)\\b",
  "\\b(?:head|all files) (?:equals?|match(?:es)?)\\b"
])
// No behaviour changed, or nothing beyond the documents: there was something to review.
const qualified = new RegExp(
  "\\b(?:functional|behaviou?r\\w*|runtime|user-visible|breaking|api|schema|signature|production|beyond|" +
    "other than|needed|required|touch|affect|covered|message|rejected|rejects|handled|handles|tests?)\\b"
)

const isEmpty = (sentence: string, ofDocuments: boolean): boolean =>
  about.test(sentence) && none.test(sentence) && !qualified.test(sentence) &&
  !(ofDocuments && /\b(?:code|source)\b/.test(sentence))

const tools = oneOf([
  "\\b(?:all|every|each|any|the|both|three|two)\\b(?: [\\w'/-]{1,30}){0,5}? (?:commands?|calls?|attempts?|" +
  "invocations?|reads|tools?)\\b(?: [\\w'/\\u25a1-]{1,30}){0,5}? (?:failed|fail|rejected|blocked|" +
  "denied|timed out|errored|refused|unavailable)\\b",
  "\\b(?:command|shell|tool|file) (?:execution|access|runner|tool)s? (?:was|is|were|failed|returned)(?: " +
  "[\\w'-]{1,20}){0,3}? ?(?:blocked|denied|unavailable|disabled|errors|to start|rejected|failed)\\b",
  "\\b(?:bwrap|bubblewrap|landlock|seccomp)\\b.{0,80}\\b(?:failed|no permissions|denied|not permitted|error)",
  "\\b(?:shell|tools?|git) (?:is|are) (?:not installed|unavailable)\\b|\\bcommand not found\\b",
  "\\b(?:sandbox|environment|shell|tool) initiali[sz]ation failed\\b|\\b(?:all )?declined$",
  "\\bno (?:repository |shell )?commands? ran\\b|\\b(?:reading|opening) the files failed\\b"
])
const checkBarred = new RegExp(
  "^(?:the )?(?:[\\w-]{1,20} )?(?:tests?|build|lint|type-?check|verification) command (?:was|is) (?:blocked|" +
    "rejected|denied|refused)\\b(?!.*\\b(?:diff|git|i|we|so|all|nothing|patch could)\\b)"
)
const unfinished = oneOf([
  "^unable to (?:complete|proceed|continue)\\b",
  "\\bno (?:findings|issues|defects|bugs|problems) (?:can|could) be (?:given|reported|named|identified|established)\\b",
  "\\bnone of the (?:\\w{1,20} ){0,3}could be (?:inspected|read|seen|reviewed|opened)\\b",
  "^(?:the |my |independent |code ){0,3}review (?:(?:was |is |could |has |not ){0,3}(?:been )?(?:be )?(?:aborted|" +
  "incomplete|interrupted|cancell?ed|timed out|impossible|unavailable|failed|stopped|terminated)|" +
  "(?:\\w{2,6}n't|\\w{2,5} not) (?:been )?(?:be )?(?:possible|finished|completed|carried out|performed))\\b",
  "\\b(?:unable|not able|failed|could not|couldn't) (?:to )?(?:complete|finish|perform|carry out|" +
  "conduct)\\b.{0,20}\\breview\\b",
  "\\b(?:no code|nothing|not|never) (?:was |been |be )?reviewed\\b|\\b(?:did|have) not review(?:ed)? any\\b",
  "\\b(?:reviewer|model|codex)\\b (?:did not|didn't|failed to|never|returned no|produced no) ?(?:produce|" +
  "return|respond(?:ed)?|output|give|response|review|answer)"
])
// Code under review, not its reviewer, meets a missing diff.
const telling = new RegExp(
  "\\b(?:handl\\w{1,3}|returns?|prints?|exits?|emits?|detects?|covers?|tests? (?:cover|case|that)|reports? " +
    "(?:an )?error|ensures?|skips?|throws|raises|when|whenever|if|case where)\\b"
)
const byOtherMeans = new RegExp(
  "\\b(?:so|instead|however|but)\\b.{0,60}\\b(?:read|inspected|reviewed|examined|used|compared|looked " +
    "at)\\b.{0,60}\\b(?:directly|instead|manually|via|using|through|by|with|from)\\b"
)
// A title, a message or a list of names is not the change.
const poorMeans = new RegExp(
  "\\b(?:(?:pr|commit|pull request|issue) (?:title|description|message|body|metadata)|titles?|descriptions?|" +
    "metadata|(?:file|path) ?names?|names (?:only|alone)|(?:diff ?)?stat|summary) ?\\b"
)

const documents = new RegExp(
  "\\b(?:documentation|docs?|documents?|markdown|readme|comments?|changelog|specs?|guides?|plans?|notes|" +
    "metadata)\\b"
)

const readsOf = (sentence: string, ofDocuments: boolean): NoReview | null => {
  if (telling.test(sentence.slice(0, 200)) && !/\b(?:i|my|me|we)\b/.test(sentence)) return null
  if (unfinished.test(sentence)) return "review-not-finished"
  if (tools.test(sentence) && !checkBarred.test(sentence)) return "tools-failed"
  if (isEmpty(sentence, ofDocuments)) return "nothing-to-review"
  return unseen.test(sentence) && !partly.test(sentence) && !seenNothing.test(sentence) ? "diff-not-seen" : null
}

const greeting = "(?:okay|ok|sure|understood|certainly|got it|great|alright|done|hello|hi|hey)"
const plan = new RegExp(
  `^(?:${greeting}$|(?:${greeting}[,.! ]{1,3})?(?:(?:first|next|now|then)[, ]{1,2})?(?:i'll|i will|` +
    "let me|let's|i am going to|" +
    "i'm going to|i need (?:to|the|your|a)|i'm about to|starting|going to|(?:i am|i'm) (?:now )?(?:reviewing|looking|" +
    "checking|inspecting|reading|ready|waiting)|waiting for|which|could you|can you|would you|do you want|should i|" +
    "shall i|please (?:provide|share|paste|send|attach)|what (?:would|should|do))\\b)"
)
const refusal = new RegExp(
  "^(?:i'm |i am )?(?:sorry|unfortunately)?,?.{0,40}\\bi (?:can't|cannot|am unable to) (?:help|assist|" +
    "comply|fulfil|access)"
)
const isChat = (sentence: string): boolean => plan.test(sentence) || refusal.test(sentence)

/** Why the sentences are no review; null when they are one. */
export const noReviewIn = (sentences: ReadonlyArray<string>): NoReview | null => {
  if (sentences.length <= 4 && sentences.every(isChat)) return "not-a-review"
  if (sentences.length <= 2 && sentences.every(saysNothing)) return "not-a-review"
  const ofDocuments = sentences.some((sentence) => documents.test(sentence))
  let found: NoReview | null = null
  for (const sentence of sentences) {
    if (byOtherMeans.test(sentence) && !poorMeans.test(sentence)) found = null
    else found ??= readsOf(sentence, ofDocuments)
  }
  return found
}
