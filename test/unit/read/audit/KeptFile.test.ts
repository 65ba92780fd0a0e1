// KeptFile: a file that a line names: there, as recorded, and nowhere else than the program would have put it.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { type KeptFile, keptFinding } from "../../../../src/read/audit/Recheck.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { digest } from "../../run/events.ts"

const run = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted", runId: "run-1" }
const text: KeptFile = { kept: "text", file: `texts/${digest.hex}.txt`, hex: digest.hex, bytes: digest.bytes }
const torn: KeptFile = { kept: "torn", file: "torn/7-abababab", hex: "abababab", bytes: digest.bytes }

/** What is wrong with a file, and what was looked up to tell. */
const found = async (file: KeptFile, there: typeof digest | null = digest) => {
  const asked: Array<string> = []
  const unasked = () => assert.fail("no place is asked for")
  const store = Layer.mock(RunStore)({
    targetPlace: unasked,
    runPlaces: unasked,
    batchPlaces: unasked,
    digest: (_, name) => Effect.sync(() => (asked.push(name), there))
  })
  const finding = await Effect.runPromise(Effect.provide(keptFinding(run, file), store))
  return { finding, asked }
}

describe("a kept file", () => {
  it.each([["the rest of a text", text], ["what was cut from a torn tail", torn]])(
    "that is as recorded is fine: %s",
    async (_, file) => assert.deepStrictEqual(await found(file), { finding: null, asked: [file.file] })
  )

  it("that is missing is found", async () =>
    assert.strictEqual((await found(text, null)).finding, `${text.file}, which this line names, is missing`))

  it("of other bytes, or of another length, is found", async () => {
    for (const other of [{ ...digest, hex: "cd".repeat(32) }, { ...digest, bytes: 13 }]) {
      const { finding } = await found(torn, other)
      assert.strictEqual(finding, "torn/7-abababab, which this line names, is not the recorded one")
    }
  })

  it.each(["../../etc/passwd", "texts/../manifest.jsonl", `torn/${"ab".repeat(32)}.txt`, "texts/x\n"])(
    "by a name that the program never gives is not even looked for: %j",
    async (file) => {
      const { asked, finding } = await found({ ...text, file })
      assert.deepStrictEqual(asked, [])
      assert.match(finding ?? "", /^[^\n]*, which this line names, is no name of a kept file$/)
    }
  )
})
