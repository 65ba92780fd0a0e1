// A plan is carried out byte by byte, with the rights that files had, and through no link.
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { gitBytes } from "../../../src/platform/GitCommand.ts"
import { scratchOf } from "../../../src/code/Scratch.live.ts"
import { carryOut, fetch, type Plan } from "../../../src/code/SnapshotRestore.live.ts"
import { eachInHome, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const rights = (path: string): number => statSync(path).mode & 0o777

it("writes, removes and leaves rights as they were", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, "private"), "p")
  chmodSync(join(repo, "private"), 0o600)
  chmodSync(repo, 0o750)
  writeFileSync(inHome("theirs"), "theirs")
  linkSync(inHome("theirs"), join(repo, "hard"))
  symlinkSync(inHome("theirs"), join(repo, "soft"))
  mkdirSync(join(repo, "hollow/inner"), { recursive: true })
  const bytes = "\u00ff\r\n\0"
  await run(Effect.scoped(Effect.gen(function*() {
    const scratch = yield* scratchOf(repo)
    const id = yield* gitBytes(repo, ["hash-object", "-w", "--stdin"], {}, bytes)
    const written = [
      ["private", "100755"],
      ["hard", "100644"],
      ["soft", "100644"],
      ["hollow", "100644"],
      ["new/file", "100755"],
      ["link", "120000"]
    ].map(([name = "", mode = ""]) => ({ name, mode, id: mode === "120000" ? "" : id, rightsOnly: false }))
    const target = yield* gitBytes(repo, ["hash-object", "-w", "--stdin"], {}, "nowhere")
    const plan: Plan = {
      removed: ["deep/two.txt", "gone"],
      written: [
        ...written.map((one) => one.id === "" ? { ...one, id: target } : one),
        { name: "one.txt", mode: "100755", id, rightsOnly: true }
      ]
    }
    yield* carryOut(repo, plan, yield* fetch(repo, plan, scratch), ["deep", "none"])
  })))
  for (const name of ["private", "hard", "soft", "hollow", "new/file"]) {
    assert.strictEqual(readFileSync(join(repo, name), "latin1"), bytes, name)
  }
  assert.strictEqual(readFileSync(inHome("theirs"), "utf8"), "theirs")
  assert.isTrue(lstatSync(join(repo, "link")).isSymbolicLink())
  assert.isUndefined(lstatSync(join(repo, "deep"), { throwIfNoEntry: false }))
  assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "one.txt\n")
  assert.deepStrictEqual([rights(join(repo, "private")), rights(join(repo, "new")), rights(join(repo, "new/file"))], [
    0o700,
    0o750,
    0o750
  ])
  assert.strictEqual(rights(join(repo, "one.txt")) & 0o111, 0o111)
})

it("fails before anything is changed where an object is missing", async () => {
  const repo = makeRepo()
  const plan: Plan = {
    removed: [],
    written: [{ name: "one.txt", mode: "100644", id: "0".repeat(40), rightsOnly: false }]
  }
  const why = await run(
    Effect.scoped(Effect.flatMap(scratchOf(repo), (scratch) => Effect.flip(fetch(repo, plan, scratch))))
  )
  assert.match(why, /^git does not give the object 0{40} missing$/)
})

it.each(["100644", "120000"])("fails where the fetched bytes of a %s are cut off", async (mode) => {
  const repo = makeRepo()
  const [id, path] = ["1".repeat(40), inHome("bytes")]
  writeFileSync(path, `${id} blob 8\nhalf`)
  const plan: Plan = { removed: [], written: [{ name: "new", mode, id, rightsOnly: false }] }
  const fetched = { path, places: new Map([[id, { at: 48, size: 8 }]]) }
  assert.strictEqual(await run(Effect.flip(carryOut(repo, plan, fetched, []))), "the fetched bytes are cut off")
})
