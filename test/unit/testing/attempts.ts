// attempts: references of attempts of one run's first batch, and how their reviewers are launched.
import type { AttemptRef } from "../../../src/run/Refs.ts"
import type { Launch } from "../../../src/review/Reviewers.ts"
import { reviewArguments } from "../../../src/run/Target.ts"
import { runRef } from "../run/events.ts"

export const run = runRef()

/** An attempt to review a slot. */
export const attempt = (slot = 1, number = 1): AttemptRef => ({
  run,
  level: "low",
  batch: 1,
  slot,
  attempt: number,
  id: `${slot}-${number}`
})

export const launch: Launch = {
  binary: "codex",
  argv: reviewArguments({ _tag: "Uncommitted" }, null, "low"),
  cwd: "/repo",
  isolated: false,
  line: { seq: 2, hash: "ab" },
  reviewTimeout: 3_600_000,
  maxTranscript: 1_000_000
}
