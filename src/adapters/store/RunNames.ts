// RunNames: which runs there are, by the names of their directories, and which one `latest` names.
// No link is followed, a directory without a run's name is no run, and what others could have written is refused.
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { newestFirst, type RunRef, type TargetRef } from "../../core/run/Refs.ts"
import { runIdPattern } from "../../core/run/RunId.ts"
import type { Latest } from "../../services/RunStore.ts"
import { hasCode } from "../process/SystemError.ts"
import { directoriesTo, latestFile, repositoryDirectory, runAt, runDirectory, runsDirectory } from "./Layout.ts"
import { checkOwn } from "./Ownership.ts"
import { attempt } from "./SmallFile.ts"

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

/** What `latest` of a target says. */
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

/** The runs below a directory of a repository, which the names lead to. No part of a target begins with a dot. */
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
