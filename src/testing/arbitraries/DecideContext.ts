// DecideContext: what a decision is made from beside the manifest.
// The one rule: the position at which an invocation began is near the lines that a short history has.
import * as fc from "fast-check"
import type { DecideContext } from "../../core/loop/Decide.ts"
import { identity } from "./Fact.ts"
import { fieldsOf } from "./Fields.ts"
import { level } from "./Ladder.ts"

/** A context; `identity` null stands for one that was not computed. */
export const decideContext = fieldsOf<DecideContext>({
  ceiling: level,
  retries: fc.nat({ max: 3 }),
  openedAt: fc.nat({ max: 20 }),
  identity: fc.option(identity),
  maxBatches: fc.option(fc.integer({ min: 1, max: 4 })),
  paths: fc.constant({
    findings: "/run/levels/level-low/batch-1/findings.md",
    transcripts: "/run/levels/level-low/batch-1",
    logs: ["/run/levels/level-low/batch-1/low-1.log"],
    history: "/run/history.md"
  })
})
