// Evidence: what transcripts and journals show about each review, compared with the log, and about all reviews together.
import { assert, describe, it } from "vitest"
import {
  keepBatches,
  newWitness,
  noteSeen,
  noteStart,
  nothingSeen,
  programsOf,
  prunedBy,
  type Recorded,
  type Seen,
  seenIn,
  takeLaunched,
  unshownBy
} from "../../../../src/read/audit/Evidence.ts"
import type { StoredReview } from "../../../../src/review/ReviewFiles.ts"
import { BranchName, CommitSha } from "../../../../src/run/Target.ts"
import { clean, introduced } from "../../../../src/testing/Scripted.ts"
import { evidenceOf } from "../../../../src/testing/memory/Reviewers.ts"
import { launch } from "../../../support/reviewedRuns.ts"
import { finished, runRef, started } from "../../run/events.ts"

const line = { seq: 2, hash: "ab" }
const recorded: Recorded = {
  line: 3,
  version: "1.0.0",
  event: finished("Clean"),
  launched: { id: "id-1", line, program: null },
  workdir: "/repo",
  target: { _tag: "Uncommitted" },
  base: null,
  strict: false
}
const attempt = { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1, id: "id-1" } as const
const honest = introduced(clean(), attempt, launch)

const stored = (others: Partial<StoredReview> = {}, log = honest.log): StoredReview => ({
  missing: [],
  status: 0,
  journal: { id: "id-1", line, end: null },
  joined: true,
  evidence: evidenceOf({ ...honest, log }),
  ...others
})
const slot = "low batch 1 slot 1: "
const transcripts = (from: string, to: string, of: Partial<Recorded> = {}) =>
  seenIn(stored({}, honest.log.replace(from, to)), { ...recorded, ...of }).transcript

describe("an honest review", () => {
  it("contradicts nothing, and leaves nothing unshown", () => {
    const { journal, model, transcript, unshown } = seenIn(stored(), recorded)
    assert.deepStrictEqual({ journal, model, transcript, unshown }, {
      journal: [],
      model: "scripted",
      transcript: [],
      unshown: []
    })
  })
})

describe("a transcript", () => {
  it.each([
    ["reasoning effort: low", "reasoning effort: high", "its transcript shows reasoning effort high, not low"],
    [
      "sandbox: read-only",
      "sandbox: danger-full-access",
      "its transcript shows sandbox danger-full-access, not read-only"
    ],
    ["workdir: /repo", "workdir: /other", "its transcript shows workdir /other, not /repo"]
  ])(
    "that shows something other than %s is found",
    (from, to, text) => assert.deepStrictEqual(transcripts(from, to), [slot + text])
  )

  it("of an isolated review shows its private repository, whatever name the state root has", () => {
    const workdir = "/link/repo/uncommitted/runs/r/isolated/low-1"
    const shown = (path: string) => transcripts("workdir: /repo", `workdir: ${path}`, { workdir }).length
    assert.deepStrictEqual([shown(workdir), shown(workdir.replace("/link", "/real")), shown("/repo")], [0, 0, 1])
    assert.strictEqual(shown(workdir.replace("low-1", "low-2")), 1)
  })

  it("that asks for another target is found, but only in codex's own words", () => {
    const asked = (text: string, of: Partial<Recorded> = {}) =>
      seenIn(stored({}, `${honest.log}user\n${text}\n`), { ...recorded, ...of }).transcript.length
    const base = { target: { _tag: "Base", branch: BranchName.make("main") }, base: BranchName.make("main") } as const
    const commit = { target: { _tag: "Commit", sha: CommitSha.make("c".repeat(40)) } } as const
    assert.deepStrictEqual([asked("current changes"), asked("changes against 'main'"), asked("ccccccc")], [0, 1, 0])
    assert.deepStrictEqual([asked("changes against 'main'", base), asked("changes against 'next'", base)], [0, 1])
    assert.deepStrictEqual([asked("commit ccccccc: A title", commit), asked("commit abcdefa", commit)], [0, 1])
    assert.deepStrictEqual([asked("current changes", base), asked("current changes", commit)], [1, 1])
  })

  it("that does not end with standard output is found", () =>
    assert.deepStrictEqual(seenIn(stored({ joined: false }), recorded).transcript, [
      `${slot}its transcript does not end with its standard output`
    ]))

  it("of another review than codex's own record is found", () => {
    const session = (overall_explanation: string) =>
      seenIn(
        stored({ evidence: { ...evidenceOf(honest), session: { _tag: "Found", output: { overall_explanation } } } }),
        recorded
      ).transcript
    assert.deepStrictEqual(session("The change does what it says and breaks nothing.\n"), [])
    assert.deepStrictEqual(session("Another change."), [
      `${slot}it printed another review than the one that codex recorded`
    ])
  })

  it("without a banner contradicts nothing, and shows nothing", () => {
    const { session, transcript, unshown } = seenIn(stored({}, "codex\nFine.\n"), recorded)
    assert.deepStrictEqual({ session, transcript, unshown }, {
      session: null,
      transcript: [],
      unshown: ["reasoning effort", "sandbox", "model", "session"]
    })
  })
})

