// Unreachable: without a database every question fails in one line without its address. test/fleet asks real ones.
// A failed question is an error, never an empty answer.
import { Effect, Layer, Redacted } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { SqlClient } from "effect/sql/SqlClient"
import { assert, describe, it } from "vitest"
import { Accounts, Deliveries } from "../../../../src/fleet/Deliveries.ts"
import { FleetStore } from "../../../../src/fleet/FleetStore.ts"
import { FleetTargets } from "../../../../src/fleet/FleetTargets.ts"
import { database, sqlFault } from "../../../../src/fleet/sql/Database.live.ts"
import { layer as deliveries } from "../../../../src/fleet/sql/Deliveries.live.ts"
import { layer as eventLog } from "../../../../src/fleet/sql/EventLog.live.ts"
import { layer as fleetStore } from "../../../../src/fleet/sql/FleetStore.live.ts"
import { layer as fleetTargets } from "../../../../src/fleet/sql/FleetTargets.live.ts"
import { keptFiles } from "../../../../src/fleet/sql/KeptFiles.live.ts"
import { layer as account, type Locked, lockSession } from "../../../../src/fleet/sql/Locks.live.ts"
import { letQueue, queueFault } from "../../../../src/fleet/sql/Queues.live.ts"
import { attempts, reviewersLayer, reviewFilesLayer } from "../../../../src/fleet/sql/Reviewers.live.ts"
import { layer as runStore, storedNames } from "../../../../src/fleet/sql/RunStore.live.ts"
import { layer as submissions } from "../../../../src/fleet/sql/Submissions.live.ts"
import * as Tables from "../../../../src/fleet/sql/Tables.live.ts"
import { Submissions } from "../../../../src/fleet/Submission.ts"
import { LockFailed } from "../../../../src/log/FileLock.live.ts"
import { runDirectory } from "../../../../src/log/LogFile.live.ts"
import { EventLog } from "../../../../src/log/EventLog.ts"
import { ReviewFiles } from "../../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import { attemptFiles } from "../../../../src/run/Layout.live.ts"
import { reviewRun } from "../../../../src/run/ReviewRun.ts"
import { RunStore } from "../../../../src/run/RunStore.ts"
import { runRef } from "../../run/events.ts"
import { pinnedOf } from "../pins.ts"
import { nowhere } from "./nowhere.ts"

const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
const both = Layer.merge(nowhere, queues)

const run = runRef()
const target = { root: "pg:1", repoId: "a", targetKey: "pr/7" }
const pinned = pinnedOf()
const review = { run, level: "low", batch: 1, slot: 1, attempt: 1 } as const
const attempt = { ...review, id: "a" }
const launch = {
  argv: [],
  cwd: "/work",
  isolated: true,
  line: { seq: 1, hash: "" },
  reviewTimeout: 1,
  maxTranscript: 1
}
const launched = { ...launch, binary: "codex" }
const setUp = { work: "/work", local: false, lease: null, writer: null, account: null }

type Failing = Effect.Effect<unknown, { readonly message: string }>

const on = <I, F>(layer: Layer.Layer<I, F>) => <A, E>(use: Effect.Effect<A, E, I>): Effect.Effect<A, E | F> =>
  Effect.provide(use, layer)
const plain = on(nowhere)

const held: Locked = (path) => Effect.fail(new LockFailed({ path, reason: { _tag: "LockHeld", seconds: 10 } }))
const runs = on(Layer.provide(runStore({ locked: held, reviewersAlive: () => Effect.succeed(false) }), nowhere))
const stored = { ...run, root: "/s", repoId: "repo", targetKey: "uncommitted" }
const there = "/s/repo/uncommitted"
const file = `${there}/runs/${run.runId}`

const handing = on(Layer.provide(deliveries, both))
const setting = on(Layer.provide(fleetStore, nowhere))
const moving = on(Layer.provide(fleetTargets, both))
const reading = on(Layer.provide(
  reviewFilesLayer(() => Effect.succeed({ fate: "Alive", emptySession: true, usage: null })),
  nowhere
))
const reviewing = on(Layer.provide(reviewersLayer, both))
const submitting = on(Layer.provide(submissions, nowhere))

const session = { locked: () => Effect.die("no lock expected"), kept: () => Effect.die("no lock expected") }
const counted = on(Layer.provide(account("one", session), nowhere))

