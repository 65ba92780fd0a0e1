// PlanFiles: plan files and documents in memory, by their absolute paths.
import { Effect, Layer, Ref } from "effect"
import { PlanFileFailed, PlanFiles } from "../../services/PlanFiles.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Plan files that begin with these texts. */
export const layer = (files: Readonly<Record<string, string>>): Layer.Layer<PlanFiles> =>
  Layer.effect(
    PlanFiles,
    Effect.map(Ref.make<ReadonlyMap<string, string>>(new Map(Object.entries(files))), (all) => {
      const missing = (path: string) => new PlanFileFailed({ path, reason: { _tag: "NoPlanFile" } })
      const found = Effect.fnUntraced(function*(path: string) {
        const text = (yield* Ref.get(all)).get(path)
        return text === undefined ? yield* missing(path) : bytesOf(text)
      })
      return {
        locate: (path) => Effect.as(found(path), path),
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
