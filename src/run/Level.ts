// Level: the rungs of the reasoning ladder, totally ordered low < medium < high < xhigh.
// Levels are compared by `rank`, never by their tokens.
import { Schema } from "effect"

/** A reasoning level, spelt as on the command line, in paths and in `model_reasoning_effort`. */
export const Level = Schema.Literals(["low", "medium", "high", "xhigh"])
export type Level = typeof Level.Type

/** All levels from the bottom to the top of the ladder. */
export const levels: ReadonlyArray<Level> = Level.literals

const ranks = { low: 0, medium: 1, high: 2, xhigh: 3 } as const satisfies Record<Level, number>
const above = { low: "medium", medium: "high", high: "xhigh", xhigh: "xhigh" } as const satisfies Record<Level, Level>
const below = { low: "low", medium: "low", high: "medium", xhigh: "high" } as const satisfies Record<Level, Level>

/** The ladder edge: the absolute top, whatever ceiling is configured. */
export const edge: Level = "xhigh"

/** Position on the ladder, 0 for low to 3 for xhigh. */
export const rank = (level: Level): number => ranks[level]

/** Negative, zero or positive as `a` is below, at or above `b`. */
export const compare = (a: Level, b: Level): number => ranks[a] - ranks[b]

/** One rung up; xhigh stays xhigh. */
export const up = (level: Level): Level => above[level]

/** One rung down, never below `floor`. A level already at or below the floor lands on the floor. */
export const downTo = (level: Level, floor: Level): Level => compare(level, floor) <= 0 ? floor : below[level]

/** Whether the text is a level token. */
export const isLevel = Schema.is(Level)
