// RunStore: the directories of tests, in memory.
// The one rule: what would be a file lies in the world, by the path the program gave it.
import { Clock, Effect, Layer, Ref, Semaphore } from "effect"
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
  const lockOf = (root: string) =>
    Ref.modify(locks, (all): readonly [Semaphore.Semaphore, Locks] => {
      const lock = all.get(root) ?? Semaphore.makeUnsafe(1)
      return [lock, new Map(all).set(root, lock)]
    })

  return RunStore.of({
    stateRoot: (configured) => Effect.succeed(configured ?? "/state"),
    newRunId: Effect.gen(function*() {
      const second = new Date(yield* Clock.currentTimeMillis).toISOString()
      return runId(second, yield* next, 1)
    }),
    nonce: Effect.map(next, (n) => n.toString(16).padStart(32, "0")),
    newAttemptId: Effect.map(next, (n) => `attempt-${n}`),
    latest: (root) =>
      Effect.map(Ref.get(files), (all): Latest => {
        const id = all.get(`${root}/latest`)
        if (id === undefined) return { _tag: "None" }
        return all.has(`${root}/runs/${id}/`) ? { _tag: "Run", runId: id } : { _tag: "Dangling" }
      }),
    runs: (root) =>
      Effect.map(Ref.get(files), (all) => {
        const under = `${root}/runs/`
        const names = [...all.keys()].filter((path) => path.startsWith(under)).map((path) =>
          path.slice(under.length).split("/")[0] ?? "")
        return [...new Set(names)].sort().reverse()
      }),
    point: (root, id) => put("point", `${root}/latest`, id),
    keepText: (run, text) => {
      const digest = digestOf(text)
      return Effect.as(put("keepText", `${run}/texts/${digest.hex}.txt`, text), digest)
    },
    prepare: () => Effect.void,
    makeDirectory: (path) => put("makeDirectory", `${path}/`, ""),
    writeFile: (path, text) => put("writeFile", path, text),
    locked: (root, use) => Effect.flatMap(lockOf(root), (lock) => Semaphore.withPermit(lock, use))
  })
})

/** The directories of runs in the world's files; new ids are counted, so that a test can be run again. */
export const layer: Layer.Layer<RunStore, never, World> = Layer.effect(RunStore, make)
