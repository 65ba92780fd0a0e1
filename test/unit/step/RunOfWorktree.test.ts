// RunOfWorktree: `latest`, or this worktree's newest run if `latest` is another's; damage only matters in its own run.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { current, currentAfterUndo } from "../../../src/step/RunOfWorktree.ts"
import { EventLog, LogDamaged, LogMissing, LogTooNew } from "../../../src/log/EventLog.ts"
import { RunStore } from "../../../src/run/RunStore.ts"
import { Snapshots } from "../../../src/code/Snapshots.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import { created, opened } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const target = { root: "/state", repoId: "repo-noremote", targetKey: "uncommitted" }
const located = { repository: { root: "/repo", id: "repo-noremote" }, target }
const run = (n: number): RunRef => ({ ...target, runId: `2030010${n}T000000Z-000000001-p1` })

/**
 * A stored run, its worktree, and the damage of its log, in the second line or in the first. `born`: its first line is
 * written after the log is read and before its owner is looked up.
 */
interface Stored {
  readonly ref: RunRef
  readonly worktree?: string
  readonly damaged?: "later" | "at once" | "born"
}

const damage = (path: string, line: number) => new LogDamaged({ path, kind: "bad hash", line, offset: 0 })

/** A log in memory whose damaged runs cannot be read. */
const damaging = (stored: ReadonlyArray<Stored>) =>
  Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => {
      const flaw = (ref: RunRef) => stored.find((one) => one.ref.runId === ref.runId)?.damaged
      return EventLog.of({
        ...log,
        read: (kind, ref) => {
          const is = flaw(ref)
          if (is === undefined) return log.read(kind, ref)
          return Effect.fail(is === "born" ? new LogMissing({ path: ref.runId }) : damage(ref.runId, 2))
        },
        stream: (kind, ref, after) =>
          flaw(ref) === "at once" ? log.stream(kind, { ...ref, runId: "none" }, after) : log.stream(kind, ref, after)
      })
    })
  ).pipe(Layer.provide(memoryEventLog))

const found = (latest: RunRef | null, ...stored: ReadonlyArray<Stored>) =>
  onMachine(
    Effect.gen(function*() {
      const [store, log] = [yield* RunStore, yield* EventLog]
      for (const { ref, worktree = "/repo" } of stored) {
        yield* store.create(ref)
        const head = yield* log.create(reviewRun, ref, [created({ worktree, runId: ref.runId })])
        yield* log.append(reviewRun, ref, head, [opened("high", 1)])
      }
      if (latest !== null) yield* store.point(latest)
      return yield* Effect.match(current(located), {
        onFailure: (error) => error._tag,
        onSuccess: (found) =>
          found._tag === "Found"
            ? found.run
            : "left" in found
            ? `${found._tag} ${found.left?.ref.runId ?? ""}`.trimEnd()
            : found._tag
      })
    }),
    { eventLog: damaging(stored) }
  )

describe("the run that a worktree continues", () => {
  it("is the one that `latest` names, folded to its head", async () => {
    const it = await found(run(1), { ref: run(1) }, { ref: run(2) })
    if (typeof it === "string") return assert.fail(it)
    assert.deepStrictEqual([it.ref, it.head.seq, it.manifest.current_level], [run(1), 2, "high"])
  })

  it("is this worktree's newest if `latest` is another's", async () => {
    const it = await found(run(3), { ref: run(1) }, { ref: run(2) }, { ref: run(3), worktree: "/elsewhere" })
    assert.deepStrictEqual(typeof it === "string" ? it : it.ref, run(2))
  })

  it("is missing if there is no run, or all belong to others", async () => {
    assert.strictEqual(await found(null), "None")
    assert.strictEqual(await found(run(1), { ref: run(1), worktree: "/elsewhere" }), "None")
  })

  it("is missing without `latest`, or if its target is gone; then its newest run is left behind", async () => {
    const stored = [{ ref: run(1) }, { ref: run(2) }, { ref: run(3), worktree: "/elsewhere" }]
    assert.strictEqual(await found(null, ...stored), `None ${run(2).runId}`)
    assert.strictEqual(await found(run(4), ...stored), `Dangling ${run(2).runId}`)
    assert.strictEqual(await found(null, { ref: run(1), worktree: "/elsewhere" }), "None")
  })
})

describe("a damaged run", () => {
  it("is not a run yet while another process creates it", async () => {
    assert.strictEqual(await found(null, { ref: run(1), damaged: "born" }), "None")
  })

  it("is an error if it needs a newer version", async () => {
    const newer = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) =>
        EventLog.of({
          ...log,
          read: (_, ref) =>
            Effect.fail(new LogTooNew({ path: ref.runId, reason: { _tag: "UnknownEvent", line: 2, event: "Unheard" } }))
        }))
    ).pipe(Layer.provide(memoryEventLog))
    const failed = await onMachine(
      Effect.gen(function*() {
        const store = yield* RunStore
        yield* store.create(run(1))
        yield* (yield* EventLog).create(reviewRun, run(1), [created()])
        yield* store.point(run(1))
        return yield* Effect.flip(current(located))
      }),
      { eventLog: newer }
    )
    assert.strictEqual(failed._tag, "LogTooNew")
  })
})

it("an interrupted undo of the current run is finished before the code is read", async () => {
  const finished: Array<string> = []
  const snapshots = Layer.mock(Snapshots)({
    finish: (one, worktree) => Effect.sync(() => (finished.push(`${one.runId} in ${worktree}`), null))
  })
  const looked = Effect.gen(function*() {
    yield* currentAfterUndo(located)
    const log = yield* EventLog
    yield* log.create(reviewRun, run(1), [created({ runId: run(1).runId })])
    yield* (yield* RunStore).create(run(1))
    yield* (yield* RunStore).point(run(1))
    yield* current(located)
    const before = [...finished]
    const found = yield* currentAfterUndo(located)
    return [before, found._tag]
  })
  assert.deepStrictEqual(await onMachine(looked, { snapshots }), [[], "Found"])
  assert.deepStrictEqual(finished, [`${run(1).runId} in /repo`])
})
