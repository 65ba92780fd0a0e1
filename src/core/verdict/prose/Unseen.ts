// Unseen: clauses that say the change, or the code around it, could not be read.
// The one rule: it is the reviewer who must have failed to read the change; code under review may fail to read, too.
import { checksRun } from "./Lexicon.ts"
import { type Clause, quoted, quotedRead } from "./Sentences.ts"
import { any, has, within, words } from "./Words.ts"

/** Leads of clauses that suppose something instead of saying it. */
export const suppositions = words("when if whenever unless until where once")

/** Verbs by which code under review, not its reviewer, meets a missing diff. */
export const telling = words(`
  handle handles handled handling return returns print prints exit exits emit emits detect detects cover covers test
  tests case message error reports report now ensures ensure skips skip throws raises
`)

/** What may not be readable without the review being void. */
export const partial = words(`
  test tests fixture fixtures generated remote ci log logs external upstream lockfile binary database network docs
  live production api runtime vendored browser ui rendered behavior behaviour
`)

/** The reviewer, and what it works with. */
export const reviewer = words(`
  i we me us reviewer review sandbox environment session it tool tools shell command commands git bwrap bubblewrap
  landlock permission permissions which makes made making
`)

const reading = words(`
  access accessing inspect inspecting read reading see seeing view viewing retrieve retrieving obtain obtaining fetch
  fetching load loading examine examining review reviewing analyze analyzing analyse analysing evaluate evaluating
  assess assessing look looking open opening compute computing generate generating get complete completing perform
  performing conduct conducting produce producing compare comparing provide providing give finish finishing judge
  carry locate enumerate list listing proceed proceeding continue saw seen
`)
const wasRead = words(`
  accessed inspected read seen viewed retrieved obtained fetched loaded examined reviewed analyzed analysed evaluated
  assessed computed completed performed available accessible provided visible opened generated produced located
  conducted carried finished supplied shared attached included given possible compared determined shown found resolved
`)
const unread = words("unavailable inaccessible uninspected unreviewed unreadable unseen")
const material = words(`
  diff diffs patch change changes changeset changesets commit commits repository repo code codebase source sources
  file files workspace worktree tree checkout contents content review pr revision merge assessment analysis evaluation
  verdict delta ${quoted} ${quotedRead}
`)
// As the subject of a passive these alone are the thing reviewed; a plain "file" may be one that the code handles.
const reviewed = words(`
  diff diffs patch change changes changeset review commit repository repo code workspace worktree tree contents pr
  base
`)

/** Whether the word negates: `not`, `never`, `cannot`, `couldn't`. */
export const negates = (word: string | undefined): boolean =>
  word === "not" || word === "never" || word === "cannot" || word?.endsWith("n't") === true

const chances = words("get manage have chance")
const opened = words("to from me access")
const hindered = words("failed prevented prevents preventing blocked kept denied refused rejected")
const outright = words("cannot can't couldn't unable impossible without before never")

// Words that say an attempt was not possible: plain "does not" says nothing about the reviewer.
const cannot = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  if (negates(word) && (has(words("able possible"), at[i + 1]) || has(words("able possible"), at[i + 2]))) return true
  if (word === "not") return at[i - 1] === "could" || at[i - 1] === "can"
  if (word === "no") return /^(?:way|access|ability|means)$/.test(at[i + 1] ?? "")
  if (/^(?:didn't|don't|did|do|doesn't)$/.test(word)) {
    return within(at, i + 1, i + 3, chances) && within(at, i + 1, i + 5, opened)
  }
  return has(outright, word) || (has(hindered, word) && within(at, i + 1, i + 5, opened))
}

// A reading verb, not the noun of "under review" or "the read path".
const reads = (at: ReadonlyArray<string>, i: number): boolean => {
  const before = at[i - 1] ?? ""
  if (!has(reading, at[i]) || /^(?:the|a|an|this|each|every|per|under|code|in)$/.test(before)) return false
  return /ing$/.test(at[i] ?? "") || !/^(?:of|for)$/.test(before)
}

// "could not verify any of the changes"
const nothingOf = (at: ReadonlyArray<string>, j: number): boolean =>
  /^(?:verify|confirm|validate)$/.test(at[j] ?? "") && at[j + 1] === "any" && within(at, j + 2, j + 6, material)

