// Damage: torn tails of every length, single wrong bytes, and logs that were cut, rewritten or written by a newer one.
// A torn tail is repaired and reported; any other damage is reported, and the log is not written to.
import { assert, describe, it } from "vitest"
import { tried } from "../tried.ts"
import { type Place, useBench } from "./bench.ts"
import { eventsOf, latestDir, latestRun, snapshot } from "./disk.ts"
import { first, forged, makeSound, patched, rehashed, type Sound } from "./forge.ts"
import { freely } from "./gate.ts"
import { givesMark, type Marked } from "./marking.ts"
import { trials } from "./pool.ts"

const made: { sound: Sound | null } = { sound: null }
const bench = useBench(async (bench) => {
  made.sound = await makeSound(bench)
})
const sound = (): Sound => made.sound ?? assert.fail("no sound run")
const line = (n: number): Buffer => sound().lines[n - 1] ?? assert.fail(`no line ${n}`)

const mark: Marked = { args: ["--advance-level"], mark: { _tag: "AdvanceLevel" } }
const loop = { args: ["-n", "1"], scenario: "issues 1" }

/** Checks that an invocation is refused in one line, and that it changed nothing at all below the state root. */
const refused = async (on: Place, args: ReadonlyArray<string>, message: RegExp, where: string): Promise<void> => {
  const before = snapshot(on.state)
  const ended = await freely(bench(), on, { args })
  assert.strictEqual(ended.exit, 6, `${where}\n${ended.stdout}${ended.stderr}`)
  assert.match(ended.stderr, /^BinaryError: \S[^\n]*\n$/, where)
  assert.match(ended.stderr, message, where)
  assert.strictEqual(ended.stdout, "", where)
  assert.deepStrictEqual(snapshot(on.state), before, where)
}

/** Checks that marks are refused, while a loop step opens a new run and leaves the damaged one as it is. */
const isDamaged = async (on: Place, where: string): Promise<void> => {
  await refused(on, mark.args, /manifest\.jsonl: (damaged at line \d+, byte \d+: |the log is missing)/, where)
  const damaged = latestDir(on.state) ?? assert.fail(where)
  const before = snapshot(damaged)
  const ended = await freely(bench(), on, loop)
  assert.strictEqual(ended.header, "HandoffAgent: AddressBatch", `${where}\n${ended.stderr}`)
  const run = latestRun(on.state) ?? assert.fail(where)
  assert.notStrictEqual(run.dir, damaged, where)
  assert.strictEqual(eventsOf(run, "RunCreated")[0]?.because, "ManifestUnreadable", where)
  assert.deepStrictEqual(snapshot(damaged), before, `${where}: the damaged run was touched`)
}

/** Checks that nothing works on a run any more, and that nothing is changed by trying. */
const isRefused = async (on: Place, message: RegExp, where: string): Promise<void> => {
  for (const args of [mark.args, loop.args, ["--fresh"], ["--inspect"]]) {
    await refused(on, args, message, `${where}: ${args.join(" ")}`)
  }
}

describe("a torn tail", () => {
  const torn = async (tail: Uint8Array, where: string, head: string | null): Promise<void> => {
    const place = forged(bench(), sound(), Buffer.concat([first(sound(), 3), tail]), head)
    await givesMark(bench(), place, mark, where)
  }

  it("of any length of the last line is repaired by the next mark", async () => {
    const last = line(4)
    // EventLogFile.recovery.test.ts tries every length; here the whole program meets both ends and each fourth between.
    const lengths = Array.from(last, (_, length) => length).filter((length) =>
      length < 8 || length % 4 === 0 || length >= last.length - 8
    )
    const some = tried(lengths)
    await trials(some, (length) => torn(last.subarray(0, length), `${length} bytes`, sound().anchor))
    console.log(`torn tails: ${some.length} lengths of a line of ${last.length} bytes`)
  })

  it("of any other kind is repaired by the next mark, with an anchor and without", async () => {
    const hole = patched(line(4), 60, Buffer.alloc(40))
    const tails = [Buffer.from("xyz"), Buffer.alloc(4096), hole, Buffer.concat([line(4), Buffer.alloc(512)])]
    const anchors = [sound().anchor, null]
    const others = [...tails, line(4).subarray(0, -1)].flatMap((tail) => anchors.map((head) => ({ tail, head })))
    await trials(others, ({ head, tail }, i) => torn(tail, `tail ${i}`, head))
    console.log(`torn tails: ${others.length} of other kinds`)
  })
})

