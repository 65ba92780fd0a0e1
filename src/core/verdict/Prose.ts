// Prose: what a review without codex's structure says: it lists findings, it is no review, it doubts, or it is clean.
import { priorityFrom, splitTag, type Written } from "../findings/Finding.ts"
import { parsePlace } from "../findings/Place.ts"
import { plain } from "../text/Plain.ts"

/*
 * Among 316 real reviews every one with findings lists them, and the 157 clean ones hardly ever say so in the same
 * words: newer models describe what they checked. So praise is not read at all. A body is taken in this order:
 *
 * 1. A list of defects has issues, however it is marked. No real clean review holds a list item, a heading, a table, a
 *    fence or a place in a file, so each of them is at least a doubt.
 * 2. A notice of the service is no review, and neither is a reviewer that says that it read nothing, or only a part:
 *    a tool that failed, material that is absent, a reader that was not able, a poor source, an empty change. The slot
 *    then fails and runs again, which costs money and never hides a defect.
 * 3. A denial that is taken back, a claim, a demand, an unfavourable verdict, a sentence that stands apart in marks, a
 *    language that these rules do not read, a text too long for a review: each is a doubt, and a doubt has issues.
 * 4. What is left is clean.
 *
 * The hole that remains: a defect in plain words, without any of the above ("No issues found. The default port is 8080
 * in the code and 9090 in the docs."), is clean. No list of words tells it from a description. Where codex records the
 * structure of a review this cannot happen: there the findings decide.
 */

type NoReview = "empty-body" | "fixed-sentence" | "usage-limit" | "service-error" | "not-a-review" | Confession
type Confession = "diff-not-seen" | "nothing-to-review" | "review-not-finished" | "tools-failed"

/** Why prose was classed as it was. */
export type ProseReason = NoReview | "listed-findings" | "verdict-incorrect" | "in-doubt" | "no-defect-stated"

export interface ProseVerdict {
  readonly verdict: "Clean" | "HasIssues" | "NoReview"
  readonly reason: ProseReason
  readonly findings: ReadonlyArray<Written>
}

// What is longer was not written to be read: fifteen times the longest prose of a real review.
const longest = 20_000

