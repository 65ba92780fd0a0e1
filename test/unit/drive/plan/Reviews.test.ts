// Reviews: reviews of a round's work, and the analysis of the first one.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { refreshDriver } from "../../../../src/agent/TaskLog.ts"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { analysis, instructionsFor, review } from "../../../../src/drive/plan/Reviews.ts"
import { roundOf } from "../../../../src/drive/Drive.ts"
import { type PlanDrive, planNow } from "../../../../src/drive/plan/Drive.ts"
import { presentIdentity } from "../../../../src/code/PresentIdentity.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { Memory, ScriptedAgent, World } from "../../../../src/testing.ts"
import { identityOf } from "../../../../src/testing/memory/Code.ts"
import { cycleStarted, taken, worked } from "./histories.ts"
import { content, type Doing, inWorld, issue, review as answers, settings, twoTasks, world } from "./plans.ts"
import { workingRun } from "./workings.ts"

const events: ReadonlyArray<PlanEvent> = [cycleStarted(), ...worked(1, "cycle-1/implement"), taken(1, [0])]
const refused = { ...content, "review-0": answers("NEEDS_FIXES", [issue]) }

const reviewed = Effect.fnUntraced(function*(working: PlanDrive) {
  const { plan } = yield* planNow(working)
  return yield* review(working, plan, yield* roundOf(working, 1), { fix: 0, after: 0 })
})

const inRun = <A>(
  doing: Doing,
  use: (working: PlanDrive) => ReturnType<typeof reviewed | typeof analysed>,
  then: (now: PlanDrive) => A
) =>
  inWorld(doing, Effect.flatMap(workingRun(events), use)).then(({ drive, unfinished }) => ({
    unfinished,
    seen: then(drive)
  }))

