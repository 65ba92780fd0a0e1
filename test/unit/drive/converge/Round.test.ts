// Round: one turn of a run: a decision from durable state, and its action.
import { Effect, Fiber, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import * as Turns from "../../../../src/drive/converge/Round.ts"
import { driven as beginning, endOutcome, policy } from "../../../../src/drive/converge/Round.ts"
import { record, roundOf } from "../../../../src/drive/Drive.ts"
import { Commits } from "../../../../src/drive/Commits.ts"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { Memory, Scripted, ScriptedAgent, World } from "../../../../src/testing.ts"
import { living, onMachine } from "../../run/opened.ts"
import { byTask, call, driven, secondTestChangesCode, settings, world } from "./driven.ts"
import { drivingRun } from "./drivings.ts"
import { assignment } from "./assignments.ts"
import { commitDriver } from "../../../../src/agent/TaskLog.ts"
import { readConverge } from "../../../../src/drive/converge/State.ts"
import * as Invocation from "../../../../src/run/Invocation.ts"
import * as Reviewing from "../../../../src/review/End.ts"
import { markStep } from "../../../../src/step/MarkStep.ts"
import { content, roundStarted, tested, worked } from "./streams.ts"
import type { End } from "../../../../src/drive/converge/Decide.ts"
import { header, type Outcome } from "../../../../src/run/Outcome.ts"

const names = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)

const begun = Effect.flatMap(drivingRun(), (driving) => Turns.startRound(driving, assignment(["f"]), 1))

