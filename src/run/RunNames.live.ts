// RunNames: names for new runs and attempts, and the existing runs, by the names of their directories.
// No link is followed, a directory without a run's name is not a run, and what others could have written is refused.
import { randomBytes, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { type Latest, type RunRef, type TargetRef, newestFirst, runId, runIdPattern } from "../log/Refs.ts"
import { hasCode } from "../platform/SystemError.ts"
import { directoriesTo, latestFile, runAt } from "./Layout.live.ts"
import { repositoryDirectory, runDirectory, runsDirectory } from "../log/LogFile.live.ts"
import { attempt } from "./SmallFile.live.ts"
import { checkOwn } from "./StateRoot.live.ts"

/** A new run id for now. */
export const newRunId: Effect.Effect<string> = Effect.map(Clock.currentTimeNanos, (now) => {
  const second = new Date(Number(now / 1_000_000_000n) * 1000).toISOString()
  return runId(second, Number(now % 1_000_000_000n), process.pid)
})

/** 32 random hexadecimal digits. */
export const nonce: Effect.Effect<string> = Effect.sync(() => randomBytes(16).toString("hex"))

/** A new id of a review attempt. */
export const newAttemptId: Effect.Effect<string> = Effect.sync(() => randomUUID())

const isAbsent = (error: unknown): boolean => hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")

const pointed = (target: TargetRef): Latest => {
  let runId: string
  try {
    runId = fs.readFileSync(latestFile(target), "utf8").trim()
  } catch (error) {
    if (isAbsent(error)) return { _tag: "None" }
    throw error
  }
  if (!runIdPattern.test(runId)) return { _tag: "Dangling" }
  const run = { ...target, runId }
  const facts = fs.lstatSync(runDirectory(run), { throwIfNoEntry: false })
  return facts?.isDirectory() === true ? { _tag: "Run", run } : { _tag: "Dangling" }
}

/** The answer of a target's `latest`. */
export const latest = Effect.fn("RunStore.latest")(function*(target: TargetRef) {
  yield* checkOwn(directoriesTo(target))
  const found = yield* attempt(latestFile(target), () => pointed(target))
  if (found._tag === "Run") yield* checkOwn([runDirectory(found.run)])
  return found
})

/** A target's runs, newest first. */
export const runs = Effect.fn("RunStore.runs")(function*(target: TargetRef) {
  yield* checkOwn(directoriesTo(target))
  const found = yield* attempt(runsDirectory(target), () => {
    try {
      const names = fs.readdirSync(runsDirectory(target)).filter((name) => runIdPattern.test(name))
      return names.map((runId): RunRef => ({ ...target, runId })).sort(newestFirst)
    } catch (error) {
      if (hasCode(error, "ENOENT")) return []
      throw error
    }
  })
  yield* checkOwn(found.map(runDirectory))
  return found
})

const directories = (path: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** The runs below a directory of a repository. No part of a target's name begins with a dot. */
const below = (root: string, repoId: string, names: ReadonlyArray<string>): ReadonlyArray<RunRef> =>
  directories(join(repositoryDirectory({ root, repoId }), ...names)).flatMap((name) => {
    if (name.startsWith(".")) return []
    const run = runAt(root, repoId, [...names, name])
    return run === null ? below(root, repoId, [...names, name]) : [run]
  })

/** The runs of a repository, or of every repository of a root, newest first. */
export const list = Effect.fn("RunStore.list")(function*(root: string, repoId: string | null) {
  const found = yield* attempt(
    root,
    () => (repoId === null ? directories(root) : [repoId]).flatMap((repo) => below(root, repo, [])).sort(newestFirst)
  )
  yield* checkOwn(new Set(found.flatMap((run) => [...directoriesTo(run), runDirectory(run)])))
  return found
})
