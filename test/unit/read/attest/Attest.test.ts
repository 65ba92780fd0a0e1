// Attest: which runs are attested, why others are refused, and the bytes of an attestation.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { CallPlace } from "../../../../src/run/Naming.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import { planRun } from "../../../../src/drive/plan/State.ts"
import { EventLog, LogDamaged } from "../../../../src/log/EventLog.ts"
import { attest, statementOf, statementText, subjectsOf } from "../../../../src/read/attest/Attest.ts"
import { ReviewFiles, ReviewFilesFailed } from "../../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../../src/review/Reviewers.ts"
import type { Identity } from "../../../../src/run/Identity.ts"
import { CommitSha } from "../../../../src/run/Target.ts"
import { gitLayer } from "../../../../src/testing/memory/Code.ts"
import { attested as facts, commit, tree as gitTree } from "../../../support/attestations.ts"
import { forge, parts, reviewedRun } from "../../../support/reviewedRuns.ts"
import { opened, runRef } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"

const [tree, other, head] = ["7", "8", "c"].map((one) => one.repeat(40)) as [string, string, string]
const known = (change: Partial<Identity> = {}): Identity =>
  ({ _tag: "Known", head, tree, base: null, headTree: tree, nested: "", ...change }) as Identity

/** Attests a run that was reviewed on `before`, while the worktree holds `now`. */
const attested = (options: {
  readonly before?: Identity
  readonly now?: Identity
  readonly there?: boolean
  readonly lines?: ReadonlyArray<ConvergeEvent>
} = {}) => {
  const { before = known(), lines, now = before, there = true } = options
  const git = Effect.runSync(Effect.map(Ref.make(before), (identity) => ({
    identity,
    layer: gitLayer({ identity: () => Ref.get(identity), exists: () => Effect.succeed(there) })
  })))
  const made = Effect.gen(function*() {
    const run = yield* reviewedRun()
    if (lines !== undefined) yield* (yield* EventLog).create(convergeRun, run, lines)
    yield* Ref.set(git.identity, now)
    return yield* attest(run)
  })
  return onMachine(Effect.result(made), { git: git.layer })
}
const refusal = async (options: Parameters<typeof attested>[0]) => {
  const done = await attested(options)
  return done._tag === "Failure" ? done.failure.message : assert.fail("it was attested")
}
const said = async (options: Parameters<typeof attested>[0] = {}) => {
  const done = await attested(options)
  return done._tag === "Success" ? done.success : assert.fail(done.failure.message)
}

describe("a run at its fixed point", () => {
  it("is attested by the tree and commit that were reviewed, its level, and its line", async () => {
    const { predicate, subject } = await said()
    assert.deepEqual(subject, [{ name: "tree", digest: { gitTree: tree } }, {
      name: "commit",
      digest: { gitCommit: head }
    }])
    assert.deepInclude(predicate, { claim: "every-level", strict: false, tests: [] })
    assert.deepEqual(
      predicate.levels.map(({ batch, code, level, reviewers }) => [level, batch, code, reviewers.length]),
      [
        ["low", 1, "same", 1]
      ]
    )
    assert.match(predicate.log.hash, /^[0-9a-f]{64}$/)
  })

  it("names the digests of the programs that reviewed, if the log has them", async () => {
    const bare = await said()
    assert.notProperty(bare.predicate.levels[0], "programs")
    const reviewed = Effect.updateService(reviewedRun(), Reviewers, (them) => ({
      ...them,
      digest: () => Effect.succeed("ab".repeat(32))
    }))
    const git = gitLayer({ identity: () => Effect.succeed(known()), exists: () => Effect.succeed(true) })
    const { predicate } = await onMachine(Effect.flatMap(reviewed, attest), { git })
    assert.deepEqual(predicate.levels[0]?.programs, ["ab".repeat(32)])
  })

  it("gives the same bytes for the same log, even if HEAD moved to a commit of the same files", async () => {
    const moved = await said({ now: known({ head: "d".repeat(40) }) })
    assert.deepEqual({ ...moved, predicate: { ...moved.predicate, log: 0 } }, {
      ...moved,
      predicate: { ...(await said()).predicate, run: moved.predicate.run, log: 0 }
    })
  })

  it("names only the tests that ran on exactly these files", async () => {
    const digest = (hex: string) => ({ algorithm: "sha256", hex: hex.repeat(64), bytes: 1 }) as const
    const test = (
      number: number,
      before: Identity | undefined,
      content: Identity,
      exit: number
    ): ReadonlyArray<ConvergeEvent> => [
      {
        _tag: "TestStarted",
        test: number,
        id: `t${number}`,
        round: 0,
        command: `test ${number}`,
        ...(before === undefined ? {} : { before })
      },
      { _tag: "TestFinished", test: number, exit, output: digest(String(number)), content }
    ]
    const lines: ReadonlyArray<ConvergeEvent> = [
      { _tag: "ConvergeStarted", runId: "r", nonce: "n" } as ConvergeEvent,
      ...test(1, known(), known({ tree: other }), 0),
      ...test(2, known({ tree: other }), known(), 0),
      ...test(3, known(), known(), 1),
      ...test(4, known(), known(), 0),
      ...test(5, known({ tree: other }), known({ tree: other }), 0),
      ...test(6, undefined, known(), 0)
    ]
    const { predicate } = await said({ lines })
    assert.deepEqual(predicate.tests, [
      { command: "test 3", exit: 1, output: "3".repeat(64) },
      { command: "test 4", exit: 0, output: "4".repeat(64) }
    ])
  })
})

