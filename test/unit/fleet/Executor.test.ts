// Executor: no part of a review survives the executor's end, and only pinned code counts as read.
import { Effect, Fiber, Layer, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import type { Delivery, DeliveryEnd } from "../../../src/fleet/Deliveries.ts"
import { clientVariables } from "../../../src/agent/ClientVariables.live.ts"
import { clearLeftovers, execute, reviewersVariables } from "../../../src/fleet/Executor.ts"
import { targetOf } from "../../../src/fleet/Submission.ts"
import { TreeFailed } from "../../../src/fleet/WorkingTrees.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { saying } from "../../../src/run/FailureKind.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { StoreFailed } from "../../../src/run/RunStore.ts"
import { pinnedOf } from "./pins.ts"
import { deliveriesWith, deliveryOf, evidence, submissionsWith, treesWith, workbenchWith } from "./fakes.ts"

const pinned = pinnedOf()
const run = { ...targetOf("pg:1", pinned.submission), runId: "r" }
const given = deliveryOf(pinned)
const delivery: Delivery = { ...given, attempt: { ...given.attempt, run } }
const unreachable = { _tag: "DatabaseRefused", why: "unreachable", state: null } as const
const alive: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 5 }
const exited: ReviewerState = { _tag: "Exited", status: 0, deadline: false }

interface Case {
  /** What one look after the other shows; the last one forever. */
  readonly states: ReadonlyArray<ReviewerState>
  readonly isOurs?: boolean
  readonly changed?: boolean
  /** How often the database is away when the end is handed in. */
  readonly away?: number
  readonly pins?: boolean
  /** The error that its reviewer's codex recorded. */
  readonly error?: string
}

const bench = ({ away = 0, changed = false, error, isOurs = true, pins = true, states }: Case) => {
  const happened: Array<string> = []
  const handed: Array<DeliveryEnd> = []
  let look = 0
  let refused = 0
  const say = (what: string) => Effect.sync(() => void happened.push(what))
  const ports = Layer.mergeAll(
    deliveriesWith({
      seen: (_delivery, _state, overdue) => Effect.as(say(overdue ? "seen, overdue" : "seen"), isOurs),
      ended: (_delivery, ended) =>
        Effect.suspend(() => {
          if (refused++ < away) return Effect.fail(new StoreFailed({ path: "x", reason: unreachable }))
          handed.push(ended)
          return Effect.succeed(isOurs)
        }),
      returned: () => say("returned")
    }),
    workbenchWith({
      open: ({ attempt }) => Effect.as(say("opened"), { ...attempt, run: { ...run, root: "/bench/t" } }),
      left: () => Effect.succeed([{ path: "low-1.log", bytes: Buffer.from("x") }]),
      close: () => say("closed"),
      found: Effect.succeed([delivery.attempt])
    }),
    submissionsWith(pins ? [pinned] : []),
    treesWith(pinned.tree, {
      check: (_submission, which) =>
        changed || which !== "1"
          ? Effect.fail(new TreeFailed({ path: "/x", reason: { _tag: "TreeChanged", what: "a file" } }))
          : Effect.void
    }),
    Layer.succeed(Reviewers, {
      digest: () => Effect.succeed(null),
      locate: (binary, cwd) => Effect.succeed(`${cwd}bin/${binary}`),
      launch: ([attempt], { binary, cwd }, options) =>
        say(`launched ${binary} in ${cwd} at ${attempt?.run.root}${options?.tied === true ? ", tied" : ""}`),
      look: () => Effect.sync(() => [states[Math.min(look++, states.length - 1)] ?? exited]),
      listen: () => Effect.succeed(() => Effect.sleep(1)),
      stop: () => Effect.as(say("stopped"), 1)
    }),
    Layer.succeed(ReviewFiles, {
      evidence: () => Effect.succeed(error === undefined ? evidence : { ...evidence, error: saying(error) }),
      stored: () => Effect.die("nothing is stored"),
      said: () => Effect.die("nothing is said"),
      fate: () => Effect.succeed("Gone" as const)
    })
  )
  return { happened, handed, ports }
}

const begun = Effect.void

const ran = async (given: Case) => {
  const { handed, happened, ports } = bench(given)
  const done = await Effect.runPromise(
    Effect.result(Effect.provide(execute(delivery, { codexBin: "own", tellEvery: 0, idleTimeout: 1000 }, begun), ports))
  )
  return { done, handed, happened }
}

