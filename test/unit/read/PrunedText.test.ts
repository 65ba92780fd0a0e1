// What pruning tells, for people and for programs: every reason to keep a run has its words.
import { assert, describe, it } from "vitest"
import { LogDamaged } from "../../../src/log/EventLog.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { type Judged, type Kept, pruned, prunedJson } from "../../../src/read/Prune.ts"

const day = 24 * 3_600_000
const judged = (runId: string, kept: Kept | null): Judged => ({
  run: { root: "/s", repoId: "repo", targetKey: "pr/7", runId },
  age: 2 * day,
  kept
})

const asked = { age: day, dryRun: false, directoryOf: ({ root, runId }: Judged["run"]) => `${root}/${runId}` }

const reasons: { readonly [T in Kept["_tag"]]: readonly [Extract<Kept, { readonly _tag: T }>, string] } = {
  ReviewersRun: [{ _tag: "ReviewersRun" }, "reviewers, agents or tests of it run"],
  OfAnotherRun: [{ _tag: "OfAnotherRun" }, "its log is about another run"],
  Unfinished: [{ _tag: "Unfinished" }, "unfinished: the next call goes on with it"],
  UndoUnfinished: [
    { _tag: "UndoUnfinished" },
    "an undo of it was cut off: the next call or undo of the run finishes it"
  ],
  Unreadable: [
    { _tag: "Unreadable", error: new LogDamaged({ path: "/log", kind: "gap", line: 2, offset: 9 }) },
    "cannot be read: /log: damaged at line 2, byte 9: gap [audit says more; --fresh starts another run]"
  ],
  NotRemoved: [
    { _tag: "NotRemoved", error: new StoreFailed({ path: "/run", reason: { _tag: "NotARun" } }) },
    "cannot be removed: /run: is not a run of this state root; `ooda-codex-review runs` lists those that are"
  ]
}

describe("of transcripts", () => {
  const cut = [{ ...judged("r1", null), freed: 38_140_000 }, { ...judged("r2", null), freed: 0 }]

  it("each run that had long ones is told, and the sum", () => {
    const options = { ...asked, transcripts: true }
    assert.strictEqual(
      pruned(cut, options),
      "freed 38.1 MB of transcripts of r1 (repo/pr/7)\nfreed 38.1 MB of transcripts\n"
    )
    assert.strictEqual(pruned(cut.slice(1), { ...options, dryRun: true }), "would free 0 kB of transcripts\n")
  })

  it("programs are told the bytes, and that no run went", () => {
    const { runs } = JSON.parse(prunedJson(cut, asked))
    assert.deepInclude(runs[0], { removed: false, freed: 38_140_000 })
  })
})

describe("of snapshots that a run left which is gone", () => {
  const gone = [{ ...judged("r1", null), gone: true } as const]

  it("each run is told, and counts as none that was removed", () =>
    assert.strictEqual(
      pruned(gone, asked),
      "removed the snapshots of r1 (repo/pr/7), a run that is gone\nremoved 0 runs, kept 0\n"
    ))

  it("programs are told so", () => assert.deepInclude(JSON.parse(prunedJson(gone, asked)).runs[0], { gone: true }))
})

describe("for people", () => {
  it("a run that went is removed, or would be", () => {
    assert.strictEqual(
      pruned([judged("r1", null)], asked),
      "removed r1 (repo/pr/7, 2d 00h old)\nremoved 1 run, kept 0\n"
    )
    assert.strictEqual(
      pruned([judged("r1", null)], { ...asked, dryRun: true }),
      "would remove r1 (repo/pr/7, 2d 00h old)\nwould remove 1 run, kept 0\n"
    )
  })

  it.each(Object.values(reasons))("a run that stays says why: %o", (kept, words) =>
    assert.strictEqual(
      pruned([judged("r1", kept)], asked),
      `kept r1 (repo/pr/7, 2d 00h old): ${words}\nremoved 0 runs, kept 1\n`
    ))

  it("there may be none so old", () =>
    assert.strictEqual(pruned([], { ...asked, age: 30 * day }), "no run is older than 30d 00h\n"))
})

it("for programs it is one document", () => {
  const [kept, words] = reasons.Unfinished
  const text = prunedJson([judged("r1", null), judged("r2", kept)], asked)
  const name = (run: string) => ({ run, repo: "repo", target: "pr/7" })
  const { runs, ...rest } = JSON.parse(text)
  assert.deepStrictEqual(rest, { schema: 1, dryRun: false })
  assert.deepInclude(runs[0], { run: name("r1"), age: 2 * day, directory: "/s/r1", removed: true, kept: null })
  assert.deepInclude(runs[1], { run: name("r2"), age: 2 * day, removed: false, kept: words })
  assert.isFalse(JSON.parse(prunedJson([judged("r1", null)], { ...asked, dryRun: true })).runs[0].removed)
})
