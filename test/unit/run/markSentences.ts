// markSentences: "given a run that stands here, when this mark is applied, then", for the tests of marks.
// The one rule: a decision is compared whole: its events, its line and its outcome.
import { assert } from "vitest"
import type { Level } from "../../../src/run/Level.ts"
import type { Manifest } from "../../../src/run/Manifest.ts"
import { decideMark, type Mark, type MarkDecision } from "../../../src/run/Mark.ts"
import { created, given, opened } from "./events.ts"

/** Applies a mark; `then` compares what it decides. */
export const when = (manifest: Manifest, mark: Mark, ceiling: Level = "xhigh") => ({
  then: (expected: MarkDecision): void => assert.deepStrictEqual(decideMark(manifest, mark, ceiling), expected)
})

/** A run with the floor `floor` that stands at `level` in batch 1 there (batch 2 at the floor itself). */
export const standing = (floor: Level, level: Level): Manifest =>
  given([created({ startLevel: floor })], [opened(level, level === floor ? 2 : 1, { from: floor })])

export const idle = { _tag: "Idle" } as const
