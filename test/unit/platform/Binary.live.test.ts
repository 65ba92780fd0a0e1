// Where the codex binary is: PATH, paths with a slash, and what is said when it is nowhere.
// A path with a slash is relative to the caller's directory and never looked up.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { findBinary } from "../../../src/platform/Binary.ts"
import { CodexMissing } from "../../../src/review/Reviewers.ts"

const dir = mkdtempSync(join(tmpdir(), "ooda-locating-"))
afterAll(() => rmSync(dir, { recursive: true }))
for (const name of ["one", "two", "two/folder", "work", "work/.git", "work/bin", "links"]) mkdirSync(join(dir, name))
for (const file of ["one/plain", "two/plain", "two/codex", "codex", "work/codex", "work/bin/codex"]) {
  writeFileSync(join(dir, file), "", { mode: 0o755 })
}
chmodSync(join(dir, "one", "plain"), 0o644)
symlinkSync("nowhere", join(dir, "one", "dangling"))
symlinkSync("../work/bin/codex", join(dir, "links", "codex"))
symlinkSync("work/bin", join(dir, "linked"))

const path = `${join(dir, "one")}:${join(dir, "two")}`
const root = process.getuid?.() === 0

const work = join(dir, "work")
const find = (binary: string, PATH: string) => findBinary(binary, work, { PATH })

/** What is said of a binary that is not found. */
const said = (binary: string, search: string): string => {
  const answer = find(binary, search)
  return "reason" in answer ? new CodexMissing({ binary, reason: answer.reason }).message : "found"
}

describe("the codex binary", () => {
  it.each([
    ["codex", path, "two/codex"],
    ["./codex", path, "work/codex"],
    ["bin/codex", "", "work/bin/codex"],
    ["../two/codex", "", "two/codex"],
    [join(dir, "codex"), "", "codex"],
    ["codex", `${join(work, "bin")}:${path}`, "two/codex"],
    ["codex", `:.:bin:${path}`, "two/codex"],
    ["codex", `${join(dir, "linked")}:${join(dir, "links")}:${path}`, "two/codex"],
    ["plain", path, "two/plain"]
  ])(
    "%s in PATH=%s is found",
    (binary, search, expected) => assert.deepStrictEqual(find(binary, search), { found: join(dir, expected) })
  )

  it.each([
    ["codex", join(dir, "one"), /: not found in PATH \(.*one\) \[/],
    ["codex", "", /: PATH is empty \[/],
    ["./missing", path, /missing does not exist \[/],
    ["../two/folder", path, /folder is not a file \[/],
    ["codex", join(work, "bin"), /: not found in PATH; .*work\/bin\/codex is in the repository or in a relative/],
    ["codex", join(dir, "links"), /: not found in PATH; .*links\/codex is in the repository or in a relative/],
    [
      "codex",
      "bin:../two",
      /: not found in PATH; .*bin\/codex is in the .*two\/codex is in the repository or in a relat/
    ],
    ["folder", path, /: not found in PATH; .*folder is not a file \[/],
    ["dangling", path, /: not found in PATH \(/],
    ["codex/below", path, /does not exist \[/],
    ["", path, /empty/]
  ])("%s in PATH=%s is not, and it is said why", (binary, search, reason) => assert.match(said(binary, search), reason))

  it("must be executable", () => {
    assert.match(said("plain", join(dir, "one")), /plain is not executable \[/)
    assert.isTrue(root || "reason" in find("../one/plain", ""))
  })
})
