// Launch: starts the wrappers of attempts whose intent has been committed.
// The one rule: an attempt's lock is taken before anything else, and held without a gap until its wrapper ends.
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, renameSync, statSync } from "node:fs"
import { Effect } from "effect"
import { archivedFiles, slotFiles } from "../../core/run/Paths.ts"
import { Environment, type Variables } from "../../services/Environment.ts"
import { type Attempt, type Launch, ReviewerFault } from "../../services/Reviewers.ts"
import { makeDirectories } from "../store/Directories.ts"
import { flockDescriptors } from "./Flock.ts"
import { trySync } from "./TrySync.ts"
import { hasCode, systemFault } from "./SystemError.ts"
import { lives } from "./Liveness.ts"
import { attemptVariable, livingOf } from "./LivingProcesses.ts"
import { fence, readJournal } from "./Journal.ts"
import { stopAll, until } from "./Stop.ts"
import { wrapperArguments } from "./Wrapper.ts"

// Milliseconds. A look of another step may hold a lock for an instant; a wrapper may be about to end.
const lockWithin = 2000
const endWithin = 1000
// They make codex colour or fill its transcript, and then no line of it can be relied on.
const removed: ReadonlyArray<string> = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]

interface Locked {
  readonly attempt: Attempt
  readonly fd: number
}

const name = ({ attempt, level, slot }: Attempt): string => `starting ${level}-${slot}, attempt ${attempt}`

const environmentOf = (id: string, env: Variables): Variables => ({
  ...Object.fromEntries(Object.entries(env).filter(([key]) => !removed.includes(key))),
  [attemptVariable]: id
})

/** Opens the lock files. All are closed again when the scope ends: by then the wrappers have their own copies. */
const opened = (attempts: ReadonlyArray<Attempt>) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const locked: Array<Locked> = []
      return trySync("opening the locks of reviewers", () => {
        for (const attempt of attempts) {
          makeDirectories(attempt.dir)
          locked.push({ attempt, fd: openSync(attempt.files.lock, "a", 0o600) })
        }
        return locked
      }).pipe(Effect.onError(() => Effect.sync(() => closeAll(locked))))
    }),
    (locked) => Effect.sync(() => closeAll(locked))
  )

const closeAll = (locked: ReadonlyArray<Locked>): void => {
  for (const { fd } of locked) closeSync(fd)
}

/** The attempts before one, newest first. Each has been given up: by its end, or by a record that it was stopped. */
const earlier = ({ attempt, dir, level, slot }: Attempt): ReadonlyArray<Attempt> =>
  Array.from({ length: attempt - 1 }, (_, back) => attempt - 1 - back)
    .map((number) => ({ id: "", level, slot, attempt: number, dir, files: slotFiles(dir, level, slot, number) }))

/** Whether attempts are over. One that has not begun is fenced, so that it never can. */
const over = (attempts: ReadonlyArray<Attempt>): boolean => {
  const runs = attempts.map(({ files, id }) => fence(files.run, id) ? null : readJournal(files.run))
  const guarded = runs.filter((run) => run?._tag === "Guarded")
  if (guarded.length === 0) return true
  if (guarded.some(({ guard }) => lives(guard))) return false
  const { guards, others } = livingOf(guarded)
  return guards.length === 0 && others.length === 0
}

/** Moves what the last attempt of a slot that began left to names of its own. */
const archive = (next: Attempt): void => {
  const before = earlier(next)
  const last = before.find(({ files }) => readJournal(files.run)._tag === "Guarded") ?? before[0]
  if (last === undefined) return
  const archived = archivedFiles(next.dir, next.level, next.slot, last.attempt)
  for (const kind of ["exit", "review", "out", "log"] as const) {
    try {
      renameSync(next.files[kind], archived[kind])
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error
    }
  }
}

/** Spawns one wrapper in a session of its own, with its lock at descriptor 3. */
const spawned = ({ attempt, fd }: Locked, launch: Launch, env: Variables): Effect.Effect<void, ReviewerFault> =>
  Effect.callback<void, ReviewerFault>((resume) => {
    const refuse = (error: unknown) =>
      resume(Effect.fail(new ReviewerFault({ what: name(attempt), reason: systemFault(error) })))
    let child: ChildProcess
    try {
      child = spawn(
        "/bin/sh",
        [...wrapperArguments({
          id: attempt.id,
          run: attempt.files.run,
          log: attempt.files.log,
          out: attempt.files.out,
          exit: attempt.files.exit,
          deadline: launch.reviewTimeout,
          maxTranscript: launch.maxTranscript,
          command: [launch.binary, ...launch.argv]
        })],
        {
          cwd: launch.cwd,
          detached: true,
          stdio: ["ignore", "ignore", "ignore", fd],
          env: environmentOf(attempt.id, env)
        }
      )
    } catch (error) {
      return refuse(error)
    }
    child.once("error", refuse)
    child.once("spawn", () => {
      child.unref()
      resume(Effect.void)
    })
  })

/** An attempt that cannot start must not seem to be starting: fenced, it is Unstarted at the next look. */
const orFence = (attempts: ReadonlyArray<Attempt>) => <A, R>(effect: Effect.Effect<A, ReviewerFault, R>) =>
  Effect.tapError(effect, () =>
    Effect.ignore(trySync("fencing", () => attempts.forEach(({ files, id }) => fence(files.run, id)))))

const started = Effect.fnUntraced(function*(locked: ReadonlyArray<Locked>, launch: Launch) {
  const attempts = locked.map(({ attempt }) => attempt)
  const before = attempts.flatMap(earlier)
  const env = yield* Environment
  // A wrapper on its last lines needs an instant; what is still there then was given up by a stop that was killed.
  if (!(yield* until("earlier attempts", endWithin, () => over(before)))) yield* stopAll(before)
  yield* trySync("moving the files of earlier attempts", () => attempts.forEach(archive))
  yield* Effect.forEach(locked, (one) => spawned(one, launch, env), { discard: true })
})

const checkDirectory = Effect.fnUntraced(function*(cwd: string) {
  const what = `the directory to review, ${cwd}`
  const there = yield* trySync(what, () => statSync(cwd).isDirectory())
  if (!there) return yield* new ReviewerFault({ what, reason: { _tag: "NoDirectory" } })
})

/**
 * Starts the wrappers of attempts: locks all, sees to it that earlier attempts of their slots are over, moves their
 * files away, spawns. Where it fails, the attempts that did not start are fenced.
 */
export const launchAll = Effect.fn("Reviewers.launch")(
  function*(attempts: ReadonlyArray<Attempt>, launch: Launch) {
    if (attempts.length === 0) return
    yield* checkDirectory(launch.cwd).pipe(orFence(attempts))
    const locked = yield* orFence(attempts)(opened(attempts))
    const env = yield* Environment
    const free = yield* until("locking reviewers", lockWithin, () =>
      flockDescriptors(locked.map(({ fd }) => fd), "exclusive", env)).pipe(orFence(attempts))
    // Somebody else starts these very attempts; that is theirs, and not to be fenced.
    if (!free) return yield* new ReviewerFault({ what: "starting reviewers", reason: { _tag: "BeingStarted" } })
    yield* orFence(attempts)(started(locked, launch))
  },
  Effect.scoped
)
