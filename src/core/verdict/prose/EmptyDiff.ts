// EmptyDiff: clauses whose subject is the reviewed change, and whose predicate says that there is nothing in it.
// The one rule: subject, verb and object are read word by word; a word that is not expected ends the reading with no.
import { bases, inspecting, ranges } from "./Compared.ts"
import { type Clause, quotedRead } from "./Sentences.ts"
import { negates, suppositions } from "./Unseen.ts"
import { has, within, words } from "./Words.ts"

type Words = ReadonlyArray<string>

const intros = words(`
  , as given that with here note however and so then again i we found find see saw noted confirmed confirm it appears
  seems also specifically in this case currently
`)
const describing = words(`
  the this that these its a an my your our requested supplied provided unified current resulting entire whole full
  working working-tree merge merge-base branch commit code file source review reviewed reported target specified given
  final actual
  cumulative git total net local staged unstaged uncommitted committed combined overall pull request pr feature topic
  two-dot three-dot revision submitted proposed compared computed returned generated base effective worktree same tip
  change selected
`)
const heads = words(`diff diffs patch changeset comparison commit worktree branch checkout pr ${quotedRead}`)
// A tree, a range, an output may be the code's: they are the change only by the word before them.
const qualified = {
  base: words("merge"),
  range: words("commit review requested diff revision selected compared specified given supplied provided target git"),
  tree: words("working work worktree git"),
  set: words("change"),
  request: words("pull"),
  output: words(`diff git ${quotedRead}`)
} as const
const modifying = words(`
  between against relative versus vs for from of with to under in on at returned provided supplied requested given
  shown produced generated reported itself computed compared since after via using by i we that which
`)
const farthest = 14

const being = words("is was are were be been being appears appear appeared seems seem seemed remains remained")
const linking = words(`
  completely entirely effectively essentially also now currently simply just to out turned turns has have came comes
  come back up found therefore actually itself totally truly already still both
`)
const contrary = words("not never")

const holding = words(`
  contains contained contain has had have shows showed show includes included include carries holds holding produces
  produced produce returned returns return gives gave give yields yielded yield reports reported report prints printed
  lists listed
`)
const making = words("introduces introduced introduce makes made make performs")
const auxiliaries = words("does do did doesn't don't didn't")
const kinds = words(`
  actual effective unique remaining pending introduced changed modified committed reviewable file files or and , net
`)
const things = words(`
  changes change modifications modification edits content contents output lines files file hunks hunk commits commit
  diff diffs differences difference deltas delta additions entries patch
`)
const comparing = words("relative against compared versus vs between since ahead beyond from over")

const isQualified = (word: string | undefined): word is keyof typeof qualified =>
  word !== undefined && Object.hasOwn(qualified, word)

/** Whether the word at `i` names the change under review. */
const isHead = (at: Words, i: number): boolean => {
  const word = at[i]
  if (word === "output" && at[i + 1] === "of") return at[i + 2] === quotedRead
  if (word === "range" && !has(modifying, at[i + 1]) && isEmptyFrom(at, i + 3)) return true
  return has(heads, word) || (isQualified(word) && has(qualified[word], at[i - 1]))
}

/** Where the subject ends that begins at `from`: behind the reviewed change and what is said of it; -1 for another. */
const subjectEnd = (at: Words, from: number, isVerb: (i: number) => boolean): number => {
  let i = from
  let head = -1
  while (i < at.length && i < from + farthest && !isVerb(i)) {
    if (head >= 0 && has(modifying, at[i])) break
    if (isHead(at, i)) head = i
    else if (!has(describing, at[i])) break
    i++
  }
  if (head >= 0 && at[head] === "range" && isVerb(head + 3)) return head + 3
  if (head < 0 || head !== i - 1) return -1
  if (!has(modifying, at[i])) return i
  while (i < at.length && i < from + 2 * farthest && !isVerb(i)) i++
  return i
}

const subjectFrom = (at: Words): number => {
  let i = 0
  while (i < 8 && has(intros, at[i])) i++
  return i
}

