// Polarity: what one clause of a review says about defects: denies them, asserts one, or neither.
// The one rule: a word of harm counts unless a negation, a remedy or the past governs it.
import * as lexicon from "./Lexicon.ts"
import { isDefect, isNot, type Scopes, scopesOf, within } from "./Scopes.ts"
import { type Clause, quoted } from "./Sentences.ts"

/** What a clause says: `strong` assertions count always, `weak` ones where nothing denies defects. */
export interface Reading {
  readonly denial: Scopes["denial"]
  readonly asserts: "strong" | "weak" | null
  /** It calls the change right, or reports checks that pass. */
  readonly assesses: boolean
  /** It speaks of what was there before the change. */
  readonly exempt: boolean
  /** It speaks of checks that could not be run. */
  readonly idle: boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))
const has = (set: ReadonlySet<string>, word: string | undefined): boolean => word !== undefined && set.has(word)

const modals = words("can could may might would")
const copulas = words("is are was were be been being become becomes keep keeps kept remain remains stay stays seems appears appear looks left isn't aren't are's")
const giving = words("return returns returned returning produce produces producing yields gives use uses using reports sends writes stores shows displays prints compares computes reads")
const leaving = words("leave leaves leaving")
const making = words(
  "introduce introduces introduced introducing cause causes causing create creates creating contain contains has have " +
    "there lead leads leading result results resulting expose exposes reintroduce reintroduces leaves leaving risks " +
    "enabling potential possible likely adds adding trigger triggers triggering opens"
)
const articles = words("a an the its any each every another on merge")
const conditions = words("when if whenever unless until once")
const before = words("existing reported known original old prior previous earlier described upstream former documented intentional any previously formerly intentionally deliberately")
const exempting = words("pre-existing preexisting unrelated baseline")
const elsewhere = words("base parent main master both")
const environment = words("sandbox sandboxed network offline read-only permissions registry unreachable installed credentials docker")
const running = words("run start execute executed started available installed complete completed built exercised verified tested collect")
const emphatic = words("actually really properly correctly fully reliably always entirely completely quite consistently safely")
const good = words("safe ready correct complete sufficient right enough reliable robust thread-safe equivalent idempotent consistent")
const repairs = words(
  "fixed corrected revised addressed changed removed handled resolved updated reverted restored added moved merged shipped " +
    "considered rejected replaced renamed guarded escaped validated checked awaited released applied made reworked"
)
const advice = words("consider please recommend suggest prefer ensure")
const neutral = words(
  "modify change changes alter affect affects touch touches impact impacts require requires need needs apply applies " +
    "matter mean expect intended depend depends rely relies run executed execute exist yet used use referenced reference " +
    "necessarily alone caused related tied attributable due part meant verified tested start want exported imported " +
    "changed modified touched affected altered required needed possible applicable evident clear obvious material " +
    "evidently warrant appear seem exercised checked inspected reviewed in limited just"
)
const mild = words("closed loudly fast early explicitly gracefully as safe if when only with the it a them")

const mine = words("this my the current local review sandbox sandboxed read-only restricted")

// Checks that could not be run where the reviewer sat: neither a defect nor a missing review.
const notRun = (at: ReadonlyArray<string>): boolean =>
  (within(at, 0, at.length, lexicon.checksRun) || at.includes(quoted)) &&
  (within(at, 0, at.length, environment) ||
    at.some((word, i) => word === "environment" && has(mine, at[i - 1]) && !/^variables?$/.test(at[i + 1] ?? "")) ||
    at.some((word, i) => (isNot(at, i) || word === "skipped" || word === "blocked") && (word === "skipped" || within(at, i, i + 5, running))))

// "so this is not a regression", "as documented", "by design"
const meant = (at: ReadonlyArray<string>): boolean =>
  at.some((word, i) =>
    word === "not" && /^(?:an?|considered)$/.test(at[i + 1] ?? "") && isDefect(at, i + 2) ||
    word === "as" && /^(?:documented|expected|intended|stated|described|designed|specified)$/.test(at[i + 1] ?? "") &&
      !at.some((_, k) => isNot(at, k)) ||
    word === "by" && at[i + 1] === "design")

