// Undo: what each path becomes, for every way in which a round and a person can have changed it.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import {
  type Entries,
  leftText,
  leftTexts,
  type MergeSides,
  type Merged,
  planUndo,
  type UndoRound
} from "../../../src/code/Undo.ts"
import type { Entry } from "../../../src/code/Store.live.ts"

const file = (id: string): Entry => ({ mode: "100644", id })
const program = (id: string): Entry => ({ mode: "100755", id })
const link = (id: string): Entry => ({ mode: "120000", id })
type At = Entry | null

const entries = (at: Readonly<Record<string, At>>): Entries =>
  new Map(Object.entries(at).flatMap(([path, entry]) => entry === null ? [] : [[path, entry] as const]))

const round = (before: At, after: At, notSaved: ReadonlyArray<string> = []): UndoRound => ({
  before: entries({ path: before }),
  after: entries({ path: after }),
  notSaved,
  later: new Set()
})

const neverMerges = (): Effect.Effect<Merged> => Effect.die(new Error("nothing is to be merged"))

const planOf = (
  now: At,
  rounds: ReadonlyArray<UndoRound>,
  { force = false, isOld = () => false, merge = neverMerges, partial = false, unsaved = [] }: {
    readonly isOld?: () => boolean
    readonly force?: boolean
    readonly partial?: boolean
    readonly unsaved?: ReadonlyArray<string>
    readonly merge?: (sides: MergeSides) => Effect.Effect<Merged>
  } = {}
) => Effect.runSync(planUndo(entries({ path: now }), rounds, merge, { force, partial, unsaved, isOld }))

/** What the path becomes, or why it is left. */
const becomes = (now: At, rounds: ReadonlyArray<UndoRound>, force = false): At | string => {
  const { left: [left], steps: [step] } = planOf(now, rounds, { force })
  return left?.reason ?? (step === undefined ? now : step.to)
}

const [a, b, c] = [file("a"), file("b"), file("c")]

describe("a path that only the agent changed", () => {
  const cases: ReadonlyArray<readonly [string, At, At]> = [
    ["a changed file gets its contents back", b, a],
    ["a removed file comes back", b, null],
    ["a new file goes", null, a],
    ["a link comes back in place of a file", link("b"), a],
    ["a link goes where it leads again", link("b"), link("a")],
    ["a file loses the right to run", b, program("b")]
  ]
  it.each(cases)("%s", (_, before, after) =>
    assert.deepStrictEqual(planOf(after, [round(before, after)]), {
      steps: [{ path: "path", from: after, to: before }],
      left: [],
      merged: []
    }))

  it.each(cases)(
    "%s once: undo after undo does nothing",
    (_, before, after) =>
      assert.deepStrictEqual(planOf(before, [round(before, after)]), { steps: [], left: [], merged: [] })
  )
})

describe("a path that a person changed too", () => {
  const cases: ReadonlyArray<readonly [string, At, At, At, At | string]> = [
    ["a file that the agent changed and a person removed stays away", b, a, null, "Removed"],
    ["a new file of the agent that a person changed stays", null, a, c, "NewFileEdited"],
    ["a new file of the agent that a person made a program stays", null, a, program("a"), "NewFileEdited"],
    ["a file that the agent removed and a person made anew stays", b, null, c, "MadeAnew"],
    ["a file that a person replaced by a link stays a link", b, a, link("c"), "OtherType"],
    ["a link that both changed stays as the person has it", link("b"), link("a"), link("c"), "OtherType"],
    ["a file that the agent replaced by a link and a person by another file stays", b, link("a"), c, "OtherType"],
    ["the person's right to run stays when the agent changed the contents", b, a, program("a"), program("b")],
    ["the person's contents stay when the agent changed the right to run", b, program("b"), program("c"), c]
  ]
  it.each(cases)(
    "%s",
    (_, before, after, now, expected) => assert.deepStrictEqual(becomes(now, [round(before, after)]), expected)
  )

  it("contents that a person already put back lose only the agent's rights", () =>
    assert.deepStrictEqual(becomes(program("b"), [round(b, program("a"))]), b))

  it.each(cases)(
    "%s, and goes back by force",
    (_, before, after, now) => assert.deepStrictEqual(becomes(now, [round(before, after)], true), before)
  )

  it("is untouched where the agent did not change it", () =>
    assert.deepStrictEqual(planOf(c, [round(a, a)]), { steps: [], left: [], merged: [] }))

  it("is untouched where only a person made it", () =>
    assert.deepStrictEqual(planOf(c, [round(null, null)]), { steps: [], left: [], merged: [] }))
})

