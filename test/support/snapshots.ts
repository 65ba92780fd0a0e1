// snapshots: takes and restores snapshots of real repositories, and photographs every byte that an undo may touch.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert } from "vitest"
import { layer } from "../../src/code/Snapshots.live.ts"
import { runDirectory } from "../../src/log/LogFile.live.ts"
import type { RunRef } from "../../src/log/Refs.ts"
import { type SnapshotCause, Snapshots } from "../../src/code/Snapshots.ts"
import { agentFiles, testFiles } from "../../src/run/Layout.live.ts"
import { inHome, run } from "./repositories.ts"

/** A run whose directory is there. */
export const aRun = (n = 1): RunRef => {
  const ref = {
    root: inHome("state"),
    repoId: "repo-noremote",
    targetKey: "uncommitted",
    runId: `20260101T00000${n}Z-000000000-p1`
  }
  mkdirSync(runDirectory(ref), { recursive: true })
  return ref
}

/** Asks the live snapshots. */
export const asking = <A, E>(ask: (snapshots: Snapshots["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  run(Snapshots.use(ask).pipe(Effect.provide(layer)))

export const beforeAgent: SnapshotCause = { _tag: "BeforeAgent", agent: 1 }

/** Ends an agent or a test of a run: what is written from then on has a later time. */
export const ended = ({ exit }: { readonly exit: string }): void => {
  mkdirSync(dirname(exit), { recursive: true })
  writeFileSync(exit, "0\n")
  const tick = join(dirname(exit), "tick")
  do writeFileSync(tick, "")
  while (statSync(tick).ctimeMs <= statSync(exit).mtimeMs)
}

/** Takes a snapshot; the agent or the test before it ends first, if it has not yet. */
export const take = (repo: string, ref = aRun(), partial = false, cause: SnapshotCause = beforeAgent, round = 1) => {
  const files = cause._tag === "AfterAgent"
    ? agentFiles({ run: ref, agent: cause.agent, attempt: 1 })
    : cause._tag === "AfterTests"
    ? testFiles({ run: ref, test: 1 })
    : null
  if (files !== null && !existsSync(files.exit)) ended(files)
  return asking((snapshots) => snapshots.take(ref, repo, cause, { partial, round }))
}

const gently = { force: false, partial: false }

export const restore = (repo: string, number: number, ref = aRun(), options = gently) =>
  asking((snapshots) => snapshots.restore(ref, repo, { _tag: "Snapshot", number }, options))

const bytes = (buffer: Buffer): string => buffer.toString("latin1")

/** Everything below a directory but git's own files: names, kinds, rights to run, bytes. */
export const photo = (directory: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  const look = (at: Buffer, name: string): void => {
    for (const entry of readdirSync(at, { encoding: "buffer", withFileTypes: true })) {
      if (bytes(entry.name) === ".git") continue
      const path = Buffer.concat([at, Buffer.from("/"), entry.name])
      const called = `${name}${bytes(entry.name)}`
      const facts = lstatSync(path)
      if (facts.isDirectory()) {
        look(path, `${called}/`)
      } else if (facts.isSymbolicLink()) found[called] = `link ${bytes(readlinkSync(path, "buffer"))}`
      else if (facts.isFile()) {
        found[called] = `${(facts.mode & 0o100) === 0 ? "file" : "program"} ${bytes(readFileSync(path))}`
      } else found[called] = "special"
    }
  }
  look(Buffer.from(directory), "")
  return found
}

/** Every byte of what git keeps for a person: HEAD, index, branches, stash, settings, hooks, merges; not our refs. */
export const gitPhoto = (repo: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  const own = join(repo, ".git")
  const look = (at: string): void => {
    for (const entry of existsSync(at) ? readdirSync(at, { withFileTypes: true }) : []) {
      const path = join(at, entry.name)
      if (/\/(objects|refs\/ooda)(\/|$)/.test(path.slice(own.length))) continue
      if (entry.isDirectory()) look(path)
      else found[path] = bytes(readFileSync(path))
    }
  }
  if (lstatSync(own).isFile()) {
    const real = /^gitdir: (.*)\n$/.exec(readFileSync(own, "utf8"))?.[1] ?? ""
    for (const name of ["HEAD", "index", "logs/HEAD"]) found[name] = bytes(readFileSync(join(real, name)))
    for (const name of ["config", "packed-refs"]) {
      const path = join(dirname(dirname(real)), name)
      if (existsSync(path)) found[name] = bytes(readFileSync(path))
    }
  } else look(own)
  return found
}

/**
 * Takes a snapshot, edits, undoes, undoes the undo, and undoes once more: the files are restored each time, and
 * git's own files are never touched.
 */
export const undoes = async (repo: string, edit: () => void, { partial = false } = {}): Promise<void> => {
  const before = photo(repo)
  const untouched = gitPhoto(repo)
  await take(repo, aRun(), partial)
  assert.deepStrictEqual(photo(repo), before, "taking a snapshot changes files")
  assert.deepStrictEqual(gitPhoto(repo), untouched, "taking a snapshot changes git's files")
  edit()
  const edited = photo(repo)
  await take(repo, aRun(), true, { _tag: "AfterAgent", agent: 1 })
  const present = gitPhoto(repo)
  const { saved } = await restore(repo, 1)
  assert.deepStrictEqual(photo(repo), before, "undone")
  assert.deepStrictEqual(gitPhoto(repo), present, "an undo changes git's files")
  await restore(repo, saved?.number ?? 0)
  assert.deepStrictEqual(photo(repo), edited, "the undo is undone")
  await restore(repo, 1)
  assert.deepStrictEqual(photo(repo), before, "undone again")
  assert.deepStrictEqual(gitPhoto(repo), present, "a further undo changes git's files")
}