// "the violations it surfaced were fixed", not "should be fixed"
const settled = (at: ReadonlyArray<string>, i: number): boolean => {
  for (let j = i + 1; j < Math.min(at.length, i + 8); j++) {
    const done = /^(?:fixed|resolved|addressed|handled|closed|eliminated|corrected|removed|gone)$/.test(at[j] ?? "")
    if (done && /^(?:is|are|was|were|been|now|both|all|already)$/.test(at[j - 1] ?? "")) return !within(at, i, j, obliged)
  }
  return false
}
const obliged = words("should must need needs to not never isn't aren't wasn't weren't until")

const thisChange = words("diff patch change changes commit this these it by")

const wasThere = (at: ReadonlyArray<string>): boolean =>
  within(at, 0, at.length, exempting) || meant(at) ||
  at.some((word, i) =>
    word === "on" && within(at, i, i + 4, elsewhere) || word === "not" && /^(?:caused|related|tied|introduced)$/.test(at[i + 1] ?? "") && within(at, i, i + 9, thisChange) ||
    word === "out" && at[i + 1] === "of" && at[i + 2] === "scope" || word === "outside" && i > 1)

const fillers = words("be been yet a an any the so by in to of have")

// "does not enforce", "is never removed", "cannot be used": something good that does not happen.
const lacking = (at: ReadonlyArray<string>, i: number): "strong" | "weak" | null => {
  const next = at[i + 1]
  if (has(emphatic, next) || has(good, next) || next === "be" && has(good, at[i + 2])) return "strong"
  if (has(lexicon.duties, next) || has(lexicon.duties, at[i + 2])) return at[i] === "never" || /^(?:do|did|does)/.test(at[i - 1] ?? at[i] ?? "") ? "strong" : "weak"
  let seen = 0
  for (let j = i + 1; j < Math.min(at.length, i + 6) && seen < 2; j++) {
    const word = at[j] ?? ""
    if (!fillers.has(word)) seen++
    if ([neutral, lexicon.finds, lexicon.brings, lexicon.harms, lexicon.soft, lexicon.mishaps, lexicon.faults].some((set) => set.has(word))) return null
    if (lexicon.defects.has(word)) return null
  }
  return at.length > i + 1 ? "weak" : null
}

// "Guard against null": a sentence without a subject asks for a change.
const asks = (at: ReadonlyArray<string>): boolean =>
  (has(lexicon.duties, at[0]) || has(imperatives, at[0])) && at.length > 1 && !within(at, 1, 3, named)

const imperatives = words(
  "add use make move wrap replace rename don't do stop keep require treat accept allow parse render force seed show block " +
    "drop delete provision run call switch convert limit document include exclude warn fail skip evaluate verify register"
)
const named = words("looks is was are were has appears applied works verified confirmed reviewed and , handling path logic added")

const advises = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  if (i === 0 && advice.has(word)) return true
  if ((word === "recommend" || word === "suggest") && (at[i - 1] === "i" || at[i - 1] === "we")) return true
  if (word !== "should" && word !== "must" && word !== "needs" && word !== "need") return false
  return within(at, i + 1, i + 5, repairs) || at[i - 1] === "you"
}

const manner = words("correctly consistently properly safely accurately faithfully appropriately cleanly well")
const predicate = words("sound safe correct consistent unchanged compatible appropriate reasonable good fine equivalent complete idempotent valid intact clean solid straightforward accurate covered satisfied upheld aligned")
const doing = words("pass passes passed passing works agree agrees align aligns match matches preserves preserve satisfies succeed succeeds succeeded covers cover conforms adheres preserving matching")

const hedges = words("mostly almost partly partially largely generally nearly")

// "does not affect runtime behavior", "no functional changes": the change cannot do harm.
const harmless = (at: ReadonlyArray<string>, i: number): boolean => {
  const behind = within(at, i + 1, i + 5, effects)
  if (isNot(at, i)) return behind && within(at, i + 1, i + 3, words("affect change alter modify touch impact"))
  return at[i] === "no" && (behind && within(at, i + 1, i + 4, words("change changes impact effect effects difference differences behavior")) || at[i + 1] === "risk")
}
const effects = words("behavior behaviour behavioral functional runtime production logic semantics api output user-visible observable semantic source")

