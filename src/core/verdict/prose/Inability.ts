// Inability: statements that no review took place: nothing seen, nothing to see, tools dead, not finished.
// The one rule: what could not be run does not matter; what could not be read does, unless it was read another way.
import { saysEmpty } from "./EmptyDiff.ts"
import { checksRun } from "./Lexicon.ts"
import { saysNoCode, saysNothingThere } from "./NothingThere.ts"
import type { Clause, Sentence } from "./Sentences.ts"
import { negates, partial, reviewer, saysUnseen, suppositions, telling } from "./Unseen.ts"
import { saysUnchanged } from "./Unchanged.ts"
import { any, has, within, words } from "./Words.ts"

/** Why no review took place. */
export type Inability = "diff-not-seen" | "nothing-to-review" | "review-not-finished" | "tools-failed"

const executing = words("command commands shell tool tools exec subprocess git sandboxed file files")
const calls = words("command commands calls attempts invocations execution access runner reads")
const closing = words("denied blocked rejected failed disabled refused unavailable")
const single = words("execution access runner")
const sandboxes = words("bwrap bubblewrap landlock seccomp")
const all = words("all every each any")
const failing = words(`
  failed fail fails rejected blocked denied declined unavailable timed disabled refused errored prevented aborted error
`)

// Not "it": the code that is never read is the change's.
const whoLooked = words("i we me us reviewer review session which makes made making")
const running = words("run execute invoke start issue")

// "wasn't able to run any commands"
const invokes = (at: ReadonlyArray<string>, any: number): boolean =>
  has(running, at[any - 1]) && at.slice(Math.max(0, any - 5), any).some((word) => negates(word) || word === "unable") &&
  within(at, 0, any, whoLooked)

// "every shell command failed", "command execution was blocked", "bubblewrap failed to start"
const toolsFailed = (clause: Clause): boolean => {
  const at = clause.words
  if (has(suppositions, clause.lead) || any(at, telling)) return false
  if (any(at, sandboxes)) return any(at, failing)
  return at.some((word, i) => {
    if (word === "any" && has(calls, at[i + 1])) return invokes(at, i)
    if (!has(calls, word)) return false
    const end = at.slice(i, i + 12).findIndex((later, k) => k > 0 && has(failing, later))
    if (end > 0 && at[i + end - 1] === "all") return within(at, i - 3, i, executing)
    if (end < 1 || end > 5) return false
    const every = within(at, i - 4, i, all) && within(at, i - 3, i + 4, executing)
    if (every || !has(single, word) || !has(executing, at[i - 1])) return every
    // Code under review denies access to files, too: a reviewer to whom it was denied stops there.
    return !/^files?$/.test(at[i - 1] ?? "") || (/^(?:was|were)$/.test(at[i + 1] ?? "") && has(closing, at[i + 2]))
  })
}

const unfinished = words(`
  interrupted aborted incomplete cancelled canceled terminated unavailable impossible stopped truncated unreadable
  timed
`)
const looking = words("reviewed seen read inspected examined viewed looked")
const examining = words("review inspect read examine analyze")
const anyOrThe = words("any the")
const material = words("code diff patch change changes commit")
const being = words("was were is has")
const proceeding = words("proceed continue start begin happen run finish complete")
const taken = words("as treat")

// "Review aborted", "I have not reviewed any code", "no actual review"
const notFinished = (clause: Clause): boolean => {
  const at = clause.words
  if (has(suppositions, clause.lead)) return false
  return at.some((word, i) => {
    if (word === "review" && i < 4) {
      return within(at, i + 1, i + 4, unfinished) || (negates(at[i + 2]) && has(proceeding, at[i + 3])) ||
        (negates(at[i + 1]) && has(proceeding, at[i + 2]))
    }
    if (word === "no" && at[i + 1] === "review") return i === 0
    if (word === "no") return /^(?:actual|real)$/.test(at[i + 1] ?? "") && at[i + 2] === "review"
    if (word === "nothing") return has(being, at[i + 1]) && has(looking, at[i + 2])
    // "I could not find the base and did not look at anything"
    const examined = has(examining, at[i + 1]) ? i + 2 : at[i + 1] === "look" && at[i + 2] === "at" ? i + 3 : -1
    if (negates(word) && at[examined] === "anything") return within(at, 0, i, reviewer)
    if (negates(word) && has(examining, at[i + 1]) && has(anyOrThe, at[i + 2]) && has(material, at[i + 3])) {
      return within(at, i - 3, i, reviewer)
    }
    if (!has(looking, word) || !negates(at[i - 1])) return false
    if (i === at.length - 1 && within(at, i - 6, i, taken)) return true
    return within(at, i - 8, i, whoLooked) && !within(at, i, i + 8, partial)
  })
}

