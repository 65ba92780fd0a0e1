// An attempt as the guard sees it: its files, its name in faults, what stood in its place before.
import { parse } from "smol-toml"
import { assert, describe, it } from "vitest"
import { jobOf, orderOf } from "../../../src/review/Reviewers.live.ts"
import { batchDirectory } from "../../../src/run/Layout.live.ts"
import type { AttemptRef, BatchRef } from "../../../src/run/Refs.ts"
import { untrusted } from "../../../src/run/Target.ts"

const batch: BatchRef = {
  run: { root: "/s", repoId: "repo-noremote", targetKey: "uncommitted", runId: "20260101T000000Z-000000001-p1" },
  level: "high",
  batch: 1
}
const at = batchDirectory(batch)
const attempt = (number: number): AttemptRef => ({ ...batch, slot: 2, attempt: number, id: "an-id" })
const launch = {
  binary: "/bin/codex",
  argv: ["review", "-c", "x"],
  cwd: "/work",
  isolated: false,
  line: { seq: 2, hash: "ab" },
  reviewTimeout: 5,
  maxTranscript: 6
}

describe("the job of an attempt", () => {
  it("has a journal and a lock of its own, and the slot's files", () =>
    assert.deepStrictEqual(jobOf(attempt(3)), {
      id: "an-id",
      files: {
        journal: `${at}/high-2.3.run`,
        lock: `${at}/high-2.3.lock`,
        log: `${at}/high-2.log`,
        out: `${at}/high-2.out`,
        exit: `${at}/high-2.exit`
      }
    }))
})

describe("the order for an attempt", () => {
  it("runs codex without standard input, within its limits", () => {
    const { command, cwd, deadline, input, label, line, maxBytes, wake } = orderOf(attempt(1), launch, {}, false)
    assert.isFalse(orderOf(attempt(1), launch, {}, false).tied)
    assert.isTrue(orderOf(attempt(1), launch, {}, true).tied)
    assert.deepStrictEqual({ command, cwd, deadline, input, label, line, maxBytes, wake }, {
      command: ["/bin/codex", "review", "-c", "x"],
      cwd: "/work",
      deadline: 5,
      input: null,
      label: "starting high-2, attempt 1",
      line: { seq: 2, hash: "ab" },
      maxBytes: 6,
      wake: `${at}/wake/2`
    })
  })

  it.each(["/a.b c", `/q"x'y`, "/n\nl\tt", "/ü€😀", "/e}=,]#x\\z", "/del\x7f\x01", "/=[x]\r"])(
    "names a directory %j in one table of TOML",
    (cwd) => assert.deepEqual(parse(untrusted(cwd)[1] ?? ""), { projects: { [cwd]: { trust_level: "untrusted" } } })
  )

  it("has the environment that it is given, but for what spoils a transcript", () => {
    const unwanted = { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", RUST_LOG: "debug", RUST_BACKTRACE: "1" }
    const { environment } = orderOf(attempt(1), launch, { PATH: "/bin", ...unwanted, NO_COLOR: undefined }, false)
    assert.deepStrictEqual(environment, { PATH: "/bin", NO_COLOR: undefined })
  })

  it("moves away the files of every attempt before, the newest first", () => {
    assert.deepStrictEqual(orderOf(attempt(1), launch, {}, false).earlier, [])
    const [second, first, ...others] = orderOf(attempt(3), launch, {}, false).earlier
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual([second?.id, second?.files], ["", jobOf(attempt(2)).files])
    assert.strictEqual(first?.files.journal, `${at}/high-2.1.run`)
    assert.deepStrictEqual(second?.moves, [
      { from: `${at}/high-2.exit`, to: `${at}/high-2.2.exit` },
      { from: `${at}/high-2.review.json`, to: `${at}/high-2.2.review.json` },
      { from: `${at}/high-2.out`, to: `${at}/high-2.2.out` },
      { from: `${at}/high-2.log`, to: `${at}/high-2.2.log` }
    ])
  })
})
