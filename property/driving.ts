// driving: a strict run, the code it is about and the stream of its drivers, moved as `converge` moves them.
// What is at random comes from one seed, so that a history that breaks a law can be played again.
import { Schema } from "effect"
import { assert } from "vitest"
import { begun, type ConvergeState, evolveConverge } from "../src/drive/converge/State.ts"
import type { DecideSettings, Handoff, View } from "../src/drive/converge/Decide.ts"
import { ConvergeEvent, type RoundKind, type RoundMark } from "../src/drive/converge/Event.ts"
import { used } from "../src/drive/Budgets.ts"
import type { Mark } from "../src/run/Mark.ts"
import { sameContent } from "../src/run/Identity.ts"
import type { Level } from "../src/run/Level.ts"
import { codeIs, edit, finish, isProven, mark, newWorld, type Rungs, step } from "../test/unit/run/strictWorld.ts"

/** A number from 0 to below 1, another one each time. */
export const numbers = (seed: number) => {
  let now = seed >>> 0
  return () => {
    now = (now + 0x6d2b79f5) >>> 0
    let t = Math.imul(now ^ (now >>> 15), 1 | now)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** How the world is: what is settled, how it answers, and how often people and crashes step in, each from 0 to 1. */
export interface Kind {
  readonly seed: number
  readonly settings: DecideSettings
  readonly rungs: Rungs
  readonly issues: number
  readonly red: number
  readonly poor: number
  readonly crashes: number
  readonly people: number
  /** How many different contents the code comes to. */
  readonly codes: number
}

/** What a round that passed began with, and left. */
interface Pass {
  readonly kind: RoundKind
  readonly began: string
  readonly left: string
}

/** A run with its drivers. It changes as it is driven. */
export const makeWorld = (kind: Kind) => {
  const random = numbers(kind.seed)
  const found = new Map<string, ReadonlyArray<string>>()
  const now = {
    kind,
    settings: kind.settings,
    run: newWorld(kind.rungs.floor),
    state: begun,
    events: new Array<readonly [ConvergeEvent, number]>(),
    handoff: null as Handoff | null,
    driver: 0,
    time: 0,
    tokens: 0,
    /** Each thing that a person did, or that was lost with a driver, may lead to one more round. */
    interventions: 0,
    /** Whether a person has asked the present call for another try. */
    again: false,
    /** What each batch was about, and what the code was before a round's first agent. */
    reviewed: new Map<string, string>(),
    before: new Map<number, string>(),
    passes: new Array<Pass>()
  }

  const chance = (likely: number): boolean => random() < likely
  const pick = <A>(of: ReadonlyArray<A>): A =>
    of[Math.floor(random() * of.length)] ?? assert.fail("nothing to pick from")
  const otherCode = (): string => String.fromCharCode(65 + Math.floor(random() * kind.codes))

  const append = (...events: ReadonlyArray<ConvergeEvent>): void => {
    for (const event of events) {
      now.time += 1000
      now.events.push([event, now.time])
      now.state = evolveConverge(now.state, event, now.time)
    }
  }

  const view = (): View => ({
    handoff: now.handoff,
    content: codeIs(now.run.code),
    used: used(now.state, now.tokens, now.time),
    driver: `d${now.driver}`,
    again: now.again
  })

  /** Another driver takes the run; what the last one knew by itself is gone. */
  const take = (): void => {
    now.driver++
    now.handoff = null
    append({ _tag: "DriverStarted", driver: `d${now.driver}`, pid: 1 })
  }

  const batchKey = (level: Level, batch: number): string => `${now.run.run} ${level}/${batch}`

  const handoffOf = (action: RoundKind): Handoff => {
    const { batch_number: batch, current_level: level } = now.run.manifest
    const all = [...found].filter(([key, names]) => key.startsWith(`${now.run.run} `) && names.length > 0)
    return {
      kind: action,
      level,
      batch,
      findings: found.get(batchKey(level, batch)) ?? [],
      anyFinding: all.length > 0,
      history: JSON.stringify(all)
    }
  }

  /** A step: reviews until there is a hand-off. Returns how the call ends, or null if it continues. */
  const stepped = (): string | null => {
    for (let turns = 0; turns < 20; turns++) {
      const before = now.run.run
      const { outcome, world } = step(now.run, kind.rungs)
      now.run = world
      if (world.run !== before) {
        // Another run has a stream of its own.
        Object.assign(now, { state: begun, events: [], passes: [], tokens: 0, before: new Map() })
        append({ _tag: "DriverStarted", driver: `d${now.driver}`, pid: 1 })
      }
      if (outcome?._tag === "HandoffAgent") {
        now.handoff = handoffOf(outcome.action)
        return null
      }
      if (outcome?._tag === "DoneFixedPoint") {
        assert.isTrue(isProven(now.run, kind.rungs), "a fixed point without a proof")
      }
      if (outcome !== null) return outcome._tag
      const { batch_number: batch, current_level: level } = now.run.manifest
      const names = chance(kind.issues) ? ["f1", "f2", "f3"].filter((_, i) => i === 0 || chance(0.5)) : []
      now.tokens += 10
      now.reviewed.set(batchKey(level, batch), now.run.code)
      found.set(batchKey(level, batch), names)
      now.run = finish(now.run, names.length > 0 ? "HasIssues" : "Clean") ?? now.run
    }
    return assert.fail("a step came to no end")
  }

  const markNamed = (name: RoundMark): Mark =>
    name === "AddressFailed"
      ? { _tag: name, details: { text: "red" } }
      : name === "RetroChanges"
      ? { _tag: name, reason: { text: "pattern" } }
      : { _tag: name }

  /** Sets the mark of a batch; whether it was refused. */
  const marked = (name: RoundMark, level: Level, batch: number): boolean => {
    const { refused, world } = mark(now.run, kind.rungs, markNamed(name), { level, batch, run: now.run.run })
    now.run = world
    return refused
  }

  /** A person steps in: edits, answers the batch, asks for another try or for the end of the driver, allows something. */
  const person = (): void => {
    now.interventions++
    switch (pick(["edit", "answer", "again", "stop", "allow"] as const)) {
      case "edit":
        now.run = edit(now.run, otherCode())
        break
      case "answer": {
        const { batch_number, current_level } = now.run.manifest
        marked(pick(["AddressPassed", "RetroClean", "RetroChanges"]), current_level, batch_number)
        break
      }
      case "again":
        now.again = true
        break
      case "stop":
        append({ _tag: "StopAsked" })
        break
      case "allow":
        append({ _tag: "ConsentGiven", consent: pick(["red-baseline", "rejected-result"]) })
    }
  }

  return { now, chance, pick, otherCode, append, view, take, handoffOf, batchKey, stepped, marked, person }
}
export type Driven = ReturnType<typeof makeWorld>

const encode = Schema.encodeSync(Schema.fromJsonString(ConvergeEvent))
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ConvergeEvent))

/** The state as a program that reads the whole stream from its file has it. */
export const reread = ({ now: { events } }: Driven): ConvergeState =>
  events.reduce((state, [event, at]) => evolveConverge(state, decode(encode(event)), at), begun)

/** Asserts that each test was green on the present code, unless a person allowed it to be red. */
export const isTested = ({ now: { run: { code }, settings: { allow, tests }, state } }: Driven): boolean =>
  state.agents.consents.has("red-baseline") || allow.includes("red-baseline") ||
  tests.every((command) =>
    state.tests.some(({ standing, started }) =>
      started.command === command && standing._tag === "Finished" && standing.finished.exit === 0 &&
      sameContent(standing.finished.content, codeIs(code)) === "Same"
    )
  )
