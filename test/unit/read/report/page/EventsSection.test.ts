// The section of the raw events: bounded, and it says what is left out.
import { assert, it } from "vitest"
import { eventsSection } from "../../../../../src/read/report/page/Page.ts"
import { reportOf } from "../reports.ts"

it("says how many events are left out, and what shows them", () => {
  const { text } = eventsSection(reportOf("a word"))
  assert.include(text, "The run&#39;s log: 12 events")
  assert.include(text, "10 events left out here; <code>ooda-codex-review replay 20300101T000001Z-000000001-p1</code>")
})

it("shows a short log whole", () => {
  const logs = [{ name: "converge", count: 2, first: ["a", "b"], left: 0, last: [] }]
  const { text } = eventsSection(reportOf("x", { logs }))
  assert.include(text, "The log of its driver: 2 events</summary><pre>\na\nb</pre></details>")
})
