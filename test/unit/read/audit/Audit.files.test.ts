// Audit of files: transcripts, digests, verdicts told again, texts, reviewers that never ended, code that changed.
// The one rule: the log is sound in every test; only what lies beside it is not, or what it says of the world.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { digestOf } from "../../../../src/run/SmallFile.live.ts"
import type { Event } from "../../../../src/run/Event.ts"
import { BranchName, CommitSha, Target } from "../../../../src/run/Target.ts"
import type { LogEvent } from "../../../../src/log/StreamKind.ts"
import { bench, opened } from "./writtenRuns.ts"

const b = bench()

interface Finding {
  readonly kind: string
  readonly line: number
  readonly text: string
}

/** The findings and notes of the one run. */
const audited = async (fields: Parameters<typeof b.audit>[0] = {}) => {
  const { code, out } = await b.ask(b.audit({ json: true, ...fields }))
  const [run] = JSON.parse(out).runs
  const found: ReadonlyArray<Finding> = run.findings
  assert.strictEqual(code, found.length === 0 ? 0 : 1)
  const noted: ReadonlyArray<string> = run.notes.map(({ text }: { text: string }) => text)
  return { found, noted, run, kinds: found.map(({ kind }) => kind), texts: found.map(({ text }) => text) }
}

const slot = (name: string) => b.file(`levels/level-low/batch-1/low-${name}`)

