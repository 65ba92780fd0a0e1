// Audit: what is sound, and everything that can be wrong with a run, each found and named.
// The one rule: every test breaks one thing in a run that is sound otherwise.
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { bench, logOf, opened, runId, tree, written } from "./writtenRuns.ts"

const b = bench()

const findings = (out: string): ReadonlyArray<string> =>
  out.split("\n").filter((line) => line.startsWith("  finding  ")).map((line) => line.slice(11))
const notes = (out: string): ReadonlyArray<string> =>
  out.split("\n").filter((line) => line.startsWith("  note     ")).map((line) => line.slice(11))

/** Audits the one run; the findings are what stands in the report. */
const audited = async (fields: Parameters<typeof b.audit>[0] = {}) => {
  const { code, out, stderr } = await b.ask(b.audit(fields))
  assert.strictEqual(stderr, "")
  assert.strictEqual(code, findings(out).length === 0 ? 0 : 1, out)
  return { out, found: findings(out), noted: notes(out) }
}

const addressed = (count: number): Event => ({
  _tag: "LevelOutcomeRecorded",
  level: "low",
  batch: 1,
  outcome: { _tag: "Addressed", count },
  ceiling: "low"
})

const logFile = () => b.file("manifest.jsonl")
const edit = (change: (text: string) => string) =>
  fs.writeFileSync(logFile(), change(fs.readFileSync(logFile(), "utf8")))
const linesOf = (text: string): ReadonlyArray<string> => text.split(/(?<=\n)/)

