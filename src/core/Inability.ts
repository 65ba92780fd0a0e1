// Inability: statements that no review took place: nothing seen, nothing to see, not finished, not even begun.
// The one rule: what could not be run does not matter; what could not be read does.
import { checksRun } from "./Lexicon.ts"
import { type Clause, quotedRead, type Sentence } from "./Sentences.ts"

/** Why no review took place. */
export type Inability = "diff-not-seen" | "nothing-to-review" | "review-not-finished" | "tools-failed"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const reading = words(
  "access accessing inspect inspecting read reading see seeing view viewing retrieve retrieving obtain obtaining fetch " +
    "fetching load loading examine examining review reviewing analyze analyzing analyse analysing evaluate evaluating " +
    "assess assessing look looking open opening compute computing generate generating get complete completing perform " +
    "performing conduct conducting produce producing compare comparing provide providing give finish finishing judge " +
    "carry locate enumerate list listing proceed proceeding continue saw seen"
)
const wasRead = words(
  "accessed inspected read seen viewed retrieved obtained fetched loaded examined reviewed analyzed analysed evaluated " +
    "assessed computed completed performed available accessible provided visible opened generated produced located " +
    "conducted finished supplied shared attached included given possible compared determined shown found resolved"
)
const unread = words("unavailable inaccessible uninspected unreviewed unreadable unseen")
const unfinished = words("interrupted aborted incomplete cancelled canceled terminated unavailable impossible stopped truncated")
const material = words(
  "diff diffs patch change changes changeset changesets commit commits repository repo code codebase source sources file " +
    "files workspace worktree tree checkout contents content review pr revision merge assessment analysis evaluation " +
    "verdict delta □ □read"
)
// As the subject of a passive these alone are the thing reviewed; a plain "file" may be one the code handles.
const reviewed = words(
  "diff diffs patch change changes changeset review commit repository repo code workspace worktree tree contents pr base"
)
const partial = words(
  "test tests fixture fixtures generated remote ci log logs external upstream lockfile binary database network docs live " +
    "production api runtime vendored browser ui rendered behavior behaviour"
)
const environment = words(
  "i we me us reviewer review sandbox environment session it tool tools shell command commands git bwrap bubblewrap " +
    "landlock permissions permission which makes made making"
)
const conditions = words("when if whenever unless until where so-that case once")
const telling = words(
  "handle handles handled handling return returns print prints exit exits emit emits detect detects cover covers test " +
    "tests case message error reports report now ensures ensure skips skip throws raises"
)
const emptied = words("diff diffs patch commit changeset range comparison tree □ □read output index branch worktree")
const failing = words(
  "failed fail fails rejected blocked denied unavailable timed disabled refused errored prevented aborted error"
)

const any = (set: ReadonlySet<string>, at: ReadonlyArray<string>, from = 0, to = at.length): boolean => {
  for (let i = Math.max(0, from); i < Math.min(to, at.length); i++) if (set.has(at[i] ?? "")) return true
  return false
}

const negation = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  return word === "not" || word === "never" || word === "cannot" || word.endsWith("n't")
}

// Words that say an attempt was not possible: plain "does not" says nothing about the reviewer.
const cannot = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  const next = at[i + 1]
  if (word === "not") return /^(?:could|can|able)$/.test(at[i - 1] ?? "") || /^(?:able|possible)$/.test(next ?? "")
  if (word === "no") return /^(?:way|access|ability|means)$/.test(next ?? "")
  if (/^(?:haven't|hasn't|wasn't|weren't|not)$/.test(word) && any(words("able possible"), at, i + 1, i + 3)) return true
  if (/^(?:didn't|don't|did|do|doesn't)$/.test(word)) {
    return any(words("get manage have chance"), at, i + 1, i + 3) && any(words("to access"), at, i + 1, i + 5)
  }
  return /^(?:cannot|can't|couldn't|unable|impossible|without|before|never)$/.test(word) ||
    /^(?:failed|prevented|prevents|preventing|blocked|kept|denied|refused|rejected)$/.test(word) && any(words("to from me access"), at, i + 1, i + 5)
}

// A reading verb, not the noun of "under review" or "the read path".
const reads = (at: ReadonlyArray<string>, j: number): boolean =>
  reading.has(at[j] ?? "") && !/^(?:the|a|an|this|under|code|in)$/.test(at[j - 1] ?? "") &&
  (/ing$/.test(at[j] ?? "") || !/^(?:of|for)$/.test(at[j - 1] ?? ""))

