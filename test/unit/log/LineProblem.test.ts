// Every reason why a line cannot be used or written, in words.
import { assert, describe, it } from "vitest"
import { type LineRefusal, lineRefusalText, type Newer, newerText } from "../../../src/log/Frame.ts"

describe("what is too new", () => {
  const texts: { readonly [T in Newer["_tag"]]: readonly [Extract<Newer, { readonly _tag: T }>, string] } = {
    FormatVersion: [{ _tag: "FormatVersion", version: 2 }, "format version 2"],
    UnknownEvent: [{ _tag: "UnknownEvent", line: 3, event: "Later" }, "line 3 holds an unknown event (Later)"]
  }
  it.each(Object.values(texts))("%o", (newer, text) => assert.strictEqual(newerText(newer), text))
})

describe("why a line was refused", () => {
  const texts: {
    readonly [T in LineRefusal["_tag"]]: readonly [Extract<LineRefusal, { readonly _tag: T }>, string]
  } = {
    NotOfSchema: [{ _tag: "NotOfSchema", problem: "no tag" }, "an event does not fit its schema: no tag"],
    NotGenesis: [{ _tag: "NotGenesis", event: "RunCreated" }, "the first line of a log must hold its RunCreated"],
    LineTooLong: [
      { _tag: "LineTooLong", bytes: 70_000, most: 65_536 },
      "a line of 70000 bytes is larger than the 65536 a line may have"
    ]
  }
  it.each(Object.values(texts))("%o", (refusal, text) => assert.strictEqual(lineRefusalText(refusal), text))
})
