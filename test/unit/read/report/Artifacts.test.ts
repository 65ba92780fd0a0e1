// What a driver's work left outside its log: the ends of tests, and diffs; what cannot be read is said, and never fails.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { begun, evolveConverge } from "../../../../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { changedByAgents, printedByTests } from "../../../../src/read/report/Events.ts"
import { Progress, silent } from "../../../../src/review/Progress.ts"
import { SnapshotFailed, Snapshots } from "../../../../src/code/Snapshots.ts"
import { tested } from "../../drive/converge/streams.ts"
import { digest, runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const after = (...events: ReadonlyArray<ConvergeEvent>) =>
  events.reduce((state, event, i) => evolveConverge(state, event, i * 1000), begun("r"))

describe("the ends of tests", () => {
  const printed = (end: string, bytes: number) =>
    onMachine(Effect.provideService(
      printedByTests(
        runRef(),
        after(
          ...tested(1, 1, 1).map((event) =>
            event._tag === "TestFinished" ? { ...event, output: { ...digest, bytes } } : event
          )
        )
      ),
      Progress,
      { ...silent, printed: () => Effect.succeed({ end, at: 1 }) }
    ))

  it("are told whole, or with where the rest is", async () => {
    assert.deepStrictEqual((await printed("1 failed\n", 9)).get(1), { text: "1 failed", rest: null })
    const cut = (await printed("half a word\n1 failed ü\n", 90_000)).get(1)
    assert.match(cut?.rest ?? "", /^the whole output is in .* \(90 kB\)$/)
    assert.strictEqual(cut?.text, "a word\n1 failed ü")
    assert.isNull((await printed("ü", 2)).get(1)?.rest)
  })

  it("are left out where nothing was printed", async () => assert.strictEqual((await printed("", 0)).size, 0))
})

describe("what agents changed", () => {
  const taken = (agent: number, snapshot: number): ConvergeEvent => ({
    _tag: "SnapshotTaken",
    agent,
    snapshot,
    commit: String(snapshot).repeat(40),
    leftOut: 0
  })

  const changed = (diff: Snapshots["Service"]["diff"], ...events: ReadonlyArray<ConvergeEvent>) =>
    onMachine(Effect.gen(function*() {
      const snapshots = yield* Snapshots
      return yield* Effect.provideService(changedByAgents(runRef(), after(...events)), Snapshots, {
        ...snapshots,
        diff
      })
    }))

  it("is told from the snapshot before to the one after, of agents that have both", async () => {
    const asked: Array<unknown> = []
    const diffs = await changed(
      (_, between) => {
        asked.push(between)
        return Effect.succeed({ files: ["a"], text: "+a\n", whole: true })
      },
      taken(1, 1),
      taken(1, 2),
      taken(2, 3)
    )
    assert.deepStrictEqual(asked, [{ before: 1, after: 2 }])
    assert.deepStrictEqual(diffs.get(1), {
      title: "Snapshot 1 to 2",
      files: ["a"],
      text: { text: "+a", rest: null },
      problem: null
    })
    assert.isFalse(diffs.has(2))
  })

  it("says what shows the rest of a diff, and why there is none", async () => {
    const cut = await changed(() => Effect.succeed({ files: [], text: "+a", whole: false }), taken(1, 1), taken(1, 2))
    assert.match(
      cut.get(1)?.text.rest ?? "",
      /^`git --git-dir=.+\/code diff 111111111111 222222222222` shows all of it$/
    )
    const failed = new SnapshotFailed({ reason: { _tag: "CodeFailed", why: "no repository" } })
    const none = await changed(() => Effect.fail(failed), taken(1, 1), taken(1, 2))
    assert.strictEqual(none.get(1)?.problem, "no repository")
  })

  it("is read of the last agents alone", async () => {
    const events = Array.from({ length: 70 }, (_, i) => [taken(i + 1, 2 * i + 1), taken(i + 1, 2 * i + 2)]).flat()
    const diffs = await changed(() => Effect.succeed({ files: [], text: "", whole: true }), ...events)
    const left = [...diffs.values()].filter(({ problem }) => problem?.startsWith("left out here") === true)
    assert.deepStrictEqual([diffs.size, left.length], [70, 10])
  })
})
