// planLaws: what must hold of each decision of a plan's driver, of its turns and of its ends.
// A law is checked by the log and by what the world knows, and never by asking the decision itself.
import { assert } from "vitest"
import { isOpen } from "../src/agent/TaskProgress.ts"
import { decide, type Decision, type End, type View } from "../src/drive/plan/Decide.ts"
import { claimed, type RoundState, type PlanState } from "../src/drive/plan/State.ts"
import type { DecideSettings } from "../src/drive/plan/Settings.ts"
import { lastWorker, planTaskId } from "../src/drive/Tasks.ts"
import { sameContent } from "../src/run/Identity.ts"
import { codeIs } from "../test/unit/run/strictWorld.ts"
import { cycleOf, reread, type Working } from "./planDriving.ts"

/** How many decisions a call may make. */
export const bound = (
  { now: { interventions, mostRounds, plan, settings: { fixAttempts, tests } } }: Working
): number => {
  const worked = (fixAttempts + 1) * (8 + 2 * tests.length) + interventions
  return (plan.tasks.length + 2) * (20 + (mostRounds + 2) * 4 * worked)
}

/** All workers that are at work, or whose answers have not been read yet. */
const atWork = ({ agents }: PlanState) => agents.agents.filter((one) => one.started.role === "worker" && isOpen(one))

/** Only work that the world knows as reviewed and tested is reported as done. */
const isSound = ({ now: { settings, state } }: Working, one: RoundState, { content }: View): void => {
  const last = one.reviews.at(-1) ?? assert.fail("no review")
  const { cycle } = one.started
  assert.strictEqual(sameContent(last.content, content), "Same", "this content was not reviewed")
  assert.isTrue(last.verdict === "ACCEPTABLE" || one.analysed?.needsFixes === false, "what was refused is accepted")
  assert.isTrue(last.verdict === "ACCEPTABLE" || (one.analysed?.agent ?? 0) > last.agent, "of another review")
  const worker = lastWorker(state, cycle)?.agent ?? 0
  assert.isBelow(worker, last.agent, "somebody has worked since the review")
  const runs = state.tests.flatMap(({ agents, standing, started }) =>
    started.round === cycle && agents >= worker && standing._tag === "Finished"
      ? [{ ...standing.finished, command: started.command }]
      : []
  )
  for (const test of settings.tests) {
    assert.isTrue(runs.some(({ command, exit }) => command === test && exit === 0), `${test} was never green`)
  }
  const tested = runs.at(-1)?.content ?? content
  assert.strictEqual(sameContent(tested, content), "Same", "the tests ran on other code")
}

/** What must hold of each decision. */
export const holds = (working: Working, decision: Decision, view: View): void => {
  const { now } = working
  const { state } = now
  if (state.stopAsked) return assert.deepStrictEqual(decision, { _tag: "End", end: { _tag: "StopAsked" } })
  for (const { started: { taskId } } of atWork(state)) {
    const asked = decision._tag === "Ask" ? planTaskId(decision.round, decision.task) : decision._tag
    assert.strictEqual(asked, taskId, "an agent that may write is left to itself")
  }
  if (decision._tag === "StartRound") {
    assert.isNotNull(state.rounds.at(-1)?.closed, "two cycles at once")
    const before = new Set(now.plan.tasks.flatMap(({ done }, index) => done ? [index] : []))
    for (const { index } of decision.tasks) {
      const { dependencies = [] } = now.plan.tasks[index] ?? assert.fail("no such task")
      assert.isFalse(before.has(index), "what is done is done again")
      for (const one of dependencies) assert.isTrue(before.has(one), `${index} comes before ${one}`)
      before.add(index)
    }
  }
  if (decision._tag === "Accept") isSound(working, cycleOf(working, decision.round), view)
  if (decision._tag === "Mark") {
    const one = cycleOf(working, decision.round)
    const asked = one.started.tasks.map(({ index }) => index)
    assert.isNotEmpty(decision.tasks)
    assert.includeMembers(asked, [...decision.tasks], "no agent was asked for this")
    assert.deepStrictEqual(decision.tasks, claimed(one))
    const { content } = one.accepted ?? assert.fail("not accepted")
    // Where the plan is marked already, the call that marked it was killed before it recorded that.
    if (!view.isWritten) {
      isSound(working, one, view)
      assert.strictEqual(sameContent(content, view.content), "Same", "something else was accepted")
    }
  }
  if (decision._tag === "Close" && decision.because === "Limit") {
    assert.isNotNull(cycleOf(working, decision.round).unresolved, "what is left is not written down")
  }
  if (decision._tag === "Close" && decision.because === "Circle") {
    const { reviews } = cycleOf(working, decision.round)
    const last = reviews.at(-1) ?? assert.fail("a circle without a review")
    const refused = reviews.filter(({ round, verdict }) => round < last.round && verdict === "NEEDS_FIXES")
    assert.isTrue(refused.some(({ content }) => sameContent(content, last.content) === "Same"), "no circle")
  }
  if (decision._tag === "Converge" || decision._tag === "End" && decision.end._tag === "Done") {
    const isLeft = now.kind.wanted._tag === "All" && now.plan.tasks.some(({ done }) => !done)
    assert.isFalse(isLeft, "a task is left")
  }
}

