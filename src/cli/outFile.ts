// outFile: the arguments of a subcommand that writes one document about one run, and the document's destination.
import { Effect, Result } from "effect"
import type { Command } from "effect/cli"
import { exits } from "../platform/Failure.ts"
import { Output } from "../platform/Process.ts"
import { OutFileFailed, OutFiles } from "../read/UserFiles.ts"
import { select, type Selector } from "../step/Selection.ts"
import type { CallContext } from "./command.ts"
import { exited, printEnding } from "./ending.ts"
import { type Naming, readerCall } from "../run/Naming.ts"
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"
import type { Setting } from "../run/Setting.ts"
import { flagsFor, storeFlags } from "./options.ts"
import { namingOf, runFlags, selectorOf } from "./selector.ts"

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

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Names the call that writes the same file beside the worktree, if a path within it is refused. */
const orBeside = (words: string, naming: Naming) => (failure: OutFileFailed) => {
  const { path, reason } = failure
  if (reason._tag !== "IsCode") return failure
  const beside = `${reason.worktree.slice(0, reason.worktree.lastIndexOf("/"))}/${fileName(path)}`
  const call = readerCall(`${words} --out ${shellWord(oneLine(beside))}`, naming)
  return new OutFileFailed({ path, reason: { ...reason, call } })
}

/** Writes the document of the run once it is complete: after a failure nothing is written. `words` name the command. */
export const writeDocument = <E, R>(
  words: string,
  document: (run: Found) => Effect.Effect<string, E, R>
) =>
  Effect.fnUntraced(function*({ out, selector, stateRoot }: Request, { cwd }: CallContext) {
    const directory = yield* cwd
    const found = yield* select(selector, { stateRoot, cwd: directory })
    const text = yield* document(found)
    if (out === null) {
      yield* (yield* Output).write(text)
      return exited(exits.done)
    }
    const beside = orBeside(words, yield* namingOf(selector, found))
    yield* Effect.mapError((yield* OutFiles).write(directory, out, text), beside)
    return printEnding(`wrote ${oneLine(out)}`)
  })