describe("a journal", () => {
  const journals = (journal: StoredReview["journal"], of: Partial<Recorded> = {}) =>
    seenIn(stored({ journal }), { ...recorded, ...of }).journal

  it("that is missing, or belongs to another attempt or line, is found", () => {
    assert.deepStrictEqual(journals(null), [`${slot}no journal says that its reviewer ever began`])
    assert.deepStrictEqual(journals({ id: "id-2", line, end: null }), [
      `${slot}its journal is of another attempt: id-2`
    ])
    for (const other of [{ seq: 2, hash: "cd" }, { seq: 3, hash: "ab" }]) {
      assert.match(
        journals({ id: "id-1", line: other, end: null }).join(),
        /its journal names .* as the line that started it; the log has 2:ab$/
      )
    }
  })

  it("that reports another end is found", () => {
    const event = {
      ...recorded.event,
      log: { ...recorded.event.log, bytes: 30 },
      out: { ...recorded.event.out, bytes: 10 }
    }
    const ended = (status: number, logBytes: number, outBytes: number) =>
      journals({ id: "id-1", line, end: { status, logBytes, outBytes } }, { event }).map((text) =>
        text.slice(slot.length)
      )
    assert.deepStrictEqual([ended(0, 20, 10), ended(0, 19, 10)], [[], []])
    assert.deepStrictEqual(ended(1, 20, 10), ["its journal says that it exited with 1"])
    for (const [logBytes, outBytes] of [[18, 10], [21, 10], [20, 9], [19, 11]] as const) {
      assert.deepStrictEqual(ended(0, logBytes, outBytes), ["its journal records other sizes of its streams"])
    }
  })

  it("without a line leaves the line unshown", () =>
    assert.deepStrictEqual(seenIn(stored({ journal: { id: "id-1", line: null, end: null } }), recorded).unshown, [
      "line of the log that started it"
    ]))

  it("is not compared if no line reports the start, which is a finding by itself", () =>
    assert.deepStrictEqual(journals({ id: "x", line, end: null }, { launched: null }), []))
})

const seen = (others: Partial<Seen>): Seen => ({ ...nothingSeen, ...others })

describe("all attempts of a run", () => {
  it("have different ids", () => {
    const witness = newWitness()
    assert.isNull(noteStart(witness, started(), line))
    assert.isNull(noteStart(witness, started({ slot: 2 }), line))
    assert.strictEqual(
      noteStart(witness, started({ slot: 3, id: "id-1" }), line),
      "an earlier attempt has the same id"
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

describe("all reviews of a run", () => {
  it("have different sessions, across batches", () => {
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

  it("show which programs a batch used, if they agree", () => {
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

  it("with a pruned transcript are listed for their batch", () => {
    const witness = newWitness()
    noteSeen(witness, finished("Clean"), seen({ pruned: true }))
    noteSeen(witness, finished("Clean", { slot: 2 }), seen({}))
    assert.deepStrictEqual(prunedBy(witness, "low batch 1"), [
      "low batch 1: the transcript of slot 1 was pruned, so that its review cannot be checked"
    ])
    assert.deepStrictEqual(prunedBy(witness, "low batch 2"), [])
  })

  it("list the missing facts of their batch, as long as the batch is kept", () => {
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
