// The index of a snapshot holds the bytes of the files, whatever git would have kept of them.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { listIndex } from "../../../src/code/Index.live.ts"
import { gitBytes } from "../../../src/platform/GitCommand.ts"
import { scratchOf } from "../../../src/code/Scratch.live.ts"
import { asTheyAre, entriesOf, holdBytes } from "../../../src/code/SnapshotTree.live.ts"
import { eachInHome, git, makeRepo, run } from "./repositories.ts"

eachInHome()

it("entries are taken from a list of an index", () =>
  assert.deepStrictEqual(entriesOf({ text: "100644 abc 0\ta\tb\0" }), [{ mode: "100644", id: "abc", name: "a\tb" }]))

it("files that git keeps in another form are held byte by byte, and files that are gone are not held", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, ".gitattributes"), "* text\n")
  const name = 'a "b"\\\n\u00e4'
  writeFileSync(join(repo, name), "a\r\nb\r\n")
  git(repo, "add", "-A")
  rmSync(join(repo, "one.txt"))
  const held = await run(Effect.scoped(Effect.gen(function*() {
    const scratch = yield* scratchOf(repo, "kept")
    const entries = yield* holdBytes(repo, scratch, yield* listIndex(repo, scratch), yield* asTheyAre(repo))
    const entry = entries.find((one) => one.name.startsWith("a "))
    const bytes = yield* gitBytes(repo, ["cat-file", "blob", entry?.id ?? ""])
    return { bytes, names: entries.map((one) => one.name), index: (yield* listIndex(repo, scratch)).text }
  })))
  assert.strictEqual(`${held.bytes}\n`, readFileSync(join(repo, name), "latin1"))
  assert.notInclude(held.names, "one.txt")
  assert.notInclude(held.index, "one.txt")
})

it("filters are off under its settings", async () => {
  const repo = makeRepo()
  git(repo, "config", "filter.x.clean", "false")
  assert.include(await run(asTheyAre(repo)), "filter.x.clean=")
})
