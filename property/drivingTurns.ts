// drivingTurns: what each decision of a driver comes to in a world made at random, and what must hold of each.
import { assert } from "vitest"
import { nextAfterResult, type ResultAction } from "../src/agent/ResultRetry.ts"
import { isOpen, taskProgress } from "../src/agent/TaskProgress.ts"
import { answerEvents, atFixedPoint, type Decision, type End } from "../src/drive/converge/Decide.ts"
import type { RoundMark } from "../src/drive/converge/Event.ts"
import { exhausted } from "../src/drive/Budgets.ts"
import type { PersonAnswer } from "../src/drive/State.ts"
import { addressTaskId, gapsUpTo, lastAgent } from "../src/drive/Tasks.ts"
import { sameContent } from "../src/run/Identity.ts"
import { codeIs, edit } from "../test/unit/run/strictWorld.ts"
import { digest } from "../test/unit/run/events.ts"
import { agentFinished, agentStarted } from "../test/unit/drive/converge/events.ts"
import type { Driven } from "./driving.ts"

/** How a call ends: a decision, a person's turn by other means, or the step's answer. Null: it continues. */
export type Over = { readonly end: End } | { readonly because: string } | null

type DecisionOf<Tag extends Decision["_tag"]> = Extract<Decision, { readonly _tag: Tag }>

/** Where a driver may be killed, thrown so that all that it knew by itself is gone. */
export class Killed extends Error {}

const mayDie = ({ chance, now }: Driven): void => {
  if (!chance(now.kind.crashes)) return
  now.interventions++
  throw new Killed()
}

type Ending = "pass" | "gaps" | "error" | "invalid" | "crashed" | "quota" | "stopped" | "git"

const endings: ReadonlyArray<Ending> = ["gaps", "error", "invalid", "crashed", "quota", "stopped", "git"]

