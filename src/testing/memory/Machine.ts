// Machine: drivers, plan files and signals in memory.
import { Effect, Layer, Ref } from "effect"
import { AlreadyDriven, DrivenWorktree, Drivers } from "../../drive/DriverLock.ts"
import { PlanFileFailed, PlanFiles } from "../../drive/plan/PlanFiles.ts"
import { type TargetRef, targetText } from "../../log/Refs.ts"
import { Signals } from "../../platform/Process.ts"
import { World } from "../World.ts"

export const driversLayer: Layer.Layer<Drivers> = Layer.effect(
  Drivers,
  Effect.map(Ref.make<ReadonlyArray<readonly [worktree: string, target: string]>>([]), (driven) => ({
    driving: Effect.fnUntraced(
      function*<A, E, R>(target: TargetRef, worktree: string, use: (pid: number) => Effect.Effect<A, E, R>) {
        const one = [worktree, targetText(target)] as const
        const isFree = (yield* DrivenWorktree) === worktree || (yield* Ref.get(driven)).every(([at]) => at !== worktree)
        if (!isFree) return yield* new AlreadyDriven({ who: null })
        yield* Ref.update(driven, (all) => [...all, one])
        const leave = Ref.update(driven, (all) => all.filter((other) => other !== one))
        return yield* Effect.ensuring(Effect.provideService(use(1), DrivenWorktree, worktree), leave)
      }
    ),
    works: () => Effect.succeed(false),
    present: (target: TargetRef) =>
      Effect.map(Ref.get(driven), (all) => all.some(([, driven]) => driven === targetText(target)) ? [1] : [])
  }))
)

// Plan files and documents, by their absolute paths

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Plan files that begin with these texts. */
export const planFilesLayer = (files: Readonly<Record<string, string>>): Layer.Layer<PlanFiles> =>
  Layer.effect(
    PlanFiles,
    Effect.map(Ref.make<ReadonlyMap<string, string>>(new Map(Object.entries(files))), (all) => {
      const missing = (path: string) => new PlanFileFailed({ path, reason: { _tag: "NoPlanFile" } })
      const found = Effect.fnUntraced(function*(path: string) {
        const text = (yield* Ref.get(all)).get(path)
        return text === undefined ? yield* missing(path) : bytesOf(text)
      })
      return {
        locate: (path) => Effect.succeed(path),
        read: found,
        replace: Effect.fnUntraced(function*(path, before, now) {
          if (!same(yield* found(path), before)) {
            return yield* new PlanFileFailed({ path, reason: { _tag: "ChangedMeanwhile" } })
          }
          yield* Ref.update(all, (known) => new Map(known).set(path, new TextDecoder().decode(now)))
        }),
        tidy: () => Effect.void,
        present: (directory, names) =>
          Effect.map(Ref.get(all), (known) => names.filter((name) => known.has(`${directory}/${name}`))),
        document: (directory, name, most) =>
          Effect.map(Ref.get(all), (known) => known.get(`${directory}/${name}`)?.slice(0, most) ?? null)
      }
    })
  )

// Signals that the world fires. One reaches the steps that run when it is fired, and no later one.

/** Signals that the test fires with `World`. */
export const signalsLayer: Layer.Layer<Signals, never, World> = Layer.effect(
  Signals,
  Effect.map(World, ({ asked }) => Signals.of({ asked }))
)