/** The limits of each cycle. */
export const keepsLimits = ({ now: { mostRounds, state } }: Working): void => {
  for (const { answered, reviews } of state.rounds) {
    const rounds = new Set(reviews.map(({ round }) => round))
    assert.isAtMost(rounds.size, mostRounds + 1, "more reviews than there may be")
    for (const one of rounds) {
      assert.isAtMost(reviews.filter(({ round }) => round === one).length, 3, "reviewed again and again")
    }
    assert.isAtMost(answered.filter(({ problems, tasks }) => problems.length > 0 && tasks.length === 0).length, 3)
  }
}

/** A turn that is cut off between its lines is asked for again: they are those from `from` on, and before `to`. */
export const isAskedAgain = (working: Working, from: number, to: number, decision: Decision, view: View): void => {
  const { now } = working
  if (now.events.slice(from).some(([{ _tag }]) => _tag === "StopAsked")) return
  for (let line = from + 1; line <= to; line++) {
    const again = decide(reread(working, line), view, now.settings)
    const same = decision._tag === "Test" && again._tag === "Test" ? { ...again, running: decision.running } : again
    assert.deepStrictEqual(same, decision, `line ${line} of ${to} is forgotten`)
  }
}

/** What a person can do about an end: what is decided then is another thing. */
export const wayOut = (working: Working, end: End): void => {
  const { now } = working
  const later = reread(working)
  const at = working.view()
  const next = { ...later, stopAsked: false }
  const tried = (view: Partial<View>, change: Partial<DecideSettings> = {}): Decision =>
    decide(next, { ...at, ...view }, { ...now.settings, ...change })
  const decision = (): Decision | null => {
    switch (end._tag) {
      case "Done":
        return null
      case "Budget": {
        const more = { rounds: "maxRounds", time: "maxTime", tokens: "maxTokens" } as const
        return tried({}, { [more[end.budget]]: at.used[end.budget] + 1 })
      }
      case "RedBaseline":
        return tried({ driver: "person" }, { allow: ["red-baseline"] })
      case "NothingDone":
      case "Rejected":
        return tried({ driver: "person" }, { allow: ["rejected-result"] })
      case "Protected": {
        // Tasks that an agent marked itself are not done by a further fix: a person has to ask for another try.
        const end = { _tag: "Asked", cause: { _tag: "Protected" } } as const
        const asked = { driver: at.driver, end, why: "", content: at.content }
        return next.isFixed && at.inPlay.length === 0
          ? decide({ ...next, asked }, { ...at, driver: "person", again: true }, now.settings)
          : tried({ driver: "person", content: codeIs("edited") })
      }
      default:
        return tried({ driver: "person", content: codeIs("edited") })
    }
  }
  assert.notDeepEqual(decision(), { _tag: "End", end }, `a dead end: ${JSON.stringify(end)}`)
}
