// StrictHistories: long random histories of edits of every kind, reviews, marks of two parties and crashes, on the model.
// A fixed point is reported only for code that every level's reviewers saw and found clean, by their own word.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Mark } from "../src/run/Mark.ts"
import type { Identity } from "../src/run/Identity.ts"
import { type Level, levels } from "../src/run/Level.ts"
import {
  type Alike,
  crash,
  edit,
  finish,
  isProven,
  mark,
  newWorld,
  type Rungs,
  step,
  type World
} from "../test/unit/run/strictWorld.ts"
import { batchesToTheEnd, rungsBetween } from "./exploring.ts"

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 400)

/** A working copy as git could show it; trees of equal numbers hold equal files. `mergeBase`: null without a base. */
interface Code {
  readonly head: number
  readonly headTree: number
  readonly index: number
  readonly tree: number
  readonly untracked: boolean
  readonly nested: number
  readonly instructions: number
  readonly mergeBase: number | null
  /** Whether git can say what it is. */
  readonly isKnown: boolean
}

const texts = new Map<string, Code>()
const textOf = (code: Code): string => {
  const text = JSON.stringify(code)
  texts.set(text, code)
  return text
}
const codeOf = (text: string): Code => texts.get(text) ?? assert.fail(text)

const look = (text: string): Identity => {
  const { head, headTree, index, instructions, mergeBase, nested, isKnown, tree, untracked } = codeOf(text)
  if (!isKnown) return { _tag: "Unknown", why: "git is gone" }
  return {
    _tag: "Known",
    head: `${head}`,
    headTree: `${headTree}`,
    index: `i${index}`,
    indexTree: `${index}`,
    tree: `${tree}`,
    untracked,
    nested: `${nested}`,
    instructions: `${instructions}`,
    ...(mergeBase === null ? { base: null } : { base: "b", mergeBase: `${mergeBase}` })
  }
}

/** What a reviewer sees: with a base all that differs from it, without one all that is not committed. */
const alike: Alike = (before, after) => {
  const [then, now] = [codeOf(before), codeOf(after)]
  if (!then.isKnown || !now.isKnown) return false
  const isSame = (field: "tree" | "nested" | "instructions" | "mergeBase") => then[field] === now[field]
  if (!isSame("tree") || !isSame("nested") || !isSame("instructions") || !isSame("mergeBase")) return false
  if (now.mergeBase === null) return then.head === now.head && then.index === now.index
  const committed = !then.untracked && now.headTree === now.tree && now.index === now.tree
  return then.index === now.index || committed
}

const edits = [
  "write",
  "stage",
  "stage other",
  "commit",
  "commit all",
  "back",
  "untracked",
  "nested",
  "instructions",
  "base",
  "identity"
] as const

const edited = (code: Code, what: (typeof edits)[number], value: number): Code => {
  switch (what) {
    case "write":
      return { ...code, tree: value }
    case "stage":
      return { ...code, index: code.tree, untracked: false }
    case "stage other":
      return { ...code, index: value }
    case "commit":
      return { ...code, head: code.head + 1, headTree: code.index }
    case "commit all":
      return { ...code, head: code.head + 1, headTree: code.tree, index: code.tree, untracked: false }
    case "back":
      return { ...code, head: Math.max(0, code.head - 1) }
    case "untracked":
      return { ...code, untracked: !code.untracked }
    case "nested":
      return { ...code, nested: value }
    case "instructions":
      return { ...code, instructions: value }
    case "base":
      return { ...code, mergeBase: code.mergeBase === null ? null : value }
    case "identity":
      return { ...code, isKnown: !code.isKnown }
  }
}

const marks: ReadonlyArray<Mark> = [
  { _tag: "RetroClean" },
  { _tag: "RetroChanges", reason: { text: "pattern" } },
  { _tag: "AddressPassed" },
  { _tag: "AddressFailed", details: { text: "red" } }
]
const primitives: ReadonlyArray<Mark> = [{ _tag: "AdvanceLevel" }, { _tag: "DropLevel" }, { _tag: "RestartFromFloor" }]

type Asked = { readonly run: number; readonly level: Level; readonly batch: number; readonly issues: boolean }

type Move =
  | { readonly _tag: "Edit"; readonly what: (typeof edits)[number]; readonly value: number }
  | { readonly _tag: "Step"; readonly party: number }
  | { readonly _tag: "Finish"; readonly clean: boolean }
  | { readonly _tag: "Crash"; readonly how: "Lost" | "Stopped" }
  /** A mark about the last hand-off of a party, or about one of before; `lost`: the party does not learn its answer. */
  | { readonly _tag: "Mark"; readonly party: number; readonly what: Mark | null; readonly back: number }
  | { readonly _tag: "Primitive"; readonly what: Mark }
  | { readonly _tag: "Dismiss" }

const party = fc.nat(1)
const often = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.boolean())
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ _tag: fc.constant("Edit"), what: fc.constantFrom(...edits), value: fc.nat(2) })
  },
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("Step"), party }) },
  { weight: 5, arbitrary: fc.record({ _tag: fc.constant("Finish"), clean: often }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Crash"), how: fc.constantFrom("Lost", "Stopped") }) },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("Mark"),
      party,
      what: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom(...marks)),
      back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3))
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Primitive"), what: fc.constantFrom(...primitives) }) },
  { weight: 1, arbitrary: fc.constant<Move>({ _tag: "Dismiss" }) }
)

