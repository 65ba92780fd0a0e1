// RunRemovalLive: takes runs away on this machine.
// The one rule: every directory on the way down from the state root is checked to be one, just before the rename.
import * as fs from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { Effect, Layer } from "effect"
import { runIdPattern } from "../../core/run/RunId.ts"
import { Environment, type Variables } from "../../services/Environment.ts"
import { RunRemoval, type Trace } from "../../services/RunRemoval.ts"
import { StoreFailed, type StoreReason } from "../../services/RunStore.ts"
import { runDir } from "../../core/run/Paths.ts"
import type { RunRef } from "../../core/run/Refs.ts"
import { locksHeld } from "../process/Liveness.ts"
import { systemFault } from "../process/SystemError.ts"
import { logFiles } from "./Layout.ts"

const attempt = <A>(path: string, run: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({
    try: run,
    catch: (error) => error instanceof StoreFailed ? error : new StoreFailed({ path, reason: systemFault(error) })
  })

const names = (path: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The lock files of all attempts of a run: `levels/<level>/<batch>/<L>-<slot>.<attempt>.lock`. */
const locks = (dir: string): ReadonlyArray<string> => {
  const levels = join(dir, "levels")
  return names(levels).filter((level) => level.isDirectory()).flatMap((level) =>
    names(join(levels, level.name)).filter((batch) => batch.isDirectory()).flatMap((batch) => {
      const path = join(levels, level.name, batch.name)
      return names(path).filter(({ name }) => name.endsWith(".lock")).map(({ name }) => join(path, name))
    })
  )
}

// A helper process takes at most this many descriptors.
const atOnce = 64

const anyHeld = (paths: ReadonlyArray<string>, env: Variables): boolean => {
  for (let from = 0; from < paths.length; from += atOnce) {
    if (locksHeld(paths.slice(from, from + atOnce), env).includes(true)) return true
  }
  return false
}

const look = (run: RunRef, env: Variables): Trace => {
  const dir = runDir(run)
  const log = fs.statSync(logFiles(run, "review").log, { throwIfNoEntry: false }) ?? fs.statSync(dir)
  return { changedAt: log.mtimeMs, reviewersAlive: anyHeld(locks(dir), env) }
}

/** Throws StoreFailed unless every step from the root down to the run is a directory of its own, and no link. */
const checked = (root: string, run: RunRef): void => {
  const refused = (reason: StoreReason) => new StoreFailed({ path: runDir(run), reason })
  const parts = relative(root, runDir(run)).split(sep)
  if (parts.includes("..") || !runIdPattern.test(parts.at(-1) ?? "")) throw refused({ _tag: "NotARun" })
  let path = root
  for (const part of parts) {
    path = join(path, part)
    const facts = fs.lstatSync(path)
    if (facts.isSymbolicLink()) throw refused({ _tag: "LinkOnTheWay", link: path })
    if (!facts.isDirectory()) throw refused({ _tag: "NoDirectoryOnTheWay", at: path })
  }
}

// No run's name, so that nothing takes what is being removed for a run.
const removing = (runId: string): string => `.removing-${runId}`

const remove = (root: string, run: RunRef, isLatest: boolean): void => {
  checked(root, run)
  const runs = dirname(runDir(run))
  if (isLatest) fs.rmSync(join(dirname(runs), "latest"), { force: true })
  fs.renameSync(runDir(run), join(runs, removing(run.runId)))
  for (const { name } of names(runs)) {
    if (name.startsWith(removing("")) && runIdPattern.test(name.slice(removing("").length))) {
      fs.rmSync(join(runs, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

/** The live layer. */
export const layer: Layer.Layer<RunRemoval> = Layer.succeed(RunRemoval, {
  look: Effect.fn("RunRemoval.look")((run) =>
    Effect.flatMap(Environment, (env) => attempt(runDir(run), () => look(run, env)))
  ),
  exists: (path) => Effect.sync(() => fs.existsSync(path)),
  remove: Effect.fn("RunRemoval.remove")((root, run, { isLatest }) =>
    attempt(runDir(run), () => remove(root, run, isLatest))
  )
})
