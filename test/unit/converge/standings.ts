// standings: hand-offs about the findings of one batch.
import type { Standing } from "../../../src/converge/Handoff.ts"
import { content } from "../core/converge/streams.ts"
import { batchOf, report } from "../core/findings/reviewedBatches.ts"

/** A hand-off of low/1 about findings of these names. */
export const standing = (findings: ReadonlyArray<string>): Standing => ({
  handoff: { kind: "AddressBatch", level: "low", batch: 1, findings, anyFinding: true, history: "h1" },
  prompt: "Verify and address 1 review(s).",
  report: report(batchOf(1, [])),
  content: content("a")
})
