// Removal: what is removed of a run, what is refused even when somebody asks for it, and what a store takes up.
// The one rule: what lies behind a link, or outside the state root, is there afterwards.
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { RunRef } from "../../../src/log/Refs.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { agentFiles } from "../../../src/run/Layout.live.ts"
import { look, remove as removeRun, usageOf } from "../../../src/run/Removal.live.ts"

let dir = ""
beforeEach(() => (dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-removal-")))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))
const runId = "20260102T030405Z-000000001-p1"
const root = () => join(dir, "state")
const run = (): RunRef => ({ root: root(), repoId: "repo-noremote", targetKey: "uncommitted", runId })
const proper = () => join(root(), "repo-noremote", "uncommitted", "runs", runId)

const make = (path: string) => {
  mkdirSync(join(path, "levels"), { recursive: true })
  writeFileSync(join(path, "manifest.jsonl"), "line\n")
}

const remove = (run: RunRef, isLatest = false) =>
  Effect.runPromise(
    removeRun(run, { isLatest }).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "removed" })
    )
  )

describe("removing a run", () => {
  it("takes its directory, and `latest` only where that names it", async () => {
    const latest = join(dirname(dirname(proper())), "latest")
    for (const isLatest of [false, true]) {
      make(proper())
      writeFileSync(latest, runId)
      assert.strictEqual(await remove(run(), isLatest), "removed")
      assert.deepEqual([existsSync(proper()), existsSync(latest)], [false, !isLatest])
    }
  })

  it("is refused behind a link, wherever it stands on the way", async () => {
    for (const linked of [proper(), dirname(proper()), dirname(dirname(proper())), join(root(), "repo-noremote")]) {
      make(proper())
      const real = join(dir, "real")
      renameSync(linked, real)
      symlinkSync(real, linked)
      assert.match(await remove(run()), / is a link; nothing that it leads to is removed$/)
      assert.isTrue(existsSync(join(proper(), "manifest.jsonl")))
      for (const path of [root(), real]) rmSync(path, { recursive: true })
    }
  })

  it("is refused outside the state root and where the name is no run's", async () => {
    const cases: ReadonlyArray<readonly [string, Partial<RunRef>]> = [
      [join(dir, "elsewhere", "uncommitted", "runs", runId), { repoId: "../elsewhere" }],
      [join(root(), "repo-noremote", "uncommitted", "runs", "notes"), { runId: "notes" }]
    ]
    for (const [path, how] of cases) {
      make(path)
      assert.match(await remove({ ...run(), ...how }), /is not a run of this state root/)
      assert.isTrue(existsSync(join(path, "manifest.jsonl")))
    }
  })
})

describe("a run", () => {
  it("is alive while an agent of it holds its lock", async () => {
    make(proper())
    const { lock } = agentFiles({ run: run(), agent: 2, attempt: 3 })
    mkdirSync(dirname(lock), { recursive: true })
    const alive = async () => {
      const trace = Effect.provideService(look(run()), Environment, process.env)
      return (await Effect.runPromise(trace)).reviewersAlive
    }
    const holder = spawn("flock", [lock, "sh", "-c", "echo held; exec sleep 3600"], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true
    })
    await once(holder.stdout, "data")
    try {
      assert.isTrue(await alive())
    } finally {
      process.kill(-(holder.pid ?? 0), "SIGKILL")
    }
    await once(holder, "close")
    assert.isFalse(await alive())
  })
})

describe("what a store takes up", () => {
  it("is the sum of its files, with the largest of them", () => {
    const dir = fs.mkdtempSync(join(tmpdir(), "ooda-usage-"))
    try {
      assert.isNull(usageOf(join(dir, "nowhere")).largest)
      fs.mkdirSync(join(dir, "a/b"), { recursive: true })
      fs.writeFileSync(join(dir, "small"), "x")
      fs.writeFileSync(join(dir, "a/b/large"), Buffer.alloc(300_000, "x"))
      fs.writeFileSync(join(dir, "hole"), "")
      fs.truncateSync(join(dir, "hole"), 10_000_000)
      fs.symlinkSync("/", join(dir, "link"))
      const { bytes, largest } = usageOf(dir)
      assert.strictEqual(largest?.path, join(dir, "a/b/large"))
      assert.isAtLeast(largest?.bytes ?? 0, 300_000)
      assert.isAtLeast(bytes, largest?.bytes ?? 0)
      assert.isBelow(bytes, 1_000_000)
    } finally {
      fs.rmSync(dir, { recursive: true })
    }
  })
})