describe("a review", () => {
  it("is not asked for if the base branch is gone", async () => {
    const step = { target: { _tag: "Base", branch: "gone" }, strict: true }
    const git = Memory.git({
      baseProblem: () => Effect.succeed({ _tag: "BaseUnresolved", branch: BranchName.make("gone"), remote: true })
    })
    const [message, agents] = await inWorld(
      { agents: refused },
      Effect.gen(function*() {
        const working = { ...yield* workingRun(events), asked: settings({}, { step }) }
        const { message } = yield* Effect.flip(reviewed(working))
        const { state } = yield* refreshDriver(working.driver)
        return [message, state.agents.agents.map(({ started }) => started.taskId)] as const
      }),
      { git }
    )
    assert.include(message, "the plan's baseBranch: base branch gone cannot be resolved")
    assert.deepStrictEqual(agents, ["cycle-1/implement"])
  })

  it("is recorded with its verdict, its issues and the code that it saw", async () => {
    const { seen, unfinished } = await inRun(
      { agents: refused },
      reviewed,
      ({ driver }) => driver.state.rounds[0]?.reviews
    )
    assert.isNull(unfinished)
    assert.deepStrictEqual(seen?.map(({ issues, round, verdict }) => [round, verdict, issues.length]), [[
      0,
      "NEEDS_FIXES",
      1
    ]])
  })

  it("of any size is recorded, and the reviewers of fixes see all of it", async () => {
    const issues = Array.from({ length: 25 }, (_, i) => ({ ...issue, description: `${i}: ${"漢".repeat(700)}` }))
    const prompts: Array<string> = []
    const agents: Doing["agents"] = {
      ...content,
      "review-0": answers("NEEDS_FIXES", issues),
      "review-1": (_, { prompt }) => {
        prompts.push(prompt)
        return ScriptedAgent.answers(JSON.stringify({ issues: [], verdict: "ACCEPTABLE" }))
      }
    }
    const reviews = await inWorld(
      { agents },
      Effect.gen(function*() {
        const { drive: working } = yield* reviewed(yield* workingRun(events))
        const { plan } = yield* planNow(working)
        const asked = { fix: 1, after: 0 }
        const { drive: now } = yield* review(working, plan, yield* roundOf(working, 1), asked)
        return now.driver.state.rounds[0]?.reviews
      })
    )
    assert.deepStrictEqual(reviews?.map(({ verdict }) => verdict), ["NEEDS_FIXES", "ACCEPTABLE"])
    assert.isBelow(reviews?.[0]?.issues.length ?? 25, 25)
    assert.include(prompts[0], "25. [major] sum.ts:1: 24: 漢")
  })

  it("is about the work since the first commit, if something was committed since the work began", async () => {
    const prompts: Array<string> = []
    const agents: Doing["agents"] = {
      ...content,
      "review-0": (_, { prompt }) => {
        prompts.push(prompt)
        return ScriptedAgent.answers(JSON.stringify({ issues: [], verdict: "ACCEPTABLE" }))
      }
    }
    const onHead = events.map((event) =>
      event._tag === "CycleStarted" ? { ...event, content: identityOf("code", null) } : event
    )
    await inWorld({ agents }, Effect.flatMap(workingRun(events), reviewed))
    await inWorld({ agents }, Effect.flatMap(workingRun(onHead), reviewed))
    assert.include(prompts[0], `its merge base with the revision below`)
    assert.include(prompts[0], `\n    ${"h".repeat(40)}\n`)
    assert.include(prompts[1], "The work is everything in this worktree that is not committed")
  })

  it("is read again from the log, and no agent is asked twice", async () => {
    const agents = await inWorld(
      { agents: refused },
      Effect.gen(function*() {
        const working = yield* workingRun(events)
        const { drive: now } = yield* reviewed(working)
        // A call that was killed before it recorded the review read no more than this.
        const { drive: again } = yield* reviewed({ ...now, driver: { ...now.driver, state: now.driver.state } })
        return again.driver.state.agents.agents.length
      })
    )
    assert.strictEqual(agents, 2)
  })

  it("ends the call if no agent can make it now", async () => {
    const agents = { ...content, "review-0": () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    const { unfinished } = await inRun({ agents }, reviewed, () => null)
    assert.strictEqual(unfinished?._tag, "Halted")
  })

  it("is asked for again by the next call, if two reviewers failed", async () => {
    const failing = { ...refused, "review-0": () => ScriptedAgent.fails({ _tag: "Crashed", message: "no", exit: 1 }) }
    const [first, second] = await inWorld(
      { agents: failing },
      Effect.gen(function*() {
        const first = yield* reviewed(yield* workingRun(events))
        yield* world({ agents: refused })
        return [first, yield* reviewed(first.drive)] as const
      })
    )
    assert.strictEqual(first.unfinished?._tag, "Blocked")
    assert.isNull(second.unfinished)
    assert.strictEqual(second.drive.driver.state.rounds[0]?.reviews.length, 1)
  })

  it("is about the code that its reviewer saw, even if a later call reads it on other code", async () => {
    const late = () => ScriptedAgent.answers(JSON.stringify({ issues: [], verdict: "ACCEPTABLE" }), { after: 120_000 })
    const [before, after, seen] = await inWorld(
      { agents: { ...content, "review-0": late } },
      Effect.gen(function*() {
        const working = yield* workingRun(events)
        const present = presentIdentity(working.run.manifest)
        const before = yield* present
        // The call is over while its reviewer still reads.
        yield* Effect.timeoutOption(reviewed(working), "1 minute")
        yield* World.use(({ code }) => Ref.set(code, "edited"))
        const { drive: now } = yield* reviewed({ ...working, driver: yield* refreshDriver(working.driver) })
        return [before, yield* present, now.driver.state.rounds[0]?.reviews[0]?.content] as const
      })
    )
    assert.notDeepEqual(before, after)
    assert.deepStrictEqual(seen, before)
  })
})

const analysedOnce = Effect.fnUntraced(function*(working: PlanDrive) {
  const { plan } = yield* planNow(working)
  return yield* analysis(working, plan, yield* roundOf(working, 1))
})

const analysed = Effect.fnUntraced(function*(working: PlanDrive) {
  const { plan } = yield* planNow(working)
  const asked = { fix: 0, after: 0 }
  return yield* analysedOnce((yield* review(working, plan, yield* roundOf(working, 1), asked)).drive)
})

const inAnalysis = <A>(doing: Doing, then: (now: PlanDrive) => A) => inRun(doing, analysed, then)

describe("an analysis", () => {
  it("of any size is recorded", async () => {
    const words = (i: number) => `${i} ${"x".repeat(3000)}`
    const issues = Array.from({ length: 30 }, (_, i) => ({ ...issue, severity: "minor", description: words(i) }))
    const dropped = issues.map((_, i) => ({ issue: `${i + 1}`, task: 1, quote: "y".repeat(3000) }))
    const answer = JSON.stringify({ needs_fixes: false, fix_instructions: "", dropped })
    const agents = {
      ...content,
      "review-0": answers("NEEDS_FIXES", issues),
      analysis: () => ScriptedAgent.answers(answer)
    }
    const plan = twoTasks.replace("Add up a list of numbers, with tests.", "y".repeat(3000))
    const { seen } = await inAnalysis({ agents, plan }, ({ driver }) => driver.state.rounds[0]?.analysed)
    assert.deepStrictEqual([seen?.needsFixes, seen?.problems], [false, []])
    assert.isAbove(seen?.dropped.length ?? 0, 5)
  })

  it("that cannot be read leaves the whole review to be fixed", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.answers("Looks fine to me.") }
    const { seen } = await inAnalysis({ agents }, ({ driver }) => driver.state.rounds[0]?.analysed)
    assert.isTrue(seen?.needsFixes)
    assert.include(seen?.instructions.text, "It adds one too many.")
    assert.notDeepEqual(seen?.problems, [])
  })

  it("ends the call if no agent can make it now", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    assert.strictEqual((await inAnalysis({ agents }, () => null)).unfinished?._tag, "Halted")
  })

  it("that failed or was stopped is asked for again by the next call", async () => {
    const agents = { ...refused, analysis: () => ScriptedAgent.fails({ _tag: "Login", message: "please log in" }) }
    const answer = () =>
      ScriptedAgent.answers(JSON.stringify({ needs_fixes: true, fix_instructions: "x", dropped: [] }))
    const next = await inWorld(
      { agents },
      Effect.gen(function*() {
        const { drive: working } = yield* analysed(yield* workingRun(events))
        yield* world({ agents: { ...refused, analysis: answer } })
        return yield* analysedOnce(working)
      })
    )
    assert.isNull(next.unfinished)
    assert.strictEqual(next.drive.driver.state.rounds[0]?.analysed?.agent, 4)
  })
})

