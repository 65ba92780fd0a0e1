// RunStore.live: the store of runs in PostgreSQL: the directories of a file store are rows here.
// A run exists from the first line of its log, and is removed with all its data in one statement.
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LockFailed } from "../../log/FileLock.live.ts"
import { type Latest, type RunRef, type TargetRef, newestFirst, runIdPattern, targetText } from "../../log/Refs.ts"
import type { BatchRef } from "../../run/Refs.ts"
import { fileInMemory } from "../../platform/Files.ts"
import { recovered } from "../../platform/Note.ts"
import {
  archivedFiles,
  attemptFiles,
  batchPlaces,
  findingsFile,
  historyFile,
  runPlaces
} from "../../run/Layout.live.ts"
import { runDirectory, targetDirectory } from "../../log/LogFile.live.ts"
import { textName } from "../../run/LongText.ts"
import { shortenTranscript } from "../../run/Removal.live.ts"
import { newAttemptId, newRunId, nonce } from "../../run/RunNames.live.ts"
import { type CuttableTranscript, RunStore, StoreFailed, type StoreReason } from "../../run/RunStore.ts"
import { digestOf, digestOfOpened } from "../../run/SmallFile.live.ts"
import { storeFailure } from "./Database.live.ts"
import { hasTarget } from "./FleetTargets.live.ts"
import { keptFiles, pathIn } from "./KeptFiles.live.ts"
import type { Locked } from "./Locks.live.ts"

/** The statements about which runs there are. */
interface StoredNames {
  /** The name of the store; null while it has no name. */
  readonly name: Effect.Effect<string | null, SqlError>
  readonly latest: (target: TargetRef) => Effect.Effect<Latest, SqlError>
  /** The runs of a target, newest first. */
  readonly runs: (target: TargetRef) => Effect.Effect<ReadonlyArray<RunRef>, SqlError>
  /** The runs of a repository, or of every repository of a store, newest first. */
  readonly list: (root: string, repoId: string | null) => Effect.Effect<ReadonlyArray<RunRef>, SqlError>
  /** Sets `latest` of its target to a run. */
  readonly point: (run: RunRef) => Effect.Effect<void, SqlError>
  /** When a log of a run was last written, in epoch milliseconds; null for an unknown run. */
  readonly changedAt: (run: RunRef) => Effect.Effect<number | null, SqlError>
  /** Removes a run, and `latest` with it if `isLatest`; returns whether it existed. */
  readonly remove: (run: RunRef, isLatest: boolean) => Effect.Effect<boolean, SqlError>
}

/** The statements on a database. */
export const storedNames: Effect.Effect<StoredNames, never, SqlClient> = Effect.map(SqlClient, (sql) => {
  const those = (where: ReturnType<typeof hasTarget>) =>
    Effect.map(
      sql<RunRef>`
        select distinct t.root, t.repo_id as "repoId", t.target_key as "targetKey", r.run_id as "runId"
        from ooda_target t join ooda_run r on r.target = t.id where ${where}`,
      (rows) =>
        rows.filter(({ runId }) => runIdPattern.test(runId))
          .map(({ repoId, root, runId, targetKey }): RunRef => ({ root, repoId, targetKey, runId })).sort(newestFirst)
    )

  return {
    name: Effect.map(sql<{ readonly name: string }>`select name from ooda_store`, ([row]) => row?.name ?? null),
    latest: Effect.fnUntraced(function*(target) {
      const [row] = yield* sql<{ readonly latest: string; readonly found: boolean }>`
        select t.latest, exists (select from ooda_run r where r.target = t.id and r.run_id = t.latest) as found
        from ooda_target t where ${hasTarget(sql, target)}`
      const { repoId, root, targetKey } = target
      const pointed: Latest = row === undefined || row.latest === ""
        ? { _tag: "None" }
        : row.found && runIdPattern.test(row.latest)
        ? { _tag: "Run", run: { root, repoId, targetKey, runId: row.latest } }
        : { _tag: "Dangling" }
      return pointed
    }),
    runs: (target) => those(hasTarget(sql, target)),
    list: (root, repoId) =>
      those(repoId === null ? sql`t.root = ${root}` : sql`t.root = ${root} and t.repo_id = ${repoId}`),
    point: ({ repoId, root, runId, targetKey }) =>
      Effect.asVoid(sql`
        insert into ooda_target (root, repo_id, target_key, latest) values (${root}, ${repoId}, ${targetKey}, ${runId})
        on conflict (root, repo_id, target_key) do update set latest = excluded.latest`),
    changedAt: (run) =>
      Effect.map(
        sql<{ readonly at: number | null }>`
          select (extract(epoch from max(r.changed_at)) * 1000)::float8 as at
          from ooda_target t join ooda_run r on r.target = t.id
          where ${hasTarget(sql, run)} and r.run_id = ${run.runId}`,
        ([row]) => row?.at ?? null
      ),
    remove: (run, isLatest) =>
      Effect.map(
        sql`
          with logs as (
            select r.id, r.target from ooda_target t join ooda_run r on r.target = t.id
            where ${hasTarget(sql, run)} and r.run_id = ${run.runId}
          ), pointer as (
            update ooda_target set latest = '' where ${isLatest} and id in (select target from logs)
          ), files as (
            delete from ooda_file where run_id = ${run.runId} and target in (select target from logs)
          ), lines as (
            delete from ooda_line where run in (select id from logs)
          )
          delete from ooda_run where id in (select id from logs) returning id`,
        (rows) => rows.length > 0
      )
  }
})

