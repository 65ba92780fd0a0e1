// random: steps and marks in any order, with deaths at any moment, the same again for the same seed.
// What is drawn depends on the seed alone, never on how fast the machine is.
import type { Step } from "./gate.ts"

/** Numbers from 0 up to 1 that a seed determines (mulberry32). */
export const numbers = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A step to take. `marks`: it is a mark. `death`: after how many milliseconds it is killed, null if it is not. */
export interface Drawn {
  readonly step: Step
  readonly marks: boolean
  readonly death: number | null
}

const scenarios = ["clean", "issues 1", "sleep 0.3;clean", "sleep 0.3;issues 2"]
const moves = ["--mark-retro-clean", "--mark-address-passed", "--advance-level", "--drop-level", "--restart-from-floor"]

/** Draws the next step. Two in three die, half of them within the time a mark takes. */
export const draw = (number: () => number, name: string): Drawn => {
  const pick = <A>(items: ReadonlyArray<A>, otherwise: A): A => items[Math.floor(number() * items.length)] ?? otherwise
  const kind = number()
  const marks = kind < 0.6
  const args = !marks
    ? ["-n", "2"]
    : kind < 0.15
    ? ["--mark-address-failed", name]
    : kind < 0.3
    ? ["--mark-retro-changes", name]
    : [pick(moves, "--advance-level")]
  const step = { args, scenario: pick(scenarios, "clean") }
  const [dies, soon, when] = [number() < 0.66, number() < 0.5, number()]
  return { step, marks, death: dies ? Math.floor(when * (soon ? 300 : 1200)) : null }
}
