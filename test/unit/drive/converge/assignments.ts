// assignments: hand-offs about the findings of one batch.
import type { Assignment } from "../../../../src/drive/converge/Drive.ts"
import { content } from "./streams.ts"
import { batchOf, report } from "../../../support/reviewedBatches.ts"

/** A hand-off of low/1 with findings of these names. */
export const assignment = (findings: ReadonlyArray<string>): Assignment => ({
  handoff: { kind: "AddressBatch", level: "low", batch: 1, findings, anyFinding: true, history: "h1" },
  prompt: "Verify and address 1 review(s).",
  report: report(batchOf(1, [])),
  content: content("a")
})
