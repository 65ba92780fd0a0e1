// RunFindings: each finding of a run: who reported it when, what agents answered, and its state.
import { assert, describe, it } from "vitest"
import { findingsPart } from "../../../src/read/RunFindings.ts"
import type { RoundView } from "../../../src/read/RunView.ts"
import { findingHistory } from "../../../src/review/findings/History.ts"
import type { ReviewedBatch } from "../../../src/review/findings/ReviewedBatch.ts"
import { type Bar, dismissalOf, lowestBar } from "../../../src/review/findings/Waiving.ts"
import { batchOf, failed, wrote } from "../../support/reviewedBatches.ts"
import { factsOf } from "../../support/views.ts"
import { roundStarted } from "../drive/converge/streams.ts"

const part = (
  batches: ReadonlyArray<ReviewedBatch>,
  bar: Bar = lowestBar,
  rounds: ReadonlyArray<RoundView> = [],
  notes: ReadonlyArray<string> = []
) => findingsPart({ batches, history: findingHistory(batches), bar, notes }, rounds)

const leak = { title: "Close the file", path: "src/b.ts", priority: 2 } as const

describe("a finding", () => {
  it("is open, gone, or unseen when a reviewer of the last batch failed", () => {
    const [a, b, c] = [wrote(1), wrote(1, leak), wrote(2, { title: "Await the write", path: "src/c.ts", priority: 0 })]
    const batches = [batchOf(1, [a, b, c]), batchOf(2, [b, c]), batchOf(3, [c], { missing: [failed(1, "quota")] })]
    assert.deepStrictEqual(part(batches).findings.map(({ state, title }) => [title, state]), [
      ["Await the write", "open"],
      ["Close the file", "unseen"],
      ["Guard a null user", "gone"]
    ])
  })

  it("lists the batches and slots that reported it, and the first batch that did not", () => {
    const batches = [batchOf(1, [wrote(1), wrote(3)]), batchOf(2, [wrote(2)]), batchOf(3, [])]
    const [one] = part(batches).findings
    assert.deepStrictEqual(one?.seen, [
      { at: { level: "low", batch: 1 }, state: "new", slots: [1, 3], of: 3 },
      { at: { level: "low", batch: 2 }, state: "still there", slots: [2], of: 3 }
    ])
    assert.deepStrictEqual(one?.gone, { level: "low", batch: 3 })
  })

  it("lists the wordings of other reviewers, and other places with the same title", () => {
    const twin = wrote(1, { lines: [90, 91] })
    const batches = [batchOf(1, [wrote(1), wrote(2, { title: "Guard a null user here" }), twin])]
    const [one] = part(batches).findings
    assert.deepStrictEqual(one?.wordings.map(({ title }) => title), ["Guard a null user here"])
    assert.deepStrictEqual(one?.twins, ["src/a.ts:90-91"])
  })

  it("lists a wording once, however many reviewers used it", () => {
    const here = { title: "Guard a null user here" } as const
    const [one] = part([batchOf(1, [wrote(1), wrote(2), wrote(3, here), wrote(4, here)])]).findings
    assert.deepStrictEqual(one?.wordings.map(({ slot, title }) => [slot, title]), [[3, here.title]])
  })

  it("lists the answers of agents, by round", () => {
    const found = wrote(1)
    const { rounds } = factsOf({
      driver: [roundStarted(), {
        _tag: "RoundAnswered",
        round: 1,
        agent: 1,
        answers: [{ fingerprint: found.fingerprint, answer: "fixed", why: "It checks for null." }],
        protectedFiles: []
      }]
    })
    const [one] = part([batchOf(1, [found])], lowestBar, rounds).findings
    assert.deepStrictEqual(one?.answers, [{ round: 1, answer: "fixed", why: "It checks for null.", undone: false }])
  })

  it("is dismissed by a user, or light if its priority does not block", () => {
    const [a, b] = [wrote(1), wrote(2, { ...leak, priority: 3 })]
    const named = dismissalOf([a], a.fingerprint)
    assert.isNotNull(named)
    if (named === null) return
    const dismissal = { ...named, reason: "It cannot be null.", at: "2030-01-01", until: null, scope: "run" } as const
    const { findings } = part([batchOf(1, [a, b])], { block: 2, dismissals: [dismissal], today: "2030-01-02" })
    assert.deepStrictEqual(findings.map(({ state }) => state), ["light", "dismissed"])
    assert.strictEqual(findings[1]?.dismissal, "Dismissed for the run on 2030-01-01: It cannot be null.")
    assert.isNull(findings[0]?.dismissal)
  })

  it("is cut if its text is long, and says where the rest is", () => {
    const [one] = part([batchOf(1, [wrote(1, { body: "x".repeat(5000) })])]).findings
    assert.strictEqual(one?.body.text.length, 3500)
    assert.match(one?.body.rest ?? "", /findings --json/)
    assert.strictEqual(part([batchOf(1, [wrote(1)])]).findings[0]?.body.rest, null)
  })

  it("is sorted by priority; a finding without one comes between P0 and P1", () => {
    const named = (title: string, priority: 0 | 1 | 2 | 3 | null) =>
      wrote(1, { title, priority, path: `src/${title}.ts` })
    const batch = batchOf(1, [named("two", 2), named("none", null), named("zero", 0), named("one", 1)])
    assert.deepStrictEqual(part([batch]).findings.map(({ title }) => title), ["zero", "none", "one", "two"])
  })
})

