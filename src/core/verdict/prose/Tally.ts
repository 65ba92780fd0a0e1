// Tally: what the sentences of a review add up to.
// The one rule: contrast counts; what stands behind a "but" is set against what stood before it.
import { describes, touched } from "./Assessment.ts"
import { checksRun, defects, faults, harms, mishaps } from "./Lexicon.ts"
import { readClause, type Reading } from "./Polarity.ts"
import type { Clause, Sentence } from "./Sentences.ts"
import { any, has, isNone, within, words } from "./Words.ts"

/** What was said somewhere in a text. */
export interface Tally {
  /** Defects were denied without reserve. */
  readonly denies: boolean
  /** Defects beside those told of were denied. */
  readonly others: boolean
  /** A defect was told of that was there before, or is mended. */
  readonly recalls: boolean
  /** A defect was asserted in words that leave no doubt. */
  readonly strong: boolean
  /** Something was said that is a defect unless defects are denied. */
  readonly weak: boolean
  /** Something was set against a denial. */
  readonly contrasted: boolean
  /** Something was set against an assessment. */
  readonly qualified: boolean
  readonly assesses: boolean
  /** A sentence neither judges the change nor describes it. */
  readonly unaccounted: boolean
}

const contrasts = words("but however although though yet except despite nevertheless nonetheless")
const reasons = words("because since so which : ; ( — – as")
const conditions = words("if when whenever because unless")
const exceptions = /^(?:other than|apart from|aside from|except for|with the exception of|save for)$/
// "the only problem", "one thing": a defect follows, whatever its words.
const announcing = words("only one two three")
const announced = words(`
  problem issue concern thing nit bug finding things nits problems issues concerns exception caveat
`)

// "the only thing that changed"
const changed = words("changed changes differs changing")

const trivial = words("rename renames rewiring formatting whitespace layout imports wording bump")

// "unchanged apart from the rename" keeps nothing back.
const hasException = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => exceptions.test(`${word} ${at[i + 1] ?? ""}`) && !within(at, i + 2, i + 7, trivial))
// "no other problem than the missing await"
const barring = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => word === "than" && within(at, i - 5, i, besides))
const besides = words("other else")
const announces = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => has(announcing, word) && has(announced, at[i + 1]) && !within(at, i + 2, i + 5, changed))

// "Still, it doubles the load.", "That said, ..."
const turns = (at: ReadonlyArray<string>): boolean =>
  /^(?:still ,|that said|even so|having said)/.test(at.slice(0, 2).join(" "))

// "The job, however, runs ...", "At runtime, though, ..."
const interjects = ({ lead, words }: Clause): boolean =>
  lead === "however" || (lead === "though" && words[0] === ",")

// "the worker, on the other hand, ...", "in contrast"
const contrasting = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => {
    const before = at[i - 1] ?? ""
    return (word === "hand" && before === "other") || (word === "contrast" && /^(?:in|by)$/.test(before))
  })

const consequences = words("so because therefore thus hence meaning")
const additions = words("; and while which")
// Of what is added only a statement counts: "and a new icon", "while adding a flag" state nothing.
const stating = words("is are was were be been does do did has have can cannot never not one some most")
const nowIs = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => word === "now" && /^(?:is|are)$/.test(at[i - 1] ?? ""))
const pronouns = words("they it these those both some")

const unwanted = [defects, faults, harms, mishaps, touched]

// "keeps the old timeout, so uploads are cut": what follows from an assessment may turn it; not "so nothing is lost".
const turnsOut = ({ lead, words }: Clause, reading: Reading): boolean => {
  const adds = has(additions, lead) && any(words, stating) && !/^(?:i|we)$/.test(words[0] ?? "")
  const follows = has(consequences, lead) || (adds && (!describes(words) || nowIs(words)))
  if (!follows || words[0] === "that" || words.length < 3) return false
  if (isNone(words, 0) && unwanted.some((set) => any(words, set))) return false
  return !reading.assesses && reading.denial === null
}

const wronging =
  /^(?:leak|ignor|fail|discard|overwrit|truncat|throw|panic|duplicat|mask|expos|caus|lose|corrupt|crash|hang)/

