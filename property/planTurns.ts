// planTurns: what each decision of a plan's driver comes to in a world made at random, and what must hold of each.
import { assert } from "vitest"
import { nextAfterResult, type ResultAction } from "../src/agent/ResultRetry.ts"
import { isOpen, taskProgress } from "../src/agent/TaskProgress.ts"
import { exhausted } from "../src/drive/Budgets.ts"
import { claims } from "../src/drive/plan/Claims.ts"
import type { PersonAnswer } from "../src/drive/State.ts"
import { isTestFix, lastWorker, numberOf, planTaskId, testFixes, wordOf } from "../src/drive/Tasks.ts"
import { answerEvents, askedUpTo, type Decision } from "../src/drive/plan/Decide.ts"
import { sameContent } from "../src/run/Identity.ts"
import { agentFinished, agentStarted } from "../test/unit/drive/converge/events.ts"
import { digest } from "../test/unit/run/events.ts"
import { analysed, reviewed } from "./planReviews.ts"
import { cycleOf, type DecisionOf, mayDie, type Over, type Working } from "./planDriving.ts"

/** What an implementer says: claims that are right, wrong, out of range or taken back, and none at all. */
const said = (working: Working, cycle: number): string => {
  const { chance, now, pick } = working
  const indexes = cycleOf(working, cycle).started.tasks.map(({ index }) => index)
  const lines = indexes.filter(() => chance(0.6)).map((index) => `DONE: ${index}`)
  const odd = ["DONE: 99", "DONE: 0 (in part)", "DONE: all", "I plan to do it.", "DONE: 0, 1", "FAILED: no"]
  if (chance(now.kind.poor)) return pick([pick(odd), [pick(odd), ...lines].join("\n")])
  return lines.length > 0 ? lines.join("\n") : `DONE: ${indexes.join(", ")}`
}

type Ending = "pass" | "gaps" | "error" | "invalid" | "crashed" | "quota" | "stopped" | "git"
const endings: ReadonlyArray<Ending> = ["gaps", "error", "invalid", "crashed", "quota", "stopped", "git"]

/** One agent that may write, to its end; the action that follows, or how the call ends. */
const agentRun = (working: Working, { round: cycle, task: step }: DecisionOf<"Ask">): ResultAction | Over => {
  const { append, chance, edit, now, pick } = working
  const taskId = planTaskId(cycle, step)
  const role = "worker"
  const progress = taskProgress(
    now.state.agents.agents,
    { role, taskId },
    askedUpTo(now.state, cycleOf(working, cycle), step)
  )
  const over = progress.asked.find(({ judged }) => judged !== null && /accept|remediate|block/.test(judged.action))
  assert.isUndefined(over, "a question that was answered is asked again")
  const last = progress.asked.at(-1)
  const following = last !== undefined && isOpen(last)
  const agent = following ? last.agent : now.state.agents.agents.length + 1
  if (!following) {
    const first = !now.state.agents.agents.some(({ started }) => started.taskId === taskId)
    if (first && (step === "test" || step.startsWith("fix-"))) {
      assert.deepStrictEqual(exhausted(working.view().used, now.settings), [], "a step began over budget")
    }
    if (lastWorker(now.state, cycle) === null) now.before.set(cycle, now.code)
    append(agentStarted({ agent, taskId, role, id: `a${agent}` }))
    mayDie(working)
  }
  const ending: Ending = chance(now.kind.poor) ? pick(endings) : "pass"
  if (now.state.agents.agents[agent - 1]?.standing._tag === "Running") {
    if (chance(0.8)) edit()
    now.tokens += 5
    const message = { text: step === "implement" ? said(working, cycle) : "Done." }
    const fields = { agent, attempt: 1, message, threadId: null, usage: null, transcript: digest, exit: 1 }
    switch (ending) {
      case "stopped":
        append({ _tag: "AgentStopped", agent, attempt: 1, cause: "Interrupt" })
        return { because: "DoneAborted" }
      case "quota":
        append({ _tag: "AgentFailed", ...fields, failure: "Quota", remedy: "" })
        return { because: "AgentFailed" }
      case "crashed":
        append({ _tag: "AgentFailed", ...fields, failure: "Crashed", remedy: "" })
        break
      default:
        append(agentFinished({ agent, threadId: null, usage: null, message }))
    }
    mayDie(working)
    if (ending === "git") {
      append({ _tag: "GitStateChanged", agent, what: ["HEAD"] })
      mayDie(working)
    }
  }
  const failed = now.state.agents.agents[agent - 1]?.standing._tag === "Failed"
  const isGit = (now.state.agents.agents[agent - 1]?.gitChanged.length ?? 0) > 0
  const status = failed
    ? "error"
    : isGit
    ? "pass"
    : ending === "pass" || ending === "gaps" || ending === "error"
    ? ending
    : null
  const valid = status !== null
  const { action } = nextAfterResult(progress.counters, { valid, status })
  append({ _tag: "ResultJudged", agent, taskId, role, grammar: "v2", valid, status, action, problems: [] })
  return isGit ? { because: "GitStateChanged" } : action
}

