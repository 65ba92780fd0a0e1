// ProgramModel: random histories of a run, played on a machine and on a small model of it.
// A host checks its own layers with the same commands that check the layers of this program.
import type { Layer } from "effect"
import * as fc from "fast-check"
import type { Services } from "./Memory.ts"
import type { ProgramCommand, State } from "./model/Commands.ts"
import { succeeded } from "./model/Play.ts"
import { sequences } from "./model/Sequences.ts"
import { sound } from "./model/Sound.ts"
import { start, type System } from "./System.ts"
import type { World } from "./World.ts"

export { Broken } from "./model/Invariants.ts"
export type { ProgramCommand, State, System }

/** Plays one sequence on a new machine, and audits what it has written. Rejects with what does not hold. */
export const play = async (layer: Layer.Layer<Services | World>, sequence: Iterable<ProgramCommand>): Promise<void> => {
  const real = start(layer)
  try {
    await fc.asyncModelRun(() => ({ model: { observed: null, known: new Set<string>() }, real }), sequence)
    await succeeded(real.run(sound))
  } finally {
    await real.dispose()
  }
}

/** The law: on these layers the program does what the model predicts. `layer` makes a new machine each time. */
export const property = (layer: () => Layer.Layer<Services | World>, maxCommands = 12) =>
  fc.asyncProperty(sequences(maxCommands), (sequence) => play(layer(), sequence))

/** Checks the law, and throws the shortest counterexample. `runs`: how many sequences are played. */
export const check = (layer: () => Layer.Layer<Services | World>, runs = 100): Promise<void> =>
  fc.assert(property(layer), { numRuns: runs })