const reaches = (at: ReadonlyArray<string>, i: number, j: number): boolean => {
  if (nothingOf(at, j)) return true
  if (!reads(at, j) && !(at[j] === "access" && at[i] !== "before")) return false
  const stop = at.slice(j, j + 10).indexOf(",")
  const end = stop < 0 ? j + 10 : j + stop
  if (within(at, j, end, partial) || within(at, j, end, checksRun)) return false
  return within(at, j + 1, end, material) || (at[j] === "review" && Math.min(end, at.length) - j <= 1)
}

// "unable to inspect the changes", "could not access the diff", "prevented me from reading any files"
const cannotRead = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => {
    if (!cannot(at, i)) return false
    const subject = at.slice(Math.max(0, i - 8), i)
    const bare = subject.length <= 1 || /^(?:before|without|impossible)$/.test(word)
    const own = /^(?:i|we)$/.test(at[i - 1] ?? "") || /^(?:i|we)$/.test(at[i - 2] ?? "")
    if ((!bare && !any(subject, reviewer)) || (!own && any(subject, telling))) return false
    return at.slice(i + 1, i + 8).some((_, k) => reaches(at, i, i + 1 + k))
  })

const invoking = words("run execute invoke")
const attempts = words("attempt attempts attempted attempting try tries invocation invocations")
const broke = words("failed exited errored blocked rejected denied")

// "could not run `git diff`", "`git show` was rejected by the sandbox"
const commandFailed = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => {
    if (word !== quotedRead) return false
    if ((i < 4 || within(at, i - 4, i, attempts)) && within(at, i + 1, i + 4, broke)) return true
    if (!within(at, i - 5, i, invoking) || within(at, i - 12, i, telling)) return false
    return at.slice(Math.max(0, i - 8), i).some((_, k, part) => cannot(part, k))
  })

// "the issues of the last review were not resolved" is no confession; "the base could not be resolved" is.
const settled = words("resolved")
const linking = words("is was were being remained remains left leaving")

// "the diff could not be retrieved", "the patch was not reviewed", "leaving the patch uninspected"
const notRead = (at: ReadonlyArray<string>): boolean =>
  !any(at, telling) && at.some((word, i) => {
    if (!within(at, i - 4, i, reviewed) || within(at, i - 5, i + 1, checksRun)) return false
    if (has(unread, word)) return within(at, i - 2, i, linking) || has(reviewed, at[i - 1])
    const resolved = within(at, i + 1, i + 5, settled) && at[i - 1] !== "could"
    return negates(word) && !resolved && within(at, i + 1, i + 5, wasRead) && !within(at, i, i + 5, checksRun)
  })

const articles = words("the a an any your actual its")

// "I don't have the patch contents"
const hasNone = (at: ReadonlyArray<string>, i: number): boolean => {
  if (!/^(?:don't|didn't|not)$/.test(at[i] ?? "") || at[i + 1] !== "have") return false
  if (!within(at, i - 2, i, reviewer)) return false
  let j = i + 2
  while (j < i + 5 && has(articles, at[j])) j++
  return has(material, at[j])
}

const could = words("could can was were is are")
const wasGiven = words(`
  provided supplied given shared attached accessible available visible accessed obtained retrieved computed produced
  generated read reviewed inspected examined analyzed loaded seen performed completed
`)
const names = words("names filenames headers stat")

// "no diff was provided", "reading the files failed", "only able to see the file names"
const notGiven = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => {
    if (hasNone(at, i)) return true
    if (word === "no" && within(at, i + 1, i + 4, material)) {
      const passive = within(at, i + 2, i + 6, could) && within(at, i + 2, i + 8, wasGiven)
      return passive && !within(at, i, i + 6, partial)
    }
    if (word === "none" && at[i + 1] === "of" && within(at, i + 2, i + 6, material)) {
      return within(at, i + 3, i + 8, could) && within(at, i + 4, i + 9, wasGiven) && !within(at, i, i + 6, partial)
    }
    if (i < 3 && word.endsWith("ing") && reads(at, i)) {
      return within(at, i + 1, i + 5, material) && within(at, i + 2, i + 7, broke)
    }
    return (word === "only" || word === "just") && within(at, i, i + 5, reading) && within(at, i, i + 9, names)
  })

/** Whether the clause says that the change was not, or could not be, read. */
export const saysUnseen = (clause: Clause): boolean => {
  const at = clause.words
  if (has(suppositions, clause.lead)) return false
  return cannotRead(at) || commandFailed(at) || notRead(at) || notGiven(at)
}
