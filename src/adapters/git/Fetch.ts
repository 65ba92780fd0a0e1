// Fetch: one fetch of strangers' commits into a mirror, within a bound of bytes and of time.
// The one rule: git bounds neither, so it is watched, and nothing of a fetch that went too far stays.
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { TreeFailed, TreeReason } from "../../services/WorkingTrees.ts"
import { type Executed, programFault } from "../process/Exec.ts"
import { systemFault } from "../process/SystemError.ts"
import { type Access, askStranger, failedAt, fetchPatience, mustStranger } from "./Stranger.ts"

/** The most bytes that a mirror may hold: all that was ever fetched into it, with its history. */
export const mostHeld = 16 * 1024 ** 3

// Milliseconds between two looks at what a fetch has written: it may write so long beyond the bound.
const lookEvery = 500

/** A mirror, the repository that it is fetched from, and the most bytes that it may hold. */
export interface Fetching {
  readonly mirror: string
  readonly repo: string
  readonly access: Access | null
  readonly most: number
}

/** Synchronous file calls at a path. */
export const filesAt = <A>(path: string, run: () => A): Effect.Effect<A, TreeFailed> =>
  Effect.try({ try: run, catch: (error) => failedAt(path)(systemFault(error)) })

const packsOf = (mirror: string): string => join(mirror, "objects/pack")

const packsIn = (mirror: string): ReadonlyArray<string> =>
  fs.existsSync(packsOf(mirror)) ? fs.readdirSync(packsOf(mirror)) : []

const heldBy = (mirror: string): number =>
  packsIn(mirror).reduce(
    (sum, name) => sum + (fs.statSync(join(packsOf(mirror), name), { throwIfNoEntry: false })?.size ?? 0),
    0
  )

const removePacks = (mirror: string, isMeant: (name: string) => boolean): void => {
  for (const name of packsIn(mirror).filter(isMeant)) fs.rmSync(join(packsOf(mirror), name), { force: true })
}

/** Removes what a fetch that was killed leaves: packs that are no packs yet, and locks of refs. */
export const sweep = (mirror: string): void => {
  removePacks(mirror, (name) => /^(tmp_|\.tmp-)/.test(name))
  for (const name of fs.readdirSync(join(mirror, "refs"), { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".lock")) fs.rmSync(join(mirror, "refs", name), { force: true })
  }
  for (const name of ["packed-refs.lock", "shallow.lock", "config.lock"]) {
    fs.rmSync(join(mirror, name), { force: true })
  }
}

/** Ends when a mirror holds more than it may. */
const exceeded = Effect.fnUntraced(function*({ mirror, most }: Fetching) {
  while ((yield* filesAt(mirror, () => heldBy(mirror))) <= most) yield* Effect.sleep(lookEvery)
  return null
})

const quietly = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"]

/**
 * Fetches what `from` names to the ref `to`, and tells how git ended. Fails where the mirror would hold more than it
 * may. The caller holds the lock of the mirror.
 */
export const fetched = Effect.fn("WorkingTrees.fetched")(function*(fetching: Fetching, from: string, to: string) {
  const { access, mirror, most, repo } = fetching
  const before = new Set(yield* filesAt(mirror, () => packsIn(mirror)))
  const git = askStranger(mirror, [...quietly, "--", repo, `+${from}:${to}`], { repo, access })
  const done = yield* Effect.raceFirst(git, exceeded(fetching)).pipe(
    // Also where it was killed: what it wrote may be as large as the disk.
    Effect.ensuring(Effect.ignore(filesAt(mirror, () => sweep(mirror))))
  )
  if (done !== null && (yield* filesAt(mirror, () => heldBy(mirror))) <= most) return done
  // First the ref: one that leads to nothing would spoil each fetch after this one.
  yield* mustStranger(mirror, "giving up a fetch", ["update-ref", "-d", to])
  yield* filesAt(mirror, () => removePacks(mirror, (name) => !before.has(name)))
  return yield* failedAt(mirror)({ _tag: "FetchTooLarge", most })
})

/** Where even the repository does not answer, that is said; where only its ref is missing, `missing` is. */
export const unfetched = (mirror: string, done: Executed, missing: TreeReason): TreeFailed =>
  failedAt(mirror)(
    /couldn't find remote ref/.test(done.stderr)
      ? missing
      : { _tag: "GitRefused", what: "fetching", fault: programFault("git", done) }
  )

/** Ends a whole visit of a repository in time, however many fetches it takes: others wait for its mirror. */
export const inTime = <A, R>(mirror: string, visit: Effect.Effect<A, TreeFailed, R>): Effect.Effect<A, TreeFailed, R> =>
  Effect.timeoutOrElse(visit, {
    duration: fetchPatience,
    orElse: () =>
      Effect.fail(
        failedAt(mirror)({ _tag: "GitRefused", what: "fetching", fault: { _tag: "ProgramTooSlow", program: "git" } })
      )
  })
