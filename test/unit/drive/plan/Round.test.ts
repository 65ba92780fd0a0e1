// Round: one turn of a plan run: a decision from durable state, and its action.
import { Git } from "../../../../src/code/Git.ts"
import { Effect, Fiber, Layer, Logger, References } from "effect"
import { assert, describe, it } from "vitest"
import { Commits, defaultTemplate } from "../../../../src/drive/Commits.ts"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import * as Turns from "../../../../src/drive/plan/Round.ts"
import { endOutcome, policy } from "../../../../src/drive/plan/Round.ts"
import { type PlanDrive, planNow } from "../../../../src/drive/plan/Drive.ts"
import { planHeader } from "../../../../src/drive/plan/Outcome.ts"
import { implement } from "../../../../src/drive/plan/Implement.ts"
import { PlanFiles } from "../../../../src/drive/plan/PlanFiles.ts"
import { Memory, ScriptedAgent, World } from "../../../../src/testing.ts"
import { Snapshots } from "../../../../src/code/Snapshots.ts"
import { closed, content as contentOf, cycleStarted, reviewed, tested, worked } from "./histories.ts"
import { call, content, type Doing, file, inWorld, issue, review, settings, twoTasks, work } from "./plans.ts"
import { workingRun } from "./workings.ts"
import { record } from "../../../../src/drive/Drive.ts"
import { hearingSignals } from "../../../../src/drive/Stop.ts"
import { drive } from "../../../../src/drive/Kernel.ts"
import type { End } from "../../../../src/drive/plan/Decide.ts"

const inPlay = [{ index: 0, title: "Add" }, { index: 1, title: "Sum" }]
const start = (round: number) => ({ _tag: "StartRound", round, tasks: inPlay, claimed: [] }) as const
const begun = (events: ReadonlyArray<PlanEvent> = [], driven: object = {}) =>
  Effect.flatMap(workingRun(events, {}, driven), (working) => Turns.startRound(working, start(1)))

/** A call during which the plan changes, when a turn is decided. */
const editing = (when: RegExp, edit: (text: string) => string, doing: Doing = {}, asked = settings()) =>
  inWorld(
    doing,
    Effect.gen(function*() {
      const files = yield* PlanFiles
      const change = Effect.gen(function*() {
        const before = yield* Effect.orDie(files.read(file))
        const after = new TextEncoder().encode(edit(new TextDecoder().decode(before)))
        yield* Effect.orDie(files.replace(file, before, after))
      })
      const logger = Logger.make<unknown, void>(({ fiber }) => {
        const { decision } = fiber.getRef(References.CurrentLogAnnotations)
        if (when.test(String(decision))) Effect.runSync(change)
      })
      const { outcome } = yield* implement(asked, file, "/repo").pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, "Debug")
      )
      const text = new TextDecoder().decode(yield* files.read(file))
      return { header: planHeader(outcome), prompt: outcome._tag === "HandoffHuman" ? outcome.prompt : "", text }
    })
  )
const last = ({ driver: { state } }: PlanDrive) => state.rounds.at(-1)

describe("a cycle", () => {
  it("begins with the present plan and code", async () => {
    const cycle = last(await inWorld({}, begun()))
    assert.deepInclude(cycle?.started, { cycle: 1, tasks: inPlay })
    assert.strictEqual(cycle?.started.plan.bytes, twoTasks.length)
  })

  it("does not begin if protected files changed: the user looks at them first", async () => {
    const snapshots = Memory.snapshots({ changed: () => ["schema.sql"] })
    const turn = Effect.flatMap(workingRun(), (working) => policy.act(working, start(1)))
    const ended = await inWorld({}, turn, { snapshots })
    assert.deepInclude(ended._tag === "Over" ? ended.outcome : null, { _tag: "HandoffHuman", action: "TaskBlocked" })
    assert.isUndefined(last(ended.drive))
  })

  it("is accepted with the present code, and closed", async () => {
    const cycle = last(
      await inWorld(
        {},
        Effect.gen(function*() {
          const accepted = yield* Turns.accept(yield* begun(), 1, "Acceptable")
          return yield* Turns.close(accepted, 1, "Limit")
        })
      )
    )
    assert.strictEqual(cycle?.accepted?.because, "Acceptable")
    assert.strictEqual(cycle?.closed?.because, "Limit")
  })
})

