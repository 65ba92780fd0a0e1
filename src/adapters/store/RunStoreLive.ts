// RunStoreLive: the directories of runs on this machine.
// The one rule: private to the user, checked before use; small files are replaced by rename, never edited.
import { createHash, randomBytes, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { Clock, Effect, Layer } from "effect"
import { runDir, targetRoot } from "../../core/run/Paths.ts"
import { newestFirst, type RunRef, type TargetRef } from "../../core/run/Refs.ts"
import { runId, runIdPattern } from "../../core/run/RunId.ts"
import { variable } from "../../services/Environment.ts"
import { type Latest, RunStore, StoreFailed, type StoreReason } from "../../services/RunStore.ts"
import { makeDirectories } from "../process/Directories.ts"
import { LockFailed, withFileLock } from "../log/Lock.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"

const attempt = <A>(path: string, run: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({ try: run, catch: (error) => new StoreFailed({ path, reason: systemFault(error) }) })

/** The state of a path itself (no link followed), or null when nothing is there. */
const facts = (path: string): fs.Stats | null => fs.lstatSync(path, { throwIfNoEntry: false }) ?? null

/** Why a root in a shared temporary directory cannot be trusted, or null. */
const distrust = (path: string): StoreReason | null => {
  const root = facts(path)
  if (root === null) return null
  if (root.isSymbolicLink()) return { _tag: "RootIsLink" }
  if (!root.isDirectory()) return { _tag: "RootIsNoDirectory" }
  if (root.uid !== process.getuid?.()) return { _tag: "RootOfAnotherUser" }
  return (root.mode & 0o022) === 0 ? null : { _tag: "RootOpenToOthers" }
}

/** The real path of a path that need not exist yet. */
const real = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}

/** Whether git now ignores everything in a directory: one that has other rules of the user's keeps them. */
const ignoreEverything = (directory: string): boolean => {
  const rules = join(directory, ".gitignore")
  try {
    fs.writeFileSync(rules, "*\n", { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
    return fs.readFileSync(rules, "utf8").trim() === "*"
  }
}

/**
 * Keeps a root inside the worktree out of what is reviewed. A directory that also holds the user's files is
 * never ignored itself, since untracked code in it would vanish from the review: only what is ours in it is.
 */
const hide = (root: string, repositoryDir: string, worktree: string): void => {
  const [inside, top] = [real(root), real(worktree)]
  if (inside !== top && !inside.startsWith(top + sep)) return
  const ours = (name: string) => name === ".gitignore" || /-(noremote|[0-9a-f]{12})$/.test(name)
  if (inside === top || !fs.readdirSync(root).every(ours) || !ignoreEverything(root)) ignoreEverything(repositoryDir)
}

const stateRoot = Effect.fn("RunStore.stateRoot")(function*(configured: string | null, cwd: string) {
  const named = configured ?? (yield* variable("OODA_STATE_ROOT"))
  if (named !== null) return resolve(cwd, named)
  const root = resolve(cwd, (yield* variable("TMPDIR")) ?? "/tmp", "ooda-codex-review")
  const reason = yield* attempt(root, () => distrust(root))
  return reason === null ? root : yield* new StoreFailed({ path: root, reason })
})

const create = Effect.fn("RunStore.create")((run: RunRef) => attempt(runDir(run), () => makeDirectories(runDir(run))))

const prepare = Effect.fn("RunStore.prepare")((target: TargetRef, worktree: string) =>
  attempt(targetRoot(target), () => {
    makeDirectories(targetRoot(target))
    hide(target.root, join(target.root, target.repoId), worktree)
  })
)

const syncDirectory = (path: string): void => {
  const fd = fs.openSync(path, "r")
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Replaces a file: written beside it, synced, renamed over it, and the directory synced. */
const replace = (path: string, text: string): void => {
  const beside = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.new`
  try {
    const fd = fs.openSync(beside, "wx", 0o600)
    try {
      fs.writeFileSync(fd, text)
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
    fs.renameSync(beside, path)
  } catch (error) {
    fs.rmSync(beside, { force: true })
    throw error
  }
  syncDirectory(dirname(path))
}

const writeFile = Effect.fn("RunStore.writeFile")((path: string, text: string) =>
  attempt(path, () => {
    makeDirectories(dirname(path))
    replace(path, text)
  })
)

const latest = Effect.fn("RunStore.latest")((target: TargetRef) => {
  const path = `${targetRoot(target)}/latest`
  return attempt(path, (): Latest => {
    let runId: string
    try {
      runId = fs.readFileSync(path, "utf8").trim()
    } catch (error) {
      if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return { _tag: "None" }
      throw error
    }
    const run = { ...target, runId }
    return runIdPattern.test(runId) && facts(runDir(run))?.isDirectory() === true
      ? { _tag: "Run", run }
      : { _tag: "Dangling" }
  })
})

const runs = Effect.fn("RunStore.runs")((target: TargetRef) => {
  const path = `${targetRoot(target)}/runs`
  return attempt(path, () => {
    try {
      const names = fs.readdirSync(path).filter((name) => runIdPattern.test(name))
      return names.map((runId): RunRef => ({ ...target, runId })).sort(newestFirst)
    } catch (error) {
      if (hasCode(error, "ENOENT")) return []
      throw error
    }
  })
})

const newRunId = Effect.map(Clock.currentTimeNanos, (now) => {
  const second = new Date(Number(now / 1_000_000_000n) * 1000).toISOString()
  return runId(second, Number(now % 1_000_000_000n), process.pid)
})

const keepText = Effect.fn("RunStore.keepText")(function*(run: RunRef, text: string) {
  const hex = createHash("sha256").update(text).digest("hex")
  yield* writeFile(`${runDir(run)}/texts/${hex}.txt`, text)
  return { algorithm: "sha256" as const, hex, bytes: Buffer.byteLength(text) }
})

/** The live layer. */
export const layer = Layer.succeed(RunStore, {
  stateRoot,
  newRunId,
  nonce: Effect.sync(() => randomBytes(16).toString("hex")),
  newAttemptId: Effect.sync(() => randomUUID()),
  latest,
  runs,
  point: (run) => writeFile(`${targetRoot(run)}/latest`, run.runId),
  keepText,
  prepare,
  create,
  writeFile,
  locked: (target, use) =>
    withFileLock(`${targetRoot(target)}/lock`, use).pipe(
      Effect.mapError((error) =>
        error instanceof LockFailed ? new StoreFailed({ path: error.path, reason: error.reason }) : error
      )
    )
})
