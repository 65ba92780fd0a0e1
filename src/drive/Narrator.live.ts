// Narrator.live: lines on standard error, the end to a command.
import { writeSync } from "node:fs"
import { Effect, Layer } from "effect"
import { withCallersPath } from "../platform/Environment.ts"
import { exec, whyNot } from "../platform/Exec.ts"
import { errorPage } from "../platform/Page.ts"
import { Progress } from "../review/Progress.ts"
import { laidOut, type Page } from "../text/Paint.ts"
import { outgoing } from "../text/redaction/Redaction.ts"
import { Narrator, Notifier, type Narration } from "./Narrator.ts"

const standardError = 2

/** Says each text below what is drawn, which is taken away first. What cannot be written is left out. */
export const narration = (clear: Effect.Effect<void>, write: (text: string) => void, page: () => Page): Narration => ({
  page,
  say: (text, tone = "neutral") =>
    Effect.andThen(clear, Effect.ignore(Effect.try(() => write(laidOut(outgoing(text), tone, page())))))
})

export const narratorLayer: Layer.Layer<never> = Layer.effect(
  Narrator,
  Effect.map(
    Effect.all([Progress, errorPage]),
    ([{ clear }, page]) => narration(clear, (text) => void writeSync(standardError, text), page)
  )
)

// Notifies a program of the caller by a line of the shell, which gets a document on standard input.

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
