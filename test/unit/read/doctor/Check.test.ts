// The checks of the doctor for people and for programs.
import { assert, describe, it } from "vitest"
import { allFine, checksJson, checksText, fine, note, wrong } from "../../../../src/read/doctor/Check.ts"
import { shellWord } from "../../../../src/text/Phrases.ts"

const checks = [
  fine("git", "git\u001b[31m\u2028x"),
  wrong("node", "v1.0.0 is too old", "install Node"),
  note("gh", "not installed", null)
]

describe("checks", () => {
  it("are all fine unless one is wrong", () => {
    assert.isFalse(allFine(checks))
    assert.isTrue(allFine(checks.filter(({ name }) => name !== "node")))
  })

  it("are one line each for people, and one for what to do, whatever a program printed", () =>
    assert.strictEqual(
      checksText(checks),
      "ok     git         git\\u001b[31m\\u2028x\n" +
        "wrong  node        v1.0.0 is too old\n                   fix: install Node\n" +
        "note   gh          not installed\n"
    ))

  it("say what to do as `fix`", () =>
    assert.deepStrictEqual(JSON.parse(checksJson(checks.slice(1))), {
      schema: 1,
      ok: false,
      checks: [
        { name: "node", state: "wrong", found: "v1.0.0 is too old", fix: "install Node" },
        { name: "gh", state: "note", found: "not installed", fix: null }
      ]
    }))
})

it("a path is one word of a command line", () => {
  assert.strictEqual(shellWord("/a/b-c_1.d"), "/a/b-c_1.d")
  assert.strictEqual(shellWord("/a b's"), `'/a b'\\''s'`)
})