// "unable to inspect the changes", "could not access the diff", "prevented me from reading any files"
const cannotRead = (clause: Clause, at: ReadonlyArray<string>): boolean => {
  if (conditions.has(clause.lead)) return false
  for (let i = 0; i < at.length; i++) {
    if (!cannot(at, i)) continue
    const subject = at.slice(Math.max(0, i - 8), i)
    const bare = subject.length <= 1 || at[i] === "before" || at[i] === "without" || at[i] === "impossible"
    if (!bare && !any(environment, subject) || any(telling, subject)) continue
    for (let j = i + 1; j < Math.min(at.length, i + 8); j++) {
      const noAccess = at[j] === "access" && at[i] !== "before"
      if (!reads(at, j) && !noAccess) continue
      const stop = at.indexOf(",", j)
      const end = Math.min(j + 10, stop < 0 ? at.length : stop)
      if (any(material, at, j + 1, end) && !any(partial, at, j, end) && !any(checksRun, at, j, end)) return true
      if (at[j] === "review" && any(checksRun, at, j, end) === false && end - j <= 1) return true
    }
  }
  return false
}

// "could not run `git diff`", "`git show` was rejected by the sandbox"
const commandFailed = (clause: Clause, at: ReadonlyArray<string>): boolean =>
  !conditions.has(clause.lead) && at.some((word, i) => {
    if (word !== quotedRead) return false
    const attempt = Math.max(0, i - 5)
    if (any(words("run execute invoke"), at, attempt, i)) {
      return at.slice(Math.max(0, i - 8), i).some((_, k, part) => cannot(part, k)) && !any(telling, at, 0, i)
    }
    return i < 4 && any(words("failed exited errored blocked rejected denied"), at, i + 1, i + 4)
  })

// "the diff could not be retrieved", "the patch was not reviewed", "leaving the patch uninspected"
const notRead = (clause: Clause, at: ReadonlyArray<string>): boolean => {
  if (conditions.has(clause.lead) || any(telling, at)) return false
  for (let i = 0; i < at.length; i++) {
    const near = any(reviewed, at, i - 4, i) && !any(checksRun, at, i - 5, i + 1)
    const linked = any(words("is was are were being remained remains left leaving"), at, i - 2, i) || reviewed.has(at[i - 1] ?? "")
    if (near && linked && unread.has(at[i] ?? "")) return true
    if (near && negation(at, i) && any(wasRead, at, i + 1, i + 5) && !any(checksRun, at, i, i + 5)) return true
  }
  return false
}

// "no diff was provided", "only able to see the file names"
const notGiven = (at: ReadonlyArray<string>): boolean => {
  for (let i = 0; i < at.length; i++) {
    if (at[i] === "no" && any(material, at, i + 1, i + 4)) {
      const could = any(words("could can was were is are"), at, i + 2, i + 6)
      if (could && any(wasRead, at, i + 2, i + 8) && !any(partial, at, i, i + 6) && !any(words("found"), at, i, i + 8)) return true
    }
    if (/ing$/.test(at[i] ?? "") && i < 3 && reads(at, i) && any(material, at, i + 1, i + 5)) {
      if (any(words("failed errored"), at, i + 2, i + 7)) return true
    }
    if ((at[i] === "only" || at[i] === "just") && any(reading, at, i, i + 5)) {
      if (any(words("names filenames headers stat"), at, i, i + 9)) return true
    }
  }
  return false
}

const scopeWords = words("relative against between compared versus vs since under exist present found detected available")
const kinds = words(
  "reviewable actual local pending uncommitted staged unstaged untracked tracked file files code source , or and relevant " +
    "new other patch reviewed effective"
)
const inspecting = words("review reviewed inspect compare assess analyze analyse evaluate examine check diff")
const changesWords = words("changes change diff diffs differences difference patch modifications edits commits code")

const making = words("make makes made require requires required need needs recommend recommends suggest suggests want introduces")

