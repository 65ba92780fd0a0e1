// NotifierLive: tells a program of the caller by a line of the shell, which gets a document on standard input.
import { Effect, Layer } from "effect"
import { withCallersPath } from "../../services/Environment.ts"
import { Notifier } from "../../services/Notifier.ts"
import { exec, whyNot } from "../process/Exec.ts"

// Milliseconds. What takes longer is ended: the run is over, and its caller waits.
const patience = 60_000

export const layer: Layer.Layer<Notifier> = Layer.succeed(
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
