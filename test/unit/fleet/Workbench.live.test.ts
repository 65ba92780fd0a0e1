// Workbench: what a delivery left is known by its place, and a foreign place is ignored.
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, it } from "vitest"
import { type Delivery, Workbench } from "../../../src/fleet/Deliveries.ts"
import { layer } from "../../../src/fleet/Workbench.live.ts"
import { fileInMemory } from "../../../src/platform/Files.ts"
import { attemptFiles } from "../../../src/run/Layout.live.ts"
import { isCut } from "../../../src/run/Removal.live.ts"
import { runRef } from "../run/events.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

const delivery = (token: string): Delivery => ({
  attempt: { run: runRef(), level: "high", batch: 2, slot: 3, attempt: 1, id: `attempt-${token}` },
  launch: {
    argv: [],
    cwd: "/work",
    isolated: true,
    line: { seq: 1, hash: "" },
    reviewTimeout: 1,
    maxTranscript: 1
  },
  token,
  number: 1
})

const go = <A, E>(use: (bench: Workbench["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(Workbench.use(use), layer(dir())))

it("gives each delivery a place of its own, and finds those that are still there", async () => {
  assert.isEmpty(await go(({ found }) => found))
  const [one, two] = await go(({ open }) => Effect.all([open(delivery("a")), open(delivery("b"))]))
  assert.notStrictEqual(one.run.root, two.run.root)
  assert.strictEqual(one.run.runId, runRef().runId)
  assert.strictEqual(one.id, "attempt-a:a")
  // Foreign places, and one that names another.
  mkdirSync(dir("deliveries/c"))
  mkdirSync(dir("deliveries/d"))
  writeFileSync(dir("deliveries/d/delivery.json"), JSON.stringify({ ...one, run: { ...one.run, root: "/" } }))
  const found = await go(({ found }) => found)
  assert.deepStrictEqual([...found].sort((a, b) => a.id < b.id ? -1 : 1), [one, two])
  await go(({ close }) => close(one))
  assert.deepStrictEqual(await go(({ found }) => found), [two])
  assert.isFalse(existsSync(one.run.root))
})

it("says what was left by its path in the run, follows no link, and cuts what is too long", async () => {
  const attempt = await go(({ open }) => open(delivery("a")))
  const files = attemptFiles(attempt)
  mkdirSync(dirname(files.log), { recursive: true })
  writeFileSync(files.log, Buffer.alloc(17 * 1024 * 1024, "x"))
  writeFileSync(files.exit, "0\n")
  const left = await go((bench) => bench.left(attempt))
  assert.deepEqual(left.map(({ path }) => path), [
    "levels/level-high/batch-2/high-3.log",
    "levels/level-high/batch-2/high-3.exit"
  ])
  const [log] = left
  if (log === undefined) throw new Error("no transcript")
  assert.isBelow(log.bytes.length, 200_000)
  assert.isTrue(isCut(fileInMemory(log.bytes)))
  symlinkSync("/etc/passwd", files.out)
  await go((bench) => Effect.flip(bench.left(attempt)))
})

it("that cannot be made is an error about its path", async () => {
  writeFileSync(dir("deliveries"), "")
  chmodSync(dir("deliveries"), 0o600)
  const error = await go(({ open }) => Effect.flip(open(delivery("a"))))
  assert.match(error.message, /deliveries/)
})