// Its places are the paths of an export. It has no private repositories and no copies of code.

/** The services of a store in a database besides its tables. */
interface Beside {
  /** Locks that one machine holds at a time. */
  readonly locked: Locked
  /** Whether a machine works on a review of a run. */
  readonly reviewersAlive: (run: RunRef) => Effect.Effect<boolean, StoreFailed>
}

const refused = (path: string, reason: StoreReason) => Effect.fail(new StoreFailed({ path, reason }))

/** The files of an attempt that are cut. The files of an open attempt may still become a review. */
const cutFiles = ({ review, state }: CuttableTranscript): ReadonlyArray<string> => {
  if (state === "Open") return []
  const { log, out } = state === "Archived" ? archivedFiles(review) : attemptFiles(review)
  return state === "Reviewed" ? [log] : [log, out]
}

/** The layer. The tables must exist. */
export const layer = ({ locked, reviewersAlive }: Beside): Layer.Layer<RunStore, never, SqlClient> =>
  Layer.effect(
    RunStore,
    Effect.gen(function*() {
      const files = yield* keptFiles
      const names = yield* storedNames
      const prepare = (target: TargetRef) => storeFailure(targetDirectory(target))(files.prepare(target))
      const replace = (run: RunRef, place: string, text: string) =>
        storeFailure(place)(files.keep(run, pathIn(run, place), Buffer.from(text)))
      const bytesOf = (run: RunRef, name: string) =>
        storeFailure(`${runDirectory(run)}/${name}`)(files.bytes(run, name))

      const cut = Effect.fnUntraced(function*(run: RunRef, place: string, dryRun: boolean) {
        const path = pathIn(run, place)
        const bytes = yield* bytesOf(run, path)
        const short = bytes === null ? null : shortenTranscript(bytes)
        if (bytes === null || short === null) return 0
        if (!dryRun) yield* storeFailure(place)(files.keep(run, path, short))
        return bytes.length - short.length
      })

      const open = Effect.fn("RunStore.open")(function*(configured: string | null) {
        const path = "the store"
        const name = yield* storeFailure(path)(names.name)
        if (name === null) return yield* refused(path, { _tag: "DatabaseRefused", why: "unprepared", state: null })
        return configured === null || configured === name ? name : yield* refused(path, { _tag: "RootInDatabase" })
      })

      return RunStore.of({
        open,
        roots: (configured) => Effect.map(open(configured), (root) => [root]),
        targetPlace: targetDirectory,
        runPlaces,
        batchPlaces,
        newRunId: Effect.withSpan(newRunId, "RunStore.newRunId"),
        nonce: Effect.withSpan(nonce, "RunStore.nonce"),
        newAttemptId: Effect.withSpan(newAttemptId, "RunStore.newAttemptId"),
        latest: Effect.fn("RunStore.latest")((target) => storeFailure(targetDirectory(target))(names.latest(target))),
        runs: Effect.fn("RunStore.runs")((target) => storeFailure(targetDirectory(target))(names.runs(target))),
        list: Effect.fn("RunStore.list")((root, repoId) => storeFailure(root)(names.list(root, repoId))),
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
        point: Effect.fn("RunStore.point")((run) => storeFailure(runDirectory(run))(names.point(run))),
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
          Effect.map(bytesOf(run, name), (bytes) => bytes === null ? null : digestOfOpened(fileInMemory(bytes)))
        ),
        writeFindings: Effect.fn("RunStore.writeFindings")((batch: BatchRef, text: string) =>
          replace(batch.run, findingsFile(batch), text)
        ),
        writeHistory: Effect.fn("RunStore.writeHistory")((run: RunRef, text: string) =>
          replace(run, historyFile(run), text)
        ),
        // The reviewing machine makes its own private repository, and of two steps only one commits a batch.
        isolating: (_run, use) => Effect.withSpan(use, "RunStore.isolating"),
        clearIsolated: Effect.fn("RunStore.clearIsolated")(() => Effect.void),
        withIsolated: Effect.fn("RunStore.withIsolated")(() => Effect.succeed([])),
        usage: Effect.fn("RunStore.usage")((root) =>
          Effect.catch(
            files.usage(root),
            (_: SqlError) => Effect.as(recovered("it counts as empty")("the database gave no size"), nothing)
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
          const changedAt = yield* storeFailure(runDirectory(run))(names.changedAt(run))
          if (changedAt === null) return yield* refused(runDirectory(run), { _tag: "NotARun" })
          return { changedAt, reviewersAlive: yield* reviewersAlive(run) }
        }),
        // Agents and tests work on this machine's own runs alone.
        jobs: () => Effect.succeed([]),
        remove: Effect.fn("RunStore.remove")(function*(run, { isLatest }) {
          const wasThere = yield* storeFailure(runDirectory(run))(names.remove(run, isLatest))
          if (!wasThere) return yield* refused(runDirectory(run), { _tag: "NotARun" })
        })
      })
    })
  )

const nothing = { bytes: 0, largest: null }
