// Audits: the audit of many runs, as text or one document, and what it says of all of them.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { audits } from "../../../../src/read/audit/Audits.ts"
import type { RunRef } from "../../../../src/log/Refs.ts"
import { Output, OutputClosed, OutputFailed } from "../../../../src/platform/Process.ts"
import { opened, runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"
import { forge, reviewedRun } from "../../../support/reviewedRuns.ts"

const options = {
  expectHead: null,
  logOnly: false,
  reclassify: false,
  version: "0.1.0",
  json: false,
  attestation: null
}
const missing = runRef()

const audited = (runs: ReadonlyArray<RunRef>, json = false) => {
  let said = ""
  const output = Layer.succeed(Output, { write: (text) => Effect.sync(() => void (said += text)) })
  return Effect.provide(audits(runs, { ...options, json }), output).pipe(Effect.map((verdict) => ({ said, verdict })))
}
const forged = Effect.tap(reviewedRun(), (one) => forge(one, opened("xhigh", 9)))

describe("the audit of runs", () => {
  it("of none is sound", async () =>
    assert.deepStrictEqual(await onMachine(audited([])), { said: "", verdict: "Sound" }))

  it("is sound where each is", async () => {
    const { said, verdict } = await onMachine(Effect.flatMap(reviewedRun(), (one) => audited([one, one])))
    assert.strictEqual(verdict, "Sound")
    assert.lengthOf(said.match(/^ {2}sound$/gm) ?? [], 2)
  })

  it("goes on behind one that cannot be read, which outweighs the sound ones", async () => {
    const { said, verdict } = await onMachine(Effect.flatMap(reviewedRun(), (one) => audited([missing, one])))
    assert.strictEqual(verdict, "Unreadable")
    assert.match(said, /\n {2}unreadable: [^\n]+\nrun [^\n]+\n[^]*\n {2}sound\n$/)
  })

  it("has findings where one has, whatever else cannot be read", async () =>
    assert.strictEqual((await onMachine(Effect.flatMap(forged, (one) => audited([missing, one])))).verdict, "Findings"))

  it("is one document for programs", async () => {
    const { said } = await onMachine(Effect.flatMap(forged, (one) => audited([one, missing], true)))
    const { runs, sound } = JSON.parse(said)
    assert.isFalse(sound)
    assert.deepStrictEqual(runs.map(({ sound }: { sound: unknown }) => sound), [false, null])
  })
})

describe("an output", () => {
  const audit = (error: OutputClosed | OutputFailed) =>
    Effect.flatMap(
      forged,
      (one) => Effect.provide(audits([one], options), Layer.succeed(Output, { write: () => Effect.fail(error) }))
    )

  it("that nobody reads any more takes nothing from the verdict", async () =>
    assert.strictEqual(await onMachine(audit(new OutputClosed())), "Findings"))

  it("that cannot be written to fails", async () => {
    const reason = { _tag: "SystemRefused", code: "ENOSPC", call: "write", said: "no space" } as const
    assert.strictEqual((await onMachine(Effect.flip(audit(new OutputFailed({ reason })))))._tag, "OutputFailed")
  })
})
