// mirror: every module of src is imported by a test of its own, and every unit test is about a module of src.
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { mirrorProblems, type Spanning } from "./mirror.ts"
import { readSource } from "./Source.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const files = (folder: string, end: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(end))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort()

/** The suites that belong to no single module, and why. */
const spanning: Spanning = {
  "test/unit/architecture/": "about the source files themselves",
  "test/unit/adapters/log/golden.test.ts": "stored logs, from their bytes to the manifest",
  "test/unit/history/golden.test.ts": "stored logs, from their bytes to what replay and audit print",
  "test/unit/testing/interruption.test.ts": "an embedder's step on real layers that is interrupted"
}

describe("test/unit", () => {
  it("mirrors src", () => {
    const suites = files("test/unit", ".test.ts").map((path) =>
      readSource(path, readFileSync(join(root, path), "utf8"))
    )
    assert.deepStrictEqual(mirrorProblems(files("src", ".ts"), suites, spanning), [])
  })
})

describe("a planted violation", () => {
  const modules = ["src/core/run/A.ts", "src/core/run/B.ts"]
  const suite = (path: string, ...lines: ReadonlyArray<string>) => readSource(path, `${lines.join("\n")}\n`)
  const a = suite("test/unit/core/run/A.test.ts", `import { a } from "../../../../src/core/run/A.ts"`)
  const b = suite("test/unit/core/run/B.test.ts", `import type { B } from "../../../../src/core/run/B.ts"`)

  it("is looked for where nothing is wrong", () => {
    assert.deepStrictEqual(mirrorProblems(modules, [a, b], {}), [])
    assert.deepStrictEqual(mirrorProblems(modules, [a, b, suite("test/unit/core/run/B.part.test.ts")], {}), [])
    assert.deepStrictEqual(
      mirrorProblems(modules, [a, b, suite("test/unit/c/x.test.ts"), suite("test/unit/y.test.ts")], {
        "test/unit/c/": "a reason",
        "test/unit/y.test.ts": "a reason"
      }),
      []
    )
  })

  it("of a module without a test", () =>
    assert.deepStrictEqual(mirrorProblems(modules, [a], {}), [
      "src/core/run/B.ts: test/unit/core/run/B.test.ts does not import it"
    ]))

  it("of a test that only goes by the module's name, or leaves the import to a part", () => {
    const hollow = suite("test/unit/core/run/B.test.ts", `import { a } from "../../../../src/core/run/A.ts"`)
    const part = { ...b, path: "test/unit/core/run/B.part.test.ts" }
    assert.deepStrictEqual(mirrorProblems(modules, [a, hollow, part], {}), [
      "src/core/run/B.ts: test/unit/core/run/B.test.ts does not import it"
    ])
  })

  it("of a suite that mirrors nothing", () =>
    assert.deepStrictEqual(mirrorProblems(modules, [a, b, suite("test/unit/core/A.test.ts")], {}), [
      "test/unit/core/A.test.ts: mirrors no module"
    ]))

  it("of a reason that is not needed", () =>
    assert.deepStrictEqual(
      mirrorProblems(modules, [a, b], { "test/unit/core/run/A.test.ts": "", "test/unit/x/": "" }),
      [
        "test/unit/x/: is listed as spanning modules, but there is no such suite",
        "test/unit/core/run/A.test.ts: mirrors src/core/run/A.ts and spans nothing"
      ]
    ))
})
