// Submissions.live: submissions in PostgreSQL, numbered without a gap for each target.
// A number is taken in the statement that checks whether the submission is new.
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Pin, Submission, Submissions, targetOf } from "../Submission.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import { storeFailure } from "./Database.live.ts"

const Stored = Schema.fromJsonString(Submission)
const encode = Schema.encodeSync(Stored)
const decode = Schema.decodeUnknownEffect(Stored)
const StoredPin = Schema.fromJsonString(Pin)
const encodePin = Schema.encodeSync(StoredPin)
const decodePin = Schema.decodeUnknownEffect(StoredPin)

interface Row {
  readonly number: number
  readonly at: number
  readonly submission: string
}

const path = "the submissions"
const asked = storeFailure(path)
const odd = new StoreFailed({ path, reason: { _tag: "DatabaseRefused", why: "other", state: null } })

const submissionOf = ({ at, number, submission }: Row) =>
  Effect.map(Effect.mapError(decode(submission), () => odd), (known) => ({ at, number, submission: known }))

// Each try fails only if another process took the number meanwhile; so many at once never submit to one target.
const tries = 100

/** The layer. The tables must exist. */
export const layer = Layer.effect(
  Submissions,
  Effect.map(SqlClient, (sql) => {
    const submit = Effect.fn("Submissions.submit")(function*(root: string, submission: Submission) {
      const { repoId, targetKey } = targetOf(root, submission)
      const text = encode(submission)
      const { base, head } = submission
      for (let tried = 0; tried < tries; tried++) {
        const [row] = yield* asked(sql<Row & { readonly isNew: boolean }>`
          with last as (
            select seq, made_at, submission from ooda_submission
            where root = ${root} and repo_id = ${repoId} and target_key = ${targetKey} order by seq desc limit 1
          ), made as (
            insert into ooda_submission (root, repo_id, target_key, seq, head, base, submission)
            select ${root}, ${repoId}, ${targetKey}, coalesce((select seq from last), 0) + 1, ${head}, ${base}, ${text}
            where not exists (select from last where submission = ${text})
            on conflict do nothing returning seq, made_at, submission
          )
          select seq as number, (extract(epoch from made_at) * 1000)::float8 as at, submission, true as "isNew"
          from made
          union all
          select seq, (extract(epoch from made_at) * 1000)::float8, submission, false from last
          where submission = ${text}`)
        if (row !== undefined) return { ...yield* submissionOf(row), isNew: row.isNew }
      }
      return yield* odd
    })

    return Submissions.of({
      submit,
      of: Effect.fn("Submissions.of")(function*({ repoId, root, targetKey }, most) {
        const rows = yield* asked(sql<Row>`
          select seq as number, (extract(epoch from made_at) * 1000)::float8 as at, submission from ooda_submission
          where root = ${root} and repo_id = ${repoId} and target_key = ${targetKey} order by seq desc limit ${most}`)
        return yield* Effect.forEach(rows, submissionOf)
      }),
      pin: Effect.fn("Submissions.pin")(({ repoId, root, targetKey }, number, pinned) =>
        Effect.asVoid(asked(sql`
          insert into ooda_pin (root, repo_id, target_key, seq, pinned)
          values (${root}, ${repoId}, ${targetKey}, ${number}, ${encodePin(pinned)}) on conflict do nothing`))
      ),
      pins: Effect.fn("Submissions.pins")(function*({ repoId, root, targetKey }) {
        const rows = yield* asked(sql<{ readonly pinned: string }>`
          select pinned from ooda_pin
          where root = ${root} and repo_id = ${repoId} and target_key = ${targetKey} order by seq desc`)
        return yield* Effect.forEach(rows, ({ pinned }) => Effect.mapError(decodePin(pinned), () => odd))
      })
    })
  })
)
