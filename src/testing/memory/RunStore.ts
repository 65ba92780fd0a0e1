// RunStore: the store of runs in memory; what the program writes for people and agents lies in the world.
// Its places are names that describe them, not paths.
import { Clock, Effect, Layer, Ref, Semaphore } from "effect"
import { textName } from "../../run/LongText.ts"
import {
  type Latest,
  type RunRef,
  type TargetRef,
  newestFirst,
  runId,
  runText,
  sameRun,
  targetText
} from "../../log/Refs.ts"
import type { BatchRef } from "../../run/Refs.ts"
import { type BatchPlaces, type RunPlaces, RunStore } from "../../run/RunStore.ts"
import { lives, World } from "../World.ts"
import { digestOf } from "./Reviewers.ts"

type Locks = ReadonlyMap<string, Semaphore.Semaphore>

interface Created {
  readonly run: RunRef
  readonly at: number
}

const targetPlace = ({ repoId, root, targetKey }: TargetRef): string => `${targetKey} of ${repoId} in ${root}`

const runPlaces = (run: RunRef): RunPlaces => {
  const directory = `run ${run.runId} of ${targetPlace(run)}`
  const agentTranscript: RunPlaces["agentTranscript"] = ({ agent, attempt }) =>
    `transcript of attempt ${attempt} of agent ${agent} of ${directory}`
  return { directory, history: `history of ${directory}`, transcripts: `transcripts of ${directory}`, agentTranscript }
}

const batchPlaces = ({ batch, level, run }: BatchRef, size: number): BatchPlaces => {
  const directory = `${level} batch ${batch} of ${runPlaces(run).directory}`
  return {
    directory,
    findings: `findings of ${directory}`,
    transcripts: `transcripts of ${directory}`,
    slots: Array.from({ length: size }, (_, i) => ({
      log: `transcript of slot ${i + 1} of ${directory}`,
      out: `output of slot ${i + 1} of ${directory}`,
      review: `review of slot ${i + 1} of ${directory}`
    }))
  }
}

const keptPlace = (run: RunRef, name: string): string => `${name} of ${runPlaces(run).directory}`

const make = Effect.gen(function*() {
  const { agents, documents, reviewers, witnessed } = yield* World
  const count = yield* Ref.make(0)
  const next = Ref.updateAndGet(count, (n) => n + 1)
  const created = yield* Ref.make<ReadonlyArray<Created>>([])
  const pointers = yield* Ref.make<ReadonlyMap<string, RunRef>>(new Map())
  const locks = yield* Ref.make<Locks>(new Map())
  const put = (call: string, place: string, text: string) =>
    witnessed(`RunStore.${call}`, Ref.update(documents, (all) => new Map(all).set(place, text)))
  const stored = (keep: (run: RunRef) => boolean) =>
    Effect.map(Ref.get(created), (all) => all.map(({ run }) => run).filter(keep).sort(newestFirst))
  const lockOf = (target: TargetRef) =>
    Ref.modify(locks, (all): readonly [Semaphore.Semaphore, Locks] => {
      const lock = all.get(targetText(target)) ?? Semaphore.makeUnsafe(1)
      return [lock, new Map(all).set(targetText(target), lock)]
    })

  return RunStore.of({
    open: (configured) => Effect.succeed(configured ?? "/state"),
    roots: (configured) => Effect.succeed([configured ?? "/state"]),
    targetPlace,
    runPlaces,
    batchPlaces,
    newRunId: Effect.gen(function*() {
      const second = new Date(yield* Clock.currentTimeMillis).toISOString()
      return runId(second, yield* next, 1)
    }),
    nonce: Effect.map(next, (n) => n.toString(16).padStart(32, "0")),
    newAttemptId: Effect.map(next, (n) => `attempt-${n}`),
    latest: Effect.fnUntraced(function*(target) {
      const run = (yield* Ref.get(pointers)).get(targetText(target))
      if (run === undefined) return { _tag: "None" } satisfies Latest
      const [found] = yield* stored((one) => sameRun(one, run))
      const latest: Latest = found === undefined ? { _tag: "Dangling" } : { _tag: "Run", run }
      return latest
    }),
    runs: (target) => stored((run) => targetText(run) === targetText(target)),
    list: (root, repoId) => stored((run) => run.root === root && (repoId === null || run.repoId === repoId)),
    prepare: () => Effect.void,
    locked: (target, use) => Effect.flatMap(lockOf(target), (lock) => Semaphore.withPermit(lock, use)),
    create: (run) =>
      witnessed(
        "RunStore.create",
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Ref.update(created, (all) => [...all.filter((one) => !sameRun(one.run, run)), { run, at }]))
      ),
    point: (run) => witnessed("RunStore.point", Ref.update(pointers, (all) => new Map(all).set(targetText(run), run))),
    keepText: (run, text) => {
      const digest = digestOf(text)
      return Effect.as(put("keepText", keptPlace(run, textName(digest.hex)), text), digest)
    },
    keeps: (run, text) =>
      Effect.map(Ref.get(documents), (all) => all.get(keptPlace(run, textName(digestOf(text).hex))) === text),
    digest: (run, name) =>
      Effect.map(Ref.get(documents), (all) => {
        const text = all.get(keptPlace(run, name))
        return text === undefined ? null : digestOf(text)
      }),
    writeFindings: (batch, text) => put("writeFindings", batchPlaces(batch, 0).findings, text),
    writeHistory: (run, text) => put("writeHistory", runPlaces(run).history, text),
    clearScratches: () => Effect.void,
    isolating: (_, use) => use,
    clearIsolated: (_, keep) => Effect.asVoid(keep),
    withIsolated: () => Effect.succeed([]),
    usage: () => Effect.succeed({ bytes: 0, largest: null }),
    cutTranscripts: () => Effect.succeed(0),
    look: Effect.fnUntraced(function*(run) {
      const now = yield* Clock.currentTimeMillis
      const ofRun = (yield* Ref.get(reviewers)).filter(({ attempt }) => sameRun(attempt.run, run))
      const found = (yield* Ref.get(created)).find((one) => sameRun(one.run, run))
      return { changedAt: found?.at ?? 0, reviewersAlive: ofRun.some((one) => lives(one, now)) }
    }),
    jobs: (run) =>
      Effect.map(
        Effect.all([Ref.get(reviewers), Ref.get(agents)]),
        (all) => all.flat().flatMap(({ attempt }) => sameRun(attempt.run, run) ? [attempt.id] : [])
      ),
    remove: (run, { isLatest }) =>
      witnessed(
        "RunStore.remove",
        Effect.gen(function*() {
          yield* Ref.update(created, (all) => all.filter((one) => !sameRun(one.run, run)))
          const ofRun = ` of ${runPlaces(run).directory}`
          yield* Ref.update(documents, (all) => new Map([...all].filter(([place]) => !place.endsWith(ofRun))))
          if (isLatest) {
            yield* Ref.update(pointers, (all) => new Map([...all].filter(([, one]) => runText(one) !== runText(run))))
          }
        })
      )
  })
})

/** An empty store; new ids are counted, so that a test can be run again. */
export const layer: Layer.Layer<RunStore, never, World> = Layer.effect(RunStore, make)
