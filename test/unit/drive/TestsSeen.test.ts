// The tests that a directory seems to have, in real files, and the usage error that names them.
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { testsMissing, testsSeen } from "../../../src/drive/TestHints.ts"

const top = fs.mkdtempSync(join(tmpdir(), "tests-seen-"))
afterAll(() => fs.rmSync(top, { recursive: true }))

const directory = (files: Readonly<Record<string, string>>): string => {
  const made = fs.mkdtempSync(join(top, "d-"))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(made, name), text)
  return made
}
const seen = (cwd: string) =>
  Effect.runPromise(Effect.provide(testsSeen(cwd), NodeServices.layer)).then((all) => all.map(({ test }) => test))
const missing = (cwd: string) => Effect.runPromise(Effect.provide(testsMissing(cwd), NodeServices.layer))

const scripts = (test: unknown) => JSON.stringify({ name: "x", scripts: { build: "b", test } })

describe("a directory seems to have", () => {
  it.each(
    [
      [{ "package.json": scripts("vitest run") }, ["npm test"]],
      [{ "package.json": scripts('echo "Error: no test specified" && exit 1') }, []],
      [{ "package.json": scripts(" ") }, []],
      [{ "package.json": scripts(1) }, []],
      [{ "package.json": "{" }, []],
      [{ Makefile: "all:\n\ttrue\ntest: all\n\ttrue\n" }, ["make test"]],
      [{ Makefile: "test:=1\ntests: all\n\ttest: x\n" }, []],
      [{ "Cargo.toml": "", "pyproject.toml": "" }, ["cargo test", "pytest"]],
      [{ "package.json": scripts("a"), Makefile: "test:\n" }, ["npm test", "make test"]],
      [{}, []]
    ] as const
  )("%j: %j", async (files, tests) => assert.deepStrictEqual(await seen(directory(files)), [...tests]))

  it("nothing that cannot be read", async () => {
    assert.deepStrictEqual(await seen(join(top, "nowhere")), [])
    const odd = directory({})
    fs.mkdirSync(join(odd, "package.json"))
    fs.writeFileSync(join(odd, "Makefile"), `${" ".repeat(1024 * 1024)}\ntest:\n`)
    assert.deepStrictEqual(await seen(odd), [])
  })
})

describe("the usage error", () => {
  it("names what is seen, and how to say it", async () => {
    assert.strictEqual(
      await missing(directory({ "package.json": scripts("a"), "Cargo.toml": "" })),
      "a converging run needs the project's tests; seen: npm test (package.json), cargo test (Cargo.toml) " +
        "[ooda-codex-review init, --test 'npm test', or --no-test]"
    )
    assert.match(await missing(directory({ "Cargo.toml": "" })), /--test 'cargo test', or --no-test\]$/)
  })

  it("names an example where nothing is seen", async () =>
    assert.strictEqual(
      await missing(directory({})),
      "a converging run needs the project's tests [ooda-codex-review init, --test 'npm test', or --no-test]"
    ))
})
