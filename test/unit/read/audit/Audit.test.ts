// Audit: a sound run, and what can be wrong with a run and its files, on a real disk.
import * as fs from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { audit } from "../../../../src/read/audit/Audit.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { digestOf } from "../../../../src/run/SmallFile.live.ts"
import { BranchName, Target } from "../../../../src/run/Target.ts"
import { bench, runId } from "../../../support/writtenRuns.ts"
import { runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

describe("the audit of a run", () => {
  it("fails without a log", async () =>
    assert.strictEqual((await onMachine(Effect.flip(audit(runRef()))))._tag, "LogMissing"))
})

const b = bench()

const findings = (out: string): ReadonlyArray<string> =>
  out.split("\n").filter((line) => line.startsWith("  finding  ")).map((line) => line.slice(11))
const notes = (out: string): ReadonlyArray<string> =>
  out.split("\n").filter((line) => line.startsWith("  note     ")).map((line) => line.slice(11))

/** Audits the one run; the findings are the lines of the report. */
const audited = async (fields: Parameters<typeof b.audit>[0] = {}) => {
  const { code, out, stderr } = await b.ask(b.audit(fields))
  assert.strictEqual(stderr, "")
  assert.strictEqual(code, findings(out).length === 0 ? 0 : 1, out)
  return { out, found: findings(out), noted: notes(out) }
}

const logFile = () => b.file("manifest.jsonl")
const edit = (change: (text: string) => string) =>
  fs.writeFileSync(logFile(), change(fs.readFileSync(logFile(), "utf8")))

describe("a sound run", () => {
  it("is sound, and says what its fixed point proves", async () => {
    b.write(b.climb())
    const { found, noted, out } = await audited()
    assert.deepEqual(found, [])
    assert.deepEqual(noted, [])
    assert.match(out, /checked: 9 lines, 16 events, 4 reviews; head 9:[0-9a-f]{64}\n/)
    assert.include(out, "proven: fixed point at medium batch 1, ceiling medium, reached by reviews\n")
    assert.match(out, /low {5}batch 1, line 4: 2 clean reviews of tree t1, HEAD a{12}; retrospective clean\n/)
    assert.match(out, /medium {2}batch 1, line 8: 2 clean reviews of tree t1, HEAD a{12}\n/)
    assert.include(out, "every level was reviewed clean, on the same code\n")
    assert.match(out, /\n {2}sound\n$/)
  })
})

describe("the times of lines", () => {
  it("may go back as clocks do, but not by more than a day", async () => {
    const lines = b.climb()
    const head = b.write(lines)
    const at = (seq: number) => new Date(Date.UTC(2030, 0, 1) + seq * 1000)
    for (const [hours, seqs] of [[23, []], [25, [head.seq]]] as const) {
      const back = (seq: number) =>
        new Date(at(seq).getTime() - (seq === head.seq ? hours * 3_600_000 : 0)).toISOString()
      b.write(lines, { at: back })
      const { found } = await audited()
      assert.deepEqual(found, seqs.map((seq) => `line ${seq}, time: it is more than a day older than a line before it`))
    }
  })
})

describe("a damaged log", () => {
  it("is checked up to the damage", async () => {
    b.write(b.climb())
    fs.rmSync(b.file("levels/level-low/batch-1/low-1.out"))
    edit((text) => text.replace('"FixedPointReached"', '"FixedPointReachec"'))
    const { found, out } = await audited()
    assert.lengthOf(found, 2)
    assert.match(found[0] ?? "", /^line 4, transcript: low batch 1 slot 1: its out file is missing/)
    assert.match(found[1] ?? "", /^line 9, damage: /)
    assert.include(out, "checked: 8 lines")
  })
})

describe("what cannot be read", () => {
  const unreadable = async (why: RegExp) => {
    const { code, out } = await b.ask(b.audit({ selector: { _tag: "Named", prefix: runId } }))
    assert.strictEqual(code, 6)
    assert.match(out, why)
  }

  it("is a log of a newer version", async () => {
    b.write([...b.climb(), [{ _tag: "FromTheFuture", value: 1 }]])
    await unreadable(/unreadable: .*unknown event \(FromTheFuture\): needs a newer version/)
  })

  it("does not include a log with an ignorable event", async () => {
    b.write([...b.climb(), [{ _tag: "FromTheFuture", ignorable: true }]])
    assert.deepEqual((await audited()).found, [])
  })
})

interface FoundInRun {
  readonly kind: string
  readonly line: number
  readonly text: string
}

/** The findings and notes of the one run. */
const auditedDocument = async (fields: Parameters<typeof b.audit>[0] = {}) => {
  const { code, out } = await b.ask(b.audit({ json: true, ...fields }))
  const [run] = JSON.parse(out).runs
  const found: ReadonlyArray<FoundInRun> = run.findings
  assert.strictEqual(code, found.length === 0 ? 0 : 1)
  const noted: ReadonlyArray<string> = run.notes.map(({ text }: { text: string }) => text)
  return { found, noted, run, kinds: found.map(({ kind }) => kind), texts: found.map(({ text }) => text) }
}

const slot = (name: string) => b.file(`levels/level-low/batch-1/low-${name}`)

describe("a transcript", () => {
  it("is not read when only the log is audited", async () => {
    b.write(b.climb())
    fs.rmSync(b.file("levels"), { recursive: true })
    assert.deepEqual((await auditedDocument({ logOnly: true })).kinds, [])
    assert.lengthOf((await auditedDocument()).kinds, 12)
  })

  it("that cannot be read exits with 6", async () => {
    b.write(b.climb())
    fs.rmSync(slot("1.out"))
    fs.mkdirSync(slot("1.out"))
    const { code, out } = await b.ask(b.audit())
    assert.strictEqual(code, 6)
    assert.match(out, /unreadable: .*EISDIR/)
  })
})

describe("a recorded verdict", () => {
  const onlyClean = (change: (event: Event) => Event): ReadonlyArray<ReadonlyArray<Event>> => [
    [b.born()],
    b.starts("low", 1),
    [
      change(b.reviewed("HasIssues", { slot: 1 })),
      b.reviewed("Clean", { slot: 2 }),
      b.complete("low", 1)
    ]
  ]

  it("is shown next to today's for every review on request", async () => {
    b.write(onlyClean((event) => event))
    const { run } = await auditedDocument({ reclassify: true })
    interface Row {
      readonly slot: number
      readonly recorded: { readonly verdict: string }
      readonly today: { readonly verdict: string }
    }
    const rows: ReadonlyArray<Row> = run.reviews
    assert.deepEqual(
      rows.map(({ recorded, slot, today }) => [slot, recorded.verdict, today.verdict]),
      [[1, "HasIssues", "HasIssues"], [2, "Clean", "Clean"]]
    )
    const { out } = await b.ask(b.audit({ reclassify: true }))
    const opinion = "HasIssues, 1 finding (rendered-findings, from stdout)"
    assert.include(out, `  review   line 3, low batch 1 slot 1: recorded ${opinion}; today ${opinion}\n`)
  })
})

describe("the kept copy of a session's review", () => {
  const place = { absolute_file_path: "/a", line_range: { start: 1, end: 1 } }
  const output = {
    findings: [{ title: "[P1] Guard", body: "b", code_location: place }],
    overall_correctness: "patch is incorrect",
    overall_explanation: "It is broken.",
    overall_confidence_score: 1
  }
  const withSession = (): ReadonlyArray<ReadonlyArray<Event>> => {
    const event = b.reviewed("Clean", { slot: 1 })
    const bytes = Buffer.from(`${JSON.stringify(output)}\n`)
    fs.writeFileSync(slot("1.review.json"), bytes)
    const verdict = { verdict: "HasIssues", source: "session", reason: "session-findings", findings: 1 } as const
    const first: Event = event._tag === "ReviewFinished" ? { ...event, ...verdict, review: digestOf(bytes) } : event
    return [[b.born()], b.starts("low", 1), [first, b.reviewed("Clean", { slot: 2 }), b.complete("low", 1)]]
  }

  it("gives the verdict again, without codex's home", async () => {
    b.write(withSession())
    const { found } = await auditedDocument()
    assert.deepEqual(found, [])
  })

  it("that was changed or lost is found", async () => {
    b.write(withSession())
    fs.writeFileSync(slot("1.review.json"), "{}\n")
    assert.deepEqual((await auditedDocument()).texts, [
      "low batch 1 slot 1: its review file is not the one that was recorded"
    ])
    fs.rmSync(slot("1.review.json"))
    assert.deepEqual((await auditedDocument()).texts, ["low batch 1 slot 1: its review file is missing"])
  })

  it("is ignored if no line reports it", async () => {
    b.write(b.climb())
    fs.writeFileSync(slot("1.review.json"), JSON.stringify(output))
    assert.deepEqual((await auditedDocument()).kinds, [])
  })
})

describe("a reviewer", () => {
  const open = (): ReadonlyArray<ReadonlyArray<Event>> => [[b.born()], b.starts("low", 1)]
  const guarded = (name: string, pid: number) => {
    fs.mkdirSync(slot("").replace(/low-$/, ""), { recursive: true })
    fs.writeFileSync(slot(`${name}.1.run`), `attempt id-${name} ${pid} - -\n`)
  }

  it("that never ended is found, and a live one is not", async () => {
    b.write(open())
    guarded("1", process.pid)
    guarded("2", 2 ** 22 - 3)
    const { found, noted } = await auditedDocument()
    assert.deepEqual(found.map(({ kind }) => kind), ["Unended"])
    assert.match(found[0]?.text ?? "", /^low batch 1 slot 2 attempt 1 never ended/)
    assert.deepEqual(noted, ["low batch 1 slot 1 attempt 1 is running"])
  })
})

describe("every run of a state root", () => {
  it("is found in other repositories too, and under branches with slashes", async () => {
    const target = Target.make({ _tag: "Base", branch: BranchName.make("feature/runs/x") })
    const id = "20300101T000003Z-000000001-p1"
    b.write([[b.born({ runId: id, repoId: "other-noremote", target })]], {
      id,
      repo: "other-noremote",
      target: "base/feature/runs/x"
    })
    const { code, out } = await b.ask(b.audit({ selector: null }), { cwd: "/" })
    assert.strictEqual(code, 0, out)
    assert.include(out, `run ${id} (other-noremote, base/feature/runs/x)\n`)
  })

  it("may be missing: an empty store is sound", async () => {
    const { code, out } = await b.ask(b.audit({ selector: null, json: true }))
    assert.strictEqual(code, 0)
    assert.deepEqual(JSON.parse(out), { schema: 1, runs: [], sound: true })
    assert.isFalse(fs.existsSync(b.root()))
  })
})
