// Prose: a review without a known structure: it lists findings, it is no review, it doubts, or it is clean.
import { parsePlace, priorityFrom, splitTag, type RawFinding } from "../findings/Finding.ts"
import { plain } from "../../text/Untrusted.ts"

/*
 * Among 316 real reviews every one with findings lists them, and the 157 clean ones say so in ever new words, so what
 * they affirm is not understood. A body is classed in this order:
 *
 * 1. A list of defects has issues, however it is marked. No real clean review holds a list item, a heading, a table, a
 *    fence or a place in a file, so each of them is at least a doubt.
 * 2. A notice of the service is no review, nor is a reviewer that read nothing or only a part, by its own words. The
 *    slot then fails, which costs money and never hides a defect.
 * 3. A denial that is taken back, a claim, a demand, a remark, an unfavourable verdict, a sentence set apart by marks,
 *    a language that these rules do not read, a text too long for a review: each is a doubt, and a doubt has issues.
 * 4. Without a sentence that judges, it is an announcement or a report of progress, and no review.
 * 5. What is left is clean. Verdict.ts says which hole remains.
 */

type NoReview = "empty-body" | "fixed-sentence" | "usage-limit" | "service-error" | "not-a-review" | Confession
type Confession = "diff-not-seen" | "nothing-to-review" | "review-not-finished" | "tools-failed"
type Doubt = "listed-findings" | "verdict-incorrect" | "in-doubt" | "too-long"
export type ProseReason = NoReview | Doubt | "no-defect-stated"

export interface ProseVerdict {
  readonly verdict: "Clean" | "HasIssues" | "NoReview"
  readonly reason: ProseReason
  readonly findings: ReadonlyArray<RawFinding>
}
// A longer text was not written to be read: fifteen times the longest prose of a real review.
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
    "|not installed|incomplete|impossible|exit(?:ed with)? (?:status|code))",
  got: "(?:read|seen|inspected|access\\w+|opened|\\w*view(?:ed|able)|loaded|fetched|retrieved|obtained|provided" +
    "|included?|available|visible|applied|located|examined|supplied|exist|determined|computed|produced)",
  // How a reviewer describes itself in a review: it looked, and it found nothing.
  find: "(?:f[io]u?nd|identif\\w+|see|saw|spot|notice|detect|observe|uncover|discover|reproduce|construct|come across)",
  looked: "(?:(?:also )?(?:(?:re)?viewed|inspected|checked|compared|traced|examined|verified|confirmed|searched|read" +
    "|looked (?:for|spec)|have no)|(?:(?:did|do|have|could|can)(?: not|n?'t)?|also|cannot|was unable to)? ?<find>)",
  kind: "(?:(?:un)?(?:committed|staged|tracked)|changed|modified|net|branch|file|reviewable|remaining|or|and|,)",
  unit: "(?:changes|diff|differences?|modifications|commits|files|lines|content|hunks)",
  the: "(?:the|your|this|any of|where|how|whether|all|every)",
  look: "(?:read|see|inspect|access|open|view|review|load|fetch|look|retrieve)",
  title: "(?:titles?|messages?|descriptions?|names?|memory|summary|ticket|\\w*stat|tree)",
  end: "(?:is|has|been|the|code|review\\w*|successfully|changes?|diff|patch|complete\\w*|done|finished|ended|over)",
  bad: "(?:overall )?(?:incorrect|not|fail\\w*|reject\\w*|request\\w*|block\\w*|needs?|wrong|broken)",
  work: "(?:start|review|inspect|check|verify|read|look|analy[sz]|examin|think|continu|prepar|runn|load)",
  praise: "\\b(?:correct|fine|good|clean|well|safe|sound|lgtm|approved?|great)\\b",
  except: "(?:except(?:ing)?|besides|beyond|barring|(?:apart|aside) from|the exception of|but for|other than|save for)"
}
/** A pattern with one alternative on each line. `<name>` is a part of the lexicon, `<3>` up to three words. */
const rule = ({ raw }: TemplateStringsArray): RegExp =>
  new RegExp(
    raw.join("").trim().split(/\n\s*/).join("|").replace(/<(\d)>/g, "(?: [\\w'/.,-]+){0,$1}?")
      .replace(/<(\w+)>/g, (_, name: string) => lexicon[name]?.replace("<find>", lexicon["find"] ?? "") ?? "")
  )