// The words of a text. A letter of a script without case (Chinese, Arabic) counts as a word of its own.
const wordsIn = (text: string): number => text.match(/\p{Lo}|[\p{Lu}\p{Ll}\p{N}'-]+/gu)?.length ?? 0

const lexicon: Readonly<Record<string, string>> = {
  not: String.raw`(?:\b(?:not|never|cannot|neither)\b|n't\b)`,
  no: "(?:no|none of|nothing|zero|0|without)",
  defect: "(?:issues?|bugs?|defects?|regressions?|problems?|findings?|concerns?|comments?|anything)",
  material: "(?:(?:diff|change|commit|file|source|hunk|content)s?|patch|code|repo\\w*|checkout|workspace|snapshot" +
    "|director(?:y|ies)|branch|range)",
  tool: "(?:shell|sandbox|git|(?:tool|command|file)s? (?:calls?|execution|access|reads?|runner)" +
    "|(?:command|call|read|tool|attempt)s|(?:each|every) command|attempt|(?:reading|opening) the files)",
  failed: "(?:(?:fail|deni|declin|reject|refus|block|cancel+|disabl|interrupt|abort)ed|unavailable|errors|timed out" +
    "|not installed|incomplete|impossible)",
  got: "(?:read|seen|inspected|access\\w+|opened|\\w*view(?:ed|able)|loaded|fetched|retrieved|obtained|provided" +
    "|included?|available|visible|applied|located|examined|supplied|exist|determined|computed|produced)",
  look: "(?:read|see|inspect|access|open|view|review|load|fetch|look)",
  find: " ?(?:find|found|identif\\w+|see|spot|notice|detect|uncover|observe|discover|reproduce|construct|run|execute" +
    "|think|flag|come|any|have any)\\b(?! (?:the|your|this|where)\\b)",
  been: "(?: (?:been |be |get )?(?:able )?(?:to )?)?",
  kind: "(?:(?:un)?(?:committed|staged|tracked)|changed|modified|net|branch|file|reviewable|remaining|or|and|,)",
  unit: "(?:changes|diff|differences?|modifications|commits|files|lines|content|hunks)",
  title: "(?:titles?|messages?|descriptions?|names?|memory)",
  end: "(?:is|has|been|the|code|review\\w*|successfully|changes?|diff|patch|complete\\w*|done|finished|ended|over)",
  bad: "(?:overall )?(?:incorrect|not|fail\\w*|reject\\w*|request\\w*|block\\w*|needs?|wrong|broken)",
  except: "(?:except(?:ing)?|besides|beyond|excluding|barring|apart|aside|the exception of|but for|other than|save for)"
}

/** A pattern with an alternative a line. `<name>` is a part of the lexicon, `<3>` up to three words. */
const rule = ({ raw }: TemplateStringsArray): RegExp =>
  new RegExp(
    raw.join("").trim().split(/\n\s*/).join("|").replace(/<(\d)>/g, "(?: [\\w'/.,-]+){0,$1}?")
      .replace(/<(\w+)>/g, (_, name: string) => lexicon[name] ?? "")
  )

const bullet = /^[ \t>]{0,40}(?:[-*+•‣–—]|\(?(?:\d{1,3}|[a-z])[.)]|#{1,6})[ \t]{1,10}(?=\S)/i
const grades = ["critical|blocker|blocking", "high|major", "medium|moderate", "minor|low|nit"]
const named = `(${grades.join("|")}|severity|(?:\\w+ )?(?:bug|issue|concern|problem|finding|review comment)s?)`
// "**High** — the lock leaks", "[bug] the lock leaks", "Severity: the lock leaks"
const graded = new RegExp(
  `^[\\s*_\`]{0,4}(?:[[(]${named}[\\])]|${named}\\b[ \\w]{0,12}(?=[*_\`]{0,3}\\s?[:|–—-]))` +
    "[*_`]{0,3}\\s?[:|–—-]?[*_\\s]{0,4}",
  "i"
)
const tag = /^[\s*_`]{0,6}(?:[[(]P[0-3][\])]|\*\*P[0-3]|P[0-3]\s{0,3}[:–—-])/i
const place = /(?:^|[\s`(*])((?:[A-Za-z]:)?[\w.@/\\-]{1,300}\.\w{1,8}(?::\d{1,7}(?:[-–:]\d{1,7})?|#L\d{1,7}))(?![\w/])/
// "Findings: none", "P0/P1 issues: 0", "No issues", "None."
const none =
  /^[\W_]{0,8}(?:(?:none|no|nothing|n\/a|0|zero)\b|✅)|[:=–—-]\s{0,3}(?:none|0|no\b[\w ]{0,30}|nothing)[\s.*_]{0,4}$/i

const written = (text: string, grade: number): Written => {
  const { priority, title } = splitTag(text.replace(/^[\s*_`]{1,6}(?=[[(]?P[0-3])/i, "").replace(/\*\*/g, ""))
  const at = place.exec(title)?.[1]
  const found = at === undefined ? null : parsePlace(at)
  return { title: title.slice(0, 1000), body: "", priority: priority ?? priorityFrom(grade), place: found }
}

/** A line that lists a defect: by its tag, its grade, or a place that it begins with. */
const listedIn = (line: string): Written | null => {
  const row = /^\s*\|/.test(line) ? line.split("|").map((cell) => cell.trim()).filter((cell) => cell !== "") : [line]
  const item = row.join(" — ").replace(bullet, "")
  if (tag.test(item)) return none.test(item.replace(tag, "")) ? null : written(item, -1)
  const found = graded.exec(item)
  if (found !== null) {
    const rest = item.slice(found[0].length)
    const grade = grades.findIndex((words) => words.split("|").includes((found[1] ?? found[2] ?? "").toLowerCase()))
    // A reviewer may list its own failure as a blocker.
    const fails = rest.trim() === "" || none.test(rest) || sentencesIn(rest).some((one) => unreadIn(one) !== null)
    return fails ? null : written(rest, grade)
  }
  const at = place.exec(item)
  return at !== null && at.index <= 4 && wordsIn(item.slice(at[0].length)) > 1 ? written(item, -1) : null
}

const marks = /^[\s"'`*_>«(]{1,8}|[\s"'`*_.!»)]{1,8}$/g
const quoted = /(?<=^|[.!?:,;\n]\s{0,3}|[-–—]\s)(["'`]{1,3}|«)([^\n]{1,2000}?)(?:\1|»)(?=[.!?,;]?(?:\s|$))/g

/** Whether a sentence stands wholly in quotation marks, backticks, a fence or a quotation: is it the reviewer's? */
const setApart = (text: string): boolean =>
  [...text.matchAll(quoted)].some(([, , inside = ""]) => wordsIn(inside) > 3) ||
  text.split("\n").some((line) => /^\s{0,10}>/.test(line) && wordsIn(line) > 3) ||
  text.split(/^\s{0,10}(?:```|~~~)/m).some((part, i) => i % 2 === 1 && wordsIn(part) > 3)

const sentencesIn = (text: string): ReadonlyArray<string> =>
  text.split(/\n\s*\n|\n(?=\s*(?:[-*+•|>#]|\d{1,3}[.)])\s)/)
    .flatMap((part) => part.replace(/\s+/g, " ").split(/(?<!\b(?:e\.g|i\.e|vs))(?<=[.!?]["'`)*_]{0,3}) |(?<=[。!?])/))
    .map((part) => part.toLowerCase().replace(/[*_~#`>|"]+/g, "").replace(marks, "").trim())
    .filter((part) => part !== "")

const fixed = rule`
  ^review was interrupted\. please re-run /review and wait for it to complete$
  ^reviewer failed to output a response$`

/** Whether the text is one of the two sentences that codex prints when there is no review. */
export const fixedSentence = (text: string): boolean =>
  text.length < 120 && fixed.test(text.replace(marks, "").replace(/\s+/g, " ").toLowerCase())

const usageLimit = rule`
  \b(?:you|your|usage|account)\b.{0,40}\b(?:limits?|credits)\b
  ^(?:error: )?(?:quota|rate limit|exceeded retry|(?:429 )?too many requests)`
const serviceError = rule`
  ^(?:codex )?(?:error|fatal): |^(?:unexpected status|stream disconnected|internal|timed out|connection)\b
  \bat capacity\b|\bhigh demand\b|\btry again\b|\bmaintenance\b.{0,40}\b(?:service|back|progress)\b
  \bcreate an? .{0,20}account\b`

// A check that did not run says nothing about the change.
const checks = rule`
  \b(?:tests?|testing|suites?|lint\w*|builds?|type-?check\w*|dependenc\w+|network|ci|validation|not (?:re-?)?run)\b`

const unfinished = rule`
  \breview\b(?! (?:comment|finding|evidence)).{0,12} (?:not|n't|<failed>)\b(?! (?:find|reveal|identify|surface))
  \b(?:reviewer|model|codex)\b<1> (?:did not|never|failed|no)\b
  \b<no><2> (?:reviewed|response)\b|\b(?:complete|proceed with|finish) the review\b`
const withoutTools = rule`
  \b<tool>\b<8> <failed>\b|\b<tool>\b<1> (?:did not|could not|does not|returned no)\b|\bcommand not found\b
  \b(?:blocked|denied|prevented|refused|failed)<2> (?:access|attempts?|me|by the sandbox|(?:to|from) read\w*)\b
  \bunable to (?:run|use|execute) (?:git|any|commands|the shell)\b`
const notSeen = rule`
  \b(?:i|we)\b<2>(?: (?:cannot|never|unable to|failed to)| ?(?:not|n't))<been>(?!<find>)
  \b(?:i|we)\b.{0,30}\b(?:only|assumed?|guess|inferred|skimmed|sampled|no (?:way|access))\b|\bi need\b
  ^(?:unable|failed|impossible|not (?:able|possible)|could not)(?: to)? <look>
  \b(?:based|judging|relying|alone|solely)\b.{0,50}\b<title>\b|\b<title> (?:alone|only)\b
  \b(?:parts?|files|what|everything|hunks?)(?: that)? (?:i|we) (?:could|was able|were able|read|saw)\b
  \btoo (?:long|large|big) to\b|\bran out of\b
  \b<material>\b<3>(?: ?<not>| <no>)(?: (?:be|been))?<1> <got>\b
  \b<no><3> <material><2> (?:provided|available|visible|supplied|accessible|readable)\b
  \b<material><2> (?:is|are|was|were|has) (?:unavailable|unreadable|inaccessible|truncated|missing)\b`
const nothingThere = rule`
  \b<no>\b<6> (?:under review|to (?:review|compare|inspect|assess|analy[sz]e|evaluate|comment))\b
  \b(?:<material>|comparison|scope)\b.{0,40} (?:is|be|are|shows?|returned|yields)(?: an)? (?:empty|blank|nothing)\b
  \bempty (?:diff|patch|commit)\b|\b(?:not|n't) (?:differ|diverged)\b|\bnothing (?:differs|(?:was )?changed)\b
  (?:\b<no>|n't any|not (?:contain |see )?any|find any)(?: <kind>)* ?<unit>\b(?!.{0,20} (?:to the|that|at)\b|.*<except>)
  \b(?:head|branch|base|revisions?)\b<2> (?:equals?|identical|even)\b|\b(?:to|at) the same (?:commit|tree)\b`

// A list of names behind a comma belongs to its clause; a new subject begins another.
const clauses = rule`
  [;:()—–]\s?
  ,? (?:but|so|because|since|while|which|hence|therefore|although)\s
  (?:,| and|, and) (?=(?:i|we|there|it|no|could|was|were|did|found)\b)`

const unreadIn = (sentence: string): Confession | null => {
  const said = sentence.split(clauses).filter((clause) => !checks.test(clause))
  if (said.some((clause) => unfinished.test(clause))) return "review-not-finished"
  if (said.some((clause) => withoutTools.test(clause))) return "tools-failed"
  if (said.some((clause) => notSeen.test(clause))) return "diff-not-seen"
  return said.some((clause) => nothingThere.test(clause)) ? "nothing-to-review" : null
}

// Answers that are a question, an announcement or an end, and nothing else.
const chat = rule`
  \?["']?$
  ^(?:(?:understood|sure|ok(?:ay)?)\b,? ?)?(?:i'll|i will|let me|i'm (?:going|ready)|waiting|understood)\b
  ^(?:i(?: have)? |the |my |code |all )*(?:review\w*|task|done|complet\w+|finish\w+)(?: <end>)*$`

const denial = rule`(?:<not>|\b<no>\b).{0,120}\b(?:<defect>|affect\w*|related|tied|block\w*|impact\w*|change)\b`
const contrast = /\b(?:but|however|although|though|unless|yet)\b/
// "No issues besides the leak", "Except for the leak there are no issues", "Fine except on Windows"
const exception = rule`
  (?:<not>|\b<no>\b).{0,80}\b(?:<defect>|actionable|report)\b.{0,60}\b<except>\b
  ^(?:with |leaving |setting )?<except>\b.*\b<no>\b<3> <defect>
  \b(?:correct|good|fine)\b<2> <except>\b`
// "Found 2 issues.", "One concern remains."
const claim =
  rule`\b(?:found|see|an?|one|two|some|several|introduces|\d+)\b<3> <defect>\b(?! (?:tests?|coverage|suites?)\b)`
const denies = rule`<not>|\b(?:<no>|any|fix\w*|address\w*|resolv\w*|handl\w*|cover\w*)\b`
const demand = /\b(?:must|should|needs? to|ought to|has to)\b/
const unfavourable = rule`
  \b(?:patch|change|diff|commit|pr|verdict|decision|status|recommendation|assessment|result)(?: is|:| =| -)+ <bad>\b
  \bincorrect\b(?! (?:behavior|results?))|\brequest(?:ed|ing|s)? changes\b|\bchanges requested\b`
const english = rule`
  \b(?:the|and|is|are|was|were|of|with|this|that|not|it|for|an|found|identified|tests?|all|also|to|by|at|its)\b
  \b(?:only|now|without|any|my|have|from|<defect>)\b`

const doubts = (sentence: string): boolean => {
  const at = sentence.search(contrast)
  const other = sentence.slice(at)
  if (at >= 0 && !checks.test(other) && !denial.test(other)) return true
  const excepted = sentence.search(exception)
  if (excepted >= 0 && !checks.test(sentence.slice(excepted).split(";", 1).join())) return true
  const demanded = sentence.search(demand)
  if (demanded >= 0 && !denial.test(sentence.slice(0, demanded))) return true
  if (claim.test(sentence) && !denies.test(sentence)) return true
  return wordsIn(sentence) >= 5 && !english.test(sentence) || place.test(sentence)
}

type Class = ProseVerdict["verdict"]
const is = (verdict: Class, reason: ProseReason, findings: ReadonlyArray<Written> = []): ProseVerdict => ({
  verdict,
  reason,
  findings
})

/** Classes a body of prose. Total and deterministic: any text gets an answer, in time linear in its length. */
export const classifyProse = (body: string): ProseVerdict => {
  if (body.length > longest) return is("HasIssues", "in-doubt")
  const text = plain(body.trim().replace(/^(["'`])((?:(?!\1)[^\n])+)\1$/, "$2"))
  if (text.trim() === "") return is("NoReview", "empty-body")
  const lines = text.replace(/([.!?:;])[ \t]{1,20}(?=(?:[-*•–—][ \t]{1,20})?\*{0,2}\[P[0-3]\])/gi, "$1\n").split("\n")
  const listed = lines.map(listedIn).filter((one) => one !== null)
  if (listed.length > 0) return is("HasIssues", "listed-findings", listed)
  const all = sentencesIn(text)
  if (all.some((one) => fixed.test(one))) return is("NoReview", "fixed-sentence")
  if (all.some((one) => usageLimit.test(one))) return is("NoReview", "usage-limit")
  if (all.some((one) => serviceError.test(one))) return is("NoReview", "service-error")
  if (wordsIn(text) < 3 || all.every((one) => chat.test(one))) return is("NoReview", "not-a-review")
  const confession = all.map(unreadIn).find((reason) => reason !== null)
  if (confession !== undefined) return is("NoReview", confession)
  if (all.some((one) => unfavourable.test(one))) return is("HasIssues", "verdict-incorrect")
  const items = lines.some((line) => bullet.test(line) && !none.test(line.replace(bullet, "")))
  return items || setApart(text) || all.some(doubts) ? is("HasIssues", "in-doubt") : is("Clean", "no-defect-stated")
}
