// KeptTexts: every event that may keep a text beside the log names it.
import { assert, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { textsOf } from "../../../../src/read/audit/Recheck.ts"
import { digest, started } from "../../run/events.ts"

const at = { level: "low", batch: 1 } as const
const long = { text: "t", rest: digest }
const finding = { fingerprint: "0".repeat(16), priority: null, path: null, wordings: [], until: null }
const keeping: ReadonlyArray<Event> = [
  { _tag: "AddressFailed", ...at, details: long },
  { _tag: "LevelOutcomeRecorded", ...at, outcome: { _tag: "RetrospectiveChanges", reason: long }, ceiling: "low" },
  { _tag: "FindingDismissed", ...finding, reason: long },
  { _tag: "BatchWaived", ...at, block: 3, findings: [], rest: digest }
]

it("a text that is kept beside the log is named by its digest", () => {
  for (const event of keeping) {
    assert.deepStrictEqual(textsOf(event, 7), [{ line: 7, name: `texts/${digest.hex}.txt`, text: digest }], event._tag)
  }
})

it("a text that stands whole in the log is not, nor is there one in any other event", () => {
  for (const event of [{ _tag: "AddressFailed", ...at, details: { text: "t" } } as const, started()]) {
    assert.deepStrictEqual(textsOf(event, 7), [])
  }
})
