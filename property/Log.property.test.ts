// Laws of the event log: what is written is what is read, whatever part of it the disk has kept.
// A law is stated over bytes and folds, never over how the log is implemented.
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { sha256 } from "../src/platform/Sha256.ts"
import { beginning, type Commit, type Head } from "../src/log/StreamKind.ts"
import type { Event } from "../src/run/Event.ts"
import { lineCodec } from "../src/log/Line.ts"
import { fold } from "../src/run/Manifest.ts"
import { reviewRun } from "../src/run/ReviewRun.ts"
import { arbitraries, type History } from "../src/testing/Arbitraries.ts"
import { Disk } from "../test/unit/log/disk.ts"
import { fileOf, onlyRun } from "../test/unit/log/onlyRun.ts"
import { unlocked } from "../test/unit/log/temporaryLog.ts"
import { answersAsMemory } from "../test/unit/fleet/eventLogLaws.ts"
import { eachHistory, histories } from "./histories.ts"

const { decodeLine, encodeLine, verifyLine } = lineCodec(reviewRun)
const by = { version: "0.1.0", pid: 7 }
const run = onlyRun("/state")
const path = fileOf("/state", "manifest.jsonl")

/** The bytes of a log of these commits, and the head after each line. */
const encodeAll = (commits: ReadonlyArray<Commit<Event>>) => {
  const heads: Array<Head> = [beginning]
  const lines = commits.map(({ at, events }) => {
    const line = Result.getOrThrow(encodeLine({ after: heads.at(-1) ?? beginning, at, by, events }, sha256))
    heads.push({ seq: line.line.seq, hash: line.line.hash })
    return line.bytes
  })
  return { bytes: Buffer.concat(lines), heads, lines }
}

const read = (bytes: Uint8Array) => unlocked(Disk.of(new Map([[path, bytes]])).files).read(reviewRun, run)

/** Every named history, cut at the end of each of its lines and one byte to either side. */
const cuts = Object.values(histories).flatMap((history) => {
  let end = 0
  const ends = encodeAll(history.commits).lines.map((line) => end += line.length)
  return [0, ...ends.flatMap((at) => [at - 1, at]), ...ends.slice(0, -1).map((at) => at + 1)]
    .map((place): [History, number] => [history, place])
})

describe("a line", () => {
  const after = fc.record({ seq: fc.integer({ min: 1, max: 1e9 }), hash: fc.constant("ab".repeat(32)) })
  const line = fc.record({ after, at: arbitraries.isoTime, events: arbitraries.lineOfEvents })

  it("decodes to the events it was encoded from", () =>
    fc.assert(fc.property(line, ({ after, at, events }) => {
      const { bytes, line: { seq } } = Result.getOrThrow(encodeLine({ after, at, by, events }, sha256))
      const decoded = Result.getOrThrow(Result.flatMap(verifyLine(bytes.subarray(0, -1), after, sha256), decodeLine))
      assert.deepStrictEqual(decoded, { seq, at, hash: sha256(bytes.subarray(0, -76)), events })
      assert.strictEqual(bytes.indexOf(10), bytes.length - 1)
    })))

  it("is encoded to the same bytes again", () =>
    fc.assert(fc.property(line, ({ after, at, events }) => {
      const { bytes } = Result.getOrThrow(encodeLine({ after, at, by, events }, sha256))
      const decoded = Result.getOrThrow(Result.flatMap(verifyLine(bytes.subarray(0, -1), after, sha256), decodeLine))
      const again = encodeLine({ after, at, by, events: decoded.events }, sha256)
      assert.deepStrictEqual(Result.getOrThrow(again).bytes, bytes)
    })))

  it("is refused with any other byte in any place", () =>
    fc.assert(fc.property(line, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ after, at, events }, place, change) => {
      const { bytes } = Result.getOrThrow(encodeLine({ after, at, by, events }, sha256))
      const i = place % (bytes.length - 1)
      bytes[i] = (bytes[i] ?? 0) ^ change
      assert.isTrue(Result.isFailure(verifyLine(bytes.subarray(0, -1), after, sha256)))
    })))
})

describe("a log", () => {
  it("folds to the manifest of its history", () =>
    fc.assert(
      fc.asyncProperty(arbitraries.history(), async ({ commits, manifest }) => {
        const contents = await Effect.runPromise(read(encodeAll(commits).bytes))
        assert.deepStrictEqual(fold(contents.commits), manifest)
      }),
      { examples: eachHistory }
    ))

  it("opens, cut anywhere, to the fold of its whole lines", () =>
    fc.assert(
      fc.asyncProperty(arbitraries.history(), fc.nat(), async ({ commits }, place) => {
        const { bytes, lines } = encodeAll(commits)
        const cut = bytes.subarray(0, place % (bytes.length + 1))
        const contents = await Effect.runPromise(read(cut))
        let [whole, size] = [0, 0]
        for (; size + (lines[whole]?.length ?? Infinity) <= cut.length; whole++) size += lines[whole]?.length ?? 0
        assert.deepStrictEqual(fold(contents.commits), fold(commits.slice(0, whole)))
        assert.strictEqual(contents.torn, cut.length - size)
      }),
      { examples: cuts }
    ))

  it("gives the rest after any of its heads", () =>
    fc.assert(fc.asyncProperty(arbitraries.history(), fc.nat(), async ({ commits }, place) => {
      const { bytes, heads } = encodeAll(commits)
      const seq = place % heads.length
      const log = unlocked(Disk.of(new Map([[path, bytes]])).files)
      const contents = await Effect.runPromise(log.readFrom(reviewRun, run, heads[seq] ?? beginning))
      const numbers = (some: ReadonlyArray<Commit<Event>>) => some.map((commit) => commit.seq)
      assert.deepStrictEqual(numbers(contents.commits), numbers(commits.slice(seq)))
      assert.deepStrictEqual(contents.head, heads.at(-1))
    })))
})

describe("the log in memory", () => {
  it("answers as the log on a disk does", () => answersAsMemory(() => ({ log: unlocked(new Disk().files), run })))
})