describe("a damaged log", () => {
  it("of one wrong byte is not written to, and replaced by loop mode", async () => {
    const log = first(sound(), 3)
    const wrong = tried(Array.from({ length: 40 }, (_, i) => Math.floor((i * (log.length - 1)) / 39)))
    await trials(wrong, (at, i) => {
      const by = (log[at] ?? 0) ^ (1 << i % 8)
      return isDamaged(forged(bench(), sound(), patched(log, at, Buffer.of(by))), `byte ${at}`)
    })
    console.log(`wrong bytes: ${wrong.length} of ${log.length}`)
  })

  it("of any kind is not written to, and replaced by loop mode", async () => {
    const [one, two, three] = [line(1), line(2), line(3)]
    const spliced = (await makeSound(bench())).lines[2] ?? assert.fail("no other run")
    const again = JSON.stringify(JSON.parse(two.toString()), null, 1).replaceAll("\n", "")
    const logs = {
      "a line deleted": Buffer.concat([one, three]),
      "a line twice": Buffer.concat([one, two, two, three]),
      "lines swapped": Buffer.concat([one, three, two]),
      "a line of another run": Buffer.concat([one, two, spliced]),
      "a line serialised again": Buffer.concat([one, Buffer.from(`${again}\n`), three]),
      "line ends of Windows": Buffer.from(first(sound(), 3).toString().replaceAll("\n", "\r\n")),
      "a byte order mark": Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), first(sound(), 3)]),
      "a blank line": Buffer.concat([one, Buffer.from("\n"), two, three]),
      "a hole in an acknowledged line": patched(first(sound(), 3), one.length + 60, Buffer.alloc(40)),
      "no log": null
    }
    await trials(Object.entries(logs), ([name, log]) => isDamaged(forged(bench(), sound(), log), name))
    console.log(`damage of other kinds: ${Object.keys(logs).length}`)
  })
})

describe("a log that is", () => {
  it("of a newer version is refused by everything", async () => {
    const unknown = [{ _tag: "ReviewerPromoted", level: "low" }]
    for (const change of [{ v: 2 }, { events: unknown }]) {
      const log = Buffer.concat([first(sound(), 3), rehashed(line(4), change)])
      await isRefused(forged(bench(), sound(), log), /needs a newer version/, JSON.stringify(change))
    }
    const ignorable = rehashed(line(4), { events: unknown.map((event) => ({ ...event, ignorable: true })) })
    const place = forged(bench(), sound(), Buffer.concat([first(sound(), 3), ignorable]))
    await givesMark(bench(), place, mark, "an event that may be ignored")
  })

  it("rolled back, or rewritten, is refused by everything", async () => {
    await isRefused(forged(bench(), sound(), first(sound(), 2)), /rolled back/, "two of three lines")
    await isRefused(forged(bench(), sound(), new Uint8Array(0)), /rolled back/, "an empty log")
    const other = rehashed(line(3), { at: "2026-01-01T00:00:00.000Z" })
    await isRefused(forged(bench(), sound(), Buffer.concat([first(sound(), 2), other])), /rewritten/, "another line 3")
  })

  it("rolled back together with its anchor is refused where the head is expected", async () => {
    const { hash, seq } = JSON.parse(sound().anchor)
    const place = forged(bench(), sound(), first(sound(), 2), null)
    for (const args of [mark.args, loop.args]) {
      await refused(place, [...args, "--expect-head", `${seq}:${hash}`], /the run has moved on/, args.join(" "))
    }
  })
})
