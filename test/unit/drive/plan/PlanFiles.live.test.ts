// PlanFiles.live: plan files on a real disk: found, read, and replaced as a whole.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { layer } from "../../../../src/drive/plan/PlanFiles.live.ts"
import { type PlanFileFailed, PlanFiles } from "../../../../src/drive/plan/PlanFiles.ts"

let top = ""
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ooda-plans-")))
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const bytes = (text: string) => new TextEncoder().encode(text)
const using = <A>(use: (port: typeof PlanFiles.Service) => Effect.Effect<A, PlanFileFailed>) =>
  Effect.runPromise(Effect.provide(PlanFiles.use(use), layer))
const why = (use: (port: typeof PlanFiles.Service) => Effect.Effect<unknown, PlanFileFailed>) =>
  Effect.runPromise(Effect.provide(Effect.flip(PlanFiles.use(use)), layer)).then(({ reason }) => reason._tag)

describe("a plan file", () => {
  it("has one name, whatever path is given", async () => {
    const plan = join(top, "plan.md")
    writeFileSync(plan, "tasks: []\n")
    symlinkSync(plan, join(top, "link.md"))
    for (const named of ["plan.md", "./plan.md", plan, "link.md"]) {
      assert.strictEqual(await using((port) => port.locate(named, top)), plan)
    }
    for (const named of [".", "none/plan.md"]) {
      assert.strictEqual(await why((port) => port.locate(named, top)), "NoPlanFile")
    }
    // An interrupted undo has moved it aside.
    rmSync(plan)
    assert.strictEqual(await using((port) => port.locate("plan.md", top)), plan)
    assert.strictEqual(await why((port) => port.read(plan)), "NoPlanFile")
  })

  it("is read byte by byte", async () => {
    const plan = join(top, "plan.md")
    const text = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff])
    writeFileSync(plan, text)
    assert.deepStrictEqual(await using((port) => port.read(plan)), text)
    assert.strictEqual(await why((port) => port.read(top)), "NoPlanFile")
    // Its name contains no links, so a link there was put in its place.
    symlinkSync(plan, join(top, "link.md"))
    assert.strictEqual(await why((port) => port.read(join(top, "link.md"))), "NoPlanFile")
  })

  it("is replaced as a whole, with its mode, and leaves nothing beside it", async () => {
    const plan = join(top, "plan.md")
    writeFileSync(plan, "one")
    chmodSync(plan, 0o640)
    // The program's own files are private to its user.
    const umask = process.umask(0o077)
    try {
      await using((port) => port.replace(plan, bytes("one"), bytes("two")))
    } finally {
      process.umask(umask)
    }
    assert.strictEqual(readFileSync(plan, "utf8"), "two")
    assert.strictEqual(statSync(plan).mode & 0o777, 0o640)
    assert.deepStrictEqual(readdirSync(top), ["plan.md"])
  })

  it("is left alone if somebody changed it meanwhile", async () => {
    const plan = join(top, "plan.md")
    writeFileSync(plan, "three")
    const tag = await why((port) => port.replace(plan, bytes("one"), bytes("two")))
    assert.deepStrictEqual([tag, readFileSync(plan, "utf8")], ["ChangedMeanwhile", "three"])
  })

  it("is neither read nor written through a link that has replaced its directory", async () => {
    const [here, there] = [join(top, "plans"), join(top, "elsewhere")]
    for (const directory of [here, there]) {
      mkdirSync(directory)
      writeFileSync(join(directory, "plan.md"), "one")
    }
    const plan = await using((port) => port.locate("plans/plan.md", top))
    rmSync(here, { recursive: true })
    symlinkSync(there, here)
    assert.strictEqual(await why((port) => port.read(plan)), "NoPlanFile")
    assert.strictEqual(await why((port) => port.replace(plan, bytes("one"), bytes("two"))), "NoPlanFile")
    assert.strictEqual(readFileSync(join(there, "plan.md"), "utf8"), "one")
  })
})

describe("the documents of a worktree", () => {
  it("are the ones that exist", async () => {
    writeFileSync(join(top, "AGENTS.md"), "Be kind.")
    mkdirSync(join(top, "CLAUDE.md"))
    const found = await using((port) => port.present(top, ["CLAUDE.md", "AGENTS.md", "none"]))
    assert.deepStrictEqual(found, ["AGENTS.md"])
    assert.strictEqual(await using((port) => port.document(top, "AGENTS.md", 2)), "Be")
    assert.isNull(await using((port) => port.document(top, "none", 2)))
    symlinkSync(join(top, "AGENTS.md"), join(top, "REVIEW.md"))
    assert.isNull(await using((port) => port.document(top, "REVIEW.md", 2)))
  })
})