describe("no attestation for a run", () => {
  it("whose worktree holds other code, is gone, or cannot be read", async () => {
    assert.match(
      await refusal({ now: known({ tree: other }) }),
      /is not attested: \/repo holds other code than was reviewed \[/
    )
    assert.match(await refusal({ now: known({ nested: "x" }) }), /holds other code/)
    assert.match(await refusal({ there: false }), /its worktree \/repo is gone \[/)
    assert.match(
      await refusal({ now: { _tag: "Unknown", why: "too\u001bslow" } }),
      /it is not known what the worktree holds/
    )
  })

  it("if the reviewed state is unknown or not in git", async () => {
    assert.match(await refusal({ before: known({ tree: "contents-1" }) }), /git has no name for what was reviewed \[/)
    assert.match(await refusal({ before: { _tag: "Unknown", why: "slow" } }), /its audit has 1 finding \[/)
  })

  const failed = (made: Parameters<typeof onMachine<{ readonly message: string }, unknown>>[0], options = {}) =>
    onMachine(made, options).then(({ message }) => message)

  it("that is not at a fixed point, or whose audit has findings", async () => {
    const unsound = Effect.tap(reviewedRun(), (one) => forge(one, opened("xhigh", 9)))
    assert.match(
      await failed(Effect.flip(Effect.flatMap(unsound, attest))),
      /its audit has 1 finding \[.*audit .* shows them\]$/
    )
    assert.match(
      await failed(Effect.flip(Effect.provideService(Effect.flatMap(unsound, attest), CallPlace, {
        stateRoot: null,
        store: "postgres://h/my runs"
      }))),
      /\[ooda-codex-review audit \S+ --store 'postgres:\/\/h\/my runs' shows them\]$/
    )
    const begun = Effect.flatMap(reviewedRun({ parts: parts("issues") }), attest)
    assert.match(await failed(Effect.flip(begun)), /it has not reached a fixed point \[/)
  })

  it("of a plan; the refusal names the run that converged its code", async () => {
    const run = { ...runRef(), targetKey: "plan/p-1" }
    const started = { _tag: "PlanStarted", runId: run.runId, nonce: "n", plan: "/p.yaml", worktree: "/repo" } as const
    const plan = (
      ...more: ReadonlyArray<{ readonly _tag: "PlanConverged"; readonly run: string; readonly outcome: string }>
    ) =>
      failed(
        EventLog.use((log) => log.create(planRun, run, [started, ...more as []])).pipe(
          Effect.andThen(Effect.flip(attest(run)))
        )
      )
    assert.match(await plan(), /it works through a plan, and no run has reviewed its code/)
    assert.match(
      await plan({ _tag: "PlanConverged", run: "2026-x", outcome: "DoneFixedPoint" }),
      /it works through a plan; its code was reviewed by another run \[ooda-codex-review attest 2026-x\]$/
    )
  })

  it("whose driver log is damaged, since a failing test may be lost", async () => {
    const lost = new LogDamaged({ path: "/c", line: 2, offset: 9, kind: "bad hash" })
    const broken = Effect.flatMap(reviewedRun(), attest).pipe(Effect.updateService(EventLog, (log) => ({
      ...log,
      read: (kind, run) => kind.kind === convergeRun.kind ? Effect.fail(lost) : log.read(kind, run)
    })))
    assert.strictEqual(
      await onMachine(Effect.flip(broken), { git: gitLayer({ identity: () => Effect.succeed(known()) }) }),
      lost
    )
  })

  it("whose files cannot be read", async () => {
    const reason = { _tag: "SystemRefused", code: "EIO", call: "read", said: "x" } as const
    const broken = Effect.flatMap(reviewedRun(), attest).pipe(Effect.updateService(ReviewFiles, (files) => ({
      ...files,
      stored: () => Effect.fail(new ReviewFilesFailed({ path: "/f", reason }))
    })))
    assert.match(await failed(Effect.flip(broken)), /is not attested: \/f/)
  })
})

const uncommitted = { _tag: "Uncommitted" } as const
const knownHead = (headTree: string | null, change = {}) =>
  ({ _tag: "Known", head: commit, tree: gitTree, base: null, headTree, ...change }) as const

describe("the bytes of an attestation", () => {
  const golden = new URL("../../../../fixtures/attestations/fixed-point.v1.json", import.meta.url)
  const text = statementText(statementOf(facts()))

  it("never change", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") {
      mkdirSync(new URL(".", golden), { recursive: true })
      writeFileSync(golden, text)
    }
    assert.strictEqual(text, readFileSync(golden, "utf8"))
  })

  it("are one line of visible characters, whatever reviewers wrote, without known secrets", () => {
    assert.match(text, /^[ -~]+\n$/)
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "ghp_")
  })

  it("do not depend on the order of the input fields", () => {
    const { fixedPoint, ...rest } = facts()
    assert.strictEqual(statementText(statementOf({ ...rest, fixedPoint })), text)
  })

  it("name other worktrees that were left out", () => {
    const reviewed = { ...facts().reviewed, otherWorktrees: [".claude/worktrees/mate"] }
    const { predicate } = statementOf({ ...facts(), reviewed })
    assert.deepStrictEqual(predicate.reviewed.otherWorktrees, [".claude/worktrees/mate"])
    assert.notProperty(statementOf(facts()).predicate.reviewed, "otherWorktrees")
  })

  it("claim every level only if all levels saw the same code", () => {
    const claim = (complete: boolean) => statementOf(facts({ complete })).predicate.claim
    assert.deepStrictEqual([claim(true), claim(false)], ["every-level", "ceiling"])
  })
})

describe("subjects", () => {
  it("are the tree, and the commit if nothing changed in it", () => {
    const one = { name: "tree", digest: { gitTree: gitTree } } as const
    const two = { name: "commit", digest: { gitCommit: commit } } as const
    assert.deepEqual(subjectsOf(uncommitted, knownHead("8".repeat(40))), [one])
    assert.deepEqual(subjectsOf(uncommitted, knownHead(gitTree)), [one, two])
    assert.deepEqual(subjectsOf(uncommitted, knownHead(null, { head: null })), [one])
  })

  it("of a commit are that commit", () =>
    assert.deepEqual(
      subjectsOf({ _tag: "Commit", sha: CommitSha.make(commit) }, {
        _tag: "Known",
        head: commit,
        tree: null,
        base: null
      }),
      [{ name: "commit", digest: { gitCommit: commit } }]
    ))

  it("are empty if the files are not in git", () => {
    assert.deepEqual(subjectsOf(uncommitted, knownHead(null, { tree: `contents-${gitTree}` })), [])
    assert.deepEqual(subjectsOf(uncommitted, { _tag: "Unknown", why: "slow" }), [])
  })
})