describe("contents that all differ", () => {
  it("are merged: the present contents without the change from before to after", () => {
    const asked: Array<MergeSides> = []
    const merge = (sides: MergeSides) => Effect.sync((): Merged => (asked.push(sides), { _tag: "Merged", id: "m" }))
    assert.deepStrictEqual(planOf(c, [round(b, a)], { merge }), {
      steps: [{ path: "path", from: c, to: file("m") }],
      left: [],
      merged: ["path"]
    })
    assert.deepStrictEqual(asked, [{ now: "c", after: "a", before: "b" }])
  })

  it.each(["Conflict", "Binary"] as const)(
    "are left where git says %s",
    (_tag) =>
      assert.deepStrictEqual(planOf(c, [round(b, a)], { merge: () => Effect.succeed({ _tag }) }), {
        steps: [],
        left: [{ path: "path", reason: _tag }],
        merged: []
      })
  )

  it("are not merged by force", () => assert.deepStrictEqual(becomes(c, [round(b, a)], true), b))
})

describe("several rounds", () => {
  it("are taken back from the newest on, each on the result of the one before", () =>
    assert.deepStrictEqual(becomes(a, [round(b, a), round(c, b)]), c))

  it("skip one that is taken back already", () => assert.deepStrictEqual(becomes(b, [round(b, a), round(c, b)]), c))

  it("leave what the newest left, even where an older one fits", () =>
    assert.deepStrictEqual(planOf(c, [round(null, a), round(b, c)]), {
      steps: [],
      left: [{ path: "path", reason: "NewFileEdited" }],
      merged: []
    }))

  it("merge on the result of a merge", () => {
    const merge = ({ now }: MergeSides) => Effect.succeed<Merged>({ _tag: "Merged", id: `${now}+` })
    const { merged, steps } = planOf(file("n"), [round(b, a), round(c, b)], { merge })
    assert.deepStrictEqual(steps.map(({ to }) => to), [file("n++")])
    assert.deepStrictEqual(merged, ["path"])
  })

  it("find nothing to do where a person has put back what was there before all of them", () =>
    assert.deepStrictEqual(planOf(c, [round(b, a), round(c, b)]), { steps: [], left: [], merged: [] }))

  it("give back what a person wrote between them, though an agent removed it again", () =>
    assert.deepStrictEqual(becomes(null, [round(b, null), round(null, null)]), file("b")))

  it("by force end where the oldest began", () =>
    assert.deepStrictEqual(becomes(file("n"), [round(b, a), round(null, b)], true), null))
})

describe("what could not be saved before the agent", () => {
  it("is left, since afterwards it looks like the agent's", () =>
    assert.strictEqual(becomes(a, [round(null, a, ["path"])]), "NotSaved"))

  it("is left by force too", () => assert.strictEqual(becomes(a, [round(null, a, ["path"])], true), "NotSaved"))

  it("takes all below a directory with it", () => {
    const one = { before: entries({}), after: entries({ "d/x": a, dx: a }), notSaved: ["d"], later: new Set<string>() }
    const { left, steps } = Effect.runSync(planUndo(one.after, [one], neverMerges, {
      force: false,
      partial: false,
      unsaved: [],
      isOld: () => false
    }))
    assert.deepStrictEqual(left, [{ path: "d/x", reason: "NotSaved" }])
    assert.deepStrictEqual(steps.map(({ path }) => path), ["dx"])
  })
})

describe("what changed after the agent had ended", () => {
  const late = [{ ...round(b, a), later: new Set(["path"]) }]

  it("is left, since it may be a person's", () => assert.strictEqual(becomes(a, late), "ChangedLater"))

  it("goes back by force", () => assert.deepStrictEqual(becomes(a, late, true), b))
})

describe("what cannot be saved now", () => {
  it("is left, by force too", () => {
    for (const force of [false, true]) {
      const { left, steps } = planOf(null, [round(b, a)], { force, unsaved: ["path"] })
      assert.deepStrictEqual([left, steps], [[{ path: "path", reason: "Unsaved" }], []])
    }
  })

  it("is lost where a person allows that", () =>
    assert.deepStrictEqual(planOf(null, [round(b, null)], { partial: true, unsaved: ["path"] }), {
      steps: [{ path: "path", from: null, to: b, aside: true }],
      left: [],
      merged: []
    }))
})

it("what is older than all rounds goes aside, unless its contents go elsewhere in the worktree", () => {
  const steps = (now: At, before: At) => planOf(now, [round(before, now)], { isOld: () => true }).steps
  assert.deepStrictEqual(steps(a, null), [{ path: "path", from: a, to: null, aside: true }])
  assert.deepStrictEqual(steps(a, b), [{ path: "path", from: a, to: b, aside: true }])
  const program = { ...a, mode: "100755" }
  assert.deepStrictEqual(steps(program, a), [{ path: "path", from: program, to: a }])
})

it("each reason has words of its own, and a detail in brackets", () => {
  const texts = Object.values(leftTexts)
  assert.strictEqual(new Set(texts).size, texts.length)
  assert.strictEqual(leftText({ path: "x", reason: "Refused", detail: "EACCES" }), "the system refused (EACCES)")
  assert.strictEqual(leftText({ path: "x", reason: "Removed" }), "you removed it")
})