describe("a round", () => {
  it("begins with its hand-off, and is closed with a reason", async () => {
    const { closed, started } = await onMachine(Effect.gen(function*() {
      const driving = yield* Turns.close(yield* begun, 1, "Rejected")
      assert.isNull(driving.assignment)
      return driving.driver.state.rounds[0] ?? assert.fail("no round")
    }))
    assert.deepInclude(started, { kind: "AddressBatch", level: "low", batch: 1, findings: ["f"] })
    assert.strictEqual(closed?.because, "Rejected")
  })

  it("is skipped and concluded with events", async () => {
    const round = await onMachine(Effect.gen(function*() {
      const skipped = yield* record(yield* begun, [{ _tag: "RetrospectiveSkipped", round: 1, because: "Never" }])
      return (yield* Turns.conclude(skipped, 1, "AddressFailed")).driver.state.rounds[0] ?? assert.fail("no round")
    }))
    assert.strictEqual(round.skipped?.because, "Never")
    assert.deepInclude(round.concluded, { mark: "AddressFailed" })
    assert.notStrictEqual(round.concluded?.reason.text, "")
  })

  it("is closed if the run left its batch without a step", async () => {
    const gone = await onMachine(Effect.gen(function*() {
      const elsewhere = { ...assignment([]), handoff: { ...assignment([]).handoff, batch: 9 } }
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
          left: () => Effect.succeed(null),
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

  it("is only committed on the branch on which the run began", async () => {
    const commits = Layer.succeed(Commits, {
      authorProblem: () => Effect.succeed(null),
      left: () => Effect.succeed(null),
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

  it("is only committed without tests if the user consented to its hooks", async () => {
    const committing = (allow: ReadonlyArray<"commit-hooks">, tests: ReadonlyArray<string>) =>
      driven({}, settings({ commitFixes: "Fix", allow, tests, noTest: tests.length === 0 }, base), {
        commits: Layer.succeed(Commits, {
          authorProblem: () => Effect.succeed(null),
          left: () => Effect.succeed(null),
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

  it("counts as red if git refuses to commit it", async () => {
    const commits = Layer.succeed(Commits, {
      authorProblem: () => Effect.succeed(null),
      left: () => Effect.succeed(null),
      programs: () => Effect.succeed([]),
      commitAll: () => Effect.succeed({ commit: null, output: "no tabs, please" })
    })
    const { outcome, stream } = await driven({}, settings({ commitFixes: "Fix", fixAttempts: 1 }, base), { commits })
    assert.strictEqual(outcome._tag === "HandoffHuman" ? outcome.action : "", "TestsFailedTriage")
    assert.include(outcome._tag === "HandoffHuman" ? outcome.prompt : "", "no tabs, please")
    assert.lengthOf(stream.filter(({ _tag }) => _tag === "AgentStarted"), 2)
  })

  it("of which the commit lacks something ends the call, and is not recorded as committed", async () => {
    const lacking: Array<string | null> = [null, "sub/f [git -C sub commit]"]
    const commits = Layer.succeed(Commits, {
      authorProblem: () => Effect.succeed(null),
      left: () => Effect.sync(() => lacking.shift() ?? null),
      programs: () => Effect.succeed([]),
      commitAll: () => Effect.succeed({ commit: "c".repeat(40), output: "" })
    })
    const { outcome, stream } = await driven({}, settings({ commitFixes: "Fix" }, base), { commits })
    const prompt = "the tests pass, but the commit lacks sub/f [git -C sub commit]"
    assert.deepInclude(outcome, { _tag: "HandoffHuman", action: "TestsFailedTriage", prompt })
    assert.notInclude(names(stream), "FixesCommitted")
    // The next call goes on with the round, whatever a person has changed since.
    const end = stream.find(({ _tag }) => _tag === "DriverEnded") ?? assert.fail("no end")
    assert.deepInclude(end, { why: prompt })
    assert.notProperty(end, "content")
  })

  it("that git refused to commit is committed by the next call, although the code is the same", async () => {
    let refusals = 1
    const commits = Layer.succeed(Commits, {
      authorProblem: () => Effect.succeed(null),
      left: () => Effect.succeed(null),
      programs: () => Effect.succeed([]),
      commitAll: () =>
        Effect.sync(() => ({ commit: refusals-- > 0 ? null : "c".repeat(40), output: "the disk is full" }))
    })
    const set = settings({ commitFixes: "Fix", fixAttempts: 0 }, base)
    const [first, second] = await onMachine(
      Effect.gen(function*() {
        yield* world()
        return [yield* call(set), yield* call(set)] as const
      }),
      { commits }
    )
    assert.deepStrictEqual([first.header, second.header], ["HandoffHuman: TestsFailedTriage", "DoneFixedPoint"])
  })
})

const turns = (count: number) =>
  Effect.gen(function*() {
    yield* world()
    let driving = yield* beginning(yield* drivingRun({ settings: settings() }))
    const tags: Array<string> = []
    for (let i = 0; i < count; i++) {
      const seen = yield* policy.look(driving)
      tags.push(seen.decision._tag)
      driving = (yield* policy.act(seen.drive, seen.decision)).drive
    }
    return { tags, driving }
  })

it("each turn is decided from the commits of earlier turns", async () => {
  const { driving, tags } = await onMachine(turns(5))
  assert.deepStrictEqual(tags, ["Test", "Step", "StartRound", "Test", "Ask"])
  assert.lengthOf(driving.driver.state.agents.agents, 1)
})

it("a step is not taken if protected files changed: no reviewer starts on their code", async () => {
  const [turn, reviewers] = await onMachine(
    Effect.gen(function*() {
      const driving = yield* beginning(yield* drivingRun({ settings: settings() }))
      const turn = yield* policy.act(driving, { _tag: "Step" })
      return [turn, yield* World.use(({ reviewers }) => Ref.get(reviewers))] as const
    }),
    { snapshots: Memory.snapshots({ changed: () => ["schema.sql"] }) }
  )
  assert.deepInclude(turn._tag === "Over" ? turn.outcome : null, { _tag: "HandoffHuman", action: "TaskBlocked" })
  assert.deepStrictEqual(reviewers, [])
})

describe("a step that opens another run, before that run has a driver,", () => {
  /** One turn, a step. Its driver is asked to stop after a while, or never. */
  const stepped = (script: Scripted.Scripted, after: number, isStopped = false) =>
    onMachine(
      Effect.gen(function*() {
        const driving = yield* beginning(
          yield* drivingRun({ settings: settings(), options: { isStopped: Effect.succeed(isStopped) } })
        )
        const { ref } = driving.run
        const asking = Effect.flatMap(readConverge(ref), (now) => commitDriver(now, [{ _tag: "StopAsked" }]))
        yield* Effect.forkChild(Effect.andThen(Effect.sleep(after), asking))
        const turn = yield* policy.act(driving, { _tag: "Step" })
        return { turn, left: yield* living }
      }),
      { script: () => script }
    )

  it("is the last one if `stop` asked the driver of the previous run, too late for the step to see it", async () => {
    const { turn } = await stepped(Scripted.issues(5000), 2500)
    assert.strictEqual(turn._tag, "Over")
    assert.deepInclude(turn, { outcome: { _tag: "DoneAborted" } })
  })

  it("ends its reviewers if the caller was asked to stop", async () => {
    const { left, turn } = await stepped(Scripted.silence, Infinity, true)
    assert.deepInclude(turn, { _tag: "Over", outcome: { _tag: "DoneAborted" } })
    assert.deepStrictEqual(left, [])
  })
})

const mark = Effect.fnUntraced(function*() {
  const { action, settings: set } = Invocation.make(settings().step, {
    _tag: "SideEffect",
    mark: { _tag: "AddressPassed" },
    answers: { level: "low", batch: 1, run: null }
  })
  if (action._tag === "SideEffect") yield* markStep(set, action, Effect.succeed(Reviewing), "/repo")
})

it("a hand-off that a user answers ends its agent, and the driver continues from there", async () => {
  const { code, ended } = await onMachine(Effect.gen(function*() {
    const late = () => ScriptedAgent.answers("late", { after: 600_000, edits: "code-2" })
    yield* world({ agents: byTask({ address: late }) })
    const calling = yield* Effect.forkChild(call())
    yield* Effect.sleep(20_000)
    yield* mark()
    const ended = yield* Fiber.join(calling)
    return { ended, code: yield* World.use(({ code }) => Ref.get(code)) }
  }))
  assert.strictEqual(ended.header, "DoneFixedPoint")
  assert.strictEqual(code, "code-2")
  const closed = ended.stream.flatMap((event) => event._tag === "RoundClosed" ? [event.because] : [])
  assert.strictEqual(closed[0], "AnsweredElsewhere")
  assert.deepInclude(ended.stream.find(({ _tag }) => _tag === "AgentStopped"), { cause: "Superseded" })
})

it("changes of a test belong to its round, even if a user answers the hand-off meanwhile", async () => {
  const snapshots = await onMachine(Effect.gen(function*() {
    yield* world({ tests: (_, nth) => ({ exit: 0, millis: nth === 2 ? 600_000 : 0 }) })
    yield* secondTestChangesCode
    const calling = yield* Effect.forkChild(call())
    yield* Effect.sleep(20_000)
    yield* mark()
    const { run } = yield* Fiber.join(calling)
    return yield* (yield* Snapshots).list(run.ref)
  }))
  assert.deepStrictEqual(snapshots.map(({ cause, round, tree }) => [cause._tag, round, tree]), [
    ["BeforeAgent", 1, "code-1"],
    ["AfterAgent", 1, "code-2"],
    ["AfterTests", 1, "code-3"],
    ["BeforeAgent", 2, "code-3"],
    ["AfterAgent", 2, "code-3"]
  ])
})

describe("a driven run", () => {
  it("records its decisions, and counts its rounds", async () => {
    const { started } = await onMachine(Effect.gen(function*() {
      const driving = yield* record(yield* drivingRun(), [roundStarted()])
      return yield* roundOf(driving, 1)
    }))
    assert.strictEqual(started.round, 1)
  })
})

const ended = (end: End) =>
  onMachine(Effect.gen(function*() {
    const events = [roundStarted(), ...worked(1, "round-1/address", "block"), ...tested(1, 1, 1)]
    return endOutcome((yield* record(yield* drivingRun(), events)).driver.state, end)
  }))

const asked = (about: "TestsRed" | "Rejected", why = "npm test still fails (exit 1)") => ({
  driver: "d0",
  end: { _tag: "Asked", cause: { _tag: about } } as const,
  why,
  content: content("a")
})

const promptOf = (outcome: Outcome): string => outcome._tag === "HandoffHuman" ? outcome.prompt : ""

describe("a call that ends", () => {
  it.each<[End, string]>([
    [{ _tag: "Circle", content: content("a") }, `StuckRepeated: AddressBatch:${"a".repeat(40)}`],
    [{ _tag: "Circle", content: { _tag: "Unknown", why: "?" } }, "StuckRepeated: AddressBatch:unknown"],
    [{ _tag: "Patience", rounds: 6 }, "StuckCapReached: AddressBatch:patience"],
    [{ _tag: "Budget", budget: "rounds", action: "Retrospective" }, "StuckCapReached: Retrospective:max-rounds"],
    [{ _tag: "Budget", budget: "time", action: "RunReviews" }, "StuckCapReached: RunReviews:max-time"],
    [{ _tag: "Budget", budget: "tokens", action: "RunReviews" }, "StuckCapReached: RunReviews:max-tokens"],
    [{ _tag: "RedBaseline", test: 1, command: "npm test" }, "HandoffHuman: ConsentNeeded"],
    [{ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }, "HandoffHuman: TestsFailedTriage"],
    [{ _tag: "TestsRed", round: 1, test: null, command: "git commit" }, "HandoffHuman: TestsFailedTriage"],
    [{ _tag: "Rejected", agent: 1 }, "HandoffHuman: TaskBlocked"],
    [{ _tag: "Protected", round: 1, files: ["schema.sql"] }, "HandoffHuman: TaskBlocked"],
    [{ _tag: "StopAsked" }, "DoneAborted"],
    [{ _tag: "Unchanged", asked: asked("TestsRed") }, "HandoffHuman: TestsFailedTriage"],
    [{ _tag: "Unchanged", asked: asked("Rejected") }, "HandoffHuman: TaskBlocked"]
  ])("%o", async (end, text) => assert.strictEqual(header(await ended(end)), text))

  it("names the failing test, and how it failed", async () => {
    const prompt = promptOf(await ended({ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }))
    assert.strictEqual(prompt, "npm test still fails (exit 1)")
  })

  it("says once that nothing changed", async () => {
    const why = "npm test still fails (exit 1); nothing has changed since"
    for (const before of ["npm test still fails (exit 1)", why]) {
      assert.strictEqual(promptOf(await ended({ _tag: "Unchanged", asked: asked("Rejected", before) })), why)
    }
  })
})