describe("the instructions of a fixer", () => {
  it("are first what the analysis left, and then the previous review", async () => {
    const agents = {
      ...refused,
      analysis: () =>
        ScriptedAgent.answers(JSON.stringify({ needs_fixes: true, fix_instructions: "Mend the sum.", dropped: [] })),
      "review-1": answers("NEEDS_FIXES", [{ ...issue, description: "NOT_ADDRESSED It adds two." }])
    }
    const words = await inWorld(
      { agents },
      Effect.gen(function*() {
        const { drive: working } = yield* analysed(yield* workingRun(events))
        const { plan } = yield* planNow(working)
        const { drive: now } = yield* review(working, plan, yield* roundOf(working, 1), { fix: 1, after: 0 })
        const cycle = yield* roundOf(now, 1)
        return [yield* instructionsFor(now, plan, cycle, 1), yield* instructionsFor(now, plan, cycle, 2)]
      })
    )
    assert.include(words[0], "Mend the sum.")
    assert.include(words[1], "NOT_ADDRESSED It adds two.")
  })

  it("are the last review, if the code changed after an earlier one", async () => {
    let asked = 0
    const agents: Doing["agents"] = {
      ...refused,
      "review-1": () =>
        asked++ === 0
          ? answers("ACCEPTABLE")()
          : answers("NEEDS_FIXES", [{ ...issue, description: "It adds three." }])()
    }
    const words = await inWorld(
      { agents },
      Effect.gen(function*() {
        const { drive: working } = yield* reviewed(yield* workingRun(events))
        const { plan } = yield* planNow(working)
        const first = yield* review(working, plan, yield* roundOf(working, 1), { fix: 1, after: 0 })
        const round = yield* roundOf(first.drive, 1)
        const asked = { fix: 1, after: round.reviews.at(-1)?.agent ?? 0 }
        const { drive: now } = yield* review(first.drive, plan, round, asked)
        return yield* instructionsFor(now, plan, yield* roundOf(now, 1), 2)
      })
    )
    assert.strictEqual(asked, 2)
    assert.include(words, "It adds three.")
  })
})
