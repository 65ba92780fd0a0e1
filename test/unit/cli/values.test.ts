// values: the texts behind flags that have a shape: whole numbers, durations, paths, commits of a log.
// Rule: every boundary is tried on both sides.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { bounds } from "../../../src/run/Settings.ts"
import { stepSettings } from "../../../src/run/StepSettings.ts"
import { batch, batchName, count, head, parserOf, path, type Value } from "../../../src/cli/values.ts"

const read = <A>(value: Value<A>, text: string): A | string =>
  Result.getOrElse(value(text), (reason) => `no: ${reason}`)
const refused = <A>(value: Value<A>, text: string): boolean => Result.isFailure(value(text))

describe("count", () => {
  it("reads decimal digits within its bounds", () => {
    const value = count({ least: 0, most: 1000 })
    assert.deepEqual(["0", "1", "007", "1000"].map((text) => read(value, text)), [0, 1, 7, 1000])
    assert.deepEqual(
      ["1001", "-1", "+1", "1.0", "1e1", "0x1", " 1", "1 ", "", "1_0", "١", "NaN", "Infinity", "9".repeat(400), "1\n"]
        .filter((text) => !refused(value, text)),
      []
    )
    assert.isTrue(refused(count({ least: 1, most: 3 }), "0"))
  })
})

const duration = parserOf(stepSettings.reviewTimeout)

describe("duration", () => {
  const durations: ReadonlyArray<readonly [string, number]> = [
    ["1ms", 1],
    ["1h2m3s4ms", 3_723_004],
    ["0h1s", 1000],
    ["168h", bounds.duration.most],
    ["10080m", bounds.duration.most]
  ]
  it.each(durations)("%s is %d ms", (text, milliseconds) => {
    assert.strictEqual(read(duration, text), milliseconds)
  })

  const none = [
    "",
    "0",
    "0s",
    "0h0m",
    "8",
    "1.5h",
    "-1s",
    "1d",
    "1H",
    "1 m",
    "m",
    "30m1h",
    "1h1h",
    "1s\n",
    " 1s",
    "168h1ms",
    "9999999999s"
  ]
  it.each(none)("%j is no duration", (text) => {
    assert.isTrue(refused(duration, text))
  })
})

describe("path", () => {
  it("is kept as given, and never empty", () => {
    for (const text of ["/a", "./a b", "-x", " ", "~/x", "a/../b", "ä"]) assert.strictEqual(read(path, text), text)
    assert.isTrue(refused(path, ""))
    assert.isTrue(refused(path, "/a\0b"))
  })
})

describe("head", () => {
  const hash = "0123456789abcdef".repeat(4)
  it("is a sequence number and a hash", () => {
    assert.deepEqual(read(head, `17:${hash}`), { seq: 17, hash })
    assert.deepEqual(read(head, `0:${hash.toUpperCase()}`), { seq: 0, hash })
  })

  const none = [
    hash,
    `:${hash}`,
    `17:${hash.slice(1)}`,
    `17:${hash}0`,
    `-1:${hash}`,
    `17 ${hash}`,
    `17:${hash}\n`,
    `1e3:${hash}`,
    `17:${hash.slice(1)}g`,
    `9999999999999999:${hash}`
  ]
  it.each(none)("%j is refused", (text) => {
    assert.isTrue(refused(head, text))
  })
})

describe("a batch", () => {
  it("has the same numbers with a run and without", () => {
    const [most, more] = ["9".repeat(15), "9".repeat(16)]
    assert.deepStrictEqual(read<object>(batchName, `low/${most}`), { level: "low", batch: Number(most) })
    const run = "20260101T000000Z-000000001-p7"
    assert.deepStrictEqual(read<object>(batch, `low/${most}@${run}`), { level: "low", batch: Number(most), run })
    for (const text of [`low/${more}`, "low/0", "max/1", "low", "", "low/1@"]) {
      assert.isTrue(refused(batchName, text) && refused(batch, text), text)
    }
  })
})
