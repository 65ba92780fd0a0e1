// EventLog.damage: readers and writers refuse every damage of acknowledged bytes, and name its kind and place.
// A log is never opened past damage, and a refusal changes no byte.
import { Effect } from "effect"
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { maxLineBytes } from "../../../src/log/Frame.ts"
import { sha256 } from "../../../src/platform/Sha256.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { Disk } from "./disk.ts"
import { fileOf, onlyRun } from "./onlyRun.ts"
import { note, notes } from "./samples.ts"
import { outcome, temporaryRun, unlocked, writeLines } from "./temporaryLog.ts"

const run = temporaryRun()
const count = 4

const write = () => {
  fs.rmSync(run.dir(), { recursive: true, force: true })
  return Effect.runPromise(writeLines(unlocked(), run.ref(), count))
}

const read = () => outcome(unlocked().read(reviewRun, run.ref()))
const rewrite = (lines: ReadonlyArray<string>) => run.write(Buffer.from(lines.join("")))

/** What reading and appending report for a log whose lines were changed; both must agree. */
const refusal = async (change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>): Promise<unknown> => {
  const heads = await write()
  const last = heads[count - 1] ?? assert.fail("no last line")
  rewrite(change(run.lines()))
  const before = run.bytes()
  const said = await read()
  assert.deepStrictEqual(await outcome(unlocked().append(reviewRun, run.ref(), last, [note("next")])), said)
  assert.deepStrictEqual(run.bytes(), before)
  return said
}

const offsetOf = (line: number): number =>
  run.lines().slice(0, line - 1).reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)

const damaged = (kind: string, line: number) => ({ _tag: "LogDamaged", kind, line, offset: offsetOf(line) })

describe("a damaged log", () => {
  it("is refused for every flipped bit, at the line that holds it", { tags: "slow" }, async () => {
    await write()
    const sound = run.bytes()
    const anchor = fs.readFileSync(run.file("head.json"))
    for (let i = 0; i < sound.length; i++) {
      const line = sound.subarray(0, i).filter((byte) => byte === 10).length + 1
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Uint8Array.from(sound)
        flipped[i] = (sound[i] ?? 0) ^ (1 << bit)
        const disk = Disk.of(
          new Map([[fileOf("/state", "manifest.jsonl"), flipped], [fileOf("/state", "head.json"), anchor]])
        )
        const said = await outcome(unlocked(disk.files).read(reviewRun, onlyRun("/state")))
        assert.deepInclude(said, { _tag: "LogDamaged", line }, `byte ${i}, bit ${bit}`)
      }
    }
  })

  it("is refused for a byte set to NUL in the last acknowledged line", async () => {
    await write()
    const bytes = run.bytes()
    run.write(bytes.fill(0, bytes.length - 100, bytes.length - 99))
    assert.deepStrictEqual(await read(), damaged("NUL", count))
  })

  it("is reported for a deleted line", async () =>
    assert.deepStrictEqual(await refusal((lines) => lines.filter((_, i) => i !== 1)), damaged("gap", 2)))

  it("is reported for a doubled line", async () =>
    assert.deepStrictEqual(
      await refusal((lines) => lines.flatMap((line, i) => i === 1 ? [line, line] : [line])),
      damaged("duplicate", 3)
    ))

  it("is reported for a line of another run", async () => {
    await Effect.runPromise(writeLines(unlocked(), { ...run.ref(), repoId: "other" }, count, "ff00"))
    const foreign =
      fs.readFileSync(run.file("manifest.jsonl").replace("/repo/", "/other/"), "utf8").split(/(?<=\n)/)[2] ?? ""
    assert.deepStrictEqual(
      await refusal((lines) => lines.map((line, i) => i === 2 ? foreign : line)),
      damaged("broken chain", 3)
    )
  })

  it("is reported for carriage returns, a byte order mark, a blank line and NULs", async () => {
    const crlf = await refusal((lines) => lines.map((line) => line.replace("\n", "\r\n")))
    assert.deepStrictEqual(crlf, damaged("CRLF", 1))
    assert.deepStrictEqual(await refusal(([a, ...rest]) => [`\ufeff${a}`, ...rest]), damaged("BOM", 1))
    assert.deepStrictEqual(await refusal(([a = "", ...rest]) => [a, "\n", ...rest]), damaged("blank line", 2))
    assert.deepStrictEqual(await refusal(([a = "", ...rest]) => [a, "\u0000\n", ...rest]), damaged("NUL", 2))
    assert.deepStrictEqual(await refusal((lines) => [...lines, "\n"]), damaged("blank line", count + 1))
  })

  it("is more than a torn tail if lines follow a hole", async () =>
    assert.deepStrictEqual(
      await refusal((lines) => [...lines, "\u0000\u0000\n", "x\n"]),
      damaged("NUL", count + 1)
    ))

  it("is reported for a line that is too long, without reading all of it", async () => {
    const long = `${"x".repeat(3 * 1024 * 1024)}\n`
    assert.deepStrictEqual(await refusal((lines) => [...lines, long, "y"]), damaged("too long", count + 1))
    assert.deepStrictEqual(
      await refusal((lines) => [...lines, `${"x".repeat(maxLineBytes + 5)}\n`]),
      damaged("not JSON", count + 1)
    )
  })

  it("is reported as missing if the file does not exist", async () => {
    assert.deepStrictEqual(await read(), { _tag: "LogMissing" })
    await write()
    fs.rmSync(run.file("manifest.jsonl"))
    assert.deepStrictEqual(await read(), { _tag: "LogMissing" })
  })
})

