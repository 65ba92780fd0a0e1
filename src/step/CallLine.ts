// CallLine: the command line of this call, from which messages make commands to copy.
import { Context, Effect } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

/** The words of the command line after the program's name; null if there is none, as in the library. */
export const CallWords = Context.Reference<ReadonlyArray<string> | null>("ooda-codex-review/step/CallWords", {
  defaultValue: () => null
})

const mostCharacters = 2000

/** A call of this program as a line to copy, without secrets; null if it is very long. */
export const callLine = Effect.fn("CallLine.callLine")(function*(words: ReadonlyArray<string>) {
  const { redact } = yield* Effect.promise(() => import("../text/redaction/Redaction.ts"))
  const line = redact(["ooda-codex-review", ...words.map((word) => shellWord(oneLine(word)))].join(" "))
  return line.length > mostCharacters ? null : line
})

const withoutLevel = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word, i) => word !== "--level" && words[i - 1] !== "--level" && !word.startsWith("--level="))

/** The commands that continue at a level and that begin a new run; null if the call is unknown or very long. */
export const waysOn = Effect.fn("CallLine.waysOn")(function*(level: string) {
  const words = yield* CallWords
  if (words === null) return null
  const goOn = yield* callLine([...withoutLevel(words), "--level", level])
  const fresh = yield* callLine([...words, "--fresh"])
  return goOn === null || fresh === null ? null : { goOn, fresh }
})
