// planDriving: a plan, the code of its worktree and the log of its run, moved as `implement` moves them.
// What is at random comes from one seed, so that a history that breaks a law can be played again.
import { Schema } from "effect"
import { assert } from "vitest"
import { drivenUntil } from "../src/drive/Budgets.ts"
import type { Decision, End, View } from "../src/drive/plan/Decide.ts"
import { type NamedTask, PlanEvent } from "../src/drive/plan/Event.ts"
import { inPlay } from "../src/drive/plan/TaskChoice.ts"
import { begun, evolvePlan, type PlanState } from "../src/drive/plan/State.ts"
import type { DecideSettings, Wanted } from "../src/drive/plan/Settings.ts"
import type { Plan, PlanTask } from "../src/drive/plan/file/Plan.ts"
import type { Identity } from "../src/run/Identity.ts"
import { codeIs } from "../test/unit/run/strictWorld.ts"
import { numbers } from "./driving.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(PlanEvent))
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(PlanEvent))

/** How the world is: what is settled, how it answers, and how often people and crashes step in, each from 0 to 1. */
export interface PlanKind {
  readonly seed: number
  readonly settings: DecideSettings
  readonly tasks: ReadonlyArray<PlanTask>
  readonly wanted: Wanted
  /** Whether the plan's file lies in the worktree, so that each mark in it is another content. */
  readonly inside: boolean
  /** How often a review asks for fixes, a test is red, an agent is of no use. */
  readonly issues: number
  readonly red: number
  readonly poor: number
  readonly crashes: number
  readonly people: number
  /** How many different contents the code comes to. */
  readonly codes: number
}

const noPlan: Plan = {
  title: null,
  goal: null,
  details: null,
  id: null,
  status: null,
  priority: null,
  dependencies: [],
  parent: null,
  issue: [],
  docs: [],
  baseBranch: null,
  changedFiles: [],
  createdAt: null,
  updatedAt: null,
  tasks: []
}

/** A plan's run with its drivers. It changes as it is driven. */
export const makePlanWorld = (kind: PlanKind) => {
  const random = numbers(kind.seed)
  const now = {
    kind,
    settings: kind.settings,
    plan: { ...noPlan, tasks: kind.tasks },
    notes: 0,
    code: "A",
    state: begun,
    events: new Array<readonly [PlanEvent, number]>(),
    /** The states after each line, as a program that reads them from the log's file has them. */
    read: new Array<PlanState>(),
    driver: 0,
    time: 0,
    tokens: 0,
    /** Each thing that a person did, or that was lost with a driver, may lead to more work. */
    interventions: 0,
    /** Whether a person has asked the present call for another try. */
    again: false,
    /** What the code was before a cycle's first agent that wrote. */
    before: new Map<number, string>(),
    /** The plan as the last cycle began with it, and as that cycle has written it. */
    beganWith: "",
    written: "",
    /** The most that any call allowed. */
    mostRounds: kind.settings.rounds
  }

  const chance = (likely: number): boolean => random() < likely
  const pick = <A>(of: ReadonlyArray<A>): A =>
    of[Math.floor(random() * of.length)] ?? assert.fail("nothing to pick from")
  const edit = (): void => {
    now.code = String.fromCharCode(65 + Math.floor(random() * kind.codes))
  }

  /** What the worktree holds. */
  const content = (): Identity => {
    const marks = now.plan.tasks.map(({ done, title }) => `${title}${done}`).join()
    return codeIs(kind.inside ? `${now.code} ${marks} ${now.notes}` : now.code)
  }

  const append = (...events: ReadonlyArray<PlanEvent>): void => {
    for (const event of events) {
      now.time += 1000
      now.events.push([event, now.time])
      now.state = evolvePlan(now.state, event, now.time)
      now.read.push(evolvePlan(now.read.at(-1) ?? begun, decode(encode(event)), now.time))
    }
  }

  /** The plan of a cycle as a text. */
  const text = (): string => JSON.stringify([now.state.rounds.length, now.plan.tasks])

  const inPlayNow = (): ReadonlyArray<NamedTask> => {
    const marked = now.state.rounds.reduce(
      (sum, { closed, closedBy, marked }) =>
        closed?.because === "Marked" && closedBy === `d${now.driver}` ? sum + (marked?.tasks.length ?? 0) : sum,
      0
    )
    return inPlay(now.plan, kind.wanted, marked)
  }

  const view = (): View => ({
    inPlay: inPlayNow(),
    done: now.plan.tasks.flatMap(({ done }, index) => done ? [index] : []),
    isWritten: now.written === text(),
    content: content(),
    used: { rounds: now.state.rounds.length, time: drivenUntil(now.state, now.time), tokens: now.tokens },
    driver: `d${now.driver}`,
    again: now.again
  })

  /** Another driver takes the run, perhaps with other settings. */
  const take = (change: Partial<DecideSettings> = {}): void => {
    now.driver++
    now.settings = { ...now.settings, ...change }
    now.mostRounds = Math.max(now.mostRounds, now.settings.rounds)
    append({ _tag: "DriverStarted", driver: `d${now.driver}`, pid: 1 })
  }

  const setTask = (index: number, change: Partial<PlanTask>): void => {
    const tasks = now.plan.tasks.map((task, i) => i === index ? { ...task, ...change } : task)
    now.plan = { ...now.plan, tasks }
  }

  /** A person steps in: edits code or plan, asks for another try or for the end of the driver, allows something. */
  const person = (): void => {
    now.interventions++
    switch (pick(["edit", "edit", "retitle", "mark", "again", "stop", "allow"] as const)) {
      case "edit":
        return edit()
      case "retitle":
        return setTask(Math.floor(random() * now.plan.tasks.length), { title: pick(["One", "Two", "Three"]) })
      case "mark":
        return setTask(Math.floor(random() * now.plan.tasks.length), { done: true })
      case "again":
        now.again = true
        return
      case "stop":
        return append({ _tag: "StopAsked" })
      case "allow":
        return append({ _tag: "ConsentGiven", consent: pick(["red-baseline", "rejected-result"]) })
    }
  }

  return { now, chance, pick, edit, content, append, text, view, take, setTask, person }
}
export type Working = ReturnType<typeof makePlanWorld>

/** How a call ends: a decision, an agent's end, or the plan's code is to be converged. Null: it continues. */
export type Over = { readonly end: End } | { readonly because: string } | null
export type DecisionOf<Tag extends Decision["_tag"]> = Extract<Decision, { readonly _tag: Tag }>

/** Where a driver may be killed, thrown so that all that it knew by itself is gone. */
export class Killed extends Error {}

export const mayDie = ({ chance, now }: Working): void => {
  if (!chance(now.kind.crashes)) return
  now.interventions++
  throw new Killed()
}

export const cycleOf = ({ now: { state } }: Working, cycle: number) =>
  state.rounds[cycle - 1] ?? assert.fail(`no cycle ${cycle}`)

/** The state after the first lines of the log, as a program that reads them from its file has it. */
export const reread = ({ now: { read } }: Working, upTo = read.length): PlanState => read[upTo - 1] ?? begun
