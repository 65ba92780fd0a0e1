// RunStore: the directories of tests, in memory.
// The one rule: what would be a file lies in the world, by the path the program gave it.
import { Clock, Effect, Layer, Ref, Semaphore } from "effect"
import { runDir, targetRoot } from "../../core/run/Paths.ts"
import { newestFirst, type RunRef, type TargetRef, targetText } from "../../core/run/Refs.ts"
import { runId } from "../../core/run/RunId.ts"
import { type Latest, RunStore } from "../../services/RunStore.ts"
import { World } from "../World.ts"
import { digestOf } from "./ReviewFiles.ts"

type Locks = ReadonlyMap<string, Semaphore.Semaphore>

const make = Effect.gen(function*() {
  const { files, witnessed } = yield* World
  const count = yield* Ref.make(0)
  const next = Ref.updateAndGet(count, (n) => n + 1)
  const locks = yield* Ref.make<Locks>(new Map())
  const put = (call: string, path: string, text: string) =>
    witnessed(`RunStore.${call}`, Ref.update(files, (all) => new Map(all).set(path, text)))
  const lockOf = (target: TargetRef) =>
    Ref.modify(locks, (all): readonly [Semaphore.Semaphore, Locks] => {
      const lock = all.get(targetText(target)) ?? Semaphore.makeUnsafe(1)
      return [lock, new Map(all).set(targetText(target), lock)]
    })

  return RunStore.of({
    stateRoot: (configured) => Effect.succeed(configured ?? "/state"),
    newRunId: Effect.gen(function*() {
      const second = new Date(yield* Clock.currentTimeMillis).toISOString()
      return runId(second, yield* next, 1)
    }),
    nonce: Effect.map(next, (n) => n.toString(16).padStart(32, "0")),
    newAttemptId: Effect.map(next, (n) => `attempt-${n}`),
    latest: (target) =>
      Effect.map(Ref.get(files), (all): Latest => {
        const runId = all.get(`${targetRoot(target)}/latest`)
        if (runId === undefined) return { _tag: "None" }
        const run = { ...target, runId }
        return all.has(`${runDir(run)}/`) ? { _tag: "Run", run } : { _tag: "Dangling" }
      }),
    runs: (target) =>
      Effect.map(Ref.get(files), (all) => {
        const under = `${targetRoot(target)}/runs/`
        const names = [...all.keys()].filter((path) => path.startsWith(under)).map((path) =>
          path.slice(under.length).split("/")[0] ?? "")
        return [...new Set(names)].map((runId): RunRef => ({ ...target, runId })).sort(newestFirst)
      }),
    point: (run) => put("point", `${targetRoot(run)}/latest`, run.runId),
    keepText: (run, text) => {
      const digest = digestOf(text)
      return Effect.as(put("keepText", `${runDir(run)}/texts/${digest.hex}.txt`, text), digest)
    },
    prepare: () => Effect.void,
    create: (run) => put("create", `${runDir(run)}/`, ""),
    writeFile: (path, text) => put("writeFile", path, text),
    locked: (target, use) => Effect.flatMap(lockOf(target), (lock) => Semaphore.withPermit(lock, use))
  })
})

/** The directories of runs in the world's files; new ids are counted, so that a test can be run again. */
export const layer: Layer.Layer<RunStore, never, World> = Layer.effect(RunStore, make)