const answering = words("response output review answer verdict result results reply anything nothing")
const answerers = words("reviewer model codex assistant agent")
const silentVerb = words("produce return provide give generate output emit respond answer reply write")
const silentPast = words("produced returned provided gave generated emitted wrote output")
const responded = words("responded answered replied")
const fewest = 2

// "The reviewer did not return a response", "No answer was received": said of what happened, not of what code does.
const noAnswer = (at: ReadonlyArray<string>): boolean => {
  const end = has(answering, at.at(-1))
  const i = at.findIndex((word) => has(answerers, word))
  if (at[0] === "no" && has(answering, at[1])) {
    return /^(?:was|were)$/.test(at[2] ?? "") && (has(silentPast, at[3]) || at[3] === "received") &&
      (at.length === 4 || (/^(?:by|from)$/.test(at[4] ?? "") && within(at, 5, 7, answerers)))
  }
  if (i < 0 || i > 1 || at.length > i + 8) return false
  if (at[i + 1] === "never" && has(responded, at[i + 2])) return at.length === i + 3
  if (has(silentPast, at[i + 1])) return end && /^(?:no|nothing)$/.test(at[i + 2] ?? "")
  const tried = (at[i + 1] === "failed" && at[i + 2] === "to") || at[i + 1] === "didn't" ||
    (at[i + 1] === "did" && at[i + 2] === "not")
  if (!tried || !within(at, i + 2, i + 4, silentVerb)) return false
  return end || /^(?:respond|answer|reply)$/.test(at.at(-1) ?? "")
}

const looked = words("reviewed inspected read examined analyzed checked compared used")
const whom = words("i we instead")
const means = words("instead directly manually via using through from by with")
const limited = words("only just not never partially")

// "so I read the files directly instead": the material was seen after all.
const byOtherMeans = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) =>
    has(looked, word) && within(at, i - 4, i + 10, whom) && within(at, i, i + 12, means) &&
    !within(at, i - 3, i + 4, limited))

const documents = words(`
  documentation docs doc documents document markdown readme comment comments docstring docstrings changelog spec
  specs guide guides tutorial tutorials runbook runbooks glossary translations plan plans notes prose text metadata
  config configuration fixture fixtures test tests binary
`)

const papers = words(`
  documentation docs document documents markdown readme changelog plan plans planning metadata notes reports
`)
const ofCode = words("code source")

// Of a change to documents alone it is no news that it holds no code, "no source code modifications to evaluate".
const saysNothing = (clause: Clause, ofDocuments: boolean, ofPapers: boolean): boolean =>
  saysEmpty(clause) || saysUnchanged(clause) || (!ofDocuments && saysNoCode(clause)) ||
  (!(ofPapers && any(clause.words, ofCode)) && saysNothingThere(clause))

/** What the sentences say about the review not having taken place; null when they say nothing of it. */
export const inability = (sentences: ReadonlyArray<Sentence>): Inability | null => {
  let found: Inability | null = null
  const ofDocuments = sentences.some((sentence) => any(sentence.words, documents))
  const ofPapers = sentences.some((sentence) => any(sentence.words, papers))
  for (const sentence of sentences) {
    const ofChecks = any(sentence.words, checksRun)
    for (const clause of sentence.clauses) {
      if (found !== null && byOtherMeans(clause.words)) found = null
      if (saysNothing(clause, ofDocuments, ofPapers)) found ??= "nothing-to-review"
      else if (saysUnseen(clause)) found ??= "diff-not-seen"
      else if (notFinished(clause) || (sentences.length <= fewest && clause.lead === "" && noAnswer(clause.words))) {
        found ??= "review-not-finished"
      } else if (!ofChecks && toolsFailed(clause)) found ??= "tools-failed"
    }
  }
  return found
}
