// Reviewers.live: the reviewers of a fleet: a run's driver offers reviews to executors and reads their state from rows.
// An attempt is offered at most once, and never run after it was given up.
import { Effect, Layer, Schema } from "effect"
import { PersistedQueueFactory } from "effect/persistence/PersistedQueue"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { RunRef } from "../../log/Refs.ts"
import type { AttemptRef, ReviewRef } from "../../run/Refs.ts"
import { fileInMemory, type Open } from "../../platform/Files.ts"
import type { DatabaseRefused } from "../../platform/SystemFault.ts"
import { sourcesIn, storedIn } from "../../review/ReviewFiles.live.ts"
import { type Fate, ReviewFiles, ReviewFilesFailed } from "../../review/ReviewFiles.ts"
import { type Launch, ReviewerFault, Reviewers } from "../../review/Reviewers.ts"
import { archivedFiles, type AttemptFiles, attemptFiles } from "../../run/Layout.live.ts"
import { runDirectory } from "../../log/LogFile.live.ts"
import type { ReviewerState } from "../../run/ReviewTokens.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import { Usage } from "../../run/Usage.ts"
import { inTransaction, sqlFault, storeFailure } from "./Database.live.ts"
import { hasTarget } from "./FleetTargets.live.ts"
import { keptFiles, pathIn } from "./KeptFiles.live.ts"
import { offerReview, offerTurn } from "./Queues.live.ts"

const Line = Schema.Struct({ seq: Schema.Int, hash: Schema.String })

const Stored: Schema.Codec<Omit<Launch, "binary">, string> = Schema.fromJsonString(Schema.Struct({
  argv: Schema.Array(Schema.String),
  cwd: Schema.String,
  isolated: Schema.Boolean,
  line: Line,
  reviewTimeout: Schema.Number,
  maxTranscript: Schema.Number
}))

const encoded = Schema.encodeSync(Stored)

/** The text of a launch. */
export const launchText = ({ binary: _, ...launch }: Launch): string => encoded(launch)

export const launchIn = Schema.decodeUnknownEffect(Stored)

/** The row of an attempt without its files. Times in milliseconds. */
export interface AttemptRow {
  readonly id: string
  readonly state: "absent" | "fenced" | "offered" | "leased" | "exited" | "lost" | "stopped"
  readonly silent: number
  readonly waiting: number
  readonly bytes: number
  readonly status: number | null
  readonly deadline: boolean
  readonly oversize: boolean
  /** Since the first look or the launch. */
  readonly age: number
}

const starting: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }

/**
 * The state that a row shows. Only the process that stopped an attempt sees it as stopped; for all others it was lost.
 */
export const stateOf = ({ bytes, deadline, oversize, silent, state, status, waiting }: AttemptRow): ReviewerState => {
  switch (state) {
    case "absent":
    case "offered":
      return starting
    case "leased":
      return { _tag: "Alive", silentFor: silent, waitingForNetwork: waiting, bytes }
    case "fenced":
      return { _tag: "Unstarted" }
    case "exited":
      return status === null
        ? { _tag: "Lost" }
        : { _tag: "Exited", status, deadline, ...(oversize ? { oversize } : {}) }
    case "lost":
    case "stopped":
      return { _tag: "Lost" }
  }
}

const StoredUsage = Schema.fromJsonString(Usage)
const decodeUsage = Schema.decodeUnknownEffect(StoredUsage)

interface Attempts {
  readonly rows: (attempts: ReadonlyArray<AttemptRef>) => Effect.Effect<ReadonlyArray<AttemptRow>, SqlError>
  readonly facts: (review: ReviewRef) => Effect.Effect<AttemptFacts, ReviewFilesFailed>
  /** Whether a review of a run waits for an executor or runs. */
  readonly underWay: (run: RunRef) => Effect.Effect<boolean, StoreFailed>
}

