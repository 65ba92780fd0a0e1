// LongText: a text of any length in an event: whole, or its beginning with the digest of a file of the run.
// A forged log may name any file, so only names that the program itself would give are looked up.
import { Effect } from "effect"
import type { RunRef } from "../log/Refs.ts"
import type { LongText } from "./Event.ts"
import { RunStore } from "./RunStore.ts"
import { cut } from "../text/Untrusted.ts"

/** The name of the rest of a long text, from its sha256. */
export const textName = (hex: string): string => `texts/${hex}.txt`

const names = { text: /^texts\/[0-9a-f]{64}\.txt$/, torn: /^(?:[a-z]+(?:-[a-z]+)*\.)?torn\/\d+-[0-9a-f]{8}$/ } as const

/** The stored bytes: the rest of a long text, or a line that was never whole. */
export type KeptTextKind = keyof typeof names

/** Whether a name has the form that the program gives to stored files. */
export const isKeptName = (kept: KeptTextKind, name: string): boolean => names[kept].test(name)

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length + 1

/** The first values whose JSON takes at most so many bytes in all. A line of a log holds 64 KiB. */
export const takeFitting = <A>(values: ReadonlyArray<A>, most: number): ReadonlyArray<A> => {
  let left = most
  const end = values.findIndex((value) => (left -= bytesOf(value)) < 0)
  return end < 0 ? values : values.slice(0, end)
}

// A line of the log holds at most 64 KiB.
const inlineCharacters = 4_000

/** The text in the form of an event. A text that is too long for an event is stored as a file of the run. */
export const keepLong = Effect.fn("LongText.keepLong")(function*(run: RunRef, text: string) {
  if (text.length <= inlineCharacters) return { text } satisfies LongText
  const rest = yield* (yield* RunStore).keepText(run, text)
  return { text: cut(text, inlineCharacters), rest } satisfies LongText
})