const mending = words("fixes resolves closes eliminates corrects prevents addresses removes")

const assessed = (at: ReadonlyArray<string>, i: number): boolean => {
  const word = at[i] ?? ""
  if (word === "no" && /^(?:reports?|shows?)$/.test(at[i - 1] ?? "")) return within(at, 0, i, lexicon.checksRun)
  if (word === "lgtm" || word === "approved" || word === "approve") return true
  if (word === "as" && /^(?:intended|expected|documented|described|designed|specified)$/.test(at[i + 1] ?? "")) return true
  if (/^(?:verified|confirmed|checked|traced)$/.test(word) && /^(?:i|we)$/.test(at[i - 1] ?? "")) return true
  if (has(modals, at[i - 1]) || has(modals, at[i - 2]) || at[i - 1] === "to" || at[i - 1] === "still") return false
  if (manner.has(word)) return i > 0
  if (predicate.has(word)) return within(at, i - 3, i, copulas) || i === 1 && /^looks?$/.test(at[0] ?? "")
  return (doing.has(word) || mending.has(word)) && i > 0
}

/** Reads one clause. Linear in its length. */
export const readClause = (clause: Clause): Reading => {
  const scopes = scopesOf(clause.words)
  const { at, by, denial } = scopes
  const conditional = conditions.has(clause.lead)
  const idle = notRun(at)
  const exempt = wasThere(at)
  let strong = denial === "others" || clause.lead === "" && asks(at)
  let weak = false
  let assesses = denial === "partial"
  for (let i = 0; i < at.length; i++) {
    const word = at[i] ?? ""
    const governed = by[i] ?? { noun: false, verb: false, mended: false }
    if (!governed.verb && !conditional && assessed(at, i)) {
      if (within(at, i - 3, i, hedges)) weak = true
      else assesses = true
    }
    if (harmless(at, i)) assesses = true
    if (/^(?:results?|resulting|leads?|leading|led)$/.test(word) && /^(?:in|to)$/.test(at[i + 1] ?? "") && !governed.verb && !governed.mended) {
      weak = true
    }
    if (isNot(at, i) && denial === null && !governed.verb && !idle && !conditional) {
      const lack = lacking(at, i)
      if (lack === "strong") strong = true
      if (lack === "weak") weak = true
    }
    if (has(modals, word) && !governed.verb && !governed.mended && !idle) weak = true
    const past = within(at, i - 4, i, before)
    if (!governed.noun && !governed.mended && !past && !conditional) {
      if (isDefect(at, i) && !settled(at, i)) strong = true
      if (lexicon.mishaps.has(word) && !has(lexicon.neutralHeads, at[i + 1]) && within(at, i - 6, i, making)) strong = true
    }
    if (governed.verb || governed.mended) continue
    if (/^fail(?:s|ed)?$/.test(word) && at[i + 1] === "to" && !idle && !has(lexicon.finds, at[i + 2])) strong = true
    if (lexicon.badManners.has(word)) strong = true
    const harm = lexicon.harms.has(word) && !has(articles, at[i - 1]) && !has(lexicon.neutralHeads, at[i + 1])
    if (harm && !conditional && !past) strong = true
    if (lexicon.faults.has(word) && !conditional && !past) {
      const plain = lexicon.plainFaults.has(word)
      if (plain && within(at, i - 3, i, copulas)) weak = true
      else if (within(at, i - 3, i, copulas) || within(at, i - 4, i, giving) || within(at, i - 6, i, leaving)) strong = true
      else if (!plain || i === 0 && clause.lead === "") weak = true
    }
    if (lexicon.soft.has(word) && !idle && !past && !(/^fail/.test(word) && has(mild, at[i + 1]))) weak = true
    if (word === "off" && at[i + 1] === "by") strong = true
    if (advises(at, i)) strong = true
    if (word === "longer" && at[i - 1] === "no" && !has(neutral, at[i + 1]) && !lexicon.harms.has(at[i + 1] ?? "")) weak = true
  }
  return { denial, asserts: strong ? "strong" : weak ? "weak" : null, assesses, exempt, idle }
}