// "is equivalent to the old code and still leaks the handle"; not "and fixes", "and discards nothing".
const addsHarm = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) => {
    if (word !== "and") return false
    const verb = at[i + 1] === "still" || at[i + 1] === "also" || at[i + 1] === "then" ? i + 2 : i + 1
    return wronging.test(at[verb] ?? "") && /s$/.test(at[verb] ?? "") && !isNone(at, verb + 1)
  })

interface ReadClause {
  readonly clause: Clause
  readonly reading: Reading
}

// "fixes the case where it crashes", "no case where it crashes": what governs goes on behind the `where`.
const readAll = (sentence: Sentence): ReadonlyArray<ReadClause> => {
  const readings: Array<ReadClause> = []
  for (const clause of sentence.clauses) {
    const before = readings.at(-1)
    const carried = clause.lead === "where" && before?.reading.governs === true
    // "the tests pass, although they could not be run in parallel here"
    const ofChecks = has(pronouns, clause.words[0]) && before !== undefined && any(before.clause.words, checksRun)
    readings.push({ clause, reading: readClause(clause, carried, ofChecks) })
  }
  return readings
}

const read = (sentence: Sentence): Tally => {
  const readings = readAll(sentence)
  const some = (test: (read: ReadClause) => boolean): boolean => readings.some(test)
  const exempt = some(({ reading }) => reading.exempt)
  const denied = some(({ reading }) => reading.denial !== null)
  const assesses = some(({ reading }) => reading.assesses)
  const excepted = !exempt && hasException(sentence.words)
  let strong = (denied && (excepted || barring(sentence.words))) || (!exempt && announces(sentence.words))
  let weak = !denied && has(conditions, sentence.words[0])
  let contrasted = false
  let qualified = assesses && excepted
  let contrast = false
  let following = false
  let idle = false
  for (const { clause, reading } of readings) {
    contrast ||= has(contrasts, clause.lead) || contrasting(clause.words)
    // What follows from checks that could not be run, or explains why, is about the reviewer's machine.
    idle = reading.idle || (idle && has(reasons, clause.lead))
    if (reading.exempt || idle) continue
    // "the column is nullable, so existing rows remain valid": what it leads to is right again.
    following = (following && !(reading.assesses && has(consequences, clause.lead))) || turnsOut(clause, reading) ||
      addsHarm(clause.words)
    strong ||= reading.asserts === "strong" && !exempt
    weak ||= reading.asserts === "weak"
    if (!contrast || exempt) continue
    contrasted ||= reading.asserts !== null
    if (reading.denial !== null || (clause.words.length < 3 && clause.lead !== "except")) continue
    if (denied) contrasted ||= !reading.assesses
    else qualified ||= assesses
  }
  // "The job, however, runs with write access": set against the sentences before it.
  const judged = assesses || denied || exempt || some(({ reading }) => reading.idle)
  const opposed = !judged && (turns(sentence.words) || some(({ clause }) => interjects(clause)))
  const accounted = judged || describes(sentence.words)
  return {
    denies: some(({ reading }) => reading.denial === "full"),
    others: some(({ reading }) => reading.denial === "others"),
    recalls: some(({ reading }) => reading.recalls),
    strong,
    weak,
    contrasted: contrasted || opposed,
    qualified,
    assesses,
    unaccounted: (!accounted && sentence.words.length > 3) || (following && assesses && !denied)
  }
}

const nothing: Tally = {
  denies: false,
  others: false,
  recalls: false,
  strong: false,
  weak: false,
  contrasted: false,
  qualified: false,
  assesses: false,
  unaccounted: false
}

const join = (a: Tally, b: Tally): Tally => ({
  denies: a.denies || b.denies,
  others: a.others || b.others,
  recalls: a.recalls || b.recalls,
  strong: a.strong || b.strong,
  weak: a.weak || b.weak,
  contrasted: a.contrasted || b.contrasted,
  qualified: a.qualified || b.qualified,
  assesses: a.assesses || b.assesses,
  unaccounted: a.unaccounted || b.unaccounted
})

/** Adds up sentences. */
export const tally = (sentences: ReadonlyArray<Sentence>): Tally => sentences.map(read).reduce(join, nothing)
