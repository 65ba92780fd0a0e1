// Input: what this program is given on standard input, read whole.
import { Effect, Schema, Stdio, Stream } from "effect"

/** Standard input could not be read, or holds more than is read. */
export class InputFailed extends Schema.TaggedError<InputFailed>()("InputFailed", {
  reason: Schema.TaggedUnion({ TooLong: { most: Schema.Int }, Unreadable: { detail: Schema.String } })
}) {
  override get message() {
    return this.reason._tag === "TooLong"
      ? `standard input is longer than ${this.reason.most} bytes: give the agent's last message alone`
      : `standard input cannot be read: ${this.reason.detail}`
  }
}

/** Standard input up to its end, as UTF-8, at most so many bytes of it. */
export const readInput = Effect.fn("Input.readInput")(function*(most: number) {
  const { stdin } = yield* Stdio.Stdio
  const decoder = new TextDecoder()
  const texts: Array<string> = []
  let length = 0
  yield* stdin.pipe(
    Stream.mapError(({ message }) => new InputFailed({ reason: { _tag: "Unreadable", detail: message } })),
    Stream.runForEach((bytes) => {
      length += bytes.length
      if (length > most) return Effect.fail(new InputFailed({ reason: { _tag: "TooLong", most } }))
      return Effect.sync(() => void texts.push(decoder.decode(bytes, { stream: true })))
    })
  )
  return texts.join("") + decoder.decode()
})