describe("the plan", () => {
  it("marks its tasks, and itself when no task is left", async () => {
    const [one, both] = await Promise.all([[0], [0, 1]].map((indexes) =>
      inWorld(
        {},
        Effect.flatMap(begun(), (working) => Turns.mark(working, 1, indexes)).pipe(Effect.flatMap(planNow))
      )
    ))
    assert.deepStrictEqual(one?.plan.tasks.map(({ done }) => done), [true, false])
    assert.isNull(one?.plan.status)
    assert.strictEqual(both?.plan.status, "done")
  })

  it("is marked between two snapshots, so that its marks are not changes of an agent", async () => {
    const order: Array<string> = []
    const note = (what: string) => Effect.sync(() => void order.push(what))
    const snapshots = Layer.effect(
      Snapshots,
      Effect.map(
        Snapshots,
        (all) =>
          Snapshots.of({ ...all, takeChanged: (_, __, { _tag }, round) => Effect.as(note(`${_tag} ${round}`), null) })
      )
    ).pipe(Layer.provide(Memory.snapshots()))
    await inWorld(
      {},
      Effect.gen(function*() {
        const files = yield* PlanFiles
        const replace: typeof files.replace = (...given) => Effect.andThen(note("written"), files.replace(...given))
        const marked = Turns.mark(yield* begun(), 1, [0])
        return yield* Effect.provideService(marked, PlanFiles, PlanFiles.of({ ...files, replace }))
      }),
      { snapshots }
    )
    assert.deepStrictEqual(order, ["BeforeMarks 1", "written", "AfterMarks 1"])
  })

  it("is left alone if it changed, even if it already says that the tasks are done", async () => {
    const changed = await editing(/"Accept"/, (text) => text.replace("Add two", "Add three"))
    assert.strictEqual(changed.header, "HandoffHuman: TaskBlocked")
    assert.notInclude(changed.text, "done: true")
    const marked = await editing(
      /"Accept"/,
      (text) => text.replaceAll("description:", "done: true\n    description:")
    )
    assert.strictEqual(marked.header, "HandoffHuman: TaskBlocked")
    assert.include(marked.prompt, "was changed while its tasks were worked on")
  })

  it("is known again by a call that follows one that was killed after it had marked the tasks", async () => {
    const [known, changed] = await inWorld(
      {},
      Effect.gen(function*() {
        // Its log does not have the marks.
        const killed = yield* begun()
        yield* Turns.mark(killed, 1, [0])
        const known = yield* Turns.viewOf(killed)
        const { bytes, document } = yield* planNow(killed)
        const swapped = new TextEncoder().encode(document.text.replace("title: Add", "title: Cut"))
        yield* (yield* PlanFiles).replace(file, bytes, swapped)
        return [known, yield* Turns.viewOf(killed)]
      })
    )
    assert.deepStrictEqual([known?.isWritten, known?.done], [true, [0]])
    assert.deepStrictEqual([changed?.isWritten, changed?.done], [false, [0]])
  })

  it("gets the last review if no fix is left", async () => {
    const text = await inWorld(
      {},
      Effect.gen(function*() {
        const working = yield* begun()
        yield* Turns.unresolved(working, 1)
        return (yield* planNow(working)).document.text
      })
    )
    assert.strictEqual(text, twoTasks)
  })

  it("gets no review, and its round is closed, if somebody else changed it", async () => {
    const swap = (text: string) => text.replace("title: Add", "title: Cut")
    const refuse = review("NEEDS_FIXES", [issue])
    const agents = { ...content, "review-0": refuse, analysis: refuse }
    const { header, text } = await editing(/"WriteUnresolved"/, swap, { agents }, settings({ rounds: 0 }))
    assert.deepStrictEqual([header, text], ["HandoffHuman: TaskBlocked", swap(twoTasks)])
  })
})

