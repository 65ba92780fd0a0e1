// worker: submitted pull requests come to their fixed points over workers that review and drive them.
import { Deferred, Effect, type Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Submission, targetOf } from "../../src/fleet/Submission.ts"
import { type FleetTarget, FleetTargets } from "../../src/fleet/FleetTargets.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"
import { beside, makeFleet, root } from "./fleets.ts"

const { installed, url } = databaseOf("worker")
const writer = "worker_writer"
const rests = ({ standing }: FleetTarget): boolean => standing === "Done" || standing === "Parked"

describe.runIf(installed)("workers", () => {
  beforeAll(() => makeStore(url(), writer))
  const fleet = makeFleet(url(writer))
  beforeAll(() => fleet.name(url()))
  afterAll(() => fleet.remove())
  const run = <A, E>(use: Effect.Effect<A, E, Layer.Success<typeof fleet.layer>>) =>
    Effect.runPromise(Effect.provide(use, fleet.layer))
  const end = ({ end, standing }: FleetTarget) => [standing, end?.header]

  it("take a clean pull request to its fixed point, in a role that can make no table", async () => {
    const one = fleet.pushed(1, "two\n", { ceiling: "medium", batchSize: 2 })
    const found = await run(beside(fleet.worker({}), Effect.andThen(fleet.submit(one), fleet.awaitTarget(one, rests))))
    assert.deepStrictEqual(end(found), ["Done", "DoneFixedPoint"])
    // 2 levels of 2 reviews each, every one of them run once.
    const rows = await querying(url(), (sql) => sql`select state, deliveries, level from ooda_attempt order by level`)
    assert.deepEqual(
      rows,
      ["low", "low", "medium", "medium"].map((level) => ({ state: "exited", deliveries: 1, level }))
    )
  })

  it("park one with findings, and continue in the same run when its author has pushed", async () => {
    fleet.scenario("default", "issues 1")
    const one = fleet.pushed(2, "bad\n", { ceiling: "low", batchSize: 1 })
    const [parked, done] = await run(beside(
      Effect.all([fleet.worker({}), fleet.worker({})], { concurrency: "unbounded" }),
      Effect.gen(function*() {
        yield* fleet.submit(one)
        const parked = yield* fleet.awaitTarget(one, rests)
        fleet.scenario("default", "clean")
        const two = fleet.pushed(2, "good\n", { ceiling: "low", batchSize: 1 })
        yield* fleet.submit(two)
        yield* fleet.submit(two)
        return [parked, yield* fleet.awaitTarget(two, ({ standing }) => standing === "Done")] as const
      })
    ))
    assert.deepStrictEqual(end(parked), ["Parked", "HandoffAgent: AddressBatch"])
    assert.deepStrictEqual([...end(done), done.submission, done.run], ["Done", "DoneFixedPoint", 2, parked.run])
  })

  it("leave a retrospective to a person if configured so", async () => {
    const one = fleet.pushed(3, "three\n", { ceiling: "medium", batchSize: 1 })
    const worker = fleet.worker({ retro: "park" })
    const found = await run(beside(worker, Effect.andThen(fleet.submit(one), fleet.awaitTarget(one, rests))))
    assert.deepStrictEqual(end(found), ["Parked", "HandoffAgent: Retrospective"])
  })

  /** What the log of a run has recorded. */
  const recorded = async (run: string | null) => {
    const lines = await querying(url(), (sql) =>
      sql<{ text: string }>`
        select convert_from(l.bytes, 'UTF8') as text from ooda_line l join ooda_run r on r.id = l.run
        where r.run_id = ${run}`)
    return lines.flatMap(({ text }): ReadonlyArray<string> =>
      JSON.parse(text).events.map(({ _tag }: { readonly _tag: string }) => _tag)
    )
  }
  const atOnce = (one: Submission) =>
    run(Effect.all(Array.from({ length: 6 }, () => Effect.retry(fleet.taken(one, "clean"), { times: 20 })), {
      concurrency: "unbounded"
    }))

  it("answer a push once, however many of them come to it at once", async () => {
    fleet.scenario("default", "issues 1")
    const one = fleet.pushed(9, "bad\n", { ceiling: "low", batchSize: 1 })
    const parked = await run(beside(fleet.worker({}), Effect.andThen(fleet.submit(one), fleet.awaitTarget(one, rests))))
    fleet.scenario("default", "clean")
    const two = fleet.pushed(9, "good\n", { ceiling: "low", batchSize: 1 })
    await run(fleet.submit(two))
    await atOnce(two)
    const events = await recorded(parked.run)
    assert.lengthOf(events.filter((tag) => tag === "BatchStarted"), 2, events.join())
    await run(beside(fleet.worker({}), fleet.awaitTarget(two, ({ standing }) => standing === "Done")))
  })

  it("continue a run that was marked but not woken", async () => {
    const one = fleet.pushed(15, "15\n", { ceiling: "medium", batchSize: 1 })
    const target = targetOf(root, one)
    const worker = fleet.worker({ retro: "park" })
    const parked = await run(beside(worker, Effect.andThen(fleet.submit(one), fleet.awaitTarget(one, rests))))
    assert.deepStrictEqual(end(parked), ["Parked", "HandoffAgent: Retrospective"])
    const looked = FleetTargets.use((targets) => targets.wakeMoved(root))
    assert.strictEqual(await run(looked), 0)
    // As a call does that is killed between its mark and the wake: another step has added a line to the log.
    await querying(
      url(),
      (sql) => sql`update ooda_target set last_seq = last_seq - 1 where target_key = ${target.targetKey}`
    )
    const [woken] = await run(Effect.all([looked, looked]))
    assert.strictEqual(woken, 1)
    const turns = ({ turns }: FleetTarget): boolean => turns > parked.turns
    assert.deepStrictEqual(end(await run(beside(worker, fleet.awaitTarget(one, turns)))), end(parked))
    assert.strictEqual(await run(looked), 0)
  })

  it("begin one run, also where one of them lost the lock of its target while it began it", async () => {
    fleet.scenario("default", "clean")
    const one = fleet.pushed(16, "16\n", { ceiling: "low", batchSize: 1 })
    const at = { target: targetOf(root, one) }
    const [begins, goes] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    // Stopped when it has looked which run there is, and before it creates one.
    const stopped = Effect.updateService(fleet.taken(one, "clean"), RunStore, (store) => ({
      ...store,
      nonce: Effect.andThen(Deferred.succeed(begins, undefined), Effect.andThen(Deferred.await(goes), store.nonce))
    }))
    await run(fleet.submit(one))
    const first = run(Effect.result(stopped))
    await run(Deferred.await(begins))
    await querying(url(), (sql) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'ooda-codex-review locks'`)
    await run(fleet.taken(one, "clean"))
    await run(Deferred.succeed(goes, undefined))
    const ended = await first
    assert.strictEqual(ended._tag === "Failure" ? ended.failure._tag : "", "LogConflict")
    const runs = await run(RunStore.use((store) => store.runs(at.target)))
    assert.lengthOf(runs, 1)
    await run(beside(fleet.worker({}), fleet.awaitTarget(one, ({ standing }) => standing === "Done")))
    assert.deepStrictEqual(await run(RunStore.use((store) => store.runs(at.target))), runs)
  })

  it("mark a retrospective once, however many of them come to it at once", async () => {
    const one = fleet.pushed(7, "seven\n", { ceiling: "medium", batchSize: 1 })
    const worker = fleet.worker({ retro: "park" })
    const parked = await run(beside(worker, Effect.andThen(fleet.submit(one), fleet.awaitTarget(one, rests))))
    assert.deepStrictEqual(end(parked), ["Parked", "HandoffAgent: Retrospective"])
    await atOnce(one)
    const events = await recorded(parked.run)
    assert.lengthOf(events.filter((tag) => tag === "LevelOutcomeRecorded"), 1, events.join())
    assert.lengthOf(events.filter((tag) => tag === "BatchStarted"), 2, events.join())
  })

  it("say why a pull request that is not there cannot be reviewed", async () => {
    const missing = { ...fleet.pushed(4, "four\n"), head: fleet.nowhere }
    const found = await run(
      beside(fleet.worker({}), Effect.andThen(fleet.submit(missing), fleet.awaitTarget(missing, rests)))
    )
    assert.strictEqual(found.standing, "Parked")
    assert.match(`${found.end?.header}`, /^BinaryError: .*does not give its head commit \[push it/)
  })

  it("take up one whose head was pushed after it had been submitted, when it is submitted again", async () => {
    fleet.scenario("default", "clean")
    const late = fleet.pushed(5, "five\n", { ceiling: "low", batchSize: 1 }, false)
    const [parked, done] = await run(beside(
      fleet.worker({}),
      Effect.gen(function*() {
        assert.isTrue(yield* fleet.submit(late))
        const parked = yield* fleet.awaitTarget(late, rests)
        fleet.push(late)
        assert.deepStrictEqual([yield* fleet.submit(late), yield* fleet.submit(late)], [true, false])
        const done = yield* fleet.awaitTarget(late, ({ standing }) => standing === "Done")
        assert.isFalse(yield* fleet.submit(late))
        return [parked, done] as const
      })
    ))
    assert.deepStrictEqual([parked.standing, parked.end?.code, end(done)], ["Parked", 6, ["Done", "DoneFixedPoint"]])
  })

  it("review what was lost anew, twice, and then when it is submitted again", async () => {
    const one = fleet.pushed(6, "six\n", { ceiling: "low", batchSize: 1 })
    // Three workers had it and died, each time.
    fleet.scenario("default", "sleep 60; clean")
    const [parked, done] = await run(beside(
      Effect.all([fleet.worker({}), fleet.worker({})], { concurrency: "unbounded" }),
      Effect.gen(function*() {
        yield* fleet.submit(one)
        const lost = () =>
          querying(
            url(),
            (sql) =>
              sql<{ attempt: number }>`update ooda_attempt set state = 'lost', token = null where state = 'leased'
            returning attempt`
          )
        for (let losses = 0; losses < 3;) {
          for (const { attempt } of yield* Effect.promise(lost)) {
            assert.strictEqual(attempt, ++losses)
            yield* fleet.woken(one, `loss ${losses}`)
          }
          yield* Effect.sleep(200)
        }
        const parked = yield* fleet.awaitTarget(one, rests)
        // What wakes it late begins nothing.
        const attempts = () => querying(url(), (sql) => sql`select id from ooda_attempt`)
        const before = yield* Effect.promise(attempts)
        yield* fleet.taken(one, "clean")
        assert.lengthOf(yield* Effect.promise(attempts), before.length)
        fleet.scenario("default", "clean")
        yield* fleet.submit(one)
        return [parked, yield* fleet.awaitTarget(one, ({ standing }) => standing === "Done")] as const
      })
    ))
    assert.match(`${parked.end?.header}`, /^BinaryError: .*slot 1: Lost: /)
    assert.deepStrictEqual(end(done), ["Done", "DoneFixedPoint"])
  })

  it("have no more runs under way at once than they may", async () => {
    fleet.scenario("default", "sleep 0.3; clean")
    const some = [11, 12, 13].map((pr) => fleet.pushed(pr, `${pr}\n`, { ceiling: "low", batchSize: 1 }))
    let most = 0
    await run(beside(
      Effect.all([fleet.worker({ active: 1 }), fleet.worker({ active: 1 })], { concurrency: "unbounded" }),
      Effect.gen(function*() {
        for (const one of some) yield* fleet.submit(one)
        const waiting = Effect.forEach(some, (one) => fleet.awaitTarget(one, rests), { concurrency: "unbounded" })
        const looking = Effect.forever(Effect.andThen(
          Effect.map(fleet.active, (active) => (most = Math.max(most, active))),
          Effect.sleep(50)
        ))
        yield* Effect.raceFirst(waiting, looking)
      })
    ))
    // Two workers may each let one in at the same instant.
    assert.isAtMost(most, 2)
    assert.isAtLeast(most, 1)
  })

  it("take the turn of one that was let in by a worker that died right then, and lets in no other before", async () => {
    const one = fleet.pushed(14, "14\n", { ceiling: "low", batchSize: 1 })
    await run(Effect.gen(function*() {
      yield* fleet.submit(one)
      yield* Effect.flatMap(FleetTargets, (targets) => targets.begin(targetOf(root, one)))
    }))
    await run(beside(fleet.worker({ active: 1 }), fleet.awaitTarget(one, rests)))
  })

  // It leaves a target that no worker ends, so that it comes last.
  it("ignore a turn that is out of date", async () => {
    const one = fleet.pushed(8, "eight\n")
    const target = targetOf(root, one)
    const turn = (standing: "Active" | "Done", id: string, seq: number) => ({
      ...{ submission: 1, turns: 0, run: { id, seq }, standing },
      end: { header: standing, code: 0 }
    })
    const latest = (id: string) =>
      Effect.promise(() =>
        querying(url(), (sql) =>
          sql`
        update ooda_target set latest = ${id} where target_key = ${target.targetKey}`)
      )
    const standings = await run(Effect.gen(function*() {
      yield* fleet.submit(one)
      const targets = yield* FleetTargets
      const said: Array<string> = []
      yield* latest("b")
      for (const turned of [turn("Done", "b", 7), turn("Active", "b", 5), turn("Active", "a", 9)]) {
        yield* targets.turned(target, turned)
        said.push(`${(yield* targets.of(target))?.standing}`)
      }
      // Another machine, whose clock is behind, begins the next run.
      yield* latest("a")
      yield* targets.turned(target, turn("Active", "a", 1))
      said.push(`${(yield* targets.of(target))?.standing}`)
      // One that came to no run, after another had ended since it began.
      const failed = { ...turn("Done", "", 0), run: null, standing: "Parked" as const }
      for (const turned of [failed, { ...failed, turns: (yield* targets.of(target))?.turns ?? 0 }]) {
        yield* targets.turned(target, turned)
        said.push(`${(yield* targets.of(target))?.standing}`)
      }
      // One that knew fewer submissions.
      yield* targets.enqueue(target, 2)
      yield* targets.turned(target, turn("Done", "a", 3))
      // And a worker that took up the target before it was parked.
      const waits = (yield* targets.of(target))?.standing
      yield* targets.turned(target, { ...turn("Done", "a", 3), submission: 2 })
      yield* targets.begin(target)
      return [...said, waits, (yield* targets.of(target))?.standing]
    }))
    assert.deepStrictEqual(standings, ["Done", "Done", "Done", "Active", "Active", "Parked", "Waiting", "Done"])
  })
})