describe("the estimate", () => {
  const both = (batch: number) => batchOf(batch, [wrote(1), wrote(2), wrote(3, leak)])

  it("comes from the last batch with findings", () => {
    const { estimate } = part([both(1), both(2), batchOf(3, [])])
    assert.deepStrictEqual(estimate?.at, { level: "low", batch: 2 })
    assert.match(estimate?.text ?? "", /^2 found by 3 reviewers, about 1 more expected, /)
  })

  it("is missing when nothing was found, and when there is only one report", () => {
    assert.isNull(part([batchOf(1, [])]).estimate)
    assert.isNull(part([batchOf(1, [wrote(1)])]).estimate)
  })
})

describe("a review without a list of findings", () => {
  it("is shown with its own text, from the last batch only", () => {
    const unlisted = [{ slot: 2, reason: "in-doubt", body: "Something is wrong with `a`." }]
    assert.deepStrictEqual(part([batchOf(1, [], { unlisted })]).unlisted, [{
      title: "Slot 2 of low batch 1 has issues without a list of findings",
      body: { text: "Something is wrong with `a`.", rest: null }
    }])
    assert.isEmpty(part([batchOf(1, [], { unlisted }), batchOf(2, [])]).unlisted)
  })

  it("is cut if it is long, with the path of the full text", () => {
    const [one] = part([batchOf(1, [], { unlisted: [{ slot: 2, reason: "", body: "x".repeat(9000) }] })]).unlisted
    assert.strictEqual(one?.body.rest, "the whole of it is in /state/run/levels/level-low/batch-1/low-2.out")
  })
})

describe("a secret", () => {
  it("is removed before a text is cut, so that no half of it remains", () => {
    const secret = "ghp_1234567890abcdefghijABCDEFGHIJ123456"
    const body = `${"x ".repeat(1740)}${secret}`
    const path = `${"d/".repeat(140)}${secret}.ts`
    const [one] = part([batchOf(1, [wrote(1, { body, path })])]).findings
    assert.notInclude(JSON.stringify(one?.body), "ghp_12")
    assert.notInclude(one?.place, "ghp_12")
  })
})

describe("the notes", () => {
  it("list reviews that are missing, were not read, or were left out", () => {
    const last = batchOf(2, [], {
      unlisted: [{ slot: 2, reason: "in-doubt", body: "" }],
      missing: [failed(3, "no quota")],
      dropped: 4
    })
    assert.deepStrictEqual(part([batchOf(1, [], { read: false }), last], lowestBar, [], ["no dismissals"]).notes, [
      "no dismissals",
      "Slot 3 of the last batch has no review: no quota",
      "The reviews of 1 earlier batch were not read.",
      "4 further findings were left out; `findings --json` has them."
    ])
  })

  it("are empty for a run without a batch, like every other part", () =>
    assert.deepStrictEqual(part([]), { findings: [], estimate: null, unlisted: [], notes: [] }))
})