describe("a transcript", () => {
  it.each(["log", "out"])("that was changed is found: %s", async (name) => {
    b.write(b.climb())
    fs.appendFileSync(slot(`1.${name}`), "one more line\n")
    const { found } = await audited()
    assert.deepEqual(found, [
      { kind: "transcript", line: 4, text: `low batch 1 slot 1: its ${name} file is not the one that was recorded` }
    ])
  })

  it("that was changed back to the same length is found", async () => {
    b.write(b.climb())
    const text = fs.readFileSync(slot("2.out"), "utf8")
    fs.writeFileSync(slot("2.out"), text.replace("not", "now"))
    assert.deepEqual((await audited()).kinds, ["transcript"])
  })

  it.each(["log", "out", "exit"])("that is gone is found: %s", async (name) => {
    b.write(b.climb())
    fs.rmSync(slot(`1.${name}`))
    assert.deepEqual((await audited()).texts, [`low batch 1 slot 1: its ${name} file is missing`])
  })

  it("is left alone when the log alone is asked for", async () => {
    b.write(b.climb())
    fs.rmSync(b.file("levels"), { recursive: true })
    assert.deepEqual((await audited({ logOnly: true })).kinds, [])
    assert.lengthOf((await audited()).kinds, 12)
  })

  it("cannot be read: the audit says so and exits 6", async () => {
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
  const forged = (event: Event): Event =>
    event._tag === "ReviewFinished" ? { ...event, verdict: "Clean", findings: 0, reason: "no-defect-stated" } : event

  it("that its transcript does not give is found", async () => {
    b.write(onlyClean(forged))
    const { found } = await audited()
    assert.deepEqual(found.map(({ kind, line }) => [kind, line]), [["verdict", 3]])
    assert.match(found[0]?.text ?? "", /^low batch 1 slot 1: recorded Clean.*; its files give HasIssues, 1 finding/)
  })

  it("that another version found clean is found all the same", async () => {
    b.write(onlyClean(forged), { version: "0.0.9" })
    const { kinds, texts } = await audited()
    assert.deepEqual(kinds, ["verdict"])
    assert.include(texts[0] ?? "", "recorded by version 0.0.9 with verdict rules 1, this is ")
  })

  it("that another version held to be worse is only noted", async () => {
    const strict = (event: Event): Event =>
      event._tag === "ReviewFinished" && event.slot === 2 ? { ...event, verdict: "HasIssues", findings: 1 } : event
    b.write(onlyClean((event) => event).map((line) => line.map(strict)), { version: "0.0.9" })
    const { kinds, noted } = await audited()
    assert.deepEqual(kinds, [])
    assert.match(noted.join(), /slot 2: recorded HasIssues.*its files give Clean.*by version 0\.0\.9/)
  })

  it("that another version read the same is not worth a word", async () => {
    b.write(onlyClean((event) => event), { version: "0.0.9" })
    const { kinds, noted } = await audited()
    assert.deepEqual([kinds, noted], [[], []])
  })

  it("is set beside today's for every review when asked", async () => {
    b.write(onlyClean((event) => event))
    const { run } = await audited({ reclassify: true })
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

  it("cannot be told again from files that changed", async () => {
    b.write(onlyClean((event) => event))
    fs.appendFileSync(slot("1.out"), "more")
    const { run } = await audited({ reclassify: true })
    assert.isNull(run.reviews[0].today)
    const { out } = await b.ask(b.audit({ reclassify: true }))
    assert.include(out, "today nothing: its files have changed")
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
    const { found } = await audited()
    assert.deepEqual(found, [])
  })

  it("that was changed or lost is found", async () => {
    b.write(withSession())
    fs.writeFileSync(slot("1.review.json"), "{}\n")
    assert.deepEqual((await audited()).texts, ["low batch 1 slot 1: its review file is not the one that was recorded"])
    fs.writeFileSync(slot("1.review.json"), "not JSON")
    assert.deepEqual((await audited()).texts, ["low batch 1 slot 1: its review file is not the one that was recorded"])
    fs.rmSync(slot("1.review.json"))
    assert.deepEqual((await audited()).texts, ["low batch 1 slot 1: its review file is missing"])
  })

  it("that no line tells of is not believed", async () => {
    b.write(b.climb())
    fs.writeFileSync(slot("1.review.json"), JSON.stringify(output))
    assert.deepEqual((await audited()).kinds, [])
  })
})

describe("a text in a file of its own", () => {
  const long = (text: string): ReadonlyArray<ReadonlyArray<Event>> => {
    const rest = digestOf(Buffer.from(text))
    fs.mkdirSync(b.file("texts"), { recursive: true })
    fs.writeFileSync(b.file(`texts/${rest.hex}.txt`), text)
    return [
      [b.born()],
      [{ _tag: "AddressFailed", level: "low", batch: 1, details: { text: "the beginning", rest } }],
      [
        {
          _tag: "LevelOutcomeRecorded",
          level: "low",
          batch: 1,
          outcome: { _tag: "RetrospectiveChanges", reason: { text: "the beginning", rest } },
          ceiling: "xhigh"
        },
        opened("low", 2, { cause: "Restarted" })
      ]
    ]
  }

  it("is compared with its digest, wherever it is named", async () => {
    b.write(long("the whole text"))
    assert.deepEqual((await audited()).kinds, [])
    const [name = ""] = fs.readdirSync(b.file("texts"))
    fs.writeFileSync(b.file(`texts/${name}`), "another text!!")
    const { found } = await audited()
    assert.deepEqual(found.map(({ kind, line }) => [kind, line]), [["transcript", 2], ["transcript", 3]])
    fs.rmSync(b.file(`texts/${name}`))
    assert.match((await audited()).texts.join(), /is missing/)
  })

  it("is not looked for outside of its place", async () => {
    const rest = { algorithm: "sha256", hex: "../../../../../../repo/secret", bytes: 6 } as const
    fs.writeFileSync(`${b.cwd()}/secret.txt`, "secret")
    b.write([[b.born()], [{ _tag: "AddressFailed", level: "low", batch: 1, details: { text: "", rest } }]])
    assert.match((await audited()).texts.join(), /is no name of a kept file/)
  })
})

describe("a torn tail that was cut", () => {
  const torn = Buffer.from('{"v":1,"se')
  const kept = `torn/0-${digestOf(torn).hex.slice(0, 8)}`
  const cut = (fields: Partial<LogEvent> = {}) => {
    fs.mkdirSync(b.file("torn"), { recursive: true })
    fs.writeFileSync(b.file(kept), torn)
    b.write([[{ _tag: "TailRepaired", offset: 0, bytes: torn.length, kept, ...fields }, b.born()]])
  }

  it("is kept as the line says", async () => {
    cut()
    assert.deepEqual((await audited()).found, [])
  })

  it("that is lost, or is not what was cut, is found", async () => {
    cut()
    fs.writeFileSync(b.file(kept), '{"v":1,"sx')
    assert.deepEqual((await audited()).found, [
      { kind: "torn", line: 1, text: `${kept}, which this line names, is not the recorded one` }
    ])
    fs.rmSync(b.file("torn"), { recursive: true })
    assert.deepEqual((await audited()).texts, [`${kept}, which this line names, is missing`])
    assert.deepEqual((await audited({ logOnly: true })).found, [])
    cut({ bytes: 3 })
    assert.deepEqual((await audited()).kinds, ["torn"])
    cut({ kept: "manifest.jsonl" })
    assert.deepEqual((await audited()).texts, ["manifest.jsonl, which this line names, is no name of a kept file"])
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
    const { found, noted } = await audited()
    assert.deepEqual(found.map(({ kind }) => kind), ["unended"])
    assert.match(found[0]?.text ?? "", /^low batch 1 slot 2 attempt 1 never ended/)
    assert.deepEqual(noted, ["low batch 1 slot 1 attempt 1 is running"])
  })

  it("that has ended and waits to be recorded is noted", async () => {
    b.write(open())
    for (const name of ["1", "2"]) {
      guarded(name, 2 ** 22 - 3)
      fs.writeFileSync(slot(`${name}.exit`), "0\n")
    }
    const { kinds, noted } = await audited()
    assert.deepEqual(kinds, [])
    assert.deepEqual(noted, [
      "low batch 1 slot 1 attempt 1 has ended; the next step records it",
      "low batch 1 slot 2 attempt 1 has ended; the next step records it"
    ])
  })

  it("whose intent was committed a moment ago is starting", async () => {
    b.write(open(), { at: new Date().toISOString() })
    const { kinds, noted } = await audited()
    assert.deepEqual(kinds, [])
    assert.include(noted, "low batch 1 slot 2 attempt 1 is starting")
  })

  it("that was left open by a batch's end is found", async () => {
    b.write([...open(), [opened("medium", 1, { cause: "Advanced" })]])
    const { found } = await audited()
    assert.deepEqual(found.map(({ kind, text }) => [kind, text]), [
      ["unended", "low batch 1 slot 1: the batch was left while its reviewer was open"],
      ["unended", "low batch 1 slot 2: the batch was left while its reviewer was open"]
    ])
  })
})

describe("code that changed under review", () => {
  it("is found, whatever the reviews said", async () => {
    b.write([
      [b.born()],
      b.starts("low", 1, "before"),
      [b.reviewed("HasIssues", { slot: 1 }), b.reviewed("Clean", { slot: 2 }), b.complete("low", 1, "after")]
    ])
    const { found } = await audited()
    assert.deepEqual(found.map(({ kind, line }) => [kind, line]), [["tree-changed", 3]])
    assert.match(found[0]?.text ?? "", /the code changed while it was under review: tree before, .*, then tree after, /)
  })

  it("is not found where one of the two is unknown", async () => {
    b.write([
      [b.born()],
      b.starts("low", 1, "before"),
      [
        b.reviewed("Clean", { slot: 1 }),
        b.reviewed("Clean", { slot: 2 }),
        { _tag: "BatchCompleted", level: "low", batch: 1, identity: { _tag: "Unknown", why: "git broke" } }
      ]
    ])
    assert.deepEqual((await audited()).kinds, [])
  })

  it("may be reviewed again, in the next batch", async () => {
    b.write([
      [b.born()],
      ...b.cleanBatch("low", 1, "before"),
      [opened("low", 2, { cause: "TargetChanged" }), ...b.starts("low", 2, "after")]
    ])
    assert.deepEqual((await audited()).kinds.filter((kind) => kind !== "unended"), [])
  })
})

describe("every run of a state root", () => {
  it("is audited on its own; one finding makes the whole not sound", async () => {
    b.write(b.climb())
    const other = "20300101T000002Z-000000001-p1"
    b.write([[b.born({ runId: other })], [opened("high", 1, { cause: "Advanced" })]], { id: other })
    const { code, out } = await b.ask(b.audit({ selector: null, json: true }))
    assert.strictEqual(code, 1)
    const { runs, sound } = JSON.parse(out)
    assert.strictEqual(sound, false)
    assert.deepEqual(runs.map(({ run, sound }: { run: { run: string }; sound: boolean }) => [run.run, sound]), [
      [other, false],
      [b.dir().split("/").at(-1), true]
    ])
  })

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

  it("is none: that is sound", async () => {
    const { code, out } = await b.ask(b.audit({ selector: null, json: true }))
    assert.strictEqual(code, 0)
    assert.deepEqual(JSON.parse(out), { schema: 1, runs: [], sound: true })
    assert.isFalse(fs.existsSync(b.root()))
  })
})

describe("a log in another run's directory", () => {
  it("is found", async () => {
    b.write([[b.born({ runId: "20300101T000009Z-000000009-p9" })]])
    assert.deepEqual((await audited()).kinds, ["run"])
  })

  it("is found when its target or repository is another", async () => {
    b.write([[b.born({ repoId: "other" })]])
    assert.deepEqual((await audited()).kinds, ["run"])
    b.write([[b.born({ target: { _tag: "Commit", sha: CommitSha.make("a".repeat(40)) } })]])
    assert.deepEqual((await audited()).kinds, ["run"])
  })
})
