// KeptFiles.live: the files of runs in PostgreSQL, each a row under its path in the run's directory.
// The bytes of a row count; the digest beside them is never trusted. Transcripts are gzip, unpacked within bounds.
import { gunzipSync, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { RunRef, TargetRef } from "../../log/Refs.ts"
import { runDirectory } from "../../log/LogFile.live.ts"
import type { Usage } from "../../run/RunStore.ts"
import { digestOf } from "../../run/SmallFile.live.ts"
import { hasTarget } from "./FleetTargets.live.ts"

// An attacker with write access to the database must not be able to fill the memory of its readers.
const mostBytes = 64 * 1024 * 1024

/** Whether a file of a run is packed. Transcripts are long and compress well; SQL can read all other files. */
export const isPacked = (path: string): boolean => path.endsWith(".log")

/** Packs a file. */
export const pack = (bytes: Buffer): Buffer => gzipSync(bytes)

/** The bytes in a packed file. A damaged file gives no bytes, and its digest then shows the damage. */
export const unpack = (bytes: Uint8Array): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes })
  } catch {
    return Buffer.alloc(0)
  }
}

/** The statements about files of runs. */
interface KeptFiles {
  /** Creates a missing target, without a newest run. */
  readonly prepare: (target: TargetRef) => Effect.Effect<void, SqlError>
  /** Keeps a file of a run, replacing an older one. */
  readonly keep: (run: RunRef, path: string, bytes: Buffer) => Effect.Effect<void, SqlError>
  /** The contents of a file; null if missing, empty if damaged. */
  readonly bytes: (run: RunRef, path: string) => Effect.Effect<Buffer | null, SqlError>
  /** The contents of those of these files that exist, as of one instant. */
  readonly found: (
    run: RunRef,
    paths: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, Buffer>, SqlError>
  /** The size of the logs and files of a store. */
  readonly usage: (root: string) => Effect.Effect<Usage, SqlError>
}

/** The path of a file in its run's directory. */
export const pathIn = (run: RunRef, place: string): string => place.slice(runDirectory(run).length + 1)

/** The statements on a database. */
export const keptFiles: Effect.Effect<KeptFiles, never, SqlClient> = Effect.map(SqlClient, (sql) => {
  const prepare: KeptFiles["prepare"] = ({ repoId, root, targetKey }) =>
    Effect.asVoid(sql`
      insert into ooda_target (root, repo_id, target_key, latest) values (${root}, ${repoId}, ${targetKey}, '')
      on conflict do nothing`)

  const put = (run: RunRef, path: string, bytes: Buffer) => {
    const packed = isPacked(path)
    const { hex } = digestOf(bytes)
    return sql`
      insert into ooda_file (target, run_id, path, digest, packed, bytes)
      select t.id, ${run.runId}, ${path}, ${hex}, ${packed}, ${packed ? pack(bytes) : bytes}
      from ooda_target t where ${hasTarget(sql, run)}
      on conflict (target, run_id, path)
      do update set digest = excluded.digest, packed = excluded.packed, bytes = excluded.bytes
      returning target`
  }

  const found: KeptFiles["found"] = Effect.fnUntraced(function*(run, paths) {
    const rows = yield* sql<{ readonly path: string; readonly packed: boolean; readonly bytes: Uint8Array }>`
      select f.path, f.packed, f.bytes from ooda_target t join ooda_file f on f.target = t.id
      where ${hasTarget(sql, run)} and f.run_id = ${run.runId} and f.path in ${sql.in(paths)}`
    return new Map(rows.map(({ bytes, packed, path }) => [path, packed ? unpack(bytes) : Buffer.from(bytes)]))
  })

  return {
    prepare,
    keep: Effect.fnUntraced(function*(run, path, bytes) {
      if ((yield* put(run, path, bytes)).length > 0) return
      yield* prepare(run)
      yield* put(run, path, bytes)
    }),
    bytes: (run, path) => Effect.map(found(run, [path]), (files) => files.get(path) ?? null),
    found,
    usage: Effect.fnUntraced(function*(root) {
      const [lines] = yield* sql<{ readonly bytes: number }>`
        select coalesce(sum(length(l.bytes)), 0)::float8 as bytes
        from ooda_target t join ooda_run r on r.target = t.id join ooda_line l on l.run = r.id where t.root = ${root}`
      const [file] = yield* sql<TargetRef & { runId: string; path: string; bytes: number; all: number }>`
        select t.root, t.repo_id as "repoId", t.target_key as "targetKey", f.run_id as "runId", f.path,
          length(f.bytes)::float8 as bytes, (sum(length(f.bytes)) over ())::float8 as "all"
        from ooda_target t join ooda_file f on f.target = t.id where t.root = ${root} order by bytes desc limit 1`
      const largest = file === undefined ? null : { path: `${runDirectory(file)}/${file.path}`, bytes: file.bytes }
      return { bytes: (lines?.bytes ?? 0) + (file?.all ?? 0), largest }
    })
  }
})