/** The statements on a database. */
export const attempts: Effect.Effect<Attempts, never, SqlClient> = Effect.map(SqlClient, (sql) => ({
  rows: (some) =>
    sql<AttemptRow>`
      select id, state, silent, waiting, seen_bytes::float8 as bytes, status, deadline, oversize,
        (extract(epoch from clock_timestamp() - made_at) * 1000)::float8 as age
      from ooda_attempt where id in ${sql.in(some.map(({ id }) => id))}`,

  facts: Effect.fnUntraced(
    function*({ attempt, batch, level, run, slot }: ReviewRef) {
      const [row] = yield* sql<
        { readonly state: AttemptRow["state"]; readonly empty: boolean; readonly usage: string | null }
      >`
        select a.state, a.empty_session as empty, a.usage from ooda_target t join ooda_attempt a on a.target = t.id
        where ${hasTarget(sql, run)} and a.run_id = ${run.runId} and a.level = ${level} and a.batch = ${batch}
          and a.slot = ${slot} and a.attempt = ${attempt}`
      const runs = row?.state === "absent" || row?.state === "offered" || row?.state === "leased"
      const usage = row === undefined || row.usage === null ? null : yield* Effect.option(decodeUsage(row.usage))
      return {
        fate: runs ? "Alive" : row?.state === "exited" ? "Exited" : "Gone",
        emptySession: row?.empty ?? false,
        usage: usage?._tag === "Some" ? usage.value : null
      } satisfies AttemptFacts
    },
    (asked, { run }) =>
      Effect.mapError(asked, (error) => new ReviewFilesFailed({ path: runDirectory(run), reason: sqlFault(error) }))
  ),

  underWay: (run) =>
    sql`
      select 1 from ooda_target t join ooda_attempt a on a.target = t.id
      where ${hasTarget(sql, run)} and a.run_id = ${run.runId} and a.state in ('offered', 'leased') limit 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      storeFailure(runDirectory(run))
    )
}))

// The output of reviewers, from rows, read within the same limits as files, so that an export has the same digests

/** What the machine of an attempt has recorded beside the files. */
export interface AttemptFacts {
  readonly fate: Fate
  /** Whether codex's session was found there and held no review: then it was not kept. */
  readonly emptySession: boolean
  readonly usage: Usage | null
}

type AskAttempt = (review: ReviewRef) => Effect.Effect<AttemptFacts, ReviewFilesFailed>

/** The layer. The tables must exist. */
export const reviewFilesLayer = (attempts: AskAttempt): Layer.Layer<ReviewFiles, never, SqlClient> =>
  Layer.effect(
    ReviewFiles,
    Effect.map(keptFiles, (files) => {
      const reading = <A>(review: ReviewRef, read: (open: Open, left: AttemptFiles) => A) => {
        const left = attemptFiles(review)
        const { exit, journal, log, out, review: kept } = left
        const paths = [exit, journal, log, out, kept].map((place) => pathIn(review.run, place))
        return files.found(review.run, paths).pipe(
          Effect.mapError((error) => new ReviewFilesFailed({ path: log, reason: sqlFault(error) })),
          Effect.map((found) => {
            const open: Open = (place, use) => {
              const bytes = found.get(pathIn(review.run, place))
              return use(bytes === undefined ? null : fileInMemory(bytes))
            }
            return read(open, left)
          })
        )
      }

      return ReviewFiles.of({
        evidence: Effect.fn("ReviewFiles.evidence")(function*(review) {
          const { emptySession, usage } = yield* attempts(review)
          const { evidence } = yield* reading(review, (open, left) => storedIn(open, left, { session: true }))
          const isEmpty = emptySession && evidence.digests.review === null
          return {
            ...evidence,
            ...(isEmpty ? { session: { _tag: "Found", output: null } as const } : {}),
            ...(usage === null ? {} : { usage })
          }
        }),
        stored: Effect.fn("ReviewFiles.stored")((review, options) =>
          reading(review, (open, left) => storedIn(open, left, options))
        ),
        said: Effect.fn("ReviewFiles.said")((review, options) =>
          reading(review, (open, left) => sourcesIn(open, left, options))
        ),
        fate: Effect.fn("ReviewFiles.fate")((review) => Effect.map(attempts(review), ({ fate }) => fate))
      })
    })
  )

// Milliseconds that a missing attempt is waited for before it is fenced: its driver has died since the commit.
const fenceAfter = 3000
// Milliseconds between two looks of a waiting step, which gets no signal when reviews end.
const lookEvery = 1000

const faultOf = (what: string) =>
  Effect.mapError((error: SqlError | DatabaseRefused) =>
    new ReviewerFault({ what, reason: isSqlError(error) ? sqlFault(error) : error })
  )

/** The layer. The tables must exist. */
export const reviewersLayer: Layer.Layer<Reviewers, never, SqlClient | PersistedQueueFactory> = Layer.effect(
  Reviewers,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const queues = yield* PersistedQueueFactory
    const { rows } = yield* attempts

    /** Adds an attempt, or launches it if it was only looked for. Returns whether this call did. */
    const added = ({ attempt, batch, id, level, run, slot }: AttemptRef, launch: Launch | null) =>
      sql`
        insert into ooda_attempt (id, target, run_id, level, batch, slot, attempt, state, launch)
        select ${id}, t.id, ${run.runId}, ${level}, ${batch}, ${slot}, ${attempt},
          ${launch === null ? "absent" : "offered"}, ${launch === null ? null : launchText(launch)}
        from ooda_target t where ${hasTarget(sql, run)}
        on conflict (id) do update set state = excluded.state, launch = excluded.launch, changed_at = now()
        where ooda_attempt.state = 'absent' and excluded.state = 'offered' returning id`

    /** Gives up what is left of the previous attempt, and moves its files to their final place. */
    const replaced = Effect.fnUntraced(function*(attempt: AttemptRef) {
      const { batch, level, run, slot } = attempt
      if (attempt.attempt === 1) return
      const before = { ...attempt, attempt: attempt.attempt - 1 }
      yield* sql`
        update ooda_attempt a set state = 'stopped', changed_at = now() from ooda_target t
        where ${hasTarget(sql, run)} and a.target = t.id and a.run_id = ${run.runId} and a.level = ${level}
          and a.batch = ${batch} and a.slot = ${slot} and a.attempt < ${attempt.attempt}
          and a.state in ('absent', 'offered', 'leased')`
      const [now, then] = [attemptFiles(before), archivedFiles(before)]
      for (const name of ["log", "out", "review", "exit"] as const) {
        yield* sql`
          update ooda_file f set path = ${pathIn(run, then[name])} from ooda_target t
          where ${hasTarget(sql, run)} and f.target = t.id and f.run_id = ${run.runId}
            and f.path = ${pathIn(run, now[name])}`
      }
    })

    const launchOne = Effect.fnUntraced(function*(attempt: AttemptRef, launch: Launch) {
      if ((yield* added(attempt, launch)).length === 0) return
      yield* replaced(attempt)
      yield* Effect.provideService(offerReview(attempt.id), PersistedQueueFactory, queues)
    })

    /** The state of an attempt that was not launched yet: after a while it never will be. */
    const unlaunched = Effect.fnUntraced(function*(attempt: AttemptRef, row: AttemptRow | undefined, acting: boolean) {
      if (acting && row === undefined) {
        yield* added(attempt, null)
        // A later look that fences the attempt, even if this process dies.
        const later = offerTurn(attempt.run, `absence of ${attempt.id}`, fenceAfter + 1000)
        yield* Effect.provideService(later, PersistedQueueFactory, queues)
      }
      if (acting && row !== undefined && row.age >= fenceAfter) {
        yield* sql`update ooda_attempt set state = 'fenced', changed_at = now()
          where id = ${attempt.id} and state = 'absent'`
        const [now] = yield* rows([attempt])
        if (now !== undefined) return stateOf(now)
      }
      return stateOf({ ...nothing, id: attempt.id })
    })

    return Reviewers.of({
      // The executor uses its own codex, not one that is named here.
      locate: Effect.fn("Reviewers.locate")((binary) => Effect.succeed(binary)),
      digest: () => Effect.succeed(null),
      launch: Effect.fn("Reviewers.launch")((some, launch) =>
        inTransaction(sql, Effect.forEach(some, (one) => launchOne(one, launch), { discard: true })).pipe(
          faultOf("starting reviewers")
        )
      ),
      look: Effect.fn("Reviewers.look")(function*(some, options) {
        if (some.length === 0) return []
        const found = new Map((yield* rows(some)).map((row) => [row.id, row]))
        return yield* Effect.forEach(some, (attempt) => {
          const row = found.get(attempt.id)
          return row === undefined || row.state === "absent"
            ? unlaunched(attempt, row, options?.acting ?? true)
            : Effect.succeed(stateOf(row))
        })
      }, faultOf("looking at reviewers")),
      listen: Effect.fn("Reviewers.listen")(() =>
        Effect.succeed((_attempts: ReadonlyArray<AttemptRef>, limit: number) =>
          Effect.sleep(Math.min(limit, lookEvery))
        )
      ),
      stop: Effect.fn("Reviewers.stop")(
        function*(some) {
          if (some.length === 0) return 0
          const stopped = yield* sql<{ readonly was: string }>`
            update ooda_attempt a set state = 'stopped', changed_at = now()
            from (select id, state as was from ooda_attempt
              where id in ${sql.in(some.map(({ id }) => id))} order by id for update) old
            where a.id = old.id and a.state in ('absent', 'offered', 'leased') returning old.was`
          return stopped.filter(({ was }) => was === "leased").length
        },
        faultOf("stopping reviewers")
      )
    })
  })
)

const nothing = {
  state: "absent",
  silent: 0,
  waiting: 0,
  bytes: 0,
  status: null,
  deadline: false,
  oversize: false,
  age: 0
} as const
