// reviewers: an attempt is offered once, run by the holder of its newest token, and given up if it is not launched.
import { Deferred, Effect, Layer, Redacted, Schema } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { assert, beforeAll, describe, it } from "vitest"
import { reviews, turns } from "../../src/fleet/sql/Queues.live.ts"
import { stored } from "../../src/fleetLayers.ts"
import type { AttemptRef } from "../../src/run/Refs.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { Deliveries, type DeliveryEnd } from "../../src/fleet/Deliveries.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { ReviewFiles } from "../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../src/review/Reviewers.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { created } from "../unit/log/samples.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("reviewers")
const role = "reviewers_writer"
const launchFields = {
  argv: ["review"],
  cwd: "/work/tree",
  isolated: true,
  line: { seq: 2, hash: "a".repeat(64) },
  reviewTimeout: 1000,
  maxTranscript: 1000
}
const launch = { binary: "codex", ...launchFields }
const ended = (text: string): DeliveryEnd => ({
  state: { _tag: "Exited", status: 0, deadline: false },
  emptySession: false,
  usage: { input: 1, cached: 0, output: 2, reasoning: 0 },
  files: [{ path: "levels/level-low/batch-1/low-1.out", bytes: Buffer.from(text) }]
})

describe.runIf(installed)("reviewers of a fleet", () => {
  beforeAll(() => makeStore(url(), role))
  const layer = Layer.orDie(stored(Redacted.make(url(role)), { lease: 3000, account: null }))
  const go = <A, E>(use: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
    Effect.runPromise(Effect.provide(use, layer))
  let stores = 0

  /** An attempt of a run that has begun. */
  const attempted = Effect.gen(function*() {
    const run = onlyRun(`store-${++stores}`)
    yield* (yield* EventLog).create(reviewRun, run, [created()])
    return { run, level: "low", batch: 1, slot: 1, attempt: 1, id: `attempt-${stores}` } satisfies AttemptRef
  })
  /** The turns that were offered about an attempt. */
  const wakes = ({ id }: AttemptRef) =>
    Effect.promise(() =>
      querying(url(), (sql) =>
        sql<{ id: string }>`
          select id from ooda_queue where queue_name = 'turn' and id like ${`%${id}%`} order by id`)
    ).pipe(Effect.map((rows) => rows.map((row) => row.id)))
  const state = (attempt: AttemptRef) => Effect.map(Reviewers.use((them) => them.look([attempt])), ([one]) => one?._tag)

  it("are offered once, however often they are launched, and wake their run once when one has ended", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      const { launch: begin } = yield* Reviewers
      yield* begin([attempt], launch)
      yield* begin([attempt], launch)
      const { ended: end, take } = yield* Deliveries
      const delivery = yield* take(attempt.id, "one")
      if (delivery === null) return assert.fail("nothing is delivered")
      assert.deepStrictEqual(delivery.launch, launchFields)
      assert.strictEqual(yield* state(attempt), "Alive")
      assert.isTrue(yield* (yield* RunStore).look(attempt.run).pipe(Effect.map(({ reviewersAlive }) => reviewersAlive)))
      assert.isTrue(yield* end(delivery, ended("clean")))
      assert.isFalse(yield* end(delivery, ended("again")))
      assert.isNull(yield* take(attempt.id, "two"))
      assert.strictEqual(yield* state(attempt), "Exited")
      const files = yield* ReviewFiles
      assert.strictEqual((yield* files.said(attempt, { session: false })).out, "clean")
      assert.strictEqual(yield* files.fate(attempt), "Exited")
      const rows = yield* Effect.promise(() =>
        querying(
          url(),
          (sql) => sql`select queue_name, id from ooda_queue where id like ${`%${attempt.id}`} order by 1`
        )
      )
      assert.deepEqual(rows, [
        { queue_name: "review", id: attempt.id },
        { queue_name: "turn", id: `end of ${attempt.id}` }
      ])
    })))

  it("belong to the newest holder: what another one hands in or reports is refused, with its files", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      yield* (yield* Reviewers).launch([attempt], launch)
      const { ended: end, take, seen: see } = yield* Deliveries
      const [zombie, living] = [yield* take(attempt.id, "one"), yield* take(attempt.id, "two")]
      if (zombie === null || living === null) return assert.fail("nothing is delivered")
      assert.deepEqual([zombie.number, living.number], [1, 2])
      const seen = { _tag: "Alive", silentFor: 5, waitingForNetwork: 0, bytes: 7 } as const
      assert.deepEqual([yield* see(zombie, seen, false), yield* see(living, seen, false)], [false, true])
      assert.isEmpty(yield* wakes(attempt))
      assert.isFalse(yield* end(zombie, ended("stale")))
      assert.isTrue(yield* end(living, ended("clean")))
      assert.strictEqual((yield* (yield* ReviewFiles).said(attempt, { session: false })).out, "clean")
    })))

  it("that are silent for too long wake their run, once for each silence", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      yield* (yield* Reviewers).launch([attempt], launch)
      const { seen: see, take } = yield* Deliveries
      const delivery = yield* take(attempt.id, "one")
      if (delivery === null) return assert.fail("nothing is delivered")
      const seen = { _tag: "Alive", silentFor: 5, waitingForNetwork: 0, bytes: 7 } as const
      for (const _ of [1, 2]) yield* see(delivery, seen, true)
      assert.deepStrictEqual(yield* wakes(attempt), [`silence of ${attempt.id} at 7 bytes`])
    })))

  it("whose files the database refuses have not ended, and are handed in once more", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      yield* (yield* Reviewers).launch([attempt], launch)
      const { ended: end, take } = yield* Deliveries
      const delivery = yield* take(attempt.id, "one")
      if (delivery === null) return assert.fail("nothing is delivered")
      const whole = ended("clean")
      // No text of PostgreSQL holds a NUL.
      const refused = { ...whole, files: [...whole.files, { path: "a\0b", bytes: Buffer.from("") }] }
      assert.strictEqual((yield* Effect.flip(end(delivery, refused)))._tag, "StoreFailed")
      assert.strictEqual(yield* state(attempt), "Alive")
      assert.strictEqual((yield* (yield* ReviewFiles).said(attempt, { session: false })).out, "")
      assert.isTrue(yield* end(delivery, whole))
    })))

  it("that kill three executors are lost, and those that are returned count for none", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      yield* (yield* Reviewers).launch([attempt], launch)
      const { returned, take } = yield* Deliveries
      const first = yield* take(attempt.id, "one")
      if (first !== null) yield* returned(first)
      for (const number of [1, 2, 3]) assert.strictEqual((yield* take(attempt.id, "one"))?.number, number)
      assert.isEmpty(yield* wakes(attempt))
      assert.isNull(yield* take(attempt.id, "one"))
      assert.strictEqual(yield* state(attempt), "Lost")
      assert.deepStrictEqual(yield* wakes(attempt), [`end of ${attempt.id}`])
    })))

  it("that no one launches are fenced after a while, and a launch that comes later finds that", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      assert.strictEqual(yield* state(attempt), "Alive")
      const [only] = yield* (yield* Reviewers).look([attempt], { acting: false })
      assert.strictEqual(only?._tag, "Alive")
      // If that worker dies too, a later turn looks.
      const later = yield* Effect.promise(() =>
        querying(url(), (sql) => sql`select queue_name from ooda_queue where id = ${`absence of ${attempt.id}`}`)
      )
      assert.deepEqual(later, [{ queue_name: "turn" }])
      yield* Effect.sleep(3100)
      assert.strictEqual(yield* state(attempt), "Unstarted")
      yield* (yield* Reviewers).launch([attempt], launch)
      assert.strictEqual(yield* state(attempt), "Unstarted")
      assert.isNull(yield* (yield* Deliveries).take(attempt.id, "one"))
    })))

  it("that were only looked for are launched all the same", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      assert.strictEqual(yield* state(attempt), "Alive")
      yield* (yield* Reviewers).launch([attempt], launch)
      assert.isNotNull(yield* (yield* Deliveries).take(attempt.id, "one"))
    })))

  it("that are stopped hand nothing in, and what has ended before stays", () =>
    go(Effect.gen(function*() {
      const [one, other] = [yield* attempted, yield* attempted]
      const reviewers = yield* Reviewers
      const { ended: end, take } = yield* Deliveries
      for (const attempt of [one, other]) yield* reviewers.launch([attempt], launch)
      const [first, second] = [yield* take(one.id, "m"), yield* take(other.id, "m")]
      if (first === null || second === null) return assert.fail("nothing is delivered")
      yield* end(second, ended("clean"))
      assert.strictEqual(yield* reviewers.stop([one, other]), 1)
      assert.isFalse(yield* end(first, ended("late")))
      assert.deepEqual([yield* state(one), yield* state(other)], ["Lost", "Exited"])
    })))

  it("of a retry find the files of the attempt before where they stay", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      const reviewers = yield* Reviewers
      const { ended: end, take } = yield* Deliveries
      yield* reviewers.launch([attempt], launch)
      const first = yield* take(attempt.id, "m")
      if (first !== null) yield* end(first, ended("failed"))
      const again = { ...attempt, attempt: 2, id: `${attempt.id}-again` }
      yield* reviewers.launch([again], launch)
      const paths = yield* Effect.promise(() =>
        querying(url(), (sql) =>
          sql`select path from ooda_file f join ooda_target t on t.id = f.target where t.root = ${attempt.run.root}`)
      )
      assert.deepEqual(paths, [{ path: "levels/level-low/batch-1/low-1.1.out" }])
    })))

  it("of a retry end the attempt before, whichever worker has it", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      const reviewers = yield* Reviewers
      const { ended: end, take } = yield* Deliveries
      yield* reviewers.launch([attempt], launch)
      const first = yield* take(attempt.id, "m")
      if (first === null) return assert.fail("nothing is delivered")
      yield* reviewers.launch([{ ...attempt, attempt: 2, id: `${attempt.id}-again` }], launch)
      assert.strictEqual(yield* state(attempt), "Lost")
      assert.isFalse(yield* end(first, ended("late")))
    })))

  it("stay with a worker that lives, for longer than its lease", () =>
    go(Effect.gen(function*() {
      const worker = Layer.fresh(Layer.orDie(stored(Redacted.make(url(role)), { lease: 900, account: null })))
      const [begun, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const queue = PersistedQueue.make({ name: "lasting", schema: Schema.String })
      yield* (yield* queue).offer("a", { id: "a" })
      const take = <A>(use: Effect.Effect<A>) =>
        Effect.provide(Effect.flatMap(queue, (them) => them.take(() => use)), worker)
      const living = take(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(over)))
      const other = Deferred.await(begun).pipe(
        Effect.andThen(Effect.timeoutOption(take(Effect.succeed("taken")), 4000)),
        Effect.ensuring(Deferred.succeed(over, undefined))
      )
      const [, taken] = yield* Effect.all([living, other], { concurrency: "unbounded" })
      assert.strictEqual(taken._tag, "None")
    })))

  it("are handed out in the queue's own way, and each offer once", () =>
    go(Effect.gen(function*() {
      const attempt = yield* attempted
      yield* (yield* Reviewers).launch([attempt], launch)
      const queue = yield* reviews
      const seen: Array<string> = []
      while (!seen.includes(attempt.id)) yield* queue.take(({ attempt: id }) => Effect.sync(() => void seen.push(id)))
      assert.lengthOf(seen.filter((id) => id === attempt.id), 1)
      assert.isDefined(yield* turns)
    })))
})
