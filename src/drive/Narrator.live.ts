// Narrator.live: turns on standard error, the end to a command.
import { writeSync } from "node:fs"
import { Effect, Layer } from "effect"
import { withCallersPath } from "../platform/Environment.ts"
import { exec, whyNot } from "../platform/Exec.ts"
import { Progress } from "../review/Progress.ts"
import { Narrator, Notifier, type Telling } from "./Narrator.ts"

// Tells the turns of a driven run on standard error, one line each, in the order in which they come.

const standardError = 2

/** Tells each line below what is drawn, which is taken away first. What cannot be written is left out. */
export const telling = (clear: Effect.Effect<void>, write: (text: string) => void): Telling => ({
  say: (line) => Effect.andThen(clear, Effect.ignore(Effect.try(() => write(`${line}\n`))))
})

export const narratorLayer: Layer.Layer<never> = Layer.effect(
  Narrator,
  Effect.map(Progress, ({ clear }) => telling(clear, (text) => void writeSync(standardError, text)))
)

// Tells a program of the caller by a line of the shell, which gets a document on standard input.

// Milliseconds. What takes longer is ended: the run is over, and its caller waits.
const patience = 60_000

export const notifierLayer: Layer.Layer<Notifier> = Layer.succeed(
  Notifier,
  Notifier.of({
    notify: Effect.fn("Notifier.notify")((command: string, document: string, cwd: string) =>
      Effect.flatMap(
        withCallersPath({}),
        (env) => exec("/bin/sh", ["-c", command], { cwd, env, input: document, timeout: patience, group: true })
      ).pipe(
        Effect.map((done) => done.code === 0 ? null : whyNot("the program of --notify", done))
      )
    )
  })
)