/** Each question with the place that its failure names. */
const questions: ReadonlyArray<readonly [place: string, what: string, asked: Failing]> = [
  ["the accounts of the fleet", "use", counted(Accounts.use((them) => them.using(Effect.void)))],
  ["the reviews of the fleet", "take", handing(Deliveries.use((them) => them.take("a", "machine")))],
  ["the targets of the fleet", "enqueue", moving(FleetTargets.use((them) => them.enqueue(target, 1)))],
  ["the submissions", "submit", submitting(Submissions.use((them) => them.submit("pg:1", pinned.submission)))],
  ["the store", "set up", setting(FleetStore.use((them) => them.setUp(setUp)))],
  [runDirectory(run), "read a run", setting(FleetStore.use((them) => them.contents(run)))],
  ["starting reviewers", "launch", reviewing(Reviewers.use((them) => them.launch([attempt], launched)))],
  ["looking at reviewers", "look", reviewing(Reviewers.use((them) => them.look([attempt])))],
  ["stopping reviewers", "stop", reviewing(Reviewers.use((them) => them.stop([attempt])))],
  [attemptFiles(review).log, "read evidence", reading(ReviewFiles.use((them) => them.evidence(review)))],
  [runDirectory(run), "look at a row", plain(Effect.flatMap(attempts, ({ underWay }) => underWay(run)))],
  ["the store", "open", runs(RunStore.use((them) => them.open(null, "/")))],
  [there, "find the newest run", runs(RunStore.use((them) => them.latest(stored)))],
  ["/s", "list runs", runs(RunStore.use((them) => them.list("/s", null)))],
  [`${file}/history.md`, "write", runs(RunStore.use((them) => them.writeHistory(stored, "text")))],
  [`${file}/texts/a.txt`, "digest", runs(RunStore.use((them) => them.digest(stored, "texts/a.txt")))],
  [file, "look at a run", runs(RunStore.use((them) => them.look(stored)))],
  ["the tables of the store", "make", plain(Tables.makeTables)],
  ["the store", "ask for its version", plain(Tables.isUpToDate)]
]

describe("without a database", () => {
  it.each(questions)("%s cannot be asked: %s", async (place, _, asked) => {
    const error = await Effect.runPromise(Effect.flip(asked))
    assert.strictEqual(
      error.message,
      `${place}: the database cannot be reached [check that it runs, and the address of the store]`
    )
    assert.notMatch(JSON.stringify(error), /annabel|s3cret|nowhere/)
  })

  const statements: ReadonlyArray<readonly [string, Failing]> = [
    ["keeps a file", plain(Effect.flatMap(keptFiles, (files) => files.keep(run, "a", Buffer.from(""))))],
    ["opens its queues to a role", plain(letQueue("writer"))],
    ["names itself", plain(Effect.flatMap(storedNames, ({ name }) => name))],
    ["names the newest run", plain(Effect.flatMap(storedNames, ({ latest }) => latest(run)))],
    ["names runs", plain(Effect.flatMap(storedNames, ({ runs }) => runs(run)))],
    ["removes a run", plain(Effect.flatMap(storedNames, ({ remove }) => remove(run, true)))]
  ]
  it.each(statements)("no store %s", async (_, asked) => {
    const error = await Effect.runPromise(Effect.flip(asked))
    assert.notMatch(`${error.message} ${JSON.stringify(error)}`, /annabel|s3cret/)
  })

  it("nothing is locked, and nothing is done", async () => {
    let done = false
    const use = Effect.sync(() => done = true)
    const locking = Effect.scoped(Effect.flatMap(lockSession(), ({ locked }) => locked("target", use)))
    const error = await Effect.runPromise(Effect.flip(plain(locking)))
    assert.match(error.message, /^target: the database cannot be reached /)
    assert.isFalse(done)
  })

  it("a log is unavailable", async () => {
    const log = on(Layer.provide(eventLog, nowhere))
    const error = await Effect.runPromise(Effect.flip(log(EventLog.use((one) => one.read(reviewRun, run)))))
    assert.strictEqual(error._tag, "LogUnavailable")
    assert.match(error.message, /the database cannot be reached \[check that it runs/)
    assert.notMatch(JSON.stringify(error) + error.message, /annabel|s3cret|nowhere/)
  })

  it("a store takes up nothing that anybody knows of", async () =>
    assert.deepStrictEqual(
      await Effect.runPromise(runs(RunStore.use((them) => them.usage("/s")))),
      { bytes: 0, largest: null }
    ))

  it("the fate of an attempt is what its machine reported", async () =>
    assert.strictEqual(await Effect.runPromise(reading(ReviewFiles.use((them) => them.fate(review)))), "Alive"))

  it("nothing is asked about no attempts, and the executor looks for codex", async () =>
    assert.deepStrictEqual(
      await Effect.runPromise(reviewing(
        Reviewers.use((them) => Effect.all([them.look([]), them.stop([]), them.locate("codex", "/nowhere")]))
      )),
      [[], 0, "codex"]
    ))
})

it("a lock that another holds is the store's failure, about the target", async () => {
  const error = await Effect.runPromise(Effect.flip(runs(RunStore.use((them) => them.locked(stored, Effect.void)))))
  assert.deepStrictEqual([error._tag, error.path, error.reason], [
    "StoreFailed",
    there,
    { _tag: "LockHeld", seconds: 10 }
  ])
})

it.each(["s3cret:no url", "mysql://annabel:s3cret@db/x", "postgres://ann:s3cret@localhost:port/x"])(
  "an unreadable address is refused, and the message hides it: %s",
  async (url) => {
    const asked = Effect.flatMap(
      SqlClient,
      (sql) => Effect.mapError(sql`select 1`, (error) => ({ fault: sqlFault(error) }))
    )
    const error = await Effect.runPromise(Effect.flip(Effect.provide(asked, database(Redacted.make(url)))))
    assert.notInclude(JSON.stringify(error), "s3cret")
  }
)

it("a queue's failure contains no address", () =>
  assert.notMatch(JSON.stringify(queueFault({ cause: "postgres://annabel:s3cret@x" })), /annabel|s3cret/))
