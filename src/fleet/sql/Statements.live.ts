// Statements.live: the queries and commits on the tables of logs, each in one statement.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LogUnavailable } from "../../log/EventLog.ts"
import { type LineCodec, lineCodec } from "../../log/Line.ts"
import { type Latest, type RunRef, runText } from "../../log/Refs.ts"
import type { Head, StreamKind, TaggedEvent } from "../../log/StreamKind.ts"
import { sqlFault } from "./Database.live.ts"

export interface LogName {
  readonly run: RunRef
  readonly kind: string
}

/** A line as it is stored, with its newline. */
export interface StoredLine {
  readonly seq: number
  readonly hash: string
  readonly bytes: Uint8Array
}

/** A part of a log as of one instant. `before` is the hash of the line before it, if any. */
export interface StoredPart {
  readonly head: Head
  readonly before: string | null
  readonly lines: ReadonlyArray<StoredLine>
}

interface Row {
  readonly headSeq: number
  readonly headHash: string
  readonly before: string | null
  readonly seq: number | null
  readonly hash: string | null
  readonly bytes: Uint8Array | null
}

export interface Statements {
  /** At most `most` lines after a line, with where the log ends; null for a missing log. */
  readonly part: (log: LogName, after: number, most: number) => Effect.Effect<StoredPart | null, SqlError>
  /** The size of the lines before one, in bytes. */
  readonly bytesBefore: (log: LogName, seq: number) => Effect.Effect<number, SqlError>
  /**
   * Begins a log with its first line. A run whose first log this is becomes the newest of its target at the same time,
   * so that a kill leaves no run that cannot be found. If the log exists, nothing changes: UniqueViolation. If `latest`
   * is no longer `instead`, nothing changes: false.
   */
  readonly create: (log: LogName, line: StoredLine, instead?: Latest) => Effect.Effect<boolean, SqlError>
  /** Appends a line if the log still ends where the line begins; returns whether it did. */
  readonly append: (log: LogName, expected: Head, line: StoredLine) => Effect.Effect<boolean, SqlError>
}

/** The statements on a database. */
export const statements: Effect.Effect<Statements, never, SqlClient> = Effect.map(SqlClient, (sql) => {
  const isLog = ({ kind, run: { repoId, root, runId, targetKey } }: LogName) =>
    sql`t.root = ${root} and t.repo_id = ${repoId} and t.target_key = ${targetKey}
      and r.target = t.id and r.run_id = ${runId} and r.kind = ${kind}`

  /** Whether `latest` of an existing target equals this. */
  const says = (latest: Latest) => {
    const names = sql`exists (select from ooda_run r where r.target = ooda_target.id and r.run_id = ooda_target.latest)`
    switch (latest._tag) {
      case "None":
        return sql`ooda_target.latest = ''`
      case "Dangling":
        return sql`ooda_target.latest <> '' and not ${names}`
      case "Run":
        return sql`ooda_target.latest = ${latest.run.runId}`
    }
  }

  return {
    part: Effect.fnUntraced(function*(log, after, most) {
      const rows = yield* sql<Row>`
        select r.seq as "headSeq", r.hash as "headHash", b.hash as "before", l.seq, l.hash, l.bytes
        from ooda_target t join ooda_run r on ${isLog(log)}
        left join ooda_line b on b.run = r.id and b.seq = ${after}
        left join lateral (
          select seq, hash, bytes from ooda_line where run = r.id and seq > ${after} order by seq limit ${most}
        ) l on true
        order by l.seq`
      const first = rows[0]
      if (first === undefined) return null
      const lines = rows.flatMap(({ bytes, hash, seq }) =>
        seq === null || hash === null || bytes === null ? [] : [{ seq, hash, bytes }]
      )
      return { head: { seq: first.headSeq, hash: first.headHash }, before: first.before, lines }
    }),

    bytesBefore: (log, seq) =>
      Effect.map(
        sql<{ readonly bytes: number }>`
          select coalesce(sum(length(l.bytes)), 0)::float8 as bytes
          from ooda_target t join ooda_run r on ${isLog(log)} join ooda_line l on l.run = r.id and l.seq < ${seq}`,
        ([row]) => row?.bytes ?? 0
      ),

    create: ({ kind, run: { repoId, root, runId, targetKey } }, { bytes, hash, seq }, instead) =>
      Effect.map(
        sql`
        with target as (
          insert into ooda_target (root, repo_id, target_key, latest)
          values (${root}, ${repoId}, ${targetKey}, ${runId})
          on conflict (root, repo_id, target_key) do update set latest = case
            when exists (select from ooda_run r where r.target = ooda_target.id and r.run_id = excluded.latest)
            then ooda_target.latest else excluded.latest end
          where ${instead === undefined ? sql`true` : says(instead)}
          returning id
        ), run as (
          insert into ooda_run (target, run_id, kind, seq, hash)
          select id, ${runId}, ${kind}, ${seq}, ${hash} from target returning id
        )
        insert into ooda_line (run, seq, hash, bytes) select id, ${seq}, ${hash}, ${bytes} from run returning seq`,
        (rows) => rows.length > 0
      ),

    append: (log, expected, { bytes, hash, seq }) =>
      Effect.map(
        sql`
          with moved as (
            update ooda_run r set seq = ${seq}, hash = ${hash}, changed_at = now() from ooda_target t
            where ${isLog(log)} and r.seq = ${expected.seq} and r.hash = ${expected.hash} returning r.id
          )
          insert into ooda_line (run, seq, hash, bytes) select id, ${seq}, ${hash}, ${bytes} from moved returning seq`,
        (rows) => rows.length > 0
      )
  }
})

/** A log by its name, with its name for messages and the codec of its lines. */
export interface SqlLog<E extends TaggedEvent> extends LogName {
  readonly path: string
  readonly codec: LineCodec<E>
}

/** The log of one kind of a run. */
export const sqlLog = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef): SqlLog<E> => ({
  run,
  kind: kind.kind,
  path: `${runText(run)} ${kind.kind}`,
  codec: lineCodec(kind)
})

/** The error of the port for a database error. */
export const unavailable = ({ path }: { readonly path: string }) => (error: SqlError): LogUnavailable =>
  new LogUnavailable({ path, reason: sqlFault(error) })