/** Whether the object's noun phrase ends at `i`, or goes on with where the things are missing. */
const objectEnds = (at: Words, i: number, made: boolean): boolean => {
  const next = at[i]
  if (next === undefined || next === "," || next === "and") return true
  if (next === "at") return at[i + 1] === "all"
  if (/^(?:whatsoever|anymore|left|remaining|either)$/.test(next)) return true
  if (has(comparing, next)) return next === "between" || next === "ahead" || within(at, i + 1, i + 6, bases)
  if (made) return false
  if (next === "to" || next === "for") return within(at, i + 1, i + 4, inspecting)
  if (next === "of") return at[i + 2] === "own"
  return (next === "in" || next === "on") && within(at, i + 1, i + 4, ranges)
}

/** Whether the object that begins at `i`, behind `no` or `any`, names changes in general and no kind of them. */
const isAnyChange = (at: Words, i: number, made: boolean): boolean => {
  let j = i
  while (j < i + 8 && has(kinds, at[j]) && !(has(things, at[j]) && objectEnds(at, j + 1, made))) j++
  return has(things, at[j]) && objectEnds(at, j + 1, made)
}

// "is empty", "turned out to be completely empty"
const isEmptyFrom = (at: Words, i: number): boolean => {
  let seen = false
  for (let j = i; j < i + 8; j++) {
    const word = at[j]
    if (word === "empty" || word === "blank") {
      return (seen || has(linking, at[i])) && objectEnds(at, j + 1, false)
    }
    if (has(contrary, word)) return false
    if (has(being, word)) seen = true
    else if (!has(linking, word)) return false
  }
  return false
}

// "contains no changes", "does not contain any changes", "produced nothing"
const holdsNoneFrom = (at: Words, i: number): boolean => {
  const negated = has(auxiliaries, at[i]) && (negates(at[i]) || negates(at[i + 1]))
  const verb = negated ? (negates(at[i]) ? i + 1 : i + 2) : i
  const made = has(making, at[verb])
  if (!made && !has(holding, at[verb])) return false
  const object = at[verb + 1] ?? ""
  if (negated) return isAnyChange(at, /^(?:any|a)$/.test(object) ? verb + 2 : verb + 1, made)
  if (/^an?$/.test(object)) {
    return !made && /^(?:empty|blank)$/.test(at[verb + 2] ?? "") && objectEnds(at, verb + 4, made)
  }
  if (object === "nothing") return !made && objectEnds(at, verb + 2, made)
  return /^(?:no|zero|0)$/.test(object) && isAnyChange(at, verb + 2, made)
}

const offering = words("with given received receive got see saw have had found was were supplied")
const offered = words("supplied provided given received submitted presented")
const told = words("there no nothing i we this")
const materials = words("diff patch changeset commit range comparison change")

// "with an empty diff", "an empty patch was supplied", "this is an empty commit"
const isOfEmpty = (at: Words): boolean =>
  at.some((word, i) => {
    if ((word !== "empty" && word !== "blank") || !within(at, i + 1, i + 3, materials)) return false
    const noun = has(materials, at[i + 1]) ? i + 1 : i + 2
    const end = at[noun + 1] === "set" ? noun + 2 : noun + 1
    const first = /^(?:an?|the)$/.test(at[i - 1] ?? "") ? i - 1 : i
    if (first === 0) return first < i && /^(?:is|was)$/.test(at[end] ?? "") && has(offered, at[end + 1])
    const bare = at[end] === undefined || (at[end] === "," && (at[end + 1] === undefined || has(told, at[end + 1])))
    if (first === 1 && /^(?:with|given)$/.test(at[0] ?? "")) return bare
    if (first > 4 || (!bare && !has(modifying, at[end]) && at[end] !== "and")) return false
    if (/^(?:is|was)$/.test(at[first - 1] ?? "")) return /^(?:this|it|that|which)$/.test(at[first - 2] ?? "")
    return /^(?:i|we)$/.test(at[0] ?? "") && has(offering, at[first - 1])
  })

/** Whether the clause says of the reviewed change that it is empty. */
export const saysEmpty = ({ lead, words: at }: Clause): boolean => {
  if (has(suppositions, lead)) return false
  const from = subjectFrom(at)
  const end = subjectEnd(at, from, (i) => isEmptyFrom(at, i) || holdsNoneFrom(at, i))
  return (end > from && (isEmptyFrom(at, end) || holdsNoneFrom(at, end))) || isOfEmpty(at)
}
