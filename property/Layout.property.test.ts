// Layout: no two things of a run share a name.
// Paths are compared whole; a prefix that two things share is a directory, never a file.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { archivedFiles, attemptFiles, latestFile, targetLock } from "../src/run/Layout.live.ts"
import { runDirectory, runsDirectory, targetDirectory } from "../src/log/LogFile.live.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"
import { BranchName, targetKey, type Target } from "../src/run/Target.ts"

const { level, target } = arbitraries
const run = { root: "/s", repoId: "r-noremote", targetKey: "uncommitted", runId: "id" }
const ordinal = fc.integer({ min: 1, max: 12 })
const attempt = fc.record({ level, batch: ordinal, slot: ordinal, attempt: ordinal })
type Attempt = typeof attempt extends fc.Arbitrary<infer A> ? A : never

const kept = (of: Attempt): ReadonlyArray<string> => Object.values(archivedFiles({ run, ...of }))
const current = (of: Attempt): ReadonlyArray<string> => Object.values(attemptFiles({ run, ...of }))

describe("files of attempts", () => {
  it("of two attempts never share a name once archived, nor with any current file", () =>
    fc.assert(
      fc.property(attempt, attempt, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b)
        if (!same) assert.lengthOf([...new Set([...kept(a), ...kept(b)])], kept(a).length * 2)
        assert.lengthOf([...new Set([...kept(a), ...current(b)])], kept(a).length + current(b).length)
      }),
      {
        examples: [[
          { level: "low", batch: 1, slot: 1, attempt: 11 },
          { level: "low", batch: 1, slot: 11, attempt: 1 }
        ]]
      }
    ))

  it("of two slots never share a name while current", () =>
    fc.assert(fc.property(attempt, attempt, (a, b) => {
      fc.pre(a.level !== b.level || a.batch !== b.batch || a.slot !== b.slot)
      assert.lengthOf([...new Set([...current(a), ...current(b)])], current(a).length * 2)
    })))
})

describe("directories of runs", () => {
  it("of two targets never lie at the same place", () =>
    fc.assert(fc.property(target, target, (a, b) => {
      const [first, second] = [a, b].map((one) => runDirectory({ ...run, targetKey: targetKey(one) }))
      assert.strictEqual(first === second, JSON.stringify(a) === JSON.stringify(b))
    })))

  it("of one target are never what another one keeps, nor lie in it", () =>
    fc.assert(
      fc.property(target, target, (a, b) => {
        const [place, other] = [a, b].map((one) => ({ ...run, targetKey: targetKey(one) }))
        if (place === undefined || other === undefined) return assert.fail()
        for (const taken of [latestFile, targetLock, runsDirectory].map((of) => of(place))) {
          assert.notStrictEqual(targetDirectory(other), taken)
          assert.isFalse(targetDirectory(other).startsWith(`${taken}/`), taken)
        }
      }),
      {
        examples: [["release", "release/latest"], ["a", "a/lock/b"], ["a", "a/runs"]].map((names) => {
          const [one = "", other = ""] = names
          const base = (name: string): Target => ({ _tag: "Base", branch: BranchName.make(name) })
          return [base(one), base(other)]
        })
      }
    ))
})
