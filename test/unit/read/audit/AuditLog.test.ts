// AuditLog: the audit of a kind of log that the program does not know: clean, damaged, rewound, rewritten, torn.
import * as fs from "node:fs"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Head } from "../../../../src/log/StreamKind.ts"
import { auditLog, type LogAuditOptions, type LogWord } from "../../../../src/read/audit/AuditLog.ts"
import { found, type LogAuditor, noted } from "../../../../src/read/LogReader.ts"
import { layer as eventLog } from "../../../../src/log/EventLog.live.ts"
import { Live } from "../../../../src/layers.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { temporaryRun } from "../../log/temporaryLog.ts"
import {
  added,
  begun,
  bought,
  olderShopping,
  priced,
  type Shopping,
  shopping,
  type ShoppingEvent
} from "../../log/shopping.ts"
import { shoppingAuditor, type ShoppingWord } from "../../../support/shoppingReader.ts"

const run = temporaryRun()
const log = () => run.file("shopping.jsonl")
const onDisk = Layer.mergeAll(eventLog, Live.runStore)

const usual = [[begun], [added("milk"), added("tea")], [priced("tea", 240), bought("tea")], [bought("milk")]]

/** Writes a list line by line. Returns its head. */
const write = (lines: ReadonlyArray<ReadonlyArray<ShoppingEvent>> = usual): Promise<Head> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* EventLog
      let head = yield* log.create(shopping, run.ref(), lines[0] ?? [])
      for (const events of lines.slice(1)) head = yield* log.append(shopping, run.ref(), head, events)
      return head
    }).pipe(Effect.provide(onDisk))
  )

/** Appends to the present end of the list. */
const append = (event: ShoppingEvent, kind = shopping): Promise<Head> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* EventLog
      const { head } = yield* log.read(shopping, run.ref())
      return yield* log.append(kind, run.ref(), head, [event])
    }).pipe(Effect.provide(onDisk))
  )

const expecting: LogAuditOptions = { expectHead: null, logOnly: false }

/** The words of an audit in order, and its result. */
const audited = <E extends ShoppingEvent>(
  auditor: LogAuditor<E, Shopping, number, ShoppingWord, never, never>,
  options: Partial<LogAuditOptions> = {}
) =>
  Effect.runPromise(
    Effect.gen(function*() {
      const words: Array<LogWord | ShoppingWord> = []
      const all = yield* auditLog(auditor, run.ref(), { ...expecting, ...options }, (more) =>
        Effect.sync(() =>
          void words.push(...more)
        ))
      return { ...all, words }
    }).pipe(Effect.provide(onDisk))
  )

const audit = (options: Partial<LogAuditOptions> = {}) => audited(shoppingAuditor(shopping), options)

/** Changes the bytes of the list. */
const spoil = (change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>): void =>
  fs.writeFileSync(log(), change(fs.readFileSync(log(), "utf8").split(/(?<=\n)/)).join(""))

describe("the audit of a sound list", () => {
  it("finds nothing, counts its lines and events, and ends at the head", async () => {
    const head = await write()
    const { end, events, findings, known, lines, place, words } = await audit()
    assert.deepStrictEqual({ findings, lines, events, known, words }, {
      findings: 0,
      lines: 4,
      events: 6,
      known: 2,
      words: []
    })
    assert.deepStrictEqual(place.head, head)
    assert.deepStrictEqual(place.walked.state, { list: "food", open: [], bought: 2 })
    assert.deepStrictEqual(end, { torn: 0, anchored: true })
  })

  it("gives the same in an older version, which skips what it may", async () => {
    await write()
    const { events, findings, place, words } = await audited(shoppingAuditor(olderShopping))
    assert.deepStrictEqual({ events, findings, words }, { events: 6, findings: 0, words: [] })
    assert.deepStrictEqual(place.walked.state, { list: "food", open: [], bought: 2 })
  })

  it("compares it with an expected head", async () => {
    const head = await write()
    assert.strictEqual((await audit({ expectHead: head })).findings, 0)
    const other = { ...head, hash: "0".repeat(64) }
    assert.deepStrictEqual((await audit({ expectHead: other })).words, [
      found("head", 4, `the line has the hash ${head.hash}, not the expected one`)
    ])
    assert.deepStrictEqual((await audit({ expectHead: { ...head, seq: 9 } })).words, [
      found("head", 4, "the log ends at line 4, before the expected line 9")
    ])
  })
})