const work = (working: Working, decision: DecisionOf<"Ask">): Over => {
  const { round: cycle, task: step } = decision
  const { now } = working
  if (step.startsWith("fix-")) assert.isAtMost(numberOf(step), now.mostRounds, "a fix more than there may be")
  if (isTestFix(step)) assert.isAtMost(numberOf(step), testFixes(now.state, cycle) + 1)
  for (let agents = 0; agents < 20; agents++) {
    const came = agentRun(working, decision)
    if (typeof came !== "string") return came
    if (came === "accept" || came === "remediate" || came === "block") return null
  }
  return assert.fail("agents without an end")
}

const take = (working: Working, cycle: number, agent: number): void => {
  const { append, chance, content, now } = working
  const step = wordOf(now.state.agents.agents[agent - 1]?.started.taskId ?? "")
  const { answered, started } = cycleOf(working, cycle)
  assert.isFalse(answered.some((one) => one.agent === agent), "work is taken twice")
  const unmarked = (now.state.rounds.findLast(({ marked }) => marked !== null)?.started.cycle ?? 0) + 1
  const standing = now.state.agents.agents[agent - 1]?.standing
  const message = standing?._tag === "Finished" ? standing.finished.message.text : ""
  const same = sameContent(cycleOf(working, unmarked).started.content, content()) === "Same"
  const { problems, tasks } = step !== "implement"
    ? { tasks: [], problems: [] }
    : same
    ? { tasks: [], problems: ["the working tree is unchanged"] }
    : claims(message, started.tasks.map(({ index }) => index))
  const protectedFiles = chance(now.kind.poor / 20) ? ["schema.sql"] : []
  append({ _tag: "WorkTaken", cycle, agent, tasks, problems, protectedFiles })
}

const test = (working: Working, { command, round: cycle, running }: DecisionOf<"Test">): void => {
  const { append, chance, content, now } = working
  const number = running ?? now.state.tests.length + 1
  if (running === null) append({ _tag: "TestStarted", test: number, id: `t${number}`, round: cycle, command })
  assert.strictEqual(now.state.tests[number - 1]?.standing._tag, "Running", "a test that has ended is run again")
  mayDie(working)
  const exit = chance(now.kind.red) ? chance(0.2) ? null : 1 : 0
  const ended = { _tag: "TestFinished", test: number, exit, output: digest, content: content() } as const
  append(running !== null && chance(0.3) ? { _tag: "TestStopped", test: number, cause: "Lost" } : ended)
}

const mark = (working: Working, { round: cycle, tasks }: DecisionOf<"Mark">): void => {
  const { append, now, setTask, text } = working
  if (![now.beganWith, now.written].includes(text())) {
    return append({ _tag: "CycleClosed", cycle, because: "PlanChanged" })
  }
  for (const index of tasks) setTask(index, { done: true })
  now.written = text()
  mayDie(working)
  append({ _tag: "TasksMarked", cycle, tasks, plan: digest })
}

/** A person's answer to an earlier end. */
const takeAnswer = ({ append, now, view }: Working, answer: PersonAnswer): void => {
  const { content, driver } = now.state.asked ?? assert.fail("an answer where none is asked")
  assert.notStrictEqual(driver, view().driver, "a driver answers itself")
  const isSame = sameContent(content, view().content) === "Same"
  assert.strictEqual(isSame, answer === "Again" || answer === "Unchanged", `${answer} is no answer`)
  if (answer === "Again") assert.isTrue(now.again)
  append(...answerEvents(now.state, answer, view()))
  assert.isNull(now.state.asked, "an end is answered twice")
}

/** Carries a decision out. */
export const carryOut = (working: Working, decision: Decision): Over => {
  const { append, chance, content, now } = working
  switch (decision._tag) {
    case "TakeAnswer":
      takeAnswer(working, decision.answer)
      return null
    case "Warn":
      append({ _tag: "BudgetWarned", budget: decision.budget, used: decision.used, limit: decision.limit })
      return null
    case "StartRound": {
      const { round: cycle, tasks } = decision
      assert.deepStrictEqual(exhausted(working.view().used, now.settings), [], "a cycle began over budget")
      append({ _tag: "CycleStarted", cycle, plan: digest, tasks, content: content() })
      now.beganWith = working.text()
      return null
    }
    case "Ask":
      return work(working, decision)
    case "Answer":
      take(working, decision.round, decision.agent)
      return null
    case "Test":
      test(working, decision)
      return null
    case "Restore":
      now.code = now.before.get(decision.round) ?? assert.fail("nothing to restore")
      append({ _tag: "WorktreeRestored", round: decision.round, snapshot: 1 })
      return null
    case "Review":
      return reviewed(working, decision)
    case "Analyse":
      return analysed(working, decision.round)
    case "Accept":
      append({ _tag: "CycleAccepted", cycle: decision.round, because: decision.because, content: content() })
      return null
    case "Mark":
      mark(working, decision)
      return null
    case "Commit": {
      const commit = chance(now.kind.red) ? null : "c"
      append({ _tag: "FixesCommitted", round: decision.round, agent: decision.agent, commit, output: { text: "" } })
      return null
    }
    case "WriteUnresolved":
      now.notes++
      mayDie(working)
      append({ _tag: "UnresolvedWritten", cycle: decision.round, plan: digest })
      return null
    case "Close":
      append({ _tag: "CycleClosed", cycle: decision.round, because: decision.because })
      return null
    case "Converge":
      return { because: "Converge" }
    case "End":
      return { end: decision.end }
  }
}
