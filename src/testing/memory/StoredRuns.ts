// StoredRuns: the runs of tests, for readers of the past.
// The one rule: a run is a directory of the world's files, named as on disk.
import { Effect, Layer, Ref } from "effect"
import { runDir } from "../../core/run/Paths.ts"
import { newestFirst, type RunRef } from "../../core/run/Refs.ts"
import { StoredRuns } from "../../services/StoredRuns.ts"
import { World } from "../World.ts"
import { digestOf } from "./ReviewFiles.ts"

const storedRun = (root: string, path: string): ReadonlyArray<RunRef> => {
  const [, repoId, targetKey, runId] = /^([^/]+)\/(.+)\/runs\/([^/]+)\/$/.exec(path.slice(root.length + 1)) ?? []
  return repoId === undefined || targetKey === undefined || runId === undefined || !path.startsWith(`${root}/`)
    ? []
    : [{ root, repoId, targetKey, runId }]
}

/** The runs in the world's files. */
export const layer: Layer.Layer<StoredRuns, never, World> = Layer.effect(
  StoredRuns,
  Effect.map(World, ({ files }) =>
    StoredRuns.of({
      list: (root, repoId) =>
        Effect.map(Ref.get(files), (all) =>
          [...all.keys()]
            .flatMap((path) => storedRun(root, path))
            .filter((run) => repoId === null || run.repoId === repoId)
            .sort(newestFirst)),
      digest: (run, file) =>
        Effect.map(Ref.get(files), (all) => {
          const text = all.get(`${runDir(run)}/${file}`)
          return text === undefined ? null : digestOf(text)
        })
    }))
)
