// Copies: private repositories are removed under the lock of their run, except the one that is needed; directories for
// copies of code are removed with the process that made them.
import { Deferred, Effect, Fiber } from "effect"
import * as fs from "node:fs"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { RunRef } from "../../../src/log/Refs.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { removeTree } from "../../../src/platform/Files.ts"
import { bootId, processAt } from "../../../src/platform/Processes.ts"
import {
  clearIsolated,
  clearScratches,
  isolating,
  makeScratch,
  ownerOf,
  removeScratch,
  withIsolated
} from "../../../src/run/Copies.live.ts"
import { isolatedDirectory, isolationLock, scratchesDirectory } from "../../../src/run/Layout.live.ts"
import type { KeptCopy } from "../../../src/run/RunStore.ts"

let root = ""
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "ooda-private-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const run = (n = 1): RunRef => ({
  root,
  repoId: "repo-noremote",
  targetKey: "uncommitted",
  runId: `20260101T000000Z-00000000${n}-p1`
})

const placeOf = (number: number): string => join(isolatedDirectory(run()), `copy-${number}`)

const make = (...batches: ReadonlyArray<number>): void => {
  for (const one of batches) {
    mkdirSync(join(placeOf(one), ".git"), { recursive: true })
    writeFileSync(join(placeOf(one), ".git/HEAD"), "x")
  }
}

const there = () => readdirSync(isolatedDirectory(run())).sort()

const go = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provideService(effect, Environment, { ...process.env }))

describe("private repositories", () => {
  it("are removed except one batch's, and their directory with the last one", async () => {
    make(1, 2, 3)
    await go(clearIsolated(run(), Effect.succeed<KeptCopy>({ _tag: "At", place: placeOf(2) })))
    assert.deepStrictEqual(there(), ["copy-2"])
    await go(clearIsolated(run(), Effect.succeed<KeptCopy>({ _tag: "None" })))
    assert.isFalse(existsSync(isolatedDirectory(run())))
  })

  it("take no lock and ask nothing if there are none", async () => {
    mkdirSync(dirname(isolationLock(run())), { recursive: true })
    await go(clearIsolated(run(), Effect.die(new Error("asked"))))
    assert.isFalse(existsSync(isolationLock(run())))
  })

  it("are left alone while another process makes one, and made by one process at a time", async () => {
    make(1)
    const order: Array<string> = []
    await go(Effect.gen(function*() {
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(isolating(
        run(),
        Effect.gen(function*() {
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(goOn)
          order.push("first")
        })
      ))
      yield* Deferred.await(begun)
      yield* clearIsolated(run(), Effect.succeed<KeptCopy>({ _tag: "None" }))
      assert.deepStrictEqual(there(), ["copy-1"])
      const second = yield* Effect.forkChild(isolating(run(), Effect.sync(() => order.push("second"))))
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(second)
    }))
    assert.deepStrictEqual(order, ["first", "second"])
  })

  it("list the runs that have any", async () => {
    make(1)
    mkdirSync(dirname(isolatedDirectory(run(2))), { recursive: true })
    mkdirSync(join(dirname(isolatedDirectory(run(2))), run(2).runId), { recursive: true })
    assert.deepStrictEqual(await go(withIsolated(run())), [run()])
  })
})

describe("a directory tree of the program", () => {
  it("is removed with its read-only parts, and links in it are not followed", () => {
    make(1)
    const [tree, elsewhere] = [placeOf(1), join(root, "elsewhere")]
    mkdirSync(join(tree, "closed/deeper"), { recursive: true })
    writeFileSync(join(tree, "closed/deeper/file"), "x")
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, "kept"), "x")
    symlinkSync(elsewhere, join(tree, "closed/link"))
    chmodSync(join(tree, "closed/deeper"), 0o500)
    chmodSync(join(tree, "closed"), 0o500)
    removeTree(tree)
    assert.isFalse(existsSync(tree))
    assert.isTrue(existsSync(join(elsewhere, "kept")))
  })
})

describe("scratches", () => {
  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ooda-scratches-")))
  })

  afterEach(() => fs.rmSync(root, { recursive: true }))
  const target = () => ({ root, repoId: "repo-noremote", targetKey: "uncommitted" })
  const clear = () => Effect.runPromise(clearScratches(target()))

  describe("a directory for copies", () => {
    it("is private, names its process, and leaves nothing when it is removed", () => {
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

    it("stays while its process lives, and is removed if the process is dead, replaced or unknown", async () => {
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

    it("need no cleanup without a store", async () => {
      await clear()
      assert.deepStrictEqual(fs.readdirSync(root), [])
    })
  })
})
