// ReviewFilesSql: what reviewers left, out of the rows that the machines that ran them have put into PostgreSQL.
// The one rule: rows are read within the bounds of files, by the same functions, so that an export has their digests.
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { ReviewRef } from "../../core/run/Refs.ts"
import type { Usage } from "../../core/run/Usage.ts"
import { type Fate, ReviewFiles, ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import { saidIn, storedIn } from "../codex/LeftFiles.ts"
import { held, type Open } from "../process/Slices.ts"
import { type AttemptFiles, attemptFiles } from "../store/Layout.ts"
import { keptFiles, pathIn } from "./KeptFiles.ts"
import { sqlFault } from "./SqlFaults.ts"

/** What the machine that ran an attempt has told of it beside its files. */
export interface Told {
  readonly fate: Fate
  /** Whether codex's session was found there and held no review: then nothing was kept of it. */
  readonly emptySession: boolean
  readonly usage: Usage | null
}

/** Asks what was told of an attempt. */
export type Attempts = (review: ReviewRef) => Effect.Effect<Told, ReviewFilesFailed>

/** The layer. Needs the tables to be there. */
export const layer = (attempts: Attempts): Layer.Layer<ReviewFiles, never, SqlClient> =>
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
              return use(bytes === undefined ? null : held(bytes))
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
          reading(review, (open, left) => saidIn(open, left, options))
        ),
        fate: Effect.fn("ReviewFiles.fate")((review) => Effect.map(attempts(review), ({ fate }) => fate))
      })
    })
  )