describe("a sound run", () => {
  it("is sound, and says what its fixed point has proven", async () => {
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

  it("is written here as the program writes it", () => {
    b.write(b.climb())
    assert.strictEqual(fs.readFileSync(logFile(), "utf8"), written(b.climb()))
  })

  it("is told to programs with the same words", async () => {
    b.write(b.climb())
    const { code, out } = await b.ask(b.audit({ json: true }))
    assert.strictEqual(code, 0)
    const document = JSON.parse(out)
    assert.strictEqual(document.sound, true)
    assert.lengthOf(document.runs, 1)
    const [run] = document.runs
    assert.strictEqual(run.run.run, runId)
    assert.deepInclude(run, { findings: [], notes: [], sound: true, problem: null })
    assert.deepEqual(run.checked, { lines: 9, events: 16, reviews: 4 })
    assert.strictEqual(run.proof.complete, true)
    assert.deepEqual(
      run.proof.levels.map((
        row: { level: string; batch: number; sameAsLastCleanBatch: string }
      ) => [row.level, row.batch, row.sameAsLastCleanBatch]),
      [["low", 1, "same"], ["medium", 1, "same"]]
    )
    assert.deepEqual(run.proof.levels[1].completed, tree("t1"))
    assert.deepEqual(run.proof.levels[1].reviewers.map(({ slot }: { slot: number }) => slot), [1, 2])
  })

  it("may have an empty batch, marks in any order and a stop in it", async () => {
    b.write([
      [b.born()],
      b.starts("low", 1),
      [
        { _tag: "ReviewStopped", level: "low", batch: 1, slot: 1, attempt: 1, cause: "Interrupt" },
        { _tag: "ReviewStopped", level: "low", batch: 1, slot: 2, attempt: 1, cause: "Interrupt" },
        { _tag: "StepAborted", signal: "SIGINT" }
      ],
      [{ _tag: "AddressFailed", level: "low", batch: 1, details: { text: "no" } }],
      [
        addressed(0),
        opened("low", 2, { cause: "Dropped" })
      ],
      [opened("medium", 1, { cause: "Advanced" })],
      [
        {
          _tag: "LevelOutcomeRecorded",
          level: "medium",
          batch: 1,
          outcome: { _tag: "RetrospectiveChanges", reason: { text: "why" } },
          ceiling: "xhigh"
        },
        opened("low", 3, { from: "medium", cause: "Restarted" })
      ]
    ])
    assert.deepEqual((await audited()).found, [])
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

describe("what a fixed point has proven", () => {
  it("says of each level whether it saw the last clean tree", async () => {
    b.write([
      [b.born()],
      ...b.cleanBatch("low", 1, "before"),
      b.retroClean("low", "medium", "high"),
      ...b.cleanBatch("medium", 1, "after"),
      b.retroClean("medium", "high", "high"),
      ...b.cleanBatch("high", 1, "after"),
      [b.reached("high")]
    ])
    const { found, out } = await audited()
    assert.deepEqual(found, [])
    assert.match(out, /low {5}batch 1, .* of tree before, .*\n {12}NOT the tree of the last clean batch\n/)
    assert.match(out, /medium {2}batch 1, .* of tree after, .*\n {12}the code of the last clean batch\n/)
    assert.include(out, "NOT every level was reviewed clean on the same code\n")
  })

  it("says which levels no clean batch has shown", async () => {
    b.write([
      [b.born()],
      [opened("medium", 1, { cause: "Advanced" })],
      ...b.cleanBatch("medium", 1),
      [b.reached("medium")]
    ])
    const { out } = await audited()
    assert.include(out, "    low     no batch with every review clean\n")
    assert.include(out, "NOT every level")
  })

  const declared: ReadonlyArray<Event> = [
    { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, outcome: { _tag: "Clean" }, ceiling: "low" },
    { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Mark" }
  ]

  it("tells a mark's word from reviews, which prove it all the same", async () => {
    b.write([[b.born()], ...b.cleanBatch("low", 1), declared])
    const { found, out } = await audited()
    assert.deepEqual(found, [])
    assert.include(out, "  proven: fixed point at low batch 1, ceiling low, declared by --mark-retro-clean\n")
  })

  it("is nothing by a mark alone: no batch ran, it had issues, or it was still open", async () => {
    const reviewed = (verdict: "Clean" | "HasIssues"): ReadonlyArray<ReadonlyArray<Event>> => [
      b.starts("low", 1),
      [b.reviewed("Clean", { slot: 2 })],
      [b.reviewed(verdict, { slot: 1 }), b.complete("low", 1)]
    ]
    for (const lines of [[], reviewed("HasIssues"), reviewed("Clean").slice(0, 2)]) {
      b.write([[b.born()], ...lines, declared])
      const { found, out } = await audited()
      assert.include(
        found,
        "proof: low batch 1: a mark declared the fixed point, and not every review of that batch was clean"
      )
      assert.include(out, "  NOT proven, see the findings; what the log claims: fixed point at low batch 1")
    }
  })

  it("is withdrawn by the batch that follows it", async () => {
    b.write([...b.climb(), [opened("low", 2, { from: "medium", cause: "Restarted" })]])
    const { found, out } = await audited()
    assert.deepEqual(found, [])
    assert.notInclude(out, "proven")
  })

  it("does not know where the code was not known", async () => {
    const unknown = (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
      events.map((event) =>
        event._tag === "BatchCompleted" && event.level === "low"
          ? { ...event, identity: { _tag: "Unknown", why: "git broke" } }
          : event
      )
    b.write(b.climb().map(unknown))
    const { found, noted, out } = await audited()
    assert.deepEqual(found, [])
    assert.deepEqual(noted, ["line 4, low batch 1: what it reviewed is unknown (git broke)"])
    assert.include(out, "not known whether this is the tree of the last clean batch\n")
  })
})

describe("what a fixed point claims", () => {
  it("is not proven where the code changed under review", async () => {
    const changed = (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
      events.map((event) =>
        event._tag === "BatchCompleted" && event.level === "low" ? { ...event, identity: tree("t2") } : event
      )
    b.write(b.climb().map(changed))
    const { found, out } = await audited()
    assert.lengthOf(found, 1)
    assert.match(
      out,
      /of tree t1, .*, changed under review to tree t2, .*\n {12}NOT unchanged: the code changed under review\n/
    )
    assert.include(out, "NOT every level was reviewed clean on the same code\n")
  })

  it("is proven although a batch before it, which was replaced, had changed under review", async () => {
    const changed = b.cleanBatch("low", 1).map((line) =>
      line.map((event): Event => event._tag === "BatchCompleted" ? { ...event, identity: tree("t2") } : event)
    )
    b.write([
      [b.born()],
      ...changed,
      [opened("low", 2, { cause: "TargetChanged" }), ...b.starts("low", 2, "t2")],
      ...b.cleanBatch("low", 2, "t2").slice(1),
      [b.reached("low", 2)]
    ])
    const { found, out } = await audited()
    assert.lengthOf(found, 1)
    assert.include(out, "  proven: fixed point at low batch 2, ceiling low, reached by reviews\n")
    assert.include(out, "    every level was reviewed clean, on the same code\n")
  })

  it("is not proven by a log that something is found in", async () => {
    b.write(b.climb())
    fs.rmSync(b.file("levels/level-low/batch-1/low-1.out"))
    const { out } = await audited()
    assert.include(out, "NOT proven, see the findings; what the log claims: fixed point at medium batch 1")
    assert.include(out, "as claimed, every level was reviewed clean, on the same code\n")
    const { proof } = JSON.parse((await b.ask(b.audit({ json: true }))).out).runs[0]
    assert.deepInclude(proof, { complete: false, worth: "refuted" })
  })

  it("is not proven while the transcripts are left alone", async () => {
    b.write(b.climb())
    const { found, out } = await audited({ logOnly: true })
    assert.deepEqual(found, [])
    assert.include(out, "  not proven, the transcripts were left alone; what the log claims: fixed point at medium")
    const { proof } = JSON.parse((await b.ask(b.audit({ json: true, logOnly: true }))).out).runs[0]
    assert.deepInclude(proof, { complete: false, worth: "unchecked" })
  })

  it("is nothing where no level lies between the floor and the ceiling", async () => {
    b.write([[b.born({ startLevel: "high" })], [b.reached("low")]])
    assert.include((await audited()).out, "NOT every level was reviewed clean on the same code\n")
  })
})

it("a line without an event is found", async () => {
  b.write([[b.born()], []])
  assert.deepEqual((await audited()).found, ["line 2, fact: the line holds no event"])
})

describe("a damaged log", () => {
  const damages: ReadonlyArray<readonly [string, (text: string) => string, RegExp]> = [
    ["a flipped bit", (text) => text.replace('"slot":2', '"slot":3'), /^line 2, damage: bad hash, at byte \d+; /],
    ["a line that is gone", (text) => linesOf(text).toSpliced(3, 1).join(""), /^line 4, damage: gap, /],
    [
      "a line twice",
      (text) => linesOf(text).toSpliced(3, 0, linesOf(text)[2] ?? "").join(""),
      /^line 4, damage: duplicate/
    ],
    ["lines in another order", (text) => {
      const [a = "", second = "", third = "", ...rest] = linesOf(text)
      return [a, third, second, ...rest].join("")
    }, /^line 2, damage: gap/],
    ["a blank line", (text) => text.replace("\n", "\n\n"), /^line 2, damage: blank line/],
    ["carriage returns", (text) => text.replaceAll("\n", "\r\n"), /^line 1, damage: CRLF/],
    ["a byte order mark", (text) => `\ufeff${text}`, /^line 1, damage: BOM/],
    ["a NUL", (text) => text.replace("Clean", "Cle\0n"), /^line \d, damage: NUL/],
    ["a line of another program", (text) => `{"hello":"world"}\n${text}`, /^line 1, damage: no hash/],
    ["a line reformatted", (text) => text.replace('{"v":1', '{ "v":1'), /^line 1, damage: bad hash/],
    ["an acknowledged line without its end", (text) => text.slice(0, -1), /^line \d+, (damage: no newline|rewound)/]
  ]
  it.each(damages)("%s", async (_, damage, expected) => {
    b.write(b.climb())
    edit(damage)
    const { found, out } = await audited()
    assert.lengthOf(found, 1, out)
    assert.match(found[0] ?? "", expected)
  })

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

  it("cut at a border is rolled back against its anchor", async () => {
    b.write(b.climb())
    edit((text) => linesOf(text).slice(0, -1).join(""))
    assert.deepEqual((await audited()).found, ["line 8, rewound: the log was rolled back against its head anchor"])
  })

  it("rewritten with valid hashes is rewritten against its anchor", async () => {
    b.write(b.climb())
    edit(() => logOf([...b.climb().slice(0, -1), [{ _tag: "StepAborted", signal: "SIGTERM" }]]).text)
    assert.deepEqual((await audited()).found, ["line 9, rewound: the log was rewritten against its head anchor"])
  })

  it("of another run's lines does not begin like its own", async () => {
    b.write(b.climb())
    const other = logOf([[b.born({ nonce: "f".repeat(32) })], ...b.climb().slice(1)])
    edit((text) => (linesOf(text)[0] ?? "") + linesOf(other.text).slice(1).join(""))
    assert.match((await audited()).found[0] ?? "", /^line 2, damage: broken chain/)
  })
})

describe("what is no damage is noted", () => {
  it("a torn tail", async () => {
    b.write(b.climb())
    fs.appendFileSync(logFile(), '{"v":1,"seq":10')
    const { found, noted } = await audited()
    assert.deepEqual(found, [])
    assert.deepEqual(noted, ["line 9, 15 bytes after the last line were never committed; the next writer removes them"])
  })

  it("a missing anchor", async () => {
    b.write(b.climb(), { anchored: false })
    const { found, noted } = await audited()
    assert.deepEqual(found, [])
    assert.match(noted.join(), /head\.json is missing/)
  })

  it("a log without a line", async () => {
    b.write([])
    fs.rmSync(b.file("head.json"))
    const { found, noted } = await audited({ selector: { _tag: "Named", prefix: runId } })
    assert.deepEqual(found, [])
    assert.deepEqual(noted, ["the log has no line: the run was never begun"])
  })
})

describe("what cannot be read", () => {
  const unreadable = async (why: RegExp) => {
    const { code, out } = await b.ask(b.audit({ selector: { _tag: "Named", prefix: runId } }))
    assert.strictEqual(code, 6)
    assert.match(out, why)
  }

  it("is a log that is not there", async () => {
    fs.mkdirSync(b.dir(), { recursive: true })
    await unreadable(/unreadable: .*missing/)
  })

  it("is a log of a newer version", async () => {
    b.write([...b.climb(), [{ _tag: "FromTheFuture", value: 1 }]])
    await unreadable(/unreadable: .*unknown event \(FromTheFuture\): needs a newer version/)
  })

  it("is not a log with an event that may be passed over", async () => {
    b.write([...b.climb(), [{ _tag: "FromTheFuture", ignorable: true }]])
    assert.deepEqual((await audited()).found, [])
  })

  it("says so to programs", async () => {
    fs.mkdirSync(b.dir(), { recursive: true })
    const { code, out } = await b.ask(b.audit({ json: true, selector: { _tag: "Named", prefix: runId } }))
    assert.strictEqual(code, 6)
    const [run] = JSON.parse(out).runs
    assert.isNull(run.sound)
    assert.include(run.problem, "missing")
  })
})

describe("an expected head", () => {
  it("is the last line, or one before it", async () => {
    const head = b.write(b.climb())
    assert.deepEqual((await audited({ expectHead: head })).found, [])
    const { head: earlier } = logOf(b.climb().slice(0, 3))
    assert.deepEqual((await audited({ expectHead: earlier })).found, [])
  })

  it("shows a log cut at a border, with its anchor", async () => {
    const head = b.write(b.climb())
    b.write(b.climb().slice(0, -1))
    assert.deepEqual((await audited({ expectHead: head })).found, [
      "line 8, head: the log ends at line 8, before the expected line 9"
    ])
  })

  it("shows a suffix rewritten with valid hashes, with its anchor", async () => {
    const head = b.write(b.climb())
    b.write([...b.climb().slice(0, -1), [{ _tag: "StepAborted", signal: "SIGTERM" }]])
    const { found } = await audited({ expectHead: head })
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", /^line 9, head: the line has the hash [0-9a-f]{64}, not the expected one$/)
  })
})
