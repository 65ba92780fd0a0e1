// interruption: a step of the library, on this machine's layers, interrupted by its host.
// Locks, descriptors, timers and signal handlers are given back; reviewers keep running until they are stopped.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { Effect, Fiber, Layer } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { Invocation, Live, Ooda, stopStep } from "../../../src/index.ts"
import { kill } from "../platform/guard/processes.ts"
import { eachInDirectory } from "../../support/directories.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const target = { _tag: "Uncommitted" } as const
const dir = eachInDirectory()
let repo = ""

beforeEach(() => {
  repo = dir("repo")
  mkdirSync(repo)
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: repo, stdio: "ignore" })
  git("init", "-q")
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "One")
  writeFileSync(dir("codex"), `#!/bin/sh\necho "$$" >>"${dir()}/pids"\nexec sleep 600\n`, { mode: 0o700 })
})

afterEach(() => {
  for (const pid of pids().filter(alive)) kill(pid)
})

const invocation = (others: object = {}) =>
  Invocation.make({ target, batchSize: 2, stateRoot: dir("state"), codexBin: dir("codex"), ...others })
const layer = Layer.provideMerge(Live.processSignals, Live.layer)
const step = Effect.provide(Effect.suspend(() => Ooda.step(invocation(), repo, {})), layer)
const stop = Effect.provide(
  Effect.suspend(() => stopStep({ target, floor: null, stateRoot: dir("state") }, repo, {})),
  layer
)

const pids = (): ReadonlyArray<number> =>
  existsSync(dir("pids")) ? readFileSync(dir("pids"), "utf8").trim().split("\n").map(Number) : []

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** What this process holds: descriptors by what they lead to, signal handlers, and what keeps its event loop alive. */
const held = () => {
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [realpathSync(`/proc/self/fd/${fd}`)]
    } catch {
      return []
    }
  })
  return {
    files: open.filter((path) => path.startsWith(dir())),
    handlers: (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((name) => process.listenerCount(name)),
    watchers: process.getActiveResourcesInfo().filter((name) => name.includes("FSEvent") || name === "ProcessWrap")
  }
}

describe.skipIf(!existsSync("/proc/self/fd"))("an interrupted step", () => {
  it("gives back what it held, leaves its reviewers running, and the next one takes them up", async () => {
    const before = held()
    const fiber = Effect.runFork(step)
    await vi.waitUntil(() => pids().length === 2, { timeout: 30_000, interval: 20 })
    const reviewers = pids()
    await Effect.runPromise(Fiber.interrupt(fiber))
    await vi.waitFor(() => assert.deepStrictEqual(held(), before), { timeout: 10_000 })
    assert.isTrue(reviewers.every(alive))

    const inspected = await Effect.runPromise(
      Effect.provide(Ooda.step(Invocation.make(invocation().settings, { _tag: "Inspect" }), repo, {}), layer)
    )
    assert.deepStrictEqual(inspected.outcome, { _tag: "WouldAdvance", action: "AwaitReviews" })
    const { line, outcome } = await Effect.runPromise(stop)
    assert.deepStrictEqual(outcome, { _tag: "DoneAborted" })
    assert.strictEqual(line, "stopped 2 reviewers of low batch 1")
    assert.isFalse(reviewers.some(alive))
  })

  it("holds nothing afterwards, wherever it was", async () => {
    const before = held()
    // Moments before, while and after the run is opened and reviewers are started, on any machine.
    for (const after of [0, 5, 20, 50, 100, 200]) {
      const fiber = Effect.runFork(step)
      await new Promise((resolve) => setTimeout(resolve, after))
      await Effect.runPromise(Fiber.interrupt(fiber))
      // A read that was in flight closes its file a moment after the interruption.
      await vi.waitFor(() => assert.deepStrictEqual(held(), before, `interrupted after ${after} ms`), {
        timeout: 10_000
      })
    }
    await Effect.runPromise(stop)
    assert.isFalse(pids().some(alive))
  })
})