describe("a review", () => {
  it("is run in the copy that was pinned, and handed in with what only its machine knows", async () => {
    const { done, handed, happened } = await ran({ states: [alive, exited] })
    if (done._tag === "Failure") throw done.failure
    assert.isTrue(done.success.isKept)
    assert.deepStrictEqual(handed, [{
      state: exited,
      emptySession: true,
      usage: { input: 1, cached: 0, output: 1, reasoning: 0 },
      files: [{ path: "low-1.log", bytes: Buffer.from("x") }]
    }])
    const launched = `launched /bin/own in ${pinned.tree} at /bench/t, tied`
    assert.deepStrictEqual(happened, ["opened", launched, "seen", "stopped", "closed"])
  })

  it("runs with no other arguments than those of a review, whatever its row says", async () => {
    const { argv } = delivery.launch
    const [lifted, other] = [[...argv, "-c", 'sandbox_mode="danger-full-access"'], ["exec", ...argv.slice(1)]]
    for (const wrong of [lifted, other, argv.slice(0, -2), []]) {
      const { happened, ports } = bench({ states: [exited] })
      const given = { ...delivery, launch: { ...delivery.launch, argv: wrong } }
      const options = { codexBin: "own", tellEvery: 0, idleTimeout: 1000 }
      const error = await Effect.runPromise(Effect.flip(Effect.provide(execute(given, options, begun), ports)))
      assert.match(error.message, /a row breaks the fleet's rules: the arguments of a review are not those of one/)
      assert.deepStrictEqual(happened, [])
    }
  })

  it("whose copy has changed is lost, with all that it said", async () => {
    const { handed } = await ran({ states: [exited], changed: true })
    assert.deepStrictEqual(handed.map(({ files, state }) => [state._tag, files.length]), [["Lost", 0]])
  })

  it("whose reviewer has answered and continues running is ended, and handed in", async () => {
    const { handed, happened } = await ran({ states: [{ ...alive, answered: true }, exited] })
    assert.lengthOf(handed, 1)
    assert.deepStrictEqual(happened.slice(-3), ["stopped", "stopped", "closed"])
  })

  it.each([
    ["429 Too Many Requests", true],
    ["401 Unauthorized", false]
  ])("that failed with %s says whether the provider asks for less: %j", async (status, rateLimited) => {
    const { done } = await ran({
      states: [{ ...exited, status: 1 }],
      error: `exceeded retry limit, last status: ${status}`
    })
    assert.deepStrictEqual(done._tag === "Success" ? done.success : done, { isKept: true, rateLimited })
  })

  it("that is silent for longer than it may be is reported as overdue, and its run decides", async () => {
    const { handed, happened } = await ran({
      states: [{ ...alive, silentFor: 999 }, { ...alive, silentFor: 1000 }, exited]
    })
    assert.deepStrictEqual(happened.slice(2), ["seen", "seen, overdue", "stopped", "closed"])
    assert.lengthOf(handed, 1)
  })

  it("that is another's by now is ended, and nothing of it is handed in", async () => {
    const { done, handed, happened } = await ran({ states: [alive], isOurs: false })
    assert.isFalse(done._tag === "Success" && done.success.isKept)
    assert.isEmpty(handed)
    assert.deepStrictEqual(happened.slice(-2), ["stopped", "closed"])
  })

  it("is handed in as soon as the database is back", async () => {
    const { handed } = await ran({ states: [exited], away: 2 })
    assert.lengthOf(handed, 1)
  })

  it("of code that no one has pinned is not begun", async () => {
    const { done, happened } = await ran({ states: [exited], pins: false })
    assert.strictEqual(done._tag, "Failure")
    assert.isEmpty(happened)
  })

  it("is ended when its executor is", async () => {
    const { happened, ports } = bench({ states: [alive] })
    await Effect.runPromise(Effect.gen(function*() {
      const running = yield* Effect.forkChild(
        Effect.provide(execute(delivery, { codexBin: "own", tellEvery: 10_000, idleTimeout: 1000 }, begun), ports)
      )
      while (!happened.some((what) => what.startsWith("launched"))) yield* Effect.sleep(1)
      yield* Fiber.interrupt(running)
    }))
    assert.deepStrictEqual(happened.slice(-2), ["stopped", "closed"])
  })

  it("that a killed worker has left is ended by the next", async () => {
    const { happened, ports } = bench({ states: [alive] })
    assert.strictEqual(await Effect.runPromise(Effect.provide(clearLeftovers, ports)), 1)
    assert.deepStrictEqual(happened, ["stopped", "closed"])
  })
})

const url = Redacted.make("postgres://ooda:s3%2Fcret@db.example/fleet")
const always = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
const left = (variables: Record<string, string | undefined>) =>
  clientVariables("codex", reviewersVariables(variables, url))

describe("the variables of reviewers", () => {
  it.each([
    ["the store", { OODA_STORE: "postgres://db/x", DATABASE: "see postgres://db/x" }],
    ["the store with the password that is used", { DATABASE: "postgres://ooda:s3%2Fcret@db.example/fleet" }],
    ["its password", { DB_PASSWORD: "s3/cret", DB_RAW: "s3%2Fcret" }],
    ["its password in another URL", { DATABASE_URL: "postgresql://ooda:s3%2Fcret@db.example/other" }],
    ["its password behind a URL", { DATABASE_URL: "postgres://db.example/other?password=s3/cret" }],
    ["the password of the server", { PGPASSWORD: "postgres", DB_PASSWORD: "postgres", PGHOST: "db" }],
    ["the token that fetches", { OODA_FETCH_TOKEN: "t0ken", AUTH: "Bearer t0ken" }],
    ["a part of git's settings", { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" }],
    ["others", { OTHER: "postgres://a:%zz@c/d", GH_TOKEN: "x", WEB: "https://ooda:s3%2Fcret@example.org" }],
    ["git's settings in one", { GIT_CONFIG_PARAMETERS: "'a.b=c'" }]
  ])("hold nothing of %s", (_, variables) => assert.deepStrictEqual(left(variables), always))

  it.each([
    ["others", { PATH: "/bin", CODEX_HOME: "/home/a/.codex", HOME: "/home/a", EMPTY: "" }],
    ["what only contains a password", { PATH: "/usr/lib/postgresql/s3/cret/bin" }],
    ["URLs of others", { OTHER: "postgres://c/d", WEB: "https://example.org" }]
  ])("hold %s", (_, variables) => assert.deepStrictEqual(left(variables), { ...variables, ...always }))
})
