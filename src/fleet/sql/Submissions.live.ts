// Submissions.live: submissions in PostgreSQL, numbered without a gap for each target.
// A number is taken in the statement that checks whether the submission is new.
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type TargetRef, targetText } from "../../log/Refs.ts"
import { allowed, Pin, Submission, Submissions, targetOf } from "../Submission.ts"
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
  readonly local: boolean
}

const path = "the submissions"
const asked = storeFailure(path)
const odd = new StoreFailed({ path, reason: { _tag: "DatabaseRefused", why: "other", state: null } })

const refused = (why: string) => new StoreFailed({ path, reason: { _tag: "RowRefused", why } })

/** A row is believed as little as a call of `submit`: whoever may write rows may not choose what machines review. */
const checked = (target: TargetRef, local: boolean, one: Submission) =>
  targetText(targetOf(target.root, one)) === targetText(target)
    ? Effect.mapError(Effect.fromResult(allowed(one, { local })), refused)
    : Effect.fail(refused("it is of another pull request than its row"))

const submissionOf = (target: TargetRef, { at, local, number, submission }: Row) =>
  Effect.mapError(decode(submission), () => odd).pipe(
    Effect.flatMap((one) => checked(target, local, one)),
    Effect.map((known) => ({ at, number, submission: known }))
  )

// Each try fails only if another process took the number meanwhile; so many at once never submit to one target.
const tries = 100

/** The layer. The tables must exist. */
export const layer = Layer.effect(
  Submissions,
  Effect.map(SqlClient, (sql) => {
    const submit = Effect.fn("Submissions.submit")(function*(root: string, submission: Submission) {
      const target = targetOf(root, submission)
      const { repoId, targetKey } = target
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
          select seq as number, (extract(epoch from made_at) * 1000)::float8 as at, submission, true as "isNew",
            (select local from ooda_store) as local from made
          union all
          select seq, (extract(epoch from made_at) * 1000)::float8, submission, false,
            (select local from ooda_store) from last
          where submission = ${text}`)
        if (row !== undefined) return { ...yield* submissionOf(target, row), isNew: row.isNew }
      }
      return yield* odd
    })

    return Submissions.of({
      submit,
      of: Effect.fn("Submissions.of")(function*(target: TargetRef, most) {
        const { repoId, root, targetKey } = target
        const rows = yield* asked(sql<Row>`
          select seq as number, (extract(epoch from made_at) * 1000)::float8 as at, submission,
            (select local from ooda_store) as local from ooda_submission
          where root = ${root} and repo_id = ${repoId} and target_key = ${targetKey} order by seq desc limit ${most}`)
        return yield* Effect.forEach(rows, (row) => submissionOf(target, row))
      }),
      pin: Effect.fn("Submissions.pin")(({ repoId, root, targetKey }, number, pinned) =>
        Effect.asVoid(asked(sql`
          insert into ooda_pin (root, repo_id, target_key, seq, pinned)
          values (${root}, ${repoId}, ${targetKey}, ${number}, ${encodePin(pinned)}) on conflict do nothing`))
      ),
      pins: Effect.fn("Submissions.pins")(function*(target: TargetRef) {
        const { repoId, root, targetKey } = target
        const rows = yield* asked(sql<{ readonly pinned: string; readonly local: boolean }>`
          select pinned, (select local from ooda_store) as local from ooda_pin
          where root = ${root} and repo_id = ${repoId} and target_key = ${targetKey} order by seq desc`)
        return yield* Effect.forEach(rows, ({ local, pinned }) =>
          Effect.tap(
            Effect.mapError(decodePin(pinned), () => odd),
            ({ submission }) => checked(target, local, submission)
          ))
      })
    })
  })
)