// "no changes to review", "nothing to compare", "returned no changes", "no changes relative to the base"
const nothingThere = (clause: Clause, at: ReadonlyArray<string>): boolean => {
  if (conditions.has(clause.lead)) return false
  for (let i = 0; i < at.length; i++) {
    if (any(telling, at, i - 6, i)) continue
    if (at[i] === "nothing" && (at[i + 1] === "to" || at[i + 2] === "to") && any(inspecting, at, i + 2, i + 5)) return true
    const anyOf = at[i] === "any" && at.slice(Math.max(0, i - 4), i).some((_, k, part) => negation(part, k)) &&
      any(words("there see find found contain has have produce show return aren't isn't"), at, i - 4, i)
    if ((at[i] === "no" || anyOf) && !any(making, at, i - 3, i)) {
      let j = i + 1
      while (j < i + 12 && kinds.has(at[j] ?? "")) j++
      const code = any(words("code source file"), at, i + 1, j + 1)
      const last = at[j] ?? ""
      if (!changesWords.has(last) && !changesWords.has(at[j - 1] ?? "")) continue
      const rest = changesWords.has(last) ? j + 1 : j
      const next = at[rest] ?? ""
      if (/^(?:to|for)$/.test(next) && any(inspecting, at, rest + 1, rest + 4)) return true
      if (next === "under" && at[rest + 1] === "review") return true
      if (code) continue
      if (rest >= at.length || next === "," || scopeWords.has(next)) return true
      if (/^(?:was|were|is|are|has|have)$/.test(next) && any(scopeWords, at, rest, rest + 4)) return true
      if (next === "in" && any(words("tree diff range branch repository index workspace worktree"), at, rest, rest + 5)) {
        return true
      }
    }
    const head = any(emptied, at, i - 4, i)
    if (at[i] === "empty" && head && any(words("is was are were appears being"), at, i - 3, i)) return true
    if (at[i] === "clean" && any(words("tree worktree"), at, i - 3, i) && /^(?:is|was)$/.test(at[i - 1] ?? "")) return true
    if (at[i] === "identical" && any(words("branch head tree commit worktree commits trees"), at, i - 5, i)) return true
    if (at[i] === "same" && at[i + 1] === "commit" && any(words("point points pointing both"), at, i - 5, i)) return true
    if (at[i] === "no" && at[i + 1] === "output" && any(emptied, at, i - 5, i)) return true
  }
  return false
}

const executing = words("command commands shell tool tools exec subprocess git sandboxed")
const calls = words("command commands calls attempts invocations execution access runner")
const sandboxes = words("bwrap bubblewrap landlock seccomp")

// "every shell command failed", "command execution was blocked", "bubblewrap failed to start"
const toolsFailed = (clause: Clause, sentence: Sentence): boolean => {
  const at = clause.words
  if (conditions.has(clause.lead) || any(checksRun, sentence.words) || any(telling, at)) return false
  return at.some((word, i) => {
    if (sandboxes.has(word)) return any(failing, at)
    if (!calls.has(word) || !any(failing, at, i + 1, i + 6)) return false
    const all = any(words("all every each any"), at, i - 4, i) && any(executing, at, i - 3, i + 4)
    return all || (word === "execution" || word === "access" || word === "runner") && any(executing, at, i - 1, i)
  })
}

// "Review aborted", "the review was interrupted", "I have not reviewed any code"
const notFinished = (clause: Clause, at: ReadonlyArray<string>): boolean => {
  if (conditions.has(clause.lead)) return false
  for (let i = 0; i < at.length; i++) {
    if (at[i] === "review" && i < 4 && any(unfinished, at, i + 1, i + 4)) return true
    const looked = /^(?:reviewed|seen|read|inspected|examined|viewed|looked)$/.test(at[i] ?? "")
    if (looked && negation(at, i - 1) && any(environment, at, Math.max(0, i - 8), i) && !any(partial, at, i, i + 8)) return true
    if (at[i] === "reviewed" && at[i - 1] === "not" && i === at.length - 1 && any(words("as treat"), at, 0, i)) return true
  }
  return at[0] === "no" && at[1] === "review" || at.some((word, i) => word === "no" && /^(?:actual|real)$/.test(at[i + 1] ?? "") && at[i + 2] === "review")
}

// "so I read the files directly instead": the material was seen after all.
const byOtherMeans = (clause: Clause): boolean => {
  const at = clause.words
  for (let i = 0; i < at.length; i++) {
    const seen = /^(?:reviewed|inspected|read|examined|analyzed|checked|compared|used)$/.test(at[i] ?? "")
    if (!seen || !any(words("i we instead"), at, i - 4, i + 10) || any(words("only just not never partially"), at, i - 3, i + 4)) {
      continue
    }
    if (any(words("instead directly manually via using through from by with"), at, i, i + 12)) return true
  }
  return false
}

/** What the sentences say about the review not having taken place; null when they say nothing of it. */
export const inability = (sentences: ReadonlyArray<Sentence>): Inability | null => {
  let found: Inability | null = null
  for (const sentence of sentences) {
    for (const clause of sentence.clauses) {
      const at = clause.words
      if (found !== null && byOtherMeans(clause)) found = null
      if (nothingThere(clause, at)) found ??= "nothing-to-review"
      else if (cannotRead(clause, at) || commandFailed(clause, at) || notRead(clause, at) || notGiven(at)) found ??= "diff-not-seen"
      else if (notFinished(clause, at)) found ??= "review-not-finished"
      else if (toolsFailed(clause, sentence)) found ??= "tools-failed"
    }
  }
  return found
}
