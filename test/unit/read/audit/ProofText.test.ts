// ProofText: what a fixed point has proven, in words and as a document.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { type Proof, proofFields, proofOf, proofText, type Support } from "../../../../src/read/audit/Proof.ts"
import { opened, tree } from "../../run/events.ts"
import { advanced, cleanBatch, reached, shownBy } from "./cleanRuns.ts"

const proof = (support: Support, ...events: ReadonlyArray<Event>): Proof =>
  proofOf(shownBy(...events), { floor: "low", strict: false }, support) ?? assert.fail("no fixed point")

const head = "a".repeat(12)
const climb = [...cleanBatch("low"), ...advanced("low", "medium"), ...cleanBatch("medium"), reached("medium")]

describe("a proof in words", () => {
  it("says what each level was reviewed on, and that it was one code", () =>
    assert.strictEqual(
      proofText(proof("borne out", ...climb)),
      `  proven: fixed point at medium batch 1, ceiling medium, reached by reviews
    low     batch 1, line 5: 1 clean review of tree t1, HEAD ${head}; retrospective clean
            the code of the last clean batch
    medium  batch 1, line 11: 1 clean review of tree t1, HEAD ${head}
            the code of the last clean batch
    every level was reviewed clean, on the same code
`
    ))

  it("says of a strict run's batches, and of every isolated one, whether they were isolated", () => {
    const isolated = climb.map((event) => event._tag === "BatchStarted" ? { ...event, isolated: "/private" } : event)
    assert.include(proofText(proof("borne out", ...isolated)), "the code of the last clean batch; isolated\n")
    assert.notInclude(proofText(proof("borne out", ...climb)), "isolated")
  })

  it("calls nothing proven that the audit did not bear out", () => {
    const refuted = proofText(proof("refuted", ...climb))
    assert.match(refuted, /^ {2}NOT proven, see the findings; what the log claims: fixed point/)
    assert.include(refuted, "as claimed, every level was reviewed clean")
    assert.match(proofText(proof("unchecked", ...climb)), /^ {2}not proven, the transcripts were left alone; /)
  })

  it("calls a run that went on while its code changed proven at its ceiling alone", () => {
    const text = proofText(proof(
      "borne out",
      ...cleanBatch("low", tree("t2")),
      ...advanced("low", "medium"),
      ...cleanBatch("medium"),
      reached("medium")
    ))
    assert.match(text, /^ {2}proven at medium alone: fixed point at medium batch 1/)
  })

  it("tells a level that changed under review, one after failed attempts, and one without a clean batch", () => {
    const text = proofText(proof(
      "borne out",
      ...cleanBatch("low", tree("t2"), { then: tree("t1"), attempt: 3 }),
      ...advanced("low", "medium"),
      opened("high", 1, { from: "medium" }),
      ...cleanBatch("high"),
      reached("high", "Mark")
    ))
    assert.include(text, "declared by --mark-retro-clean")
    assert.include(
      text,
      `1 clean review, 1 of them after failed attempts of tree t2, HEAD ${head}, changed under review to tree t1`
    )
    assert.include(text, "            NOT unchanged: the code changed under review\n")
    assert.include(text, "    medium  no batch with every review clean\n")
    assert.include(text, "    NOT every level was reviewed clean on the same code\n")
  })
})

describe("a proof as a document", () => {
  it("tells the same, level by level", () => {
    const { levels, ...whole } = proofFields(proof("borne out", ...climb))
    assert.deepStrictEqual(whole, {
      level: "medium",
      batch: 1,
      ceiling: "medium",
      by: "Reviews",
      complete: true,
      worth: "borne out"
    })
    assert.deepInclude(levels[0], { level: "low", sameAsLastCleanBatch: "same", line: 5, retrospective: true })
    assert.deepInclude(levels[0], { started: tree("t1"), completed: tree("t1") })
  })

  it("has empty fields for a level without a clean batch", () => {
    const { levels } = proofFields(proof("borne out", opened("medium", 1), ...cleanBatch("medium"), reached("medium")))
    assert.deepStrictEqual(levels[0], {
      level: "low",
      sameAsLastCleanBatch: null,
      batch: null,
      line: null,
      reviewers: [],
      argv: [],
      started: null,
      completed: null,
      retrospective: false,
      waived: [],
      isolated: null
    })
  })
})
