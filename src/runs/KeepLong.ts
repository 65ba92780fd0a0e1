// KeepLong: a text of any length as an event holds it: whole, or its beginning with the digest of a file of the run.
import { Effect } from "effect"
import type { LongText } from "../core/run/Event.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { RunStore } from "../services/RunStore.ts"

// A line of the log holds at most 64 KiB.
const inlineCharacters = 4_000

/** The text in the form that an event holds. A text that is too long for an event is kept as a file of the run. */
export const keepLong = Effect.fn("KeepLong.keepLong")(function*(run: RunRef, text: string) {
  if (text.length <= inlineCharacters) return { text } satisfies LongText
  const rest = yield* (yield* RunStore).keepText(run, text)
  return { text: text.slice(0, inlineCharacters), rest } satisfies LongText
})
