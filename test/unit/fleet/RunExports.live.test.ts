// RunExports: a run out of a database is private files of a state root, and no name in it leads anywhere else.
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type RunContents, RunExports } from "../../../src/fleet/FleetStore.ts"
import { layer } from "../../../src/fleet/RunExports.live.ts"
import { logFiles, runDirectory } from "../../../src/log/LogFile.live.ts"
import { latestFile } from "../../../src/run/Layout.live.ts"
import { runRef } from "../run/events.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()
const head = { seq: 1, hash: "a".repeat(64) }

const contents: RunContents = {
  run: { ...runRef(), root: "pg:1" },
  isLatest: true,
  logs: [{ kind: "review", head, bytes: Buffer.from("{}\n") }],
  files: [{ path: "levels/level-low/batch-1/low-1.log", bytes: Buffer.from("x") }]
}

const write = (other: Partial<RunContents> = {}, to = "out") =>
  Effect.runPromise(
    Effect.provide(RunExports.use((them) => Effect.result(them.write(dir(), to, { ...contents, ...other }))), layer)
  )

describe("an export", () => {
  it("is the files of a run, for their user alone", async () => {
    const written = await write()
    if (written._tag === "Failure") throw written.failure
    const run = { ...contents.run, root: written.success }
    assert.strictEqual(written.success, dir("out"))
    const { head: anchor, log } = logFiles(run, "review")
    assert.strictEqual(readFileSync(log, "utf8"), "{}\n")
    assert.deepEqual(JSON.parse(readFileSync(anchor, "utf8")), { ...head, offset: 3 })
    assert.strictEqual(readFileSync(join(runDirectory(run), "levels/level-low/batch-1/low-1.log"), "utf8"), "x")
    assert.strictEqual(readFileSync(latestFile(run), "utf8"), run.runId)
    assert.strictEqual(statSync(log).mode & 0o777, 0o600)
  })

  it("of a run that a newer one has followed leaves no pointer to it", async () => {
    await write({ isLatest: false })
    assert.isFalse(existsSync(latestFile({ ...contents.run, root: dir("out") })))
  })

  it.each([
    ["a file above", { files: [{ path: "../x", bytes: Buffer.from("x") }] }],
    ["a file from the root", { files: [{ path: "/tmp/x", bytes: Buffer.from("x") }] }],
    ["a file without a name", { files: [{ path: "", bytes: Buffer.from("x") }] }],
    ["a target above", { run: { ...contents.run, targetKey: "../../x" } }],
    ["no log", { logs: [] }]
  ])("with %s is refused, and nothing is written", async (_, other) => {
    const refused = await write(other)
    assert.strictEqual(refused._tag, "Failure")
    assert.isEmpty(readdirSync(dir()))
  })

  it("writes into no directory that holds something", async () => {
    writeFileSync(dir("own"), "mine")
    const refused = await write({}, ".")
    assert.match(refused._tag === "Failure" ? refused.failure.message : "", /holds something already/)
    assert.deepEqual(readdirSync(dir()), ["own"])
  })
})
