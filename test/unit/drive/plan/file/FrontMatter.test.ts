// FrontMatter: where it begins and ends, and what is below it.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { partsOf } from "../../../../../src/drive/plan/file/Parse.ts"

describe("front matter", () => {
  const files: ReadonlyArray<readonly [string, string, number, string | null]> = [
    ["a: 1\n---\nb", "a: 1\n---\nb", 0, null],
    [" ---\na\n---\n", " ---\na\n---\n", 0, null],
    ["---a\nb\n---\n", "---a\nb\n---\n", 0, null],
    ["---\n---", "", 4, ""],
    ["---\na\n---\n", "a\n", 4, ""],
    ["--- \na\n ---\n----\n---\t\nb\n---\nc", "a\n ---\n----\n", 5, "b\n---\nc"]
  ]
  it.each(files)(
    "of %j",
    (text, yaml, start, below) => assert.deepStrictEqual(Result.getOrNull(partsOf(text)), { yaml, start, below })
  )

  it.each(["---", "---\n", "---\na\n ---\n--- b"])(
    "of %j has no end",
    (text) => assert.isTrue(Result.isFailure(partsOf(text)))
  )
})
