// Next: the input of a decision: the identity is computed only if it matters and was not just computed.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { Git } from "../../../src/code/Git.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import { BranchName, PrNumber } from "../../../src/run/Target.ts"
import { decideNext } from "../../../src/step/Next.ts"
import { Memory } from "../../../src/testing.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  failed,
  finished,
  opened as batchOpened,
  started,
  stopped,
  tree
} from "../run/events.ts"
import { begun, onMachine, opened, openedStrict } from "../run/opened.ts"

interface Context {
  readonly completed?: Identity
  readonly openedAt?: number
  readonly now?: string
  /** The code by the bytes of every file, if the times of a file hide a change. */
  readonly byBytes?: string
  readonly others?: object
  readonly strict?: boolean
  /** A run of this pull request, on GitHub with this base. */
  readonly pull?: Pull
}

interface Pull {
  readonly base: string | null
  readonly strict?: boolean
}

/** The decision for a run with this line, and the bases for which an identity was computed. */
const next = async (before: ReadonlyArray<Event>, context: Context = {}) => {
  const { completed, now = "t1", byBytes = now, openedAt = 100, others = {}, pull, strict = false } = context
  const bases: Array<string | null> = []
  const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, ceiling: "low", ...others })
  const git = Layer.mock(Git)({
    identity: (_, __, base, run) =>
      Effect.sync(() => {
        if (run?.rereads === true) return tree(byBytes)
        bases.push(base)
        return tree(now)
      })
  })
  const gitHub = Memory.gitHub(typeof pull?.base === "string" ? { 7: BranchName.make(pull.base) } : {})
  const { decision, present } = await onMachine(
    Effect.flatMap(
      pull === undefined ? (strict ? openedStrict : opened)(before) : pulled(pull, before),
      (run) => decideNext({ run, completed: completed ?? null }, openedAt, settings)
    ),
    { git, gitHub }
  )
  const base: string | null = present?.base ?? null
  return { decision, bases, base }
}

const pulled = ({ strict = false }: Pull, before: ReadonlyArray<Event>) =>
  begun(created({ target: { _tag: "PullRequest", number: PrNumber.make(7) }, ...(strict ? { strict } : {}) }), [before])

const one = batchStarted({ size: 1 })
const clean = [one, started(), finished("Clean"), batchCompleted(tree("t1"))]
const fixedPoint = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } } as const

describe("the identity", () => {
  it("is computed for a clean batch", async () =>
    assert.deepStrictEqual(await next(clean), { decision: fixedPoint, bases: [null], base: null }))

  it("is not computed again if it was computed just now", async () => {
    const context = { completed: tree("t1"), now: "t2" }
    assert.deepStrictEqual(await next(clean, context), { decision: fixedPoint, bases: [], base: null })
  })

  it("decides whether the reviewed code is still the present one", async () => {
    const { decision } = await next(clean, { now: "t2" })
    assert.deepStrictEqual(decision, { _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" })
  })

  it("is computed for a batch that failed or was stopped", async () => {
    const broken = await next([one, started(), failed(), batchFailed([1])])
    assert.deepInclude(broken.decision, { _tag: "RunReviews", cause: "failed-slots" })
    const ended = await next([one, started(), stopped()])
    assert.deepInclude(ended.decision, { _tag: "RunReviews", cause: "stopped-slots" })
    assert.deepStrictEqual([broken.bases, ended.bases], [[null], [null]])
  })

  it("is not computed for running reviewers, for issues, or before a batch is started", async () => {
    for (const before of [[one, started()], [one, started(), finished("HasIssues")], [one]]) {
      assert.deepStrictEqual((await next(before)).bases, [])
    }
  })
})

describe("a strict run", () => {
  it("needs the identity even if nothing was reviewed", async () => {
    const nothing = batchOpened("low", 2, { cause: "Restarted" })
    assert.deepStrictEqual((await next([nothing], { strict: true })).bases, [null])
    assert.deepStrictEqual((await next([nothing])).bases, [])
  })

  it("is at its fixed point only if the bytes of every file confirm it", async () => {
    assert.deepStrictEqual((await next(clean, { strict: true })).decision, fixedPoint)
    const mapped = await next(clean, { strict: true, byBytes: "t2" })
    assert.deepInclude(mapped.decision, { _tag: "RunReviews", cause: "stale" })
  })

  it("is decided by the strict rules even if its code does not matter", async () => {
    const issues = [one, started(), finished("HasIssues"), batchCompleted(tree("t1"))]
    const { bases, decision } = await next(issues, { strict: true })
    const prompt = decision._tag === "Halt" && decision.outcome._tag === "HandoffAgent" ? decision.outcome.prompt : ""
    assert.include(prompt, "Answer with: --batch low/1@")
    assert.deepStrictEqual(bases, [])
  })
})

describe("the base of a pull request", () => {
  const based = [batchStarted({ size: 1, base: BranchName.make("main") }), ...clean.slice(1)]

  it("is asked for again before a clean batch counts", async () =>
    assert.deepInclude(await next(based, { pull: { base: "release" } }), { bases: ["release"], base: "release" }))

  it("stays the same if it cannot be asked for, but in a strict run that is a failure", async () => {
    assert.deepInclude(await next(based, { pull: { base: null } }), { bases: ["main"], base: "main" })
    const error = await next(based, { pull: { base: null, strict: true } }).catch((error) => error)
    assert.strictEqual(error._tag, "GitHubFailed")
  })

  it("is asked for in the call that completed the batch only in a strict run", async () => {
    const context = { completed: tree("t1"), pull: { base: "release" } }
    assert.deepInclude(await next(based, context), { bases: [], base: "main" })
    const strict = { ...context, pull: { base: "release", strict: true } }
    assert.deepInclude(await next(based, strict), { bases: ["release"], base: "release" })
    const same = { ...context, pull: { base: "main", strict: true } }
    assert.deepInclude(await next(based, same), { bases: [], base: "main" })
  })
})

describe("the context", () => {
  it("has the settings: ceiling, retries, and the limit of batches", async () => {
    const higher = await next(clean, { others: { ceiling: "high" } })
    assert.deepInclude(higher.decision._tag === "Halt" ? higher.decision.outcome : {}, { action: "Retrospective" })
    const spent = [one, started(), failed({ transient: true })]
    assert.strictEqual((await next(spent)).decision._tag, "AwaitReviews")
    assert.deepInclude(await next(spent, { others: { retries: 0 } }).then(({ decision }) => decision), { _tag: "Halt" })
    const capped = await next(clean, { now: "t2", others: { maxBatches: 1 } })
    assert.deepInclude(capped.decision._tag === "Halt" ? capped.decision.outcome : {}, { _tag: "StuckCapReached" })
  })

  it("has the line at which the call began: failures and stops after it end the call", async () => {
    const broken = await next([one, started(), failed(), batchFailed([1])], { openedAt: 1 })
    assert.deepInclude(broken.decision._tag === "Halt" ? broken.decision.outcome : {}, { _tag: "BinaryError" })
    const ended = await next([one, started(), stopped()], { openedAt: 1 })
    assert.deepStrictEqual(ended.decision, { _tag: "Halt", outcome: { _tag: "DoneAborted" } })
  })
})