describe("the kind's own auditor", () => {
  it("reports with the line that it is about", async () => {
    await write([[begun], [bought("gold")], [added("milk")]])
    const { findings, words } = await audit()
    assert.strictEqual(findings, 1)
    assert.deepStrictEqual(words, [
      found("unwanted", 2, "gold was on no list"),
      noted(0, "milk is still to be bought")
    ])
  })

  it("is asked about the end again, because open work may be closed meanwhile", async () => {
    await write([[begun], [added("milk")]])
    let asked = 0
    const auditor = shoppingAuditor(shopping)
    const meanwhile = Effect.sync(() => asked++).pipe(
      Effect.tap((times) => times === 0 ? Effect.promise(() => append(bought("milk"))) : Effect.void)
    )
    const { findings, lines, words } = await audited({
      ...auditor,
      ended: (walked) => Effect.tap(auditor.ended(walked), meanwhile)
    })
    assert.deepStrictEqual({ findings, lines, words, asked }, { findings: 0, lines: 3, words: [], asked: 2 })
  })
})

describe("the audit of a list that is not sound", () => {
  it("reports damage, and skips everything after it", async () => {
    await write()
    spoil((lines) => lines.map((line, i) => i === 2 ? line.replace("tea", "tee") : line))
    const { findings, lines, words } = await audit()
    assert.deepStrictEqual({ findings, lines }, { findings: 1, lines: 2 })
    const [word] = words
    assert.match(
      word?._tag === "Found" ? word.finding.text : "",
      /^bad hash, at byte \d+; nothing after it was checked$/
    )
    assert.deepInclude(word?._tag === "Found" ? word.finding : {}, { kind: "damage", line: 3 })
  })

  it("reports a log that was cut at a line", async () => {
    await write()
    spoil((lines) => lines.slice(0, 3))
    assert.deepStrictEqual((await audit()).words, [
      found("rewound", 3, "the log was rolled back against its head anchor")
    ])
  })

  it("reports a log that was rewritten with valid hashes", async () => {
    await write()
    const anchor = fs.readFileSync(run.file("shopping.head.json"))
    fs.rmSync(log())
    fs.rmSync(run.file("shopping.head.json"))
    await write([...usual.slice(0, 3), [bought("milk"), bought("milk")]])
    fs.writeFileSync(run.file("shopping.head.json"), anchor)
    const { words } = await audit()
    assert.deepInclude(words, found("rewound", 4, "the log was rewritten against its head anchor"))
  })

  it("notes a torn tail, and a missing anchor", async () => {
    await write()
    fs.appendFileSync(log(), '{"v":1')
    fs.rmSync(run.file("shopping.head.json"))
    const { findings, words } = await audit()
    assert.strictEqual(findings, 0)
    assert.deepStrictEqual(words, [
      noted(4, "6 bytes after the last line were never committed; the next writer removes them"),
      noted(4, "head.json is missing: lines cut from the end of the log would not be noticed")
    ])
  })

  it("compares the evidence of a repair with its line", async () => {
    await write()
    fs.appendFileSync(log(), '{"v":1')
    await append(added("jam"))
    assert.strictEqual((await audit()).findings, 0)
    const [kept = ""] = fs.readdirSync(run.file("shopping.torn"))
    fs.writeFileSync(run.file(`shopping.torn/${kept}`), '{"v":2')
    const { words } = await audit()
    const text = `shopping.torn/${kept}, which this line names, is not the recorded one`
    assert.deepStrictEqual(words[0], found("torn", 5, text))
    assert.deepStrictEqual((await audit({ logOnly: true })).findings, 0)
  })

  it("reports a line without an event", async () => {
    await write([[begun], []])
    assert.deepStrictEqual((await audit()).words, [found("fact", 2, "the line holds no event")])
  })

  it("notes that no line was ever written", async () => {
    await write()
    spoil(() => [])
    fs.rmSync(run.file("shopping.head.json"))
    assert.deepStrictEqual((await audit()).words, [noted(0, "the log has no line: the run was never begun")])
  })

  it("fails if the log is missing, or needs a newer version", async () => {
    const failure = () => audited(shoppingAuditor(olderShopping)).then(() => "sound", String)
    assert.match(await failure(), /LogMissing/)
    await write([[begun], [bought("gold")]])
    await append(priced("gold", 1), { ...shopping, ignorable: [] })
    assert.match(await failure(), /LogTooNew/)
  })
})
