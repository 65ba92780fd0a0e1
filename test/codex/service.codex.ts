// What the model's service can do to the real codex beside answering: refuse, stall, drip, cut, and fail for a while.
// Each ends as a failed slot with its reason, the next call runs it again, and no process is left.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as scenarios from "../../fixtures/stand-in-model/scenarios.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import type { FailureKind } from "../../src/run/FailureKind.ts"
import { attempts, eventually, living } from "./processes.ts"
import { only, recorded } from "./recorded.ts"
import { type Bench, type Ended, withBench } from "./support.ts"

const ONE_SLOT = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

const changed = (policy: Policy, use: (bench: Bench) => Promise<void>) =>
  withBench(() => policy, async (bench) => {
    bench.write("one.mjs", "export const one = 1.0\n")
    await use(bench)
  })

const assertFailed = async (bench: Bench, { exit, stderr, stdout }: Ended, kind: FailureKind, tries = 1) => {
  assert.deepStrictEqual([exit, stdout], [6, ""], stderr)
  assert.match(
    stderr,
    new RegExp(`^BinaryError: 1 review\\(s\\) of low batch 1 failed: slot 1(?: exited \\d+)?: ${kind}: [^\\n]+\\n$`)
  )
  const events = recorded(bench.stateRoot, "uncommitted")
  assert.deepStrictEqual(only(events, "ReviewFailed").map((event) => event.kind), Array(tries).fill(kind))
  assert.lengthOf(attempts(bench), tries)
  // A wrapper may still be touching the wake file.
  await eventually("nothing of it", () => living(attempts(bench)).length === 0)
  assert.deepStrictEqual(bench.running(), [])
}

describe("a service that refuses connections", () => {
  const waits = "ERROR: Reconnecting... waiting for network\n"

  /** The path of a file of the one attempt, by the end of its name; null while it is not there. */
  const pathOf = ({ stateRoot }: Bench, end: string): string | null => {
    const found = existsSync(stateRoot)
      ? readdirSync(stateRoot, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(end))
      : undefined
    return found === undefined ? null : join(stateRoot, found)
  }
  const textOf = (bench: Bench, end: string): string => {
    const path = pathOf(bench, end)
    return path === null ? "" : readFileSync(path, "utf8")
  }

  it("is waited for five minutes, over steps that come and go, then the slot has failed for want of a network", () =>
    changed(scenarios.clean, async (bench) => {
      await bench.hangUp()
      const first = bench.start(...ONE_SLOT)
      // codex says so again and again, ever more rarely; it never ends by itself.
      await eventually("codex in vain, twice", () => textOf(bench, "/low-1.log").split(waits).length > 2)
      const journal = () => textOf(bench, "/low-1.1.run")
      await eventually("its wait in the journal", () => /^network \d+ \d+$/m.test(journal()))
      first.signal("SIGTERM")
      assert.strictEqual((await first.ended).exit, 8)
      assert.isAtLeast(living(attempts(bench)).length, 3)
      // As if all this had begun five minutes ago.
      const earlier = journal().replace(
        /^network (\d+) (\d+)$/m,
        (_, from, since) => `network ${from} ${Number(since) - 5 * 60_000}`
      )
      writeFileSync(pathOf(bench, "/low-1.1.run") ?? "", earlier)
      const second = await bench.step(...ONE_SLOT)
      await assertFailed(bench, second, "NetworkWait")
      assert.match(second.stderr, /waited 5m\d\ds for the network \(.*check the connection/)
      assert.lengthOf(bench.requests, 0)
    }))
})

describe.concurrent("a service that keeps the connection and gives nothing", () => {
  const idle: ReadonlyArray<readonly [string, Policy]> = [
    ["after it has taken the request", scenarios.stalledSilently],
    ["after the first event", scenarios.stalledAfterHeaders],
    ["but events that say nothing: they are no progress", scenarios.dripping],
    ["but a byte now and then: it is no progress", scenarios.trickling]
  ]
  for (const [name, policy] of idle) {
    it(`${name} meets the idle limit`, () =>
      changed(policy, async (bench) => {
        await assertFailed(bench, await bench.step(...ONE_SLOT, "--idle-timeout", "3s"), "Idle")
      }))
  }

  const endless: ReadonlyArray<readonly [string, Policy]> = [
    ["but events that say nothing", scenarios.dripping],
    ["but a byte now and then", scenarios.trickling],
    ["but commands forever", scenarios.busyForEver]
  ]
  for (const [name, policy] of endless) {
    it(`${name} meets the deadline`, () =>
      changed(policy, async (bench) => {
        await assertFailed(bench, await bench.step(...ONE_SLOT, "--review-timeout", "4s"), "Deadline")
      }))
  }
})

describe.concurrent("a service that fails", () => {
  const transient: ReadonlyArray<readonly [string, Policy, FailureKind]> = [
    ["500", scenarios.serverError, "ServerError"],
    ["429", scenarios.tooManyRequests, "RateLimited"],
    ["a cut stream", scenarios.cutStream, "StreamLost"],
    ["a model at capacity", scenarios.overloaded, "Overloaded"]
  ]
  for (const [name, policy, kind] of transient) {
    it(`with ${name} is asked again as often as --retries says, and no more`, () =>
      changed(policy, async (bench) => {
        await assertFailed(bench, await bench.step(...ONE_SLOT, "--retries", "1"), kind, 2)
        assert.lengthOf(bench.requests, 2)
      }))
  }

  const permanent: ReadonlyArray<readonly [string, Policy, FailureKind]> = [
    ["401", scenarios.unauthorized, "NotLoggedIn"],
    ["a usage limit", scenarios.usageLimit(4_102_444_800), "Quota"]
  ]
  for (const [name, policy, kind] of permanent) {
    it(`with ${name} gets no second request`, () =>
      changed(policy, async (bench) => {
        await assertFailed(bench, await bench.step(...ONE_SLOT, "--retries", "9"), kind)
        assert.lengthOf(bench.requests, 1)
      }))
  }
})
