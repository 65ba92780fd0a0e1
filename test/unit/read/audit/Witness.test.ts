// Witness: what an audit remembers of reviewers: that no two are one, and what each batch left unshown.
import { assert, describe, it } from "vitest"
import {
  keepBatches,
  newWitness,
  noteSeen,
  noteStart,
  nothingSeen,
  programsOf,
  prunedBy,
  type Seen,
  takeLaunched,
  unshownBy
} from "../../../../src/read/audit/Evidence.ts"
import { finished, started } from "../../run/events.ts"

const line = { seq: 2, hash: "ab" }
const seen = (others: Partial<Seen>): Seen => ({ ...nothingSeen, ...others })

describe("attempts", () => {
  it("have an id of their own each", () => {
    const witness = newWitness()
    assert.isNull(noteStart(witness, started(), line))
    assert.isNull(noteStart(witness, started({ slot: 2 }), line))
    assert.strictEqual(
      noteStart(witness, started({ slot: 3, id: "id-1" }), line),
      "its id is that of an earlier attempt"
    )
  })

  it("are known by how they were started, until their review is taken", () => {
    const witness = newWitness()
    noteStart(witness, { ...started(), program: "aa" }, line)
    assert.isNull(takeLaunched(witness, finished("Clean", { slot: 2 })))
    assert.deepStrictEqual(takeLaunched(witness, finished("Clean")), { id: "id-1", line, program: "aa" })
    assert.isNull(takeLaunched(witness, finished("Clean")))
  })
})

describe("reviews", () => {
  it("have a session of their own each, across batches", () => {
    const witness = newWitness()
    assert.deepStrictEqual(noteSeen(witness, finished("Clean"), seen({ session: "s" })), [])
    assert.deepStrictEqual(noteSeen(witness, finished("Clean", { batch: 2 }), seen({ session: "s" })), [
      "low batch 2 slot 1: its session s also belongs to another review"
    ])
    assert.deepStrictEqual(noteSeen(witness, finished("Clean"), seen({})), [])
  })

  it("of one batch name one model", () => {
    const witness = newWitness()
    assert.deepStrictEqual(noteSeen(witness, finished("Clean"), seen({})), [])
    assert.deepStrictEqual(noteSeen(witness, finished("Clean", { slot: 2 }), seen({ model: "a" })), [])
    assert.deepStrictEqual(noteSeen(witness, finished("Clean", { slot: 3 }), seen({ model: "b" })), [
      "low batch 1 slot 3: its transcript shows model b, but another reviewer of the batch shows a"
    ])
    assert.deepStrictEqual(noteSeen(witness, finished("Clean", { batch: 2 }), seen({ model: "b" })), [])
  })

  it("tell which programs were behind a batch, as far as they agree", () => {
    const witness = newWitness()
    noteSeen(witness, finished("Clean"), seen({ model: "a", codex: "1.0" }), { version: "0.2.0", program: "bb" })
    noteSeen(witness, finished("Clean", { slot: 2 }), seen({ model: "a", codex: "1.0" }), {
      version: "0.1.0",
      program: "aa"
    })
    noteSeen(witness, finished("Clean", { batch: 2 }), seen({ codex: "1.0" }))
    noteSeen(witness, finished("Clean", { batch: 2, slot: 2 }), seen({ codex: "1.1" }))
    assert.deepStrictEqual(programsOf(witness, "low batch 1"), {
      model: "a",
      codex: "1.0",
      recordedBy: ["0.1.0", "0.2.0"],
      digests: ["aa", "bb"]
    })
    assert.deepStrictEqual(programsOf(witness, "low batch 2"), {
      model: null,
      codex: null,
      recordedBy: [],
      digests: []
    })
    assert.deepStrictEqual(programsOf(witness, "low batch 3"), {
      model: null,
      codex: null,
      recordedBy: [],
      digests: []
    })
  })

  it("whose transcripts were pruned are told of their batch", () => {
    const witness = newWitness()
    noteSeen(witness, finished("Clean"), seen({ pruned: true }))
    noteSeen(witness, finished("Clean", { slot: 2 }), seen({}))
    assert.deepStrictEqual(prunedBy(witness, "low batch 1"), [
      "low batch 1: the transcript of slot 1 was pruned, so that its review cannot be checked"
    ])
    assert.deepStrictEqual(prunedBy(witness, "low batch 2"), [])
  })

  it("leave unshown what is told of their batch, as long as that is kept", () => {
    const witness = newWitness()
    noteSeen(witness, finished("Clean"), seen({ unshown: ["sandbox", "model"] }))
    noteSeen(witness, finished("Clean", { slot: 2 }), seen({ unshown: ["sandbox"] }))
    noteSeen(witness, finished("Clean", { batch: 2 }), seen({ unshown: ["model"] }))
    keepBatches(witness, new Set(["low batch 1"]))
    assert.deepStrictEqual(unshownBy(witness, "low batch 1"), [
      "low batch 1: nothing shows the sandbox of slot 1, 2",
      "low batch 1: nothing shows the model of slot 1"
    ])
    assert.deepStrictEqual(unshownBy(witness, "low batch 2"), [])
  })
})
