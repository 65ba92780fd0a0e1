// StoredRunsLive: the runs under a state root, found by walking it.
// The one rule: a run is a directory with a run's name inside one called `runs`; no link is followed.
import * as fs from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Digest } from "../../core/run/Event.ts"
import { runIdPattern } from "../../core/run/RunId.ts"
import { StoreFailed } from "../../services/RunStore.ts"
import { runDir } from "../../core/run/Paths.ts"
import { newestFirst, type RunRef } from "../../core/run/Refs.ts"
import { StoredRuns } from "../../services/StoredRuns.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"

const attempt = <A>(path: string, run: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({ try: run, catch: (error) => new StoreFailed({ path, reason: systemFault(error) }) })

const directories = (path: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return []
    throw error
  }
}

/** The runs below a directory of a repository. A branch may be called `runs`, so only a run's name ends the walk. */
const runsBelow = (root: string, repoId: string, parts: ReadonlyArray<string>): ReadonlyArray<RunRef> => {
  const here = join(root, repoId, ...parts)
  return directories(here).flatMap((name) =>
    parts.at(-1) === "runs" && runIdPattern.test(name)
      ? [{ root, repoId, targetKey: parts.slice(0, -1).join("/"), runId: name }]
      : runsBelow(root, repoId, [...parts, name])
  )
}

const list = Effect.fn("StoredRuns.list")((root: string, repoId: string | null) =>
  attempt(root, () =>
    (repoId === null ? directories(root) : [repoId]).flatMap((repo) => runsBelow(root, repo, [])).sort(newestFirst))
)

const digest = Effect.fn("StoredRuns.digest")((run: RunRef, file: string) => {
  const path = join(runDir(run), file)
  return attempt(path, (): Digest | null => {
    try {
      const bytes = fs.readFileSync(path)
      return { algorithm: "sha256", hex: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length }
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null
      throw error
    }
  })
})

/** The live layer. */
export const layer: Layer.Layer<StoredRuns> = Layer.succeed(StoredRuns, { list, digest })