const bullet = /^[ \t>]{0,40}(?:[-*+•‣–—>→]|\(?(?:\d{1,3}|[a-z])[.)]|#{1,6}|#\d{1,3}|\d\ufe0f?\u20e3)[ \t]{1,10}(?=\S)/i
const element = /<(?:li|t[dr]|h\d|p)\b[^>]{0,200}>/i
const grades = ["critical|blocker|blocking", "high|major", "medium|moderate", "minor|low|nit"]
const named = `(${grades.join("|")}|severity|(?:\\w+ )?(?:bug|issue|concern|problem|finding|comment)s?|lines? \\d+)`
// "**High** — the lock leaks", "[bug] the lock leaks", "Severity: the lock leaks"
const graded = new RegExp(
  `^[\\s*_\`]{0,4}(?:[[(]${named}[\\])]|${named}\\b[ \\w#()]{0,14}(?=[*_\`]{0,3}\\s?[:|–—-]))` +
    "[*_`]{0,3}\\s?[:|–—-]?[*_\\s]{0,4}",
  "i"
)
const tag = /^[\s*_`]{0,6}(?:[❌🐛⛔🔴🟠🟡🚨]|[[(]P[0-3][\])]|\*\*P[0-3]|P[0-3]\s{0,3}[:–—-])/i
const place =
  /(?:^|[\s`(*])((?:[A-Za-z]:)?[\w.@/\\-]{1,300}\.[A-Za-z]\w{0,7}(?::\d{1,7}(?:[-–:]\d{1,7})?|#L\d{1,7}))(?![\w/])/
// "Findings: none", "P0/P1 issues: 0", "No issues", "None."; but "No limit on uploads" is a defect.
const none = new RegExp(
  "(?:^[\\W_]{0,8}|[:=–—-]\\s{0,3})(?:(?:none|nothing|n\\/a|0|zero)(?: found| identified| to \\w+)?[\\W_]{0,8}$" +
    `|no(?: [\\w-]+){0,4} ${lexicon["defect"]}\\b|✅)`,
  "i"
)
const written = (text: string, grade: number): RawFinding => {
  const { priority, title } = splitTag(text.replace(/^[\s*_`]{1,6}(?=[[(]P[0-3])/i, "").trim())
  const found = parsePlace(place.exec(title)?.[1] ?? "")
  const bare = title.replace(/^[\s*_]+|\*\*/g, "").slice(0, 1000)
  return { title: bare, body: "", priority: priority ?? priorityFrom(grade), place: found }
}

/** A line that lists a defect: by its tag, its grade, or a place at its beginning. */
const listedIn = (line: string): RawFinding | null => {
  const row = /^\s*\|/.test(line) ? line.split("|").map((cell) => cell.trim()).filter((cell) => cell !== "") : [line]
  const item = row.join(" — ").replace(bullet, "")
  if (tag.test(item)) return none.test(item.replace(tag, "")) ? null : written(item, -1)
  const found = graded.exec(item)
  if (found !== null) {
    const rest = item.slice(found[0].length)
    const grade = grades.findIndex((words) => words.split("|").includes((found[1] ?? found[2] ?? "").toLowerCase()))
    // A reviewer may list its own failure as a blocker.
    const fails = wordsIn(rest) < row.length || none.test(rest) ||
      sentencesIn(rest).some((one) => unreadIn(one) !== null)
    return fails ? null : written(rest, grade)
  }
  const at = place.exec(item)
  return at !== null && at.index <= 2 && wordsIn(item.slice(at[0].length)) > 1 ? written(item, -1) : null
}

const marks = /^[\s"'`*_>«(]{1,8}|[\s"'`*_.!»)]{1,8}$/g
const quoted = /(?<=^|[.!?:,;\n]\s{0,3}|[-–—]\s)(["'`]{1,3}|«)([^\n]{1,2000}?)(?:\1|»)(?=[.!?,;]?(?:\s|$))/g
/** Whether a whole sentence is in quotation marks, backticks, a fence or a block quote. */
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
/** Whether the text is one of the two sentences that codex prints without a review. */
export const fixedSentence = (text: string): boolean =>
  text.length < 120 && fixed.test(text.replace(marks, "").replace(/\s+/g, " ").toLowerCase())
const usageLimit = rule`
  \byou(?:r|'ve| have)?\b.{0,30}\b(?:limits?|quota|credits)\b|\b(?:usage|rate) limit (?:reached|exceeded|hit)$
  ^(?:error: )?(?:quota|rate limit|exceeded retry|out of credits|(?:429 )?too many requests)`
// Reviews do not say "you".
const serviceError = rule`
  ^(?:codex )?(?:error|fatal): |^(?:unexpected status|stream disconnected|internal|timed out|connection|not logged)\b
  \byour?\b|\bat capacity\b|\btry again\b|\bdown for maintenance\b|\bplease (?:log|sign)\b|^\d{3} [a-z]+ [a-z]
  \bcreate an? .{0,20}account\b`
// A check that did not run says nothing about the change.
const checks = rule`
  \b(?:tests?|testing|suites?|lint\w*|builds?|type-?check\w*|dependenc\w+|network|ci|validation|not (?:re-?)?run)\b`
const unfinished = rule`
  \breview\b(?! (?:comment|finding|evidence)).{0,12} (?:not|n't|<failed>)\b(?! (?:find|reveal|identify|surface))
  \b(?:reviewer|model|codex)\b<1> (?:did not|never|failed|no)\b
  \b(?:review|analysis)\b.{0,30} (?:in progress|under ?way)\b|\bso far$
  \b<no><2> (?:(?:was|were) )?(?:reviewed|response|inspected|read|opened)\b|\b(?:complete|proceed with) the review\b`
const withoutTools = rule`
  \b<tool>\b<8> <failed>\b|\b<tool>\b<1> (?:did not|could not|does not|returned no)\b|\bcommand not found\b
  \b(?:blocked|denied|prevented|refused|failed)<2> (?:access|attempts?|me|by the sandbox|(?:to|from) read\w*)\b
  \bunable to (?:run|use|execute) (?:git|any|commands|the shell)\b`
// In 157 clean reviews no sentence has "me" or "my", and "I" only looks and finds.
const notSeen = rule`
  \b(?:i|we)\b(?!/)(?! <looked>\b)|\b(?:my (?!review)|(?<!(?:good|correct|fine) to )me\b|myself\b|mine\b)
  \b(?:i|we)\b.{0,30}\b(?:only|no (?:way|access)|some of|most of)\b
  \b(?:i|we)\b.{0,12}(?: not|n't)(?: be able to)? (?:find|see|read|inspect|check|verify|confirm|review|examine) <the>\b
  ^(?:unable|failed|impossible|not (?:able|possible)|could not|cannot)(?: to)? <look>
  \b(?:based|judging|relying|relied|drawn|going|judged|alone|solely)\b.{0,50}\b<title>\b|\b<title> (?:alone|only)$
  \b(?:presum\w+|guess\w*|too (?:long|large|big) to)\b|^assuming\b|\b(?:permission denied|not permitted|i/o error)$
  \b(?:not|never|without)(?: having)?(?: been| being| be)? (?:\w+ly )?(?:reviewed|inspected|examined|looked at)\b
  \b(?:parts?|files|what|everything|hunks?)(?: that)? (?:i|we) (?:could|was able|were able|read|saw)\b
  \bran out of\b|\b(?:time|budget|limit)\b.{0,30}\b(?:reached|exhausted)\b|\bun(?:reviewed|examined|inspected)\b
  (?<!\b(?:an?|each|any|every|when the|if the) )\b<material>\b<3>(?: ?<not>| <no>)(?: (?:be|been))?<1> <got>\b
  \b<no><3> <material><2> (?:provided|available|visible|supplied|attached|accessible|readable)\b
  \b<material>(?: unavailable|<2> (?:is|are|was|were) (?:unavailable|unreadable|inaccessible|truncated|missing))\b`
const nothingThere = rule`
  \b<no>\b<6> (?:under review|to (?:review|compare|inspect|assess|analy[sz]e|evaluate|comment))\b
  \b(?:<material>|scope)\b(?! (?!is |was |seems )\w+s )<4> (?:is|was|be|are|shows?|returned) (?:empty|blank|nothing)\b
  \bempty (?:diff|patch|commit|result)\b|\b(?:not|n't) (?:differ|diverged)\b|\bnothing (?:differs|(?:was )?changed)\b
  (?:\b<no>|n't any|not (?:contain |see )?any|find any)(?: <kind>)* ?<unit>\b(?!.{0,20} (?:to the|that|at)\b|.*<except>)
  \b(?:head|branch|base|revisions?)\b<2> (?:equals?|identical|even)\b|\b(?:to|at) the same (?:commit|tree)\b`
// A list of names after a comma belongs to its clause; a new subject begins another.
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
// What a question, an announcement or a step of a plan names is still to be found out.
const intent = rule`
  ^.*\?["']?$
  ^(?:now |still |currently )?(?:<work>ing|started|next|verify|check|confirm|ensure)\b(?!.*\b(?:found|reveal|turn up)\b).*
  \b(?:whether|to (?:check|see|verify|confirm|ensure)|look(?:s|ing)? for)\b.*`
// "No bugs found", "nothing to fix", "is correct", "preserves the order". That tests pass judges no change.
const judgement = rule`
  (?:<not>|\b<no>\b).{0,120}\b(?:<defect>|(?:error|flag|risk|flaw|suggestion|remark|warning|feedback)s?|to fix)\b
  (?:<not>|\b<no>\b).{0,120}\b(?:affect|impact|block|br(?:ea|o)k(?!.{0,50} tests?\b)|regress|degrad|weaken)
  (?:<not>|unable to) <find>\b|\b<find><3> (?:no|none|nothing|zero|0)\b|\bturn up\b|\bno <1>action\b
  ^nothing\b|(?:<not>|\b<no>\b)<8> (?:function|behavio|runtime|alter)
  \w[ -]<praise>|<praise> \w|\b(?:correct|consistent|coherent|safe|clean|accurate|proper)ly\b|\bchecks out\b
  \b(?:consistent|coherent|equivalent|unchanged|intact|straightforward)\b|\bwithout (?:chang|alter)ing\b|\bcompatib
  \bpreserv|\balign(?:s|ed)\b|\bmatch(?:es)? (?:the|existing)\b|\bas (?:intended|declared|expected|documented)\b
  \b(?:keep|retain|maintain|honou?r)\w*<1> (?:the|current|existing)\b`
// That a check is clean judges no change: "The build is clean", "The lint step reports no issues", "no merge conflicts".
const ofCheck = rule`
  ^(?:the )?(?:builds?|lint\w*|working tree)(?: step| run)? (?:is|are|was|reports|has)\b|^there are no merge conflicts\b`
const judges = (sentence: string): boolean =>
  none.test(sentence.replace(intent, "")) ||
  sentence.split(clauses).some((clause) => !ofCheck.test(clause) && judgement.test(clause.replace(intent, "")))
const denial = rule`(?:<not>|\b<no>\b).{0,120}\b(?:<defect>|affect\w*|related|tied|block\w*|impact\w*|change)\b`
const praised = rule`(?:<not>|\b<no>\b).{0,120}\b<defect>\b|<praise>`
const contrast = /\b(?:but|however|although|though|yet|that said|unfortunately|on the other hand|one exception)\b/
// "No issues besides the leak", "Except for the leak there are no issues", "Fine except on Windows"
const exception = rule`
  (?:<not>|\b<no>\b).{0,80}\b(?:<defect>|actionable|report)\b.{0,60}\b<except>\b
  ^(?:with |leaving |setting )?<except>\b.*\b<no>\b<3> <defect>
  <praise><2> <except>\b`
// "Found 2 issues.", "One concern remains."
const claim = rule`
  \b(?:found|there (?:is|are)|introduces|produced|has|have)<3> <defect>\b(?! (?:test|cover))
  (?:^|[:;,] )(?:an?|one|two|\d+)<3> <defect>\b(?! (?:test|cover))`
const denies = rule`<not>|\b(?:<no>|any|fix\w*|address\w*|resolv\w*|handl\w*|cover\w*)\b`
const demand = rule`
  \b(?:must|should|needs? to|ought to|has to)(?: \w+ly| also| still| first| not)? (?:be|change)\b
  \bplease (?:fix|change|remove|add)\b|\bneeds? (?:fixing|work|attention|changes)\b`
const unfavourable = rule`
  \b(?:patch|change|diff|commit|pr|verdict|decision|status|recommendation|assessment|result)(?: is|:| =| -)+ <bad>\b
  \bincorrect\b(?! behavior)|\brequest(?:ed|ing|s)? changes\b|\bchanges requested\b|^not (?:approved|ready)\b`
// A remark: what happens or can happen, in a sentence that neither prevents nor excuses it.
const remark = rule`
  \b(?:remark|nit|caveat|suggestion|observation|minor|note)s?:|^(?:please )?(?:note that|consider)\b
  \b(?:can|may|might|could|will|would|never|twice|lost|loses|wrong|opposite|silently|swallow(?:s|ed)|ignored)\b
  \b(?:crash(?:es)?|(?:leak|race|deadlock|hang|overflow|overwrite|corrupt)s?|undefined|throws|off by one)\b
  \b(?:drops the|by zero|injection|plain ?text|ends? up)\b`
const excused = rule`
  n't\b|\b(?:not|cannot|neither|no|none|nothing|now|intended|purpose|unrelated|previously|as before|rather|instead)\b
  \b(?:documented|tests?|tested|prevent\w*|avoid\w*|handl\w+|fix\w*|close[sd]|resolv\w+|address\w*|cover\w*)\b
  \b(?:eliminat|preserv|reject|refus|correct|consistent|restor|catch|detect|checked|retried|gone)`
// "Looks good. The retry holds the lock.": praise of the whole is no reason for what else is said.
const casual = rule`
  \b(?:good|fine|great|nice\w*|lgtm|solid|excellent)\b|\b(?:is|looks|appears|seems)<2> (?:correct|sound|clean|safe)\b`
// What holds for a part, or on a condition: "No issues in the portion shown", "LGTM once the overflow is handled".
const limited = rule`
  \b(?:once the|once it|modulo|pending an?|assuming|provided (?:that|the)|proviso|save one|subject to)\b
  \b(?:skim|sampled (?:files|hunks|lines)|portion (?:shown|of)|visible (?:hunk|part|diff)s?|fit into|printed nothing)\b
  \bpart of the (?:patch|diff|change)|\bin lines \d+|\b(?:approved|lgtm|good) with\b|\bthe rest (?:was|is) skipped\b
  \bonly (?:the )?\w+ (?:was|were) (?:checked|reviewed|inspected)\b|\b(?:correct|fine|safe) (?:only )?(?:for|if)\b
  \bpreviously reported\b.*\bremains?\b|^(?:actually|security:)|\breintroduces\b`
const english = rule`
  \b(?:the|and|is|are|was|were|of|with|this|that|not|it|for|an|found|identified|tests?|all|also|to|by|at|its)\b
  \b(?:only|now|without|any|my|have|from|<defect>)\b`
const doubts = (sentence: string): boolean => {
  const at = sentence.search(contrast)
  // "Although the tests pass, it breaks Windows": the other half is after the comma.
  const other = sentence.slice(at < 3 ? Math.max(at, sentence.indexOf(",")) : at)
  const turns = at >= 0 && (at < 3 || praised.test(sentence.slice(0, at)))
  if (turns && !checks.test(other) && !denial.test(other)) return true
  const excepted = sentence.search(exception)
  if (excepted >= 0 && !checks.test(sentence.slice(excepted).split(";", 1).join())) return true
  // "I did not find a bug that should be fixed" denies: only the words before it count.
  const claimed = claim.exec(sentence)
  if (claimed !== null && !denies.test(sentence.slice(0, claimed.index + claimed[0].length))) return true
  const demanded = sentence.search(demand)
  if (demanded >= 0 && !denies.test(sentence.slice(0, demanded))) return true
  return wordsIn(sentence) >= 5 && !english.test(sentence) || place.test(sentence)
}
type Class = ProseVerdict["verdict"]
const is = (verdict: Class, reason: ProseReason, findings: ReadonlyArray<RawFinding> = []) => ({
  verdict,
  reason,
  findings
})

/** Classifies a body of prose. Total and deterministic: any text gets an answer, in time linear in its length. */
export const classifyProse = (body: string): ProseVerdict => {
  if (body.length > longest) return is("HasIssues", "too-long")
  const text = plain(body.trim().replace(/^(["'`])((?:(?!\1)[^\n])+)\1$/, "$2"))
  if (text.trim() === "") return is("NoReview", "empty-body")
  const lines = text.replace(/([.!?:;])[ \t]{1,20}(?=(?:[-*•–—][ \t]{1,20})?\*{0,2}\[P[0-3]\])/gi, "$1\n").split("\n")
  const listed = lines.map(listedIn).filter((one) => one !== null)
  if (listed.length > 0) return is("HasIssues", "listed-findings", listed)
  const all = sentencesIn(text)
  const has = (pattern: RegExp): boolean => all.some((one) => pattern.test(one))
  if (has(fixed)) return is("NoReview", "fixed-sentence")
  if (has(usageLimit) || has(serviceError)) return is("NoReview", has(usageLimit) ? "usage-limit" : "service-error")
  if (wordsIn(text) < 3) return is("NoReview", "not-a-review")
  const confession = all.map(unreadIn).find((reason) => reason !== null)
  if (confession !== undefined) return is("NoReview", confession)
  if (has(unfavourable)) return is("HasIssues", "verdict-incorrect")
  const items = lines.some((line) => element.test(line) || (bullet.test(line) && !none.test(line.replace(bullet, ""))))
  if (items || setApart(text) || has(limited) || all.some(doubts)) return is("HasIssues", "in-doubt")
  const judged = all.some(judges)
  // A few words without a judgement are a notice ("Something went wrong."), whoever wrote it.
  if (!judged && wordsIn(text) < 10) return is("NoReview", "not-a-review")
  const beside = has(casual) && !has(denial) && all.some((one) => !judges(one) && !checks.test(one))
  if (beside || all.some((one) => remark.test(one) && !excused.test(one))) return is("HasIssues", "in-doubt")
  return judged ? is("Clean", "no-defect-stated") : is("NoReview", "not-a-review")
}
