// Directories for temporary copies of code: one of a living process stays, every other one goes.
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { scratchesDirectory } from "../../../src/run/Layout.live.ts"
import { clearScratches, makeScratch, ownerOf, removeScratch } from "../../../src/run/Copies.live.ts"
import { bootId, processAt } from "../../../src/platform/Processes.ts"

let root = ""
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ooda-scratches-")))
})
afterEach(() => fs.rmSync(root, { recursive: true }))

const target = () => ({ root, repoId: "repo-noremote", targetKey: "uncommitted" })
const clear = () => Effect.runPromise(clearScratches(target()))

describe("a directory for copies", () => {
  it("is private, tells whose it is, and leaves nothing when it is removed", () => {
    const [one, other] = [makeScratch(target(), process.env), makeScratch(target(), process.env)]
    assert.notStrictEqual(one, other)
    assert.strictEqual(fs.statSync(one).mode & 0o777, 0o700)
    const start = processAt(process.pid, process.env)?.start ?? null
    assert.deepStrictEqual(ownerOf(one.slice(one.lastIndexOf("/") + 1)), {
      pid: process.pid,
      start,
      boot: bootId(process.env)
    })
    fs.writeFileSync(join(one, "file"), "code")
    removeScratch(one)
    assert.deepStrictEqual(fs.readdirSync(scratchesDirectory(target())).length, 1)
    removeScratch(other)
    assert.isFalse(fs.existsSync(scratchesDirectory(target())))
  })

  it("stays while its process lives, and goes with all in it when that is dead, another, or nobody", async () => {
    const own = makeScratch(target(), process.env)
    const boot = bootId(process.env) ?? ""
    const start = processAt(process.pid, process.env)?.start ?? ""
    const dead = [
      `4194300.1.${boot}.00000000`,
      `${process.pid}.${Number(start) + 1}.${boot}.00000000`,
      `${process.pid}.${start}.00000000-0000-0000-0000-000000000000.00000000`,
      "whatever"
    ]
    for (const name of dead) {
      fs.mkdirSync(join(scratchesDirectory(target()), name, "ab"), { recursive: true })
      fs.writeFileSync(join(scratchesDirectory(target()), name, "ab", "object"), "code", { mode: 0o400 })
    }
    await clear()
    assert.deepStrictEqual(fs.readdirSync(scratchesDirectory(target())).map((name) => own.endsWith(name)), [true])
    removeScratch(own)
    await clear()
    assert.isFalse(fs.existsSync(scratchesDirectory(target())))
  })

  it("is nothing to clear where there is no store", async () => {
    await clear()
    assert.deepStrictEqual(fs.readdirSync(root), [])
  })
})
