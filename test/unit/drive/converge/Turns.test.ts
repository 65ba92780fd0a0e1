// Turns: what a round does beside asking and testing: it begins once, it is closed, it is committed.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import * as Turns from "../../../../src/drive/converge/Round.ts"
import { record } from "../../../../src/drive/Drive.ts"
import { Commits } from "../../../../src/drive/Commits.ts"
import { Memory, World } from "../../../../src/testing.ts"
import { onMachine } from "../../run/opened.ts"
import { driven, settings } from "./driven.ts"
import { drivingRun } from "./drivings.ts"
import { standing } from "./standings.ts"

const names = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)

const begun = Effect.flatMap(drivingRun(), (driving) => Turns.startRound(driving, standing(["f"]), 1))

describe("a round", () => {
  it("begins with its hand-off, and is closed for a reason", async () => {
    const { closed, started } = await onMachine(Effect.gen(function*() {
      const driving = yield* Turns.close(yield* begun, 1, "Rejected")
      assert.isNull(driving.standing)
      return driving.driver.state.rounds[0] ?? assert.fail("no round")
    }))
    assert.deepInclude(started, { kind: "AddressBatch", level: "low", batch: 1, findings: ["f"] })
    assert.strictEqual(closed?.because, "Rejected")
  })

  it("is skipped and concluded in words that the log keeps", async () => {
    const round = await onMachine(Effect.gen(function*() {
      const skipped = yield* record(yield* begun, [{ _tag: "RetrospectiveSkipped", round: 1, because: "Never" }])
      return (yield* Turns.conclude(skipped, 1, "AddressFailed")).driver.state.rounds[0] ?? assert.fail("no round")
    }))
    assert.strictEqual(round.skipped?.because, "Never")
    assert.deepInclude(round.concluded, { mark: "AddressFailed" })
    assert.notStrictEqual(round.concluded?.reason.text, "")
  })

  it("that goes on without a step is closed where the run has left its batch", async () => {
    const gone = await onMachine(Effect.gen(function*() {
      const elsewhere = { ...standing([]), handoff: { ...standing([]).handoff, batch: 9 } }
      const driving = yield* Turns.startRound(yield* drivingRun(), elsewhere, 1)
      return (yield* Turns.resume(driving, 1)).driver.state.rounds.at(-1)?.closed?.because
    }))
    assert.strictEqual(gone, "AnsweredElsewhere")
  })
})

describe("the work of a round", () => {
  const base = { target: { _tag: "Base", branch: "main" } }

  it("is committed with the findings in its message", async () => {
    const messages: Array<string> = []
    const commits = Layer.effect(
      Commits,
      Effect.map(World, () =>
        Commits.of({
          authorProblem: () => Effect.succeed(null),
          programs: () => Effect.succeed([]),
          commitAll: (_, message) =>
            Effect.sync(() => {
              messages.push(message)
              return { commit: "c".repeat(40), output: "" }
            })
        }))
    )
    const set = settings({ commitFixes: "Fix {count} of {level}" }, base)
    const { header } = await driven({}, set, { commits })
    assert.strictEqual(header, "DoneFixedPoint")
    assert.lengthOf(messages, 1)
    assert.match(messages[0] ?? "", /^Fix 1 of low\n[^]*Check the bound/)
  })

  it("is not committed on another branch than that of the run's first call", async () => {
    const commits = Layer.succeed(Commits, {
      authorProblem: () => Effect.succeed(null),
      programs: () => Effect.succeed([]),
      commitAll: () => Effect.die(new Error("nothing is committed"))
    })
    let asked = 0
    const git = Memory.git({ branch: () => Effect.sync(() => ++asked === 1 ? "feat" : "main") })
    const { outcome, stream } = await driven({}, settings({ commitFixes: "Fix" }, base), { commits, git })
    const message = "--commit-fixes commits on feat, where this run was begun, and main is checked out " +
      "[git switch feat; or begin a new run with --fresh]"
    assert.deepStrictEqual(outcome, { _tag: "BinaryError", message })
    assert.notInclude(names(stream), "FixesCommitted")
    assert.notInclude(names(stream), "RoundConcluded")
  })

  it("is not committed by hooks without a person's consent where no test runs", async () => {
    const committing = (allow: ReadonlyArray<"commit-hooks">, tests: ReadonlyArray<string>) =>
      driven({}, settings({ commitFixes: "Fix", allow, tests, noTest: tests.length === 0 }, base), {
        commits: Layer.succeed(Commits, {
          authorProblem: () => Effect.succeed(null),
          programs: () => Effect.succeed(["pre-commit"]),
          commitAll: () => Effect.succeed({ commit: "c".repeat(40), output: "" })
        })
      })
    const { outcome, stream } = await committing([], [])
    assert.include(outcome._tag === "HandoffHuman" ? outcome.prompt : "", "--allow commit-hooks")
    assert.notInclude(names(stream), "AgentStarted")
    const allowed = await committing(["commit-hooks"], [])
    assert.strictEqual(allowed.header, "DoneFixedPoint")
    assert.include(names(allowed.stream), "ConsentGiven")
    assert.strictEqual((await committing([], ["npm test"])).header, "DoneFixedPoint")
  })

  it("that git refuses to commit counts as red", async () => {
    const commits = Layer.succeed(Commits, {
      authorProblem: () => Effect.succeed(null),
      programs: () => Effect.succeed([]),
      commitAll: () => Effect.succeed({ commit: null, output: "no tabs, please" })
    })
    const { outcome, stream } = await driven({}, settings({ commitFixes: "Fix", fixAttempts: 1 }, base), { commits })
    assert.strictEqual(outcome._tag === "HandoffHuman" ? outcome.action : "", "TestsFailedTriage")
    assert.include(outcome._tag === "HandoffHuman" ? outcome.prompt : "", "no tabs, please")
    assert.lengthOf(stream.filter(({ _tag }) => _tag === "AgentStarted"), 2)
  })
})
