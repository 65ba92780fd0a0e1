// Asked.live: answers questions about the user's repository in a private one: a temporary one, or the run's own.
import { existsSync } from "node:fs"
import { mkdtempSync, realpathSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { Effect, type Scope } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { Environment, variable } from "../platform/Environment.ts"
import { makeDirectories, removeTree } from "../platform/Files.ts"
import { makeScratch, removeScratch } from "../run/Copies.live.ts"
import { codeDirectory, seenFile } from "../run/Layout.live.ts"
import type { CodeFailed } from "./CodeFailed.ts"
import { type Repository, repositoryAt } from "./Repository.live.ts"
import { Scratchpad } from "./Scratchpad.ts"
import { openStore, repair, type Store, tryFiles } from "./Store.live.ts"

/**
 * A new directory outside the worktree, which it is to hold a copy of. If `temporary` (TMPDIR) is missing or lies in
 * the worktree, the system's own places are tried. Throws the system's error.
 */
const directoryBeside = (top: string, temporary: string | null): string => {
  const inside = realpathSync(top)
  let problem: unknown = new Error("every temporary directory lies inside the worktree")
  for (const place of [temporary ?? "/tmp", "/tmp", "/var/tmp"]) {
    try {
      const real = realpathSync(resolve(top, place))
      if (real !== inside && !real.startsWith(inside.endsWith(sep) ? inside : inside + sep)) {
        return mkdtempSync(join(real, "ooda-code-"))
      }
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

/**
 * A private repository until the scope ends, in the open store: a later invocation removes what a killed one leaves. It
 * borrows what `run`, the id of a run in that store, has frozen.
 */
const scratchStore = Effect.fnUntraced(function*(repository: Repository, run: string | null) {
  const temporary = yield* variable("TMPDIR")
  const target = yield* Scratchpad
  const env = yield* Environment
  const dir = yield* Effect.acquireRelease(
    tryFiles(
      target === null ? repository.top : target.root,
      () => target === null ? directoryBeside(repository.top, temporary) : makeScratch(target, env)
    ),
    (dir) => Effect.ignore(tryFiles(dir, () => target === null ? removeTree(dir) : removeScratch(dir)))
  )
  const ref: RunRef | null = target === null || run === null ? null : { ...target, runId: run }
  const lender = ref === null ? null : codeDirectory(ref)
  return lender !== null && existsSync(join(lender, "HEAD"))
    ? yield* openStore(dir, repository, lender)
    : yield* openStore(dir, repository, null, ref === null ? null : seenFile(ref))
})

/** The private repository of a run that reviews a worktree; created if missing. It may be damaged. */
export const storeToRead = Effect.fnUntraced(function*(run: RunRef, worktree: string) {
  const repository = yield* repositoryAt(worktree)
  const directory = codeDirectory(run)
  yield* tryFiles(directory, () => makeDirectories(directory))
  return yield* openStore(directory, repository)
})

/** The same, repaired, for who holds a lock of the run. */
export const storeOf = (run: RunRef, worktree: string) => Effect.tap(storeToRead(run, worktree), repair)

/** Asks about the repository around a directory, for a run if it concerns one. */
export const asked = <A, E>(
  cwd: string,
  question: (store: Store) => Effect.Effect<A, E, Scope.Scope>,
  run: string | null = null
): Effect.Effect<A, E | CodeFailed> =>
  Effect.scoped(
    Effect.flatMap(repositoryAt(cwd), (repository) => Effect.flatMap(scratchStore(repository, run), question))
  )
