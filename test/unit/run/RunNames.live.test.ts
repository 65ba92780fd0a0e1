// RunNames: runs are found by the names of real directories, newest first; `latest` counts only if it names one of them.
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { runIdPattern, type RunRef } from "../../../src/log/Refs.ts"
import { latest, list, newRunId, runs } from "../../../src/run/RunNames.live.ts"

const first = "20260101T000000Z-000000001-p1"
const second = "20260101T000000Z-000000002-p1"
const third = "20260102T000000Z-000000000-p9"
let root = ""
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "ooda-names-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))
const target = (targetKey = "uncommitted", repoId = "repo-noremote") => ({ root, repoId, targetKey })
const run = (runId: string, targetKey?: string, repoId?: string): RunRef => ({ ...target(targetKey, repoId), runId })
const pathOf = ({ repoId, runId, targetKey }: RunRef) => join(root, repoId, targetKey, "runs", runId)
const make = (...all: ReadonlyArray<RunRef>) => all.forEach((one) => mkdirSync(pathOf(one), { recursive: true }))

describe("the runs of a target", () => {
  it("are the directories with the name of a run, newest first", async () => {
    make(run(second), run(third), run(first), run("notes"), run(`.removing-${first}`))
    assert.deepStrictEqual(await Effect.runPromise(runs(target())), [run(third), run(second), run(first)])
  })
})

describe("the runs of a store", () => {
  it("are found below every target of every repository", async () => {
    const all = [run(third, "base/main", "other-0123456789ab"), run(second, "base/runs/x"), run(first, "base/runs")]
    make(...all)
    assert.deepStrictEqual(await Effect.runPromise(list(root, null)), all)
    assert.deepStrictEqual(await Effect.runPromise(list(root, "repo-noremote")), all.slice(1))
  })

  it("of one instant are sorted by their targets", async () => {
    make(run(first, "pr/1"), run(first, "base/main"))
    assert.deepStrictEqual(await Effect.runPromise(list(root, null)), [run(first, "base/main"), run(first, "pr/1")])
  })

  it("are not searched behind a link, in a hidden directory, or in a missing store", async () => {
    make(run(first))
    const linked = pathOf(run(second, "linked"))
    mkdirSync(dirname(dirname(linked)), { recursive: true })
    symlinkSync(dirname(pathOf(run(first))), dirname(linked))
    make(run(third, ".removing"))
    assert.deepStrictEqual(await Effect.runPromise(list(root, null)), [run(first)])
    assert.deepStrictEqual(await Effect.runPromise(list(join(root, "none"), null)), [])
  })
})

describe("latest", () => {
  const point = (text: string) => {
    mkdirSync(join(root, "repo-noremote", "uncommitted"), { recursive: true })
    writeFileSync(join(root, "repo-noremote", "uncommitted", "latest"), text)
  }
  const read = () => Effect.runPromise(latest(target()))

  it("names a run, whatever white space is around the name", async () => {
    make(run(first))
    point(`${first}\n`)
    assert.deepStrictEqual(await read(), { _tag: "Run", run: run(first) })
  })

  it("is ignored if its name is not a run's, or the run is gone or not a directory", async () => {
    for (const text of ["", "..", second, `../runs/${first}`]) {
      make(run(first))
      point(text)
      assert.deepStrictEqual(await read(), { _tag: "Dangling" }, text)
    }
    point(third)
    writeFileSync(pathOf(run(third)), "")
    assert.deepStrictEqual(await read(), { _tag: "Dangling" })
  })
})

describe("a new name", () => {
  it("a run is named by the present nanosecond and this process", async () => {
    const now = TestClock.setTime(Date.UTC(2030, 0, 2, 3, 4, 5, 678))
    const id = await Effect.runPromise(Effect.provide(Effect.andThen(now, newRunId), TestClock.layer()))
    assert.match(id, runIdPattern)
    assert.strictEqual(id, `20300102T030405Z-678000000-p${process.pid}`)
  })
})
