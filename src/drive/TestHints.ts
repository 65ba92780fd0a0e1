// TestHints: the tests that a directory seems to have, to be named where a call names none.
// Only a hint in an error: files that cannot be read are skipped.
import { Effect, FileSystem, Option, Schema } from "effect"

const Scripts = Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ test: Schema.String }) }))
const scriptsIn = Schema.decodeUnknownOption(Scripts)

/** npm's own `test` script of a new package, which fails always. */
const placeholder = /no test specified/

const hints: ReadonlyArray<readonly [file: string, test: string, has: (text: string) => boolean]> = [
  [
    "package.json",
    "npm test",
    (text) => Option.exists(scriptsIn(text), ({ scripts: { test } }) => test.trim() !== "" && !placeholder.test(test))
  ],
  ["Makefile", "make test", (text) => /^test\s*::?(?!=)/m.test(text)],
  ["Cargo.toml", "cargo test", () => true],
  ["pyproject.toml", "pytest", () => true]
]

interface SeenTest {
  readonly file: string
  readonly test: string
}

/** A larger file is not looked into. */
const most = 1024 * 1024

const seen = Effect.fnUntraced(
  function*(path: string) {
    const fs = yield* FileSystem.FileSystem
    const { size, type } = yield* fs.stat(path)
    return type === "File" && size <= most ? Option.some(yield* fs.readFileString(path)) : Option.none()
  },
  Effect.orElseSucceed(Option.none)
)

/** The tests that files of the directory name, in a fixed order. */
export const testsSeen = Effect.fn("TestHints.testsSeen")(function*(cwd: string) {
  const found = yield* Effect.forEach(
    hints,
    ([file, test, has]) =>
      Effect.map(seen(`${cwd}/${file}`), (text) => Option.exists(text, has) ? [{ file, test }] : [])
  )
  return found.flat()
})

/** The refusal of a call that names neither tests nor that there are none. */
const testsMissingText = (all: ReadonlyArray<SeenTest>): string => {
  const hint = all.map(({ file, test }) => `${test} (${file})`).join(", ")
  const [first] = all
  return first === undefined
    ? "no tests are named [add --test CMD, or --no-test]"
    : `no tests are named; found: ${hint} [add --test '${first.test}' or --no-test, or run ooda-codex-review init once]`
}

/** The usage error of such a run. */
export const testsMissing = Effect.fn("TestHints.testsMissing")((cwd: string) =>
  Effect.map(testsSeen(cwd), testsMissingText)
)