const checkProof = (world: World, rungs: Rungs, outcome: string | undefined): void => {
  if (outcome === "DoneFixedPoint") assert.isTrue(isProven(world, rungs, alike), "a fixed point without proof")
}

/** Plays moves; gives how often a fixed point was reported. */
const play = (parties: ReadonlyArray<Rungs>, mergeBase: number | null, moves: ReadonlyArray<Move>): number => {
  const first: Code = {
    head: 0,
    headTree: 0,
    index: 0,
    tree: 1,
    untracked: false,
    nested: 0,
    instructions: 0,
    mergeBase,
    isKnown: true
  }
  let world = newWorld(parties[0]?.floor ?? "low", textOf(first), look)
  const asked: ReadonlyArray<Array<Asked>> = parties.map(() => [])
  const rungsOf = (i: number): Rungs => parties[i % parties.length] ?? assert.fail()
  const askedOf = (i: number): Array<Asked> => asked[i % parties.length] ?? assert.fail()
  let fixed = 0
  const hear = (rungs: Rungs, after: World, outcome: string | undefined): void => {
    checkProof(after, rungs, outcome)
    if (outcome === "DoneFixedPoint") fixed++
    world = after
  }
  for (const one of moves) {
    switch (one._tag) {
      case "Edit":
        world = edit(world, textOf(edited(codeOf(world.code), one.what, one.value)))
        break
      case "Step": {
        const { outcome, world: after } = step(world, rungsOf(one.party))
        hear(rungsOf(one.party), after, outcome?._tag)
        if (outcome?._tag !== "HandoffAgent") break
        const { batch_number: batch, current_level: level } = after.manifest
        const issues = outcome.action === "AddressBatch"
        askedOf(one.party).unshift({ run: after.run, level, batch, issues })
        for (const what of marks.filter(({ _tag }) => _tag.startsWith(issues ? "Address" : "Retro"))) {
          const { refused } = mark(after, rungsOf(one.party), what, { run: after.run, level, batch })
          assert.isFalse(refused, "what a hand-off asks for was refused")
        }
        break
      }
      case "Finish":
        world = finish(world, one.clean ? "Clean" : "HasIssues") ?? world
        break
      case "Crash":
        world = crash(world, one.how) ?? world
        break
      case "Mark": {
        const to = askedOf(one.party)[one.back]
        if (to === undefined) break
        const what = one.what ?? (to.issues ? { _tag: "AddressPassed" as const } : { _tag: "RetroClean" as const })
        const { outcome, world: after } = mark(world, rungsOf(one.party), what, to)
        if (to.issues && what._tag === "AddressFailed") assert.strictEqual(outcome?._tag, "HandoffHuman")
        hear(rungsOf(one.party), after, outcome?._tag)
        const again = mark(world, rungsOf(one.party), what, to)
        if (what._tag === "AddressFailed") break
        assert.strictEqual(again.world.commits, world.commits, "the same mark changed the run")
        if (!again.refused && outcome !== null) assert.strictEqual(again.outcome?._tag, outcome._tag)
        break
      }
      case "Primitive":
        world = mark(world, rungsOf(0), one.what, {
          run: world.run,
          level: world.manifest.current_level,
          batch: world.manifest.batch_number
        }).world
        break
      case "Dismiss":
        world = { ...world, dismissed: !world.dismissed }
    }
  }
  const still = edit(world, textOf({ ...codeOf(world.code), isKnown: true }))
  for (const course of [...parties.map((rungs) => [rungs]), parties]) {
    assert.isAtMost(batchesToTheEnd(still, course), Math.max(...course.map(rungsBetween)) + 1)
  }
  return fixed
}

const ceiling = fc.constantFrom(...levels)

describe("long histories of strict runs", () => {
  it("never end in a false fixed point, and can always reach a true one", () => {
    let fixed = 0
    fc.assert(
      fc.property(
        fc.tuple(ceiling, ceiling),
        fc.constantFrom(null, 0),
        fc.array(move, { minLength: 10, maxLength: 80, size: "max" }),
        ([first, second], mergeBase, moves) => {
          fixed += play([{ floor: "low", ceiling: first }, { floor: "low", ceiling: second }], mergeBase, moves)
        }
      ),
      { numRuns }
    )
    // What never comes to a fixed point says nothing about them.
    assert.isAbove(fixed, numRuns / 4)
  }, 600_000)

  it("know that a reviewer that is tried again after a commit has seen the commit alone", () => {
    const rungs: Rungs = { floor: "low", ceiling: "low" }
    const goOn: Move = { _tag: "Step", party: 0 }
    const code = (what: (typeof edits)[number]): Move => ({ _tag: "Edit", what, value: 0 })
    const crashed: ReadonlyArray<Move> = [goOn, code("commit all"), { _tag: "Crash", how: "Lost" }, goOn]
    const clean: ReadonlyArray<Move> = [...crashed, { _tag: "Finish", clean: true }]
    assert.strictEqual(play([rungs], 0, [...clean, goOn]), 1)
    assert.strictEqual(play([rungs], 0, [...clean, code("stage other"), goOn]), 0)
  })
})
