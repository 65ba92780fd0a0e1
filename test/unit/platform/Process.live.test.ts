// Process: writes that wait for their reader, a reader that goes away, and the signals of this process.
// Real pipes of real processes; this process has a listener of its own, so that no signal can end it.
import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { PassThrough, Writable } from "node:stream"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { outputTo, signalsLayer } from "../../../src/platform/Process.live.ts"
import { Signals } from "../../../src/platform/Process.ts"

const outcome = (write: Effect.Effect<void, { readonly _tag: string; readonly message: string }>) =>
  Effect.runPromise(
    Effect.match(write, { onFailure: ({ _tag, message }) => `${_tag}: ${message}`, onSuccess: () => "ok" })
  )

describe("standard output", () => {
  it("gets every text whole and in order", async () => {
    const stream = new PassThrough()
    let got = ""
    stream.on("data", (chunk: Buffer) => (got += chunk.toString("utf8")))
    const output = outputTo(stream)
    for (const text of ["a", "", "bé\n", "x".repeat(200_000)]) {
      assert.strictEqual(await outcome(output.write(text)), "ok")
    }
    assert.strictEqual(got, `abé\n${"x".repeat(200_000)}`)
  })

  it("holds the writer back until the reader has taken what was written", async () => {
    const taken: Array<() => void> = []
    const slow = new Writable({ write: (_chunk, _encoding, done) => void taken.push(done) })
    let returned = false
    const writing = outcome(outputTo(slow).write("text")).then(() => (returned = true))
    await new Promise(setImmediate)
    assert.isFalse(returned)
    assert.lengthOf(taken, 1)
    taken[0]?.()
    await writing
  })

  it("that its reader closed is a failure of its own", async () => {
    const child = spawn("true", { stdio: ["pipe", "ignore", "ignore"] })
    child.stdin.on("error", () => {})
    await new Promise((resolve) => child.once("close", resolve))
    const output = outputTo(child.stdin)
    const said = await outcome(Effect.andThen(output.write("x".repeat(100_000)), output.write("more")))
    assert.strictEqual(said, "OutputClosed: standard output was closed by its reader")
    assert.strictEqual(await outcome(output.write("again")), "OutputClosed: standard output was closed by its reader")
  })

  it("that its reader closed during a write is one too", async () => {
    const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE", errno: -32, syscall: "write" })
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(error) }).on("error", () => {})
    assert.match(await outcome(outputTo(broken).write("text")), /^OutputClosed: /)
  })

  it.skipIf(!fs.existsSync("/dev/full"))("that cannot be written says why", async () => {
    const full = fs.createWriteStream("/dev/full")
    full.on("error", () => {})
    const said = await outcome(outputTo(full).write("text"))
    assert.strictEqual(said, "OutputFailed: standard output: the disk is full (ENOSPC: write)")
  })
})

describe("signals", () => {
  const names = ["SIGHUP", "SIGINT", "SIGTERM"] as const
  const asked = Effect.provide(Effect.flatMap(Signals, ({ asked }) => asked), signalsLayer)
  const listening = () => names.map((name) => process.listenerCount(name))
  const ignore = () => {}
  let before: ReadonlyArray<number> = []

  beforeEach(() => {
    for (const name of names) process.on(name, ignore)
    before = listening()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  })

  afterEach(() => {
    vi.useRealTimers()
    for (const name of names) process.off(name, ignore)
  })

  const oneMore = () => before.map((count) => count + 1)

  describe("the signals of this process", () => {
    it.each(names)("ask with %s, and further ones change nothing for twenty seconds", async (name) => {
      const fiber = Effect.runFork(asked)
      await vi.waitUntil(() => listening().every((count, i) => count === oneMore()[i]))
      process.emit(name, name)
      assert.strictEqual(await Effect.runPromise(Fiber.join(fiber)), name)
      for (const again of names) process.emit(again, again)
      vi.advanceTimersByTime(19_999)
      assert.deepStrictEqual(listening(), oneMore())
      vi.advanceTimersByTime(1)
      // From here on a signal ends this process, as it does by default.
      assert.deepStrictEqual(listening(), before)
    })

    it("are given back by a step that ends without one", async () => {
      const fiber = Effect.runFork(asked)
      await vi.waitUntil(() => listening().every((count, i) => count === oneMore()[i]))
      await Effect.runPromise(Fiber.interrupt(fiber))
      assert.deepStrictEqual(listening(), before)
    })
  })
})
