// attestations: what is attested in tests, from a few words; what is not named is ordinary.
import type { Attested, ShownLevel } from "../../src/read/attest/Attest.ts"
import type { Level } from "../../src/run/Level.ts"

export const commit = "c".repeat(40)
export const tree = "7".repeat(40)

/** A level with one clean reviewer. */
export const shown = (level: Level, change: Partial<ShownLevel> = {}): ShownLevel => ({
  level,
  batch: 1,
  line: 7,
  code: "same",
  retrospective: false,
  isolated: false,
  model: "gpt-5",
  codex: "0.169.0",
  recordedBy: ["0.1.0"],
  arguments: ["review", "--uncommitted"],
  reviewers: [{
    slot: 1,
    attempt: 2,
    verdict: "Clean",
    reason: "session-correct",
    source: "session",
    findings: 0,
    files: { log: "1".repeat(64), out: "2".repeat(64), review: null }
  }],
  waived: [],
  ...change
})

/** A run at its fixed point. */
export const attested = (change: Partial<Attested> = {}): Attested => ({
  run: "20260101T000000Z-000000000-p1",
  repository: "repo-noremote",
  target: { _tag: "Uncommitted" },
  strict: true,
  reviewed: { _tag: "Known", head: commit, tree, base: null, headTree: "8".repeat(40), nested: "", stamps: "s" },
  fixedPoint: { _tag: "FixedPointReached", level: "medium", batch: 1, ceiling: "medium", by: "Reviews" },
  complete: true,
  levels: [
    shown("low", {
      waived: [{
        fingerprint: "0123456789abcdef",
        title: "Use \u202e password=hunter2hunter2",
        priority: 2,
        because: {
          _tag: "Dismissed",
          scope: "run",
          reason: "token ghp_0123456789abcdefghijklmnopqrstuvwxyz",
          until: null
        }
      }]
    }),
    shown("medium", { line: 12 })
  ],
  tests: [{ command: "npm test", exit: 0, output: "3".repeat(64) }],
  head: { seq: 12, hash: "4".repeat(64) },
  ...change
})
