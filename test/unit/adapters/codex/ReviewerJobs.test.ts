// An attempt as the guard sees it: its files, its name in faults, what stood in its place before.
import { assert, describe, it } from "vitest"
import { jobOf, orderOf } from "../../../../src/adapters/codex/ReviewerJobs.ts"
import { slotFiles } from "../../../../src/core/run/Paths.ts"
import type { Attempt } from "../../../../src/services/Reviewers.ts"

const attempt = (number: number): Attempt => ({
  id: "an-id",
  level: "high",
  slot: 2,
  attempt: number,
  dir: "/batch",
  files: slotFiles("/batch", "high", 2, number)
})
const launch = { binary: "/bin/codex", argv: ["review", "-c", "x"], cwd: "/work", reviewTimeout: 5, maxTranscript: 6 }

describe("the job of an attempt", () => {
  it("has a journal and a lock of its own, and the slot's files", () =>
    assert.deepStrictEqual(jobOf(attempt(3)), {
      id: "an-id",
      files: {
        journal: "/batch/high-2.3.run",
        lock: "/batch/high-2.3.lock",
        log: "/batch/high-2.log",
        out: "/batch/high-2.out",
        exit: "/batch/high-2.exit"
      }
    }))
})

describe("the order for an attempt", () => {
  it("runs codex without standard input, within its limits", () => {
    const { command, cwd, deadline, input, label, maxBytes } = orderOf(attempt(1), launch, {})
    assert.deepStrictEqual({ command, cwd, deadline, input, label, maxBytes }, {
      command: ["/bin/codex", "review", "-c", "x"],
      cwd: "/work",
      deadline: 5,
      input: null,
      label: "starting high-2, attempt 1",
      maxBytes: 6
    })
  })

  it("has the environment that it is given, but for what spoils a transcript", () => {
    const unwanted = { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", RUST_LOG: "debug", RUST_BACKTRACE: "1" }
    const { environment } = orderOf(attempt(1), launch, { PATH: "/bin", ...unwanted, NO_COLOR: undefined })
    assert.deepStrictEqual(environment, { PATH: "/bin", NO_COLOR: undefined })
  })

  it("moves away the files of every attempt before, the newest first", () => {
    assert.deepStrictEqual(orderOf(attempt(1), launch, {}).earlier, [])
    const [second, first, ...others] = orderOf(attempt(3), launch, {}).earlier
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual([second?.id, second?.files], ["", jobOf(attempt(2)).files])
    assert.strictEqual(first?.files.journal, "/batch/high-2.1.run")
    assert.deepStrictEqual(second?.moves, [
      { from: "/batch/high-2.exit", to: "/batch/high-2.2.exit" },
      { from: "/batch/high-2.review.json", to: "/batch/high-2.2.review.json" },
      { from: "/batch/high-2.out", to: "/batch/high-2.2.out" },
      { from: "/batch/high-2.log", to: "/batch/high-2.2.log" }
    ])
  })
})
