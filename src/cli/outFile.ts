// outFile: the arguments of a subcommand that writes one document about one run, and the document's destination.
import { Effect, Result } from "effect"
import type { Command } from "effect/cli"
import { exits } from "../platform/Failure.ts"
import { Output } from "../platform/Process.ts"
import { OutFiles } from "../read/UserFiles.ts"
import { select, type Selector } from "../step/Selection.ts"
import type { CallContext } from "./command.ts"
import { exited, printEnding } from "./ending.ts"
import { oneLine } from "../text/Untrusted.ts"
import type { Setting } from "../run/Setting.ts"
import { flagsFor, storeFlags } from "./options.ts"
import { runFlags, selectorOf } from "./selector.ts"

/** One run, and the file for its document; null is standard output. */
export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly out: string | null
}

/** The destination. */
export const outSetting: Setting<"path"> = {
  flag: "--out",
  metavar: "FILE",
  kind: "path",
  otherwise: "standard output",
  text: "Write to FILE, whole or not at all."
}

export const flags = {
  ...flagsFor({ out: outSetting }),
  ...runFlags,
  ...storeFlags
}

/** The request, or what is wrong with the arguments together. */
export const read = (given: Command.Command.Config.Infer<typeof flags>): Result.Result<Request, string> =>
  Result.map(selectorOf(given), (selector) => ({ stateRoot: given.stateRoot, selector, out: given.out }))

type Found = Effect.Success<ReturnType<typeof select>>

/** Writes the document of the run once it is complete: after a failure nothing is written. */
export const writeDocument = <E, R>(
  document: (run: Found) => Effect.Effect<string, E, R>
) =>
  Effect.fnUntraced(function*({ out, selector, stateRoot }: Request, { cwd }: CallContext) {
    const directory = yield* cwd
    const text = yield* document(yield* select(selector, { stateRoot, cwd: directory }))
    if (out === null) {
      yield* (yield* Output).write(text)
      return exited(exits.done)
    }
    yield* (yield* OutFiles).write(directory, out, text)
    return printEnding(`wrote ${oneLine(out)}`)
  })