describe("a review that was written into the plan", () => {
  const written = { _tag: "UnresolvedWritten", cycle: 1, plan: { algorithm: "sha256", hex: "", bytes: 0 } } as const
  const unresolved = `${twoTasks}\n## Unresolved\n\n\`\`\`text\n| It fails.\n\`\`\`\n`
  const marked = (tasks: ReadonlyArray<number>, events: ReadonlyArray<PlanEvent>) =>
    inWorld(
      { plan: unresolved },
      Effect.gen(function*() {
        const earlier = yield* workingRun([cycleStarted(), ...events, closed("Limit")])
        yield* Turns.mark(yield* Turns.startRound(earlier, start(2)), 2, tasks)
        return (yield* planNow(earlier)).document.text
      })
    )

  it("is not a change by somebody else: the tasks of its round can still be marked", async () => {
    const round = last(
      await inWorld(
        {},
        Effect.gen(function*() {
          const refused = yield* record(yield* begun(), reviewed(1, 0, "NEEDS_FIXES"))
          return yield* Turns.mark(yield* Turns.unresolved(refused, 1), 1, [0])
        })
      )
    )
    assert.isNotNull(round?.unresolved)
    assert.deepStrictEqual([round?.marked?.tasks, round?.closed], [[0], null])
  })

  it("is removed when all is done, if this run wrote it", async () => {
    assert.notInclude(await marked([0, 1], [written]), "Unresolved")
    assert.include(await marked([0], [written]), "It fails.")
    assert.include(await marked([0, 1], []), "It fails.")
  })
})

describe("an agent's work", () => {
  it("is restored to the start of the cycle", async () => {
    const tests = (_: string, nth: number) => ({ exit: nth === 1 ? 0 : 1 })
    const { names } = await inWorld({ tests }, call(settings({}, { fixAttempts: 0, undoOnRed: true })))
    assert.include(names, "WorktreeRestored")
  })

  it("ends the call if it changed protected files, or the plan's own file, which git may ignore", async () => {
    const changed = Memory.snapshots({ changed: () => ["schema.sql"] })
    const first = await inWorld({}, call(), { snapshots: changed })
    assert.strictEqual(first.header, "HandoffHuman: TaskBlocked")
    assert.include(first.prompt, "schema.sql")
    for (const when of [/"Answer".*"agent":1/, /"Answer".*"agent":2/]) {
      const marked = await editing(when, (text) => text.replace("title: Sum\n", "title: Sum\n    done: true\n"))
      assert.strictEqual(marked.header, "HandoffHuman: TaskBlocked")
      assert.include(marked.prompt, "were changed: plan.md")
    }
  })

  it("may not change REVIEW.md, which the analysis of a review reads", async () => {
    const snapshots = Layer.effect(
      Snapshots,
      Effect.map(
        Snapshots,
        (all) => Snapshots.of({ ...all, protectedChanges: (_, __, patterns) => Effect.succeed(patterns) })
      )
    ).pipe(Layer.provide(Memory.snapshots()))
    const { prompt } = await inWorld({}, call(settings({}, { protect: ["*.sql"] })), { snapshots })
    assert.include(prompt, "*.sql, /REVIEW.md")
  })

  it("is not accepted if protected files changed since its agents answered", async () => {
    const verdict = JSON.stringify({ issues: [], verdict: "ACCEPTABLE" })
    const agents = { ...content, "review-0": () => ScriptedAgent.answers(verdict, { edits: "code-9" }) }
    const snapshots = Memory.snapshots({ changed: (_, after) => after === "code-9" ? ["schema.sql"] : [] })
    const calls = Effect.gen(function*() {
      return [yield* call(), yield* call()] as const
    })
    const [first, { header, names, prompt }] = await inWorld({ agents }, calls, { snapshots })
    assert.strictEqual(first.header, "HandoffHuman: GitStateChanged")
    assert.match(first.prompt, /^an agent that may only read changed code \(agent 3\)/)
    assert.include(first.names, "CodeReviewed")
    assert.strictEqual(header, "HandoffHuman: TaskBlocked")
    assert.include(prompt, "schema.sql")
    assert.notInclude(names, "CycleAccepted")
  })

  it("is committed with its marks, or the call ends if git refuses", async () => {
    const branch = { step: { target: { _tag: "Base", branch: "main" }, strict: true, ceiling: "low" } }
    const committing = settings({}, { ...branch, commitFixes: "Do {count}" })
    const messages: Array<string> = []
    const commits = (commit: string | null) =>
      Layer.succeed(Commits, {
        authorProblem: () => Effect.succeed(null),
        left: () => Effect.succeed(null),
        programs: () => Effect.succeed([]),
        commitAll: (_, message) =>
          Effect.sync(() => {
            messages.push(message)
            return { commit, output: "hook: no" }
          })
      })
    const done = await inWorld({}, call(committing), { commits: commits("c") })
    assert.strictEqual(done.header, "DoneAccepted")
    assert.include(messages[0], "Do 2")
    assert.include(messages[0], "- task 1 Sum: fixed")
    // The second task of the file is the first one that can begin.
    const later = twoTasks.replace("list of numbers, with tests.\n    dependencies: [0]", "list.")
      .replace("Add two numbers.", "Add two numbers.\n    dependencies: [1]")
    const bare = settings({}, { ...branch, commitFixes: defaultTemplate })
    await inWorld({ plan: later }, call(bare), { commits: commits("c") })
    assert.include(messages.at(-1), "Implement 2 task(s) of a plan, round 1\n\n- task 1 Sum: fixed")
    assert.include(messages.at(-1), "- task 0 Add: fixed")
    const refused = await inWorld({}, call(committing), { commits: commits(null) })
    assert.strictEqual(refused.header, "HandoffHuman: TestsFailedTriage")
    assert.include(refused.prompt, "hook: no")
    let asked = 0
    const git = Memory.git({ branch: () => Effect.sync(() => ++asked < 2 ? "feat" : "main") })
    const elsewhere = await inWorld({}, call(committing), { commits: commits("c"), git })
    assert.match(elsewhere.header, /^BinaryError: --commit-fixes commits on feat, /)
  })

  it("does not count for a task whose dependency is not claimed", async () => {
    const agents = { ...content, implement: work("DONE: 1", "code-2") }
    const { header, prompt } = await inWorld({ agents }, call())
    assert.strictEqual(header, "HandoffHuman: TaskBlocked")
    assert.include(prompt, "task 1 waits for task 0, which no line names as done")
  })

  it("is taken if it claims tasks that were asked for", async () => {
    const agents = { ...content, implement: work("DONE: 7\nDONE: 0", "code-2") }
    const { events } = await inWorld({ agents }, call(settings({ wanted: { _tag: "AtMost", count: 1 } })))
    const [first] = events.flatMap((event) => event._tag === "WorkTaken" ? [event] : [])
    assert.deepStrictEqual(first?.tasks, [0])
    assert.strictEqual(first?.problems.length, 1)
    assert.isNotEmpty(file)
  })
})