describe("the head anchor", () => {
  it("reveals a log that was cut, between lines or within one", async () => {
    const cut = { _tag: "LogRewound", kind: "rolled back" }
    assert.deepStrictEqual(await refusal((lines) => lines.slice(0, -1)), cut)
    assert.deepStrictEqual(await refusal((lines) => lines.slice(0, 1)), cut)
    assert.deepStrictEqual(await refusal(() => []), cut)
    assert.deepStrictEqual(await refusal((lines) => lines.map((line, i) => i === 3 ? line.slice(0, -1) : line)), cut)
    assert.deepStrictEqual(await refusal((lines) => lines.map((line, i) => i === 3 ? line.slice(0, 9) : line)), cut)
  })

  it("reveals the cut to a writer that never saw the lost lines", async () => {
    const heads = await write()
    rewrite(run.lines().slice(0, 2))
    const head = heads[1] ?? assert.fail("no second line")
    const said = await outcome(unlocked().append(reviewRun, run.ref(), head, [note("3")]))
    assert.deepStrictEqual(said, { _tag: "LogRewound", kind: "rolled back" })
    assert.lengthOf(run.lines(), 2)
  })

  for (const lines of [count - 1, count, count + 2]) {
    it(`reveals a suffix that was rewritten with valid hashes (${lines} lines instead of ${count})`, async () => {
      const heads = await write()
      const anchor = fs.readFileSync(run.file("head.json"))
      const base = run.lines().slice(0, 2)
      fs.rmSync(run.file("head.json"))
      rewrite(base)
      let head = heads[1] ?? assert.fail("no second line")
      for (let i = 3; i <= lines; i++) {
        const forged = [note("forged, and longer than it was")]
        head = await Effect.runPromise(unlocked().append(reviewRun, run.ref(), head, forged))
      }
      fs.writeFileSync(run.file("head.json"), anchor)
      assert.deepInclude(await read(), { _tag: "LogRewound", kind: lines < count ? "rolled back" : "rewritten" })
    })
  }

  it("is rebuilt by the next append if it is missing or unreadable", async () => {
    for (const spoil of ["", "\u0000\u0000", "{}", '{"seq":1,"offset":3,"hash":"00"}', null]) {
      const heads = await write()
      const last = heads[count - 1] ?? assert.fail("no last line")
      if (spoil === null) fs.rmSync(run.file("head.json"))
      else fs.writeFileSync(run.file("head.json"), spoil)
      assert.deepInclude(await read(), { head: last, torn: 0 })
      const next = await Effect.runPromise(unlocked().append(reviewRun, run.ref(), last, [note("next")]))
      const stored = JSON.parse(fs.readFileSync(run.file("head.json"), "utf8"))
      assert.deepStrictEqual(stored, { seq: next.seq, offset: run.bytes().length, hash: next.hash })
    }
  })

  it("may be behind, if a writer died between its line and the anchor", async () => {
    const heads = await Effect.runPromise(writeLines(unlocked(), run.ref(), 2))
    const anchor = fs.readFileSync(run.file("head.json"))
    const head = heads[1] ?? assert.fail("no second line")
    await Effect.runPromise(unlocked().append(reviewRun, run.ref(), head, [note("3")]))
    fs.writeFileSync(run.file("head.json"), anchor)
    const contents = await Effect.runPromise(unlocked().read(reviewRun, run.ref()))
    assert.deepStrictEqual(notes(contents), ["2", "3"])
  })
})

describe("a log of a newer version", () => {
  it("is refused with that reason", async () => {
    await write()
    const newer = run.lines()[count - 1]?.replace('"v":1', '"v":2') ?? ""
    const body = newer.slice(0, -76)
    fs.rmSync(run.file("head.json"))
    rewrite([...run.lines().slice(0, -1), `${body},"hash":"${sha256(body)}"}\n`])
    assert.deepStrictEqual(await read(), { _tag: "LogTooNew", reason: { _tag: "FormatVersion", version: 2 } })
  })
})
