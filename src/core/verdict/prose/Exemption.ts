// Exemption: clauses that speak of harm without blaming the change: of the past, of intent, of the reviewer's machine.
// The one rule: an exemption must be said; a word that merely often goes with one exempts nothing.
import { checksRun } from "./Lexicon.ts"
import { isDefect } from "./Scopes.ts"
import { quoted } from "./Sentences.ts"
import { any, has, isNot, within, words } from "./Words.ts"

const environment = words(`
  sandbox sandboxed network offline read-only permissions registry unreachable installed credentials docker eperm
  eacces spawn environment's
`)
const mine = words("this my the current local review sandbox sandboxed read-only restricted")
const running = words(`
  run start execute executed started available installed complete completed built exercised verified tested collect
`)

/**
 * Checks that could not be run where the reviewer sat: neither a defect nor a missing review. `ofChecks`: a pronoun of
 * the clause stands for checks.
 */
export const notRun = (at: ReadonlyArray<string>, ofChecks: boolean): boolean =>
  (ofChecks || any(at, checksRun) || at.includes(quoted)) &&
  (any(at, environment) || at.some((word, i) =>
    (word === "environment" && has(mine, at[i - 1]) && !/^variables?$/.test(at[i + 1] ?? "")) ||
    word === "skipped" || ((isNot(at, i) || word === "blocked") && within(at, i, i + 5, running))))

const stated = words("documented expected intended stated described designed specified")

// "so this is not a regression", "as documented", "by design"
const meant = (at: ReadonlyArray<string>): boolean => {
  const negated = at.some((_, i) => isNot(at, i))
  return at.some((word, i) =>
    (word === "not" && /^(?:an?|considered)$/.test(at[i + 1] ?? "") && isDefect(at, i + 2)) ||
    (word === "as" && has(stated, at[i + 1]) && !negated) ||
    (word === "by" && at[i + 1] === "design"))
}

const base = words("base parent main master")
const places = words("thread process loop path page menu screen queue")
const thisChange = words("diff patch change changes commit this these it by")
const bounds = words("diff patch change changes scope changed modified touched reviewed")
const unrelatedTo = words(`
  to diff patch change changes failure failures warning warnings test tests snapshot issue issues
`)
const itself = words("change patch commit diff")
const whose = words("caused related tied introduced part")

/** What was there before the change, lies outside it, or is meant. */
export const notOfThisChange = (at: ReadonlyArray<string>): boolean =>
  meant(at) || at.some((word, i) => {
    if (word === "pre-existing" || word === "preexisting") return true
    if (word === "unrelated") return i === at.length - 1 || within(at, i - 4, i + 4, unrelatedTo)
    if (word === "on") return within(at, i, i + 4, base) && !within(at, i, i + 6, places)
    if (word === "not") return has(whose, at[i + 1]) && within(at, i, i + 9, thisChange)
    if (word === "before") return within(at, i + 1, i + 4, itself)
    if (word === "outside") return within(at, i, i + 6, bounds)
    return word === "out" && at[i + 1] === "of" && at[i + 2] === "scope"
  })

const relative = words("that which")
const adjacent = words("existing any known original documented")
const once = words("previously formerly")
const earlier = words(`
  reported old prior previous earlier described upstream former intentional previously formerly intentionally
  deliberately
`)

const bygone = /(?:ed|lost|broke|left|swallowed|forgot)$/

// "the path that silently skipped lines now reports them": what it did until now.
const untilNow = (at: ReadonlyArray<string>, i: number): boolean =>
  within(at, i - 2, i, relative) && (bygone.test(at[i] ?? "") || bygone.test(at[i + 1] ?? "")) &&
  at.slice(i + 1, i + 14).includes("now")

/** Whether the word at `i` is said of what was there before, or was done on purpose. */
export const isPast = (at: ReadonlyArray<string>, i: number): boolean =>
  untilNow(at, i) || has(once, at[0]) || has(adjacent, at[i - 1]) || within(at, i - 4, i, earlier)

const done = words("fixed resolved addressed handled closed eliminated corrected removed rewritten reworked gone")
const being = words("is are was were be been now both all already fully since also properly correctly")
const obliged = words(`
  should must need needs to not never isn't aren't wasn't weren't until can could would may might will
`)
// What ends the search: the defect goes on, or another thing is spoken of.
const lasting = words("remain remains remained persist persists still exist exists and but , leaves leave")
const seeming = words("appear appears seem seems")

const explained = words("that caused due because in")

/** "the violations it surfaced were fixed", "the bug was that …"; not "should be fixed". */
export const isSettled = (at: ReadonlyArray<string>, i: number): boolean => {
  if ((at[i + 1] === "was" || at[i + 1] === "were") && has(explained, at[i + 2])) return true
  for (let j = i + 1; j < Math.min(at.length, i + 18); j++) {
    if (has(done, at[j]) && (has(being, at[j - 1]) || has(seeming, at[j - 1]))) {
      return !at.slice(i, j).some((word, k, part) =>
        has(obliged, word) && !(word === "to" && has(seeming, part[k - 1])))
    }
    // Far from its name a defect is still told of only by what was said of it: "the issues noted in the last pass".
    if (j > i + 7 && within(at, i + 1, j, lasting)) return false
  }
  return false
}