const turns = (count: number, driven: object = {}) =>
  Effect.gen(function*() {
    let working = yield* workingRun([], {}, driven)
    const tags: Array<string> = []
    for (let i = 0; i < count; i++) {
      const seen = yield* policy.look(working)
      tags.push(seen.decision._tag)
      const turn = yield* policy.act(seen.drive, seen.decision)
      if (turn._tag === "Over") return { tags, header: turn.outcome?._tag }
      working = turn.drive
    }
    return { tags, header: null }
  })

it("each turn is decided from the commits of earlier turns", async () => {
  const { tags } = await inWorld({}, turns(9))
  assert.deepStrictEqual(tags, ["Test", "StartRound", "Ask", "Answer", "Ask", "Answer", "Test", "Review", "Accept"])
})

it("a signal during a review ends the call, and a signal of the user ends the reviewer too", async () => {
  const late = () => ScriptedAgent.answers(JSON.stringify({ issues: [], verdict: "ACCEPTABLE" }), { after: 60_000 })
  const ended = (signal: "SIGINT" | "SIGTERM") =>
    inWorld(
      { agents: { ...content, "review-0": late } },
      Effect.gen(function*() {
        const working = yield* begun()
        const reviewing = policy.act(working, { _tag: "Review", round: 1, fix: 0, after: 0 })
        const acting = yield* Effect.forkChild(hearingSignals(reviewing), { startImmediately: true })
        yield* Effect.sleep(5000)
        yield* World.use(({ fire }) => fire(signal))
        const turn = yield* Fiber.join(acting)
        const { agents } = turn.drive.driver.state.agents
        return [turn._tag === "Over" ? turn.outcome?._tag : null, agents.map(({ standing }) => standing._tag)]
      })
    )
  assert.deepStrictEqual(await ended("SIGTERM"), ["DoneAborted", ["Running"]])
  assert.deepStrictEqual(await ended("SIGINT"), ["DoneAborted", ["Stopped"]])
})

