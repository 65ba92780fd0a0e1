// Sessions.live: one file per session, under a lock.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Clock, Effect, Layer } from "effect"
import { decodeSessionState, emptySession, encodeSessionState, type SessionState } from "./Session.ts"
import { recovered } from "../platform/Note.ts"
import { StoreFailed } from "../run/RunStore.ts"
import { SessionFailed, type SessionReason, type SessionRef, Sessions } from "./Sessions.ts"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import { makeDirectories } from "../platform/Files.ts"
import { systemRefused } from "../platform/SystemError.ts"
import { sessionFiles, sessionsDirectory } from "../run/Layout.live.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { ignoreEverything, roots } from "../run/StateRoot.live.ts"

// The state of each session in a file of its own, below the state root.
// A file that is a link, another user's, or unreadable counts as missing, and the next change replaces it.

const most = 4 * 1024 * 1024

const because = (reason: SessionReason): SessionFailed => new SessionFailed({ reason })

const failed = (error: unknown): SessionFailed => {
  if (error instanceof SessionFailed) return error
  if (error instanceof StoreFailed) return because(error)
  return because(
    error instanceof LockFailed
      ? { _tag: "LockRefused", path: error.path, fault: error.reason }
      : systemRefused(error)
  )
}

const attempt = <A>(run: () => A): Effect.Effect<A, SessionFailed> => Effect.try({ try: run, catch: failed })

const digestOf = (session: string): string => createHash("sha256").update(session).digest("hex")

/** The text of a session's file, which must belong to this user; null if it is missing. */
const textAt = (path: string): string | null => {
  const facts = fs.lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return null
  if (!facts.isFile() || facts.uid !== process.getuid?.()) throw because({ _tag: "NotOwn", path })
  if (facts.size > most) throw because({ _tag: "TooLarge", path, most })
  return fs.readFileSync(path, "utf8")
}

const stateAt = (path: string) =>
  attempt((): SessionState => {
    const text = textAt(path)
    if (text === null) return emptySession
    const state = decodeSessionState(text)
    if (state === null) throw because({ _tag: "NoState", path })
    return state
  }).pipe(Effect.tapError(recovered("the session counts as new")), Effect.orElseSucceed(() => emptySession))

const rootOf = Effect.fnUntraced(function*({ cwd, stateRoot }: SessionRef) {
  const [root = ""] = yield* Effect.mapError(roots(stateRoot, cwd, false), failed)
  return yield* attempt(() => {
    const directory = sessionsDirectory(root)
    makeDirectories(directory)
    const facts = fs.lstatSync(directory)
    if (!facts.isDirectory() || facts.uid !== process.getuid?.() || (facts.mode & 0o022) !== 0) {
      throw because({ _tag: "NotPrivate", path: directory })
    }
    // The state root may lie in the code under review.
    ignoreEverything(directory)
    return root
  })
})

const filesOf = (of: SessionRef) => Effect.map(rootOf(of), (root) => sessionFiles(root, digestOf(of.session)))

const touchedWithin = 7 * 24 * 3_600_000

/** Removes the files of sessions that were not touched for a week and whose locks are free. */
const removeOld = (directory: string, now: number): void => {
  for (const name of fs.readdirSync(directory).filter((name) => /^[0-9a-f]{64}\./.test(name))) {
    const path = join(directory, name)
    const facts = fs.lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isFile() === true && now - facts.mtimeMs > touchedWithin) fs.rmSync(path, { force: true })
  }
}

/** Throws if a file cannot be replaced. */
const checkPlace = (path: string): void => {
  const directory = dirname(path)
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw because({ _tag: "Directory", path })
  fs.accessSync(directory, fs.constants.W_OK)
  if (fs.statfsSync(directory).bavail === 0) throw because({ _tag: "NoSpace", path: directory })
}

/** Runs an effect on the path of a session's state under its lock. */
const locked = <A, E>(of: SessionRef, use: (path: string) => Effect.Effect<A, E>) =>
  Effect.mapError(Effect.flatMap(filesOf(of), ({ lock, state }) => withFileLock(lock, use(state))), failed)

/** Whether an event names no session: nothing is stored then, or several sessions would share one state. */
const isUnnamed = ({ session }: SessionRef): boolean => session === ""

export const layer: Layer.Layer<Sessions> = Layer.succeed(
  Sessions,
  Sessions.of({
    read: Effect.fn("Sessions.read")((of: SessionRef) =>
      isUnnamed(of) ? Effect.succeed(emptySession) : Effect.flatMap(filesOf(of), ({ state }) => stateAt(state)).pipe(
        Effect.tapError(recovered("the session counts as new")),
        Effect.orElseSucceed(() => emptySession)
      )
    ),
    change: (of, next) =>
      isUnnamed(of) ?
        Effect.map(Clock.currentTimeMillis, (now) => next(emptySession, now)[0]) :
        locked(of, (path) =>
          Effect.gen(function*() {
            const [answer, state] = next(yield* stateAt(path), yield* Clock.currentTimeMillis)
            yield* attempt(() => replaceFile(path, encodeSessionState(state)))
            return answer
          })).pipe(Effect.withSpan("Sessions.change")),
    problem: Effect.fn("Sessions.problem")((of: SessionRef) =>
      isUnnamed(of) ?
        Effect.succeed(null) :
        Effect.flatMap(filesOf(of), ({ state }) => attempt(() => checkPlace(state))).pipe(
          Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null })
        )
    ),
    forget: Effect.fn("Sessions.forget")(function*(of) {
      if (isUnnamed(of)) return
      yield* locked(of, (path) => attempt(() => fs.rmSync(path, { force: true })))
      const [root, now] = [yield* rootOf(of), yield* Clock.currentTimeMillis]
      yield* attempt(() => removeOld(sessionsDirectory(root), now))
    })
  })
)
