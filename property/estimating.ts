// estimating: reviewers of code whose defects are all known, as often as wanted, and how near the estimate comes.
// A world and a seed give the same figures on every machine.
import { type Estimate, estimate } from "../src/review/findings/Estimate.ts"

/** How likely one reviewer reports a defect of the code; drawn anew for each defect. */
export type World = (draw: () => number) => number

/** Kinds of code: defects equally easy to see, defects that differ, and some that few reviewers can see. */
export const worlds: Readonly<Record<string, World>> = {
  "every defect 0.3": () => 0.3,
  "every defect 0.5": () => 0.5,
  "every defect 0.7": () => 0.7,
  "from 0.05 to 0.5": (draw) => 0.05 + 0.45 * draw(),
  "from 0.1 to 0.9": (draw) => 0.1 + 0.8 * draw(),
  "half 0.2, half 0.8": (draw) => draw() < 0.5 ? 0.2 : 0.8,
  "a third 0.05, else 0.6": (draw) => draw() < 1 / 3 ? 0.05 : 0.6
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export const drawing = (seed: number): () => number => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One batch over code with so many defects. */
const reviewed = (world: World, defects: number, reviewers: ReadonlyArray<number>, draw: () => number): Estimate => {
  const histories = Array.from({ length: defects }, () => {
    const chance = world(draw)
    return reviewers.filter(() => draw() < chance)
  })
  return estimate(histories, reviewers)
}

/** What many estimates came to: shares are percentages of the batches; bias is one of all defects. */
export interface Figures {
  readonly silent: number
  readonly bias: number
  /** How often the number of unreported defects lay within the bounds. */
  readonly held: number
  /** How far apart the bounds were, in findings. */
  readonly width: number
}

/** The figures for batches of so many reviewers over code with so many defects. */
export const figures = (world: World, defects: number, size: number, batches: number, seed = 1): Figures => {
  const draw = drawing(seed)
  const reviewers = Array.from({ length: size }, (_, i) => i + 1)
  const all = Array.from({ length: batches }, () => reviewed(world, defects, reviewers, draw))
  const expected = all.filter((one) => one._tag === "Expected")
  const mean = (of: (one: (typeof expected)[number]) => number) =>
    expected.reduce((sum, one) => sum + of(one), 0) / expected.length
  const left = ({ found }: Estimate) => defects - found
  return {
    silent: 100 * (1 - expected.length / batches),
    bias: 100 * mean((one) => (one.more - left(one)) / defects),
    held: 100 * mean((one) => one.low <= left(one) && left(one) <= one.high ? 1 : 0),
    width: mean(({ high, low }) => high - low)
  }
}
