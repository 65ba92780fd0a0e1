// NarratorLive: tells the turns of a driven run on standard error, one line each, in the order in which they come.
import { writeSync } from "node:fs"
import { Effect, Layer } from "effect"
import { Narrator, type Telling } from "../../services/Narrator.ts"
import { Progress } from "../../services/Progress.ts"

const standardError = 2

/** Tells each line below what is drawn, which is taken away first. What cannot be written is left out. */
export const telling = (clear: Effect.Effect<void>, write: (text: string) => void): Telling => ({
  say: (line) => Effect.andThen(clear, Effect.ignore(Effect.try(() => write(`${line}\n`))))
})

export const layer: Layer.Layer<never> = Layer.effect(
  Narrator,
  Effect.map(Progress, ({ clear }) => telling(clear, (text) => void writeSync(standardError, text)))
)
