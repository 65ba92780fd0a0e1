// Paths: the layout of the state root, name by name.
// The one rule: the expected paths are the contract's filesystem layout, written out.
import { assert, describe, it } from "vitest"
import { archivedFiles, batchDir, runDir, slotFiles, targetRoot } from "../../../../src/core/run/Paths.ts"

describe("the layout", () => {
  const target = { root: "/state", repoId: "repo-0123456789ab", targetKey: "base/feature/x" }
  const ref = { ...target, runId: "20300102T030405Z-000000006-p7" }
  const root = targetRoot(target)
  const run = runDir(ref)
  const dir = batchDir(ref, "high", 2)

  it("is <state-root>/<repo-id>/<target-key>/runs/<run-id>/levels/level-<L>/batch-<n>", () => {
    assert.strictEqual(root, "/state/repo-0123456789ab/base/feature/x")
    assert.strictEqual(run, "/state/repo-0123456789ab/base/feature/x/runs/20300102T030405Z-000000006-p7")
    assert.strictEqual(dir, `${run}/levels/level-high/batch-2`)
  })

  it("names the current attempt's files <L>-<slot>.log, .out and .exit, whichever attempt it is", () => {
    const first = slotFiles("/b", "high", 3, 1)
    const second = slotFiles("/b", "high", 3, 2)
    assert.deepStrictEqual(first, {
      log: "/b/high-3.log",
      out: "/b/high-3.out",
      exit: "/b/high-3.exit",
      review: "/b/high-3.review.json",
      run: "/b/high-3.1.run",
      lock: "/b/high-3.1.lock"
    })
    assert.deepStrictEqual({ ...second, run: first.run, lock: first.lock }, first)
    assert.strictEqual(second.run, "/b/high-3.2.run")
    assert.strictEqual(second.lock, "/b/high-3.2.lock")
  })

  it("names an ended attempt's files <L>-<slot>.<attempt>.*", () => {
    assert.deepStrictEqual(archivedFiles("/b", "low", 1, 2), {
      log: "/b/low-1.2.log",
      out: "/b/low-1.2.out",
      exit: "/b/low-1.2.exit",
      review: "/b/low-1.2.review.json"
    })
  })
})