/** One agent to its end; the action that follows, or how the call ends. */
const agentRun = (driven: Driven, { round, task }: DecisionOf<"Ask">): ResultAction | { readonly because: string } => {
  const { append, chance, now, otherCode, pick } = driven
  const taskId = addressTaskId(round, task)
  const role = task === "retrospective" ? "code-quality-reviewer" : "worker"
  const progress = taskProgress(now.state.agents.agents, { role, taskId }, gapsUpTo(now.state, round, task))
  const last = progress.asked.at(-1)
  const over = progress.asked.find(({ judged }) => judged !== null && /accept|remediate|block/.test(judged.action))
  assert.isUndefined(over, "a question that was answered is asked again")
  const following = last !== undefined && isOpen(last)
  const agent = following ? last.agent : now.state.agents.agents.length + 1
  if (!following) {
    if (lastAgent(now.state, round) === null) {
      assert.deepStrictEqual(exhausted(driven.view().used, now.settings), [], "a round began over budget")
      now.before.set(round, now.run.code)
    }
    append(agentStarted({ agent, taskId, role, id: `a${agent}` }))
    mayDie(driven)
  }
  const patterns = role === "code-quality-reviewer" && chance(0.3)
  const ending: Ending = chance(now.kind.poor) ? pick(endings) : patterns ? "gaps" : "pass"
  if (now.state.agents.agents[agent - 1]?.standing._tag === "Running") {
    if (role === "worker" && chance(0.8)) now.run = edit(now.run, otherCode())
    now.tokens += 5
    const fields = {
      agent,
      attempt: 1,
      message: { text: "" },
      threadId: null,
      usage: null,
      transcript: digest,
      exit: 1
    }
    switch (ending) {
      case "stopped":
        append({ _tag: "AgentStopped", agent, attempt: 1, cause: "Interrupt" })
        return { because: "aborted" }
      case "quota":
        append({ _tag: "AgentFailed", ...fields, failure: "Quota", remedy: "" })
        return { because: "AgentFailed" }
      case "crashed":
        append({ _tag: "AgentFailed", ...fields, failure: "Crashed", remedy: "" })
        break
      default:
        append(agentFinished({ agent, threadId: null, usage: null }))
    }
    mayDie(driven)
    if (ending === "git") {
      append({ _tag: "GitStateChanged", agent, what: ["HEAD"] })
      mayDie(driven)
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

const ask = (driven: Driven, decision: DecisionOf<"Ask">): Over => {
  for (let agents = 0; agents < 20; agents++) {
    const came = agentRun(driven, decision)
    if (typeof came !== "string") return came
    if (came === "accept" || came === "remediate" || came === "block") return null
  }
  return assert.fail("agents without an end")
}

const test = (driven: Driven, { command, round, running }: DecisionOf<"Test">): void => {
  const { append, chance, now } = driven
  const number = running ?? now.state.tests.length + 1
  if (running === null) append({ _tag: "TestStarted", test: number, id: `t${number}`, round, command })
  assert.strictEqual(now.state.tests[number - 1]?.standing._tag, "Running", "a test that has ended is run again")
  mayDie(driven)
  const exit = chance(now.kind.red) ? chance(0.2) ? null : 1 : 0
  const ended = { _tag: "TestFinished", test: number, exit, output: digest, content: codeIs(now.run.code) } as const
  append(running !== null && chance(0.3) ? { _tag: "TestStopped", test: number, cause: "Lost" } : ended)
}

const concluded = ({ append, now }: Driven, round: number, mark: RoundMark): void => {
  const began = now.state.rounds[round - 1]?.started
  const content = codeIs(now.run.code)
  append({ _tag: "RoundConcluded", round, mark, reason: { text: "" }, content })
  if (began === undefined || mark !== "AddressPassed" && mark !== "RetroChanges") return
  const reviewed = began.content._tag === "Known" ? began.content.tree ?? "" : ""
  now.passes.push({ kind: began.kind, began: reviewed, left: now.run.code })
}

const markSet = (driven: Driven, round: number, name: RoundMark): Over => {
  const { append, marked, now } = driven
  const started = now.state.rounds[round - 1]?.started ?? assert.fail("a mark without a round")
  const refused = marked(name, started.level, started.batch)
  now.handoff = null
  if (refused) return now.interventions > 0 ? null : assert.fail(`${name} was refused though no one intervened`)
  mayDie(driven)
  append({ _tag: "RoundClosed", round, because: "Marked" })
  return null
}

/** Reports the step's fixed point if the tests are green on its code; otherwise runs a test, and the step repeats. */
const atTheEnd = (driven: Driven): Over => {
  const decision = atFixedPoint(driven.now.state, driven.view(), driven.now.settings)
  if (decision?._tag === "Test") test(driven, decision)
  else if (decision !== null) return { end: decision.end }
  return decision === null ? { because: "DoneFixedPoint" } : null
}

/** A person's answer to an earlier end: a fix answers a batch that has issues. */
const takeAnswer = (driven: Driven, answer: PersonAnswer): void => {
  const { append, batchKey, handoffOf, marked, now, view } = driven
  const { content, driver } = now.state.asked ?? assert.fail("an answer where none is asked")
  assert.notStrictEqual(driver, view().driver, "a driver answers itself")
  const isSame = sameContent(content, view().content) === "Same"
  assert.strictEqual(isSame, answer === "Again" || answer === "Unchanged", `${answer} is no answer`)
  if (answer === "Again") assert.isTrue(now.again)
  if (answer === "Fixed") {
    const own = now.state.tests.slice(-2 * now.settings.tests.length - 2)
    const isGreen = (command: string) =>
      own.some(({ driver, standing, started }) =>
        driver === view().driver && started.command === command && standing._tag === "Finished" &&
        standing.finished.exit === 0
      )
    const isAllowed = now.state.agents.consents.has("red-baseline") || now.settings.allow.includes("red-baseline")
    assert.isTrue(isAllowed || now.settings.tests.every(isGreen), "a fix counts without its tests")
    const { batch_number: batch, current_level: level } = now.run.manifest
    const { findings } = handoffOf("AddressBatch")
    if (findings.length > 0 && now.reviewed.has(batchKey(level, batch))) marked("AddressPassed", level, batch)
  }
  append(...answerEvents(now.state, answer, view().content))
  assert.isNull(now.state.asked, "an end is answered twice")
  if (answer !== "Unchanged") now.passes = []
  now.handoff = null
}

/** Carries a decision out. */
export const carryOut = (driven: Driven, decision: Decision): Over => {
  const { append, batchKey, chance, handoffOf, now, stepped } = driven
  switch (decision._tag) {
    case "Step": {
      const because = stepped()
      return because === null ? null : because === "DoneFixedPoint" ? atTheEnd(driven) : { because }
    }
    case "Resume": {
      const { batch, level } = now.state.rounds[decision.round - 1]?.started ?? assert.fail("nothing to resume")
      const { batch_number, current_level } = now.run.manifest
      if (current_level === level && batch_number === batch) now.handoff = handoffOf("Retrospective")
      else append({ _tag: "RoundClosed", round: decision.round, because: "AnsweredElsewhere" })
      return null
    }
    case "TakeAnswer":
      takeAnswer(driven, decision.answer)
      return null
    case "Warn":
      append({ _tag: "BudgetWarned", budget: decision.budget, used: decision.used, limit: decision.limit })
      return null
    case "StartRound": {
      const { batch, findings, history, kind, level } = now.handoff ?? assert.fail("a round without a hand-off")
      const content = codeIs(now.reviewed.get(batchKey(level, batch)) ?? assert.fail("not reviewed"))
      append({ _tag: "RoundStarted", round: decision.round, kind, level, batch, findings, content, history })
      return null
    }
    case "Skip":
      append({ _tag: "RetrospectiveSkipped", round: decision.round, because: decision.because })
      return null
    case "Ask":
      return ask(driven, decision)
    case "Answer": {
      const protectedFiles = chance(now.kind.poor / 10) ? ["schema.sql"] : []
      append({ _tag: "RoundAnswered", round: decision.round, agent: decision.agent, answers: [], protectedFiles })
      return null
    }
    case "Test":
      test(driven, decision)
      return null
    case "Restore":
      now.run = edit(now.run, now.before.get(decision.round) ?? assert.fail("nothing to restore"))
      append({ _tag: "WorktreeRestored", round: decision.round, snapshot: 1 })
      return null
    case "Commit": {
      const commit = chance(now.kind.red) ? null : "c"
      append({ _tag: "FixesCommitted", round: decision.round, agent: decision.agent, commit, output: { text: "" } })
      return null
    }
    case "Conclude":
      concluded(driven, decision.round, decision.mark)
      return null
    case "Mark":
      return markSet(driven, decision.round, decision.mark)
    case "Close":
      append({ _tag: "RoundClosed", round: decision.round, because: decision.because })
      now.handoff = null
      return null
    case "End":
      return { end: decision.end }
  }
}
