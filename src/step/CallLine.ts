// CallLine: the command line of this call, from which a message makes commands to copy.
import { Context, Effect } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"

/** The words of the command line behind the program's name; null where there is none, as in the library. */
export const CallWords = Context.Reference<ReadonlyArray<string> | null>("ooda-codex-review/step/CallWords", {
  defaultValue: () => null
})

const mostCharacters = 2000

const withoutLevel = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word, i) => word !== "--level" && words[i - 1] !== "--level" && !word.startsWith("--level="))

/** The commands that go on at a level and that begin a new run; null where the call is unknown or very long. */
export const waysOn = Effect.fn("CallLine.waysOn")(function*(level: string) {
  const words = yield* CallWords
  if (words === null || words.join(" ").length > mostCharacters) return null
  const { redact } = yield* Effect.promise(() => import("../text/redaction/Redaction.ts"))
  const line = (all: ReadonlyArray<string>) =>
    redact(["ooda-codex-review", ...all.map((word) => shellWord(oneLine(word)))].join(" "))
  return { goOn: line([...withoutLevel(words), "--level", level]), fresh: line([...words, "--fresh"]) }
})
