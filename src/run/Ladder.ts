// Ladder: floor, ceiling and current level, and where each mark leads from there.
import { compare, downTo, edge, type Level, up } from "./Level.ts"

/** The position of a run: the configured floor and ceiling, and the level it is at. */
export interface Ladder {
  readonly floor: Level
  readonly ceiling: Level
  readonly current: Level
}

/** The four rows of the `--mark-retro-clean` dispatch table, in the contract's order. */
export type RetroCleanRow = "BelowCeiling" | "AtCeiling" | "AboveCeiling" | "AtLadderEdge"

/** The dispatch row for a clean retrospective; the last two rows fire only above the ceiling (`--advance-level`). */
export const retroCleanRow = ({ ceiling, current }: Pick<Ladder, "ceiling" | "current">): RetroCleanRow => {
  const order = compare(current, ceiling)
  if (order === 0) return "AtCeiling"
  if (order < 0) return "BelowCeiling"
  return current === edge ? "AtLadderEdge" : "AboveCeiling"
}

/** The destination of one rung up; bounded by the ladder edge, not by the ceiling. */
export const advance = (ladder: Pick<Ladder, "current">): Level => up(ladder.current)

/** The destination of one rung down, clamped at the floor. */
export const drop = (ladder: Pick<Ladder, "current" | "floor">): Level => downTo(ladder.current, ladder.floor)

/** The destination of a restart: always the floor, from any level. */
export const restart = (ladder: Pick<Ladder, "floor">): Level => ladder.floor

/** Whether an all-clean batch here is the fixed point: strict equality with the configured ceiling. */
export const atCeiling = (ladder: Pick<Ladder, "ceiling" | "current">): boolean => ladder.current === ladder.ceiling