it("a missing consent ends the call", async () => {
  const agent = Memory.agents({ confined: false })
  const ended = Effect.gen(function*() {
    return yield* drive(policy, yield* workingRun([], {}, { allow: [] }), Effect.succeed(null))
  })
  const { outcome } = await inWorld({}, ended, { agent })
  assert.deepInclude(outcome, { _tag: "HandoffHuman", action: "ConsentNeeded" })
})

const ended = (end: End) =>
  inWorld(
    {},
    Effect.gen(function*() {
      const events = [cycleStarted(), ...worked(1, "cycle-1/implement", "block"), ...tested(1, 1, 1)]
      const outcome = yield* endOutcome(yield* workingRun(events), end)
      return { header: planHeader(outcome), prompt: outcome._tag === "HandoffHuman" ? outcome.prompt : "" }
    })
  )

describe("a call that ends", () => {
  it.each<[End, string, string]>([
    [{ _tag: "Done" }, "DoneAccepted", ""],
    [{ _tag: "Circle", content: contentOf("a") }, `StuckRepeated: AddressBatch:${"a".repeat(40)}`, ""],
    [{ _tag: "Circle", content: { _tag: "Unknown", why: "?" } }, "StuckRepeated: AddressBatch:unknown", ""],
    [{ _tag: "Limit", round: 1 }, "StuckCapReached: AddressBatch:rounds", ""],
    [{ _tag: "Budget", budget: "tokens", action: "AddressBatch" }, "StuckCapReached: AddressBatch:max-tokens", ""],
    [{ _tag: "RedBaseline", test: 1, command: "npm test" }, "HandoffHuman: ConsentNeeded", "--allow red-baseline"],
    [{ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }, "HandoffHuman: TestsFailedTriage", "npm test"],
    [
      { _tag: "TestsRed", round: 1, test: null, command: "git commit" },
      "HandoffHuman: TestsFailedTriage",
      "git refused"
    ],
    [{ _tag: "Rejected", agent: 1 }, "HandoffHuman: TaskBlocked", "work is left"],
    [
      { _tag: "NothingDone", round: 1, problems: ["no task is named"] },
      "HandoffHuman: TaskBlocked",
      "no task is named"
    ],
    [{ _tag: "Protected", round: 1, files: ["schema.sql"] }, "HandoffHuman: TaskBlocked", "schema.sql"],
    [{ _tag: "Moved", round: 1 }, "HandoffHuman: TaskBlocked", "the code was changed while it was reviewed"],
    [{ _tag: "PlanChanged", round: 1 }, "HandoffHuman: TaskBlocked", "/repo/plan.md was changed while"],
    [{ _tag: "StopAsked" }, "DoneAborted", ""]
  ])("%j", async (end, header, words) => {
    const ending = await ended(end)
    assert.strictEqual(ending.header, header)
    assert.include(ending.prompt, words)
  })

  it("because the code never rests lists the files that changed", async () => {
    const moved = (...files: ReadonlyArray<string>) =>
      inWorld(
        {},
        Effect.gen(function*() {
          const drive = yield* workingRun([cycleStarted(), ...worked(1, "cycle-1/implement", "accept")])
          const [round] = drive.driver.state.rounds
          const rounds = round === undefined ? [] : [{ ...round, reviewedAt: [10, 20, 30] }]
          const asked: Array<number> = []
          const git = {
            ...(yield* Git),
            changedAfter: (_: string, at: number) => Effect.sync(() => (asked.push(at), files))
          }
          const state = { ...drive.driver.state, rounds }
          const ending = endOutcome({ ...drive, driver: { ...drive.driver, state } }, { _tag: "Moved", round: 1 })
          const outcome = yield* Effect.provideService(ending, Git, git)
          return { asked, prompt: outcome._tag === "HandoffHuman" ? outcome.prompt : "" }
        })
      )
    assert.deepStrictEqual(await moved("a.ts", "gen/b.ts"), {
      asked: [20],
      prompt: "the code was changed while it was reviewed, again and again: a.ts, gen/b.ts " +
        "[leave it unchanged until the call ends]"
    })
    assert.include((await moved("a", "b", "c", "d", "e", "f", "g")).prompt, ": a, b, c, d, e and 2 more [")
    assert.include((await moved()).prompt, "again and again [")
  })
})
