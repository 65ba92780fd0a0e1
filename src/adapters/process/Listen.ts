// Listen: hears that guarded commands have ended, so that nobody need look at them again and again.
// A wrapper touches a file when the exit file is in place. Only the directory of those files is watched.
import { existsSync, type FSWatcher, watch } from "node:fs"
import { Effect, Latch, type Scope } from "effect"
import { recovered } from "../../services/Note.ts"

// Milliseconds between two questions for exit files. They find the ends that no touch tells of: wrappers of earlier
// versions touch nothing, a machine has only so many watches, and some file systems tell of no changes.
const askEvery = 250

/**
 * Waits until a command may have ended since the last wait, at most `limit` milliseconds. `exits` are the exit files
 * of the commands that are waited for.
 */
export type Ear = (exits: ReadonlyArray<string>, limit: number) => Effect.Effect<void>

/** Watches a directory, where the system allows it. */
const watched = (directory: string, ring: () => void): Effect.Effect<FSWatcher | null> =>
  Effect.try(() => watch(directory, { persistent: false }, ring).on("error", () => {})).pipe(
    Effect.catch(({ cause }) => Effect.as(recovered("ends are asked for, not heard")(cause), null))
  )

/** Asks again and again for exit files until the scope ends. A bare timer: it costs a tenth of a fiber that sleeps. */
const asked = (exits: ReadonlyArray<string>, ring: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => setInterval(() => exits.some((path) => existsSync(path)) && ring(), askEvery)),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

/**
 * Listens to a directory until the scope ends. What happens from now on is heard by the next wait, so whoever looks at
 * the commands after this misses no end.
 */
export const listen = (directory: string): Effect.Effect<Ear, never, Scope.Scope> => {
  const rung = Latch.makeUnsafe()
  const ring = () => void rung.openUnsafe()
  const ear: Ear = (exits, limit) =>
    asked(exits, ring).pipe(
      Effect.andThen(Effect.timeoutOption(rung.await, limit)),
      Effect.andThen(rung.close),
      Effect.scoped
    )
  const watching = Effect.acquireRelease(watched(directory, ring), (watcher) => Effect.sync(() => watcher?.close()))
  return Effect.as(watching, ear)
}
