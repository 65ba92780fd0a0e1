// Question.live: a question on the terminal of standard error, answered by a line on standard input.
import { createInterface } from "node:readline"
import { isatty } from "node:tty"
import { Effect, Layer } from "effect"
import { Question } from "./Question.ts"

const yes = /^\s*y(?:es)?\s*$/i

const confirm = (text: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
    lines.once("close", () => resume(Effect.succeed(false)))
    lines.question(`${text} [y/N] `, (answer) => {
      resume(Effect.succeed(yes.test(answer)))
      lines.close()
    })
    return Effect.sync(() => lines.close())
  })

/** The live layer. Any answer but yes, including the end of input, is a no. */
export const layer: Layer.Layer<never> = Layer.sync(Question, () => isatty(0) && isatty(2) ? { confirm } : null)
