// ReviewersSql: the reviewers of a fleet: whoever drives a run offers reviews to the executors and looks at rows.
// The one rule: an attempt is offered at most once, and one that was given up is never run.
import { Effect, Layer } from "effect"
import { PersistedQueueFactory } from "effect/persistence/PersistedQueue"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { AttemptRef } from "../../core/run/Refs.ts"
import { type Launch, ReviewerFault, Reviewers } from "../../services/Reviewers.ts"
import type { DatabaseRefused } from "../../services/SystemFault.ts"
import { archivedFiles, attemptFiles } from "../store/Layout.ts"
import { attempts as attemptsOn, type AttemptRow, stateOf } from "./Attempts.ts"
import { offerReview, offerTurn } from "./FleetQueues.ts"
import { pathIn } from "./KeptFiles.ts"
import { launchText } from "./LaunchText.ts"
import { hasTarget } from "./Named.ts"
import { inTransaction } from "./Refusals.ts"
import { sqlFault } from "./SqlFaults.ts"

// Milliseconds that an attempt may be looked for before it is fenced: whoever committed it has died since then.
const fenceAfter = 3000
// Milliseconds between two looks of a step that waits, since it hears nothing of the ends of reviews.
const lookEvery = 1000

const faultOf = (what: string) =>
  Effect.mapError((error: SqlError | DatabaseRefused) =>
    new ReviewerFault({ what, reason: isSqlError(error) ? sqlFault(error) : error })
  )

/** The layer. Needs the tables to be there. */
export const layer: Layer.Layer<Reviewers, never, SqlClient | PersistedQueueFactory> = Layer.effect(
  Reviewers,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const queues = yield* PersistedQueueFactory
    const { rows } = yield* attemptsOn

    /** Adds an attempt, or launches it if it was only looked for. Says whether it is this call that did. */
    const added = ({ attempt, batch, id, level, run, slot }: AttemptRef, launch: Launch | null) =>
      sql`
        insert into ooda_attempt (id, target, run_id, level, batch, slot, attempt, state, launch)
        select ${id}, t.id, ${run.runId}, ${level}, ${batch}, ${slot}, ${attempt},
          ${launch === null ? "absent" : "offered"}, ${launch === null ? null : launchText(launch)}
        from ooda_target t where ${hasTarget(sql, run)}
        on conflict (id) do update set state = excluded.state, launch = excluded.launch, changed_at = now()
        where ooda_attempt.state = 'absent' and excluded.state = 'offered' returning id`

    /** Gives up what is left of the attempt before, and moves its files to where they stay. */
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

    /** The state of an attempt that nobody has launched yet: after a while nobody will. */
    const unlaunched = Effect.fnUntraced(function*(attempt: AttemptRef, row: AttemptRow | undefined, acting: boolean) {
      if (acting && row === undefined) {
        yield* added(attempt, null)
        // A look after that fences it, whoever has died.
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
      // Whoever runs a review has a codex of its own, and none that is named here.
      locate: Effect.fn("Reviewers.locate")((binary) => Effect.succeed(binary)),
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
