// RunStoreSql: the store of runs in PostgreSQL: what a file store keeps in directories are rows.
// Its places are the paths that an export gives them. Private repositories and copies of code it does not know.
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { textName } from "../../core/run/KeptName.ts"
import { type BatchRef, type RunRef, type TargetRef, targetText } from "../../core/run/Refs.ts"
import { recovered } from "../../services/Note.ts"
import { type Cuttable, RunStore, StoreFailed } from "../../services/RunStore.ts"
import type { StoreReason } from "../../services/StoreReason.ts"
import { LockFailed } from "../log/Lock.ts"
import { held } from "../process/Slices.ts"
import { digestOf, digestOfOpened } from "../store/Digests.ts"
import {
  archivedFiles,
  attemptFiles,
  batchPlaces,
  findingsFile,
  historyFile,
  runDirectory,
  runPlaces,
  targetDirectory
} from "../store/Layout.ts"
import { newAttemptId, newRunId, nonce } from "../store/NewNames.ts"
import { shortened } from "../store/Transcripts.ts"
import { keptFiles, pathIn } from "./KeptFiles.ts"
import type { Locked } from "./LockSession.ts"
import { sqlFault } from "./SqlFaults.ts"
import { storedNames } from "./StoredNames.ts"

/** What a store in a database is given beside its tables. */
export interface Beside {
  /** Locks that one machine holds at a time. */
  readonly locked: Locked
  /** Whether a machine works on a review of a run. */
  readonly reviewersAlive: (run: RunRef) => Effect.Effect<boolean, StoreFailed>
}

/** A failure of the store about a place. */
const about = (path: string) => <A, R>(asked: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StoreFailed, R> =>
  Effect.mapError(asked, (error) => new StoreFailed({ path, reason: sqlFault(error) }))

const refused = (path: string, reason: StoreReason) => Effect.fail(new StoreFailed({ path, reason }))

/** The files of an attempt that are cut. What an attempt that is still open has left may yet become a review. */
const cutFiles = ({ review, state }: Cuttable): ReadonlyArray<string> => {
  if (state === "Open") return []
  const { log, out } = state === "Archived" ? archivedFiles(review) : attemptFiles(review)
  return state === "Reviewed" ? [log] : [log, out]
}

/** The layer. Needs the tables to be there. */
export const layer = ({ locked, reviewersAlive }: Beside): Layer.Layer<RunStore, never, SqlClient> =>
  Layer.effect(
    RunStore,
    Effect.gen(function*() {
      const files = yield* keptFiles
      const names = yield* storedNames
      const prepare = (target: TargetRef) => about(targetDirectory(target))(files.prepare(target))
      const replace = (run: RunRef, place: string, text: string) =>
        about(place)(files.keep(run, pathIn(run, place), Buffer.from(text)))
      const bytesOf = (run: RunRef, name: string) => about(`${runDirectory(run)}/${name}`)(files.bytes(run, name))

      const cut = Effect.fnUntraced(function*(run: RunRef, place: string, dryRun: boolean) {
        const path = pathIn(run, place)
        const bytes = yield* bytesOf(run, path)
        const short = bytes === null ? null : shortened(bytes)
        if (bytes === null || short === null) return 0
        if (!dryRun) yield* about(place)(files.keep(run, path, short))
        return bytes.length - short.length
      })

      return RunStore.of({
        open: Effect.fn("RunStore.open")(function*(configured) {
          const path = "the store"
          const name = yield* about(path)(names.name)
          if (name === null) return yield* refused(path, { _tag: "DatabaseRefused", why: "unprepared", state: null })
          return configured === null || configured === name ? name : yield* refused(path, { _tag: "RootInDatabase" })
        }),
        targetPlace: targetDirectory,
        runPlaces,
        batchPlaces,
        newRunId: Effect.withSpan(newRunId, "RunStore.newRunId"),
        nonce: Effect.withSpan(nonce, "RunStore.nonce"),
        newAttemptId: Effect.withSpan(newAttemptId, "RunStore.newAttemptId"),
        latest: Effect.fn("RunStore.latest")((target) => about(targetDirectory(target))(names.latest(target))),
        runs: Effect.fn("RunStore.runs")((target) => about(targetDirectory(target))(names.runs(target))),
        list: Effect.fn("RunStore.list")((root, repoId) => about(root)(names.list(root, repoId))),
        prepare: Effect.fn("RunStore.prepare")(prepare),
        locked: (target, use) =>
          locked(`target ${targetText(target)}`, use).pipe(
            Effect.withSpan("RunStore.locked"),
            Effect.mapError((error) =>
              error instanceof LockFailed
                ? new StoreFailed({ path: targetDirectory(target), reason: error.reason })
                : error
            )
          ),
        clearScratches: Effect.fn("RunStore.clearScratches")(() => Effect.void),
        create: Effect.fn("RunStore.create")(prepare),
        point: Effect.fn("RunStore.point")((run) => about(runDirectory(run))(names.point(run))),
        keepText: Effect.fn("RunStore.keepText")(function*(run: RunRef, text: string) {
          const digest = digestOf(Buffer.from(text))
          yield* replace(run, `${runDirectory(run)}/${textName(digest.hex)}`, text)
          return digest
        }),
        keeps: Effect.fn("RunStore.keeps")(function*(run: RunRef, text: string) {
          const kept = yield* bytesOf(run, textName(digestOf(Buffer.from(text)).hex))
          return kept?.equals(Buffer.from(text)) === true
        }),
        digest: Effect.fn("RunStore.digest")((run: RunRef, name: string) =>
          Effect.map(bytesOf(run, name), (bytes) => bytes === null ? null : digestOfOpened(held(bytes)))
        ),
        writeFindings: Effect.fn("RunStore.writeFindings")((batch: BatchRef, text: string) =>
          replace(batch.run, findingsFile(batch), text)
        ),
        writeHistory: Effect.fn("RunStore.writeHistory")((run: RunRef, text: string) =>
          replace(run, historyFile(run), text)
        ),
        // A private repository is made by the machine that reviews in it, and of two steps only one commits a batch.
        isolating: (_run, use) => Effect.withSpan(use, "RunStore.isolating"),
        clearIsolated: Effect.fn("RunStore.clearIsolated")(() => Effect.void),
        withIsolated: Effect.fn("RunStore.withIsolated")(() => Effect.succeed([])),
        usage: Effect.fn("RunStore.usage")((root) =>
          Effect.catch(
            files.usage(root),
            (_: SqlError) => Effect.as(recovered("it counts as empty")("the database told no size"), nothing)
          )
        ),
        cutTranscripts: Effect.fn("RunStore.cutTranscripts")(function*(attempts, { dryRun }) {
          let freed = 0
          for (const one of attempts) {
            for (const place of cutFiles(one)) freed += yield* cut(one.review.run, place, dryRun)
          }
          return freed
        }),
        look: Effect.fn("RunStore.look")(function*(run) {
          const changedAt = yield* about(runDirectory(run))(names.changedAt(run))
          if (changedAt === null) return yield* refused(runDirectory(run), { _tag: "NotARun" })
          return { changedAt, reviewersAlive: yield* reviewersAlive(run) }
        }),
        remove: Effect.fn("RunStore.remove")(function*(run, { isLatest }) {
          const wasThere = yield* about(runDirectory(run))(names.remove(run, isLatest))
          if (!wasThere) return yield* refused(runDirectory(run), { _tag: "NotARun" })
        })
      })
    })
  )

const nothing = { bytes: 0, largest: null }
