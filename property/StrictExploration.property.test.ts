// StrictExploration: every state that strict orchestrators, people and crashes can bring a run to, within small bounds.
// A fixed point is told only where it is proven; from every state there is a way to one; no hand-off is a dead end.
import { assert, describe, it } from "vitest"
import type { Mark } from "../src/core/loop/Mark.ts"
import type { Level } from "../src/core/run/Level.ts"
import { compare, levels } from "../src/core/run/Level.ts"
import {
  finish, isProven, mark, newWorld, type Rungs, step, type World
} from "../test/unit/core/loop/strictWorld.ts"

interface Pending {
  readonly action: "AddressBatch" | "Retrospective"
  readonly run: number
  readonly level: Level
  readonly batch: number
}

interface Sent {
  readonly what: Mark
  readonly to: Pending
  readonly outcome: string
}

interface Party {
  readonly rungs: Rungs
  readonly pending: Pending | null
  readonly sent: Sent | null
}

interface State {
  readonly world: World
  readonly parties: ReadonlyArray<Party>
  readonly edits: number
  readonly primitives: number
}

interface Bounds {
  readonly floor: Level
  readonly ceilings: ReadonlyArray<Level>
  readonly codes: ReadonlyArray<string>
  readonly edits: number
  readonly primitives: number
  readonly batches: number
}

const text = (words: string) => ({ text: words })
const answers: Readonly<Record<Pending["action"], ReadonlyArray<Mark>>> = {
  AddressBatch: [{ _tag: "AddressPassed" }, { _tag: "AddressFailed", details: text("red") }],
  Retrospective: [{ _tag: "RetroClean" }, { _tag: "RetroChanges", reason: text("pattern") }]
}
const unasked: ReadonlyArray<Mark> = [{ _tag: "RetroClean" }, { _tag: "AddressPassed" }]
const primitives: ReadonlyArray<Mark> = [{ _tag: "AdvanceLevel" }, { _tag: "DropLevel" }, { _tag: "RestartFromFloor" }]

const keyOf = ({ edits, parties, primitives: used, world }: State): string => {
  const { batch, batch_number, current_level, fixed_point, level_history, strict } = world.manifest
  return JSON.stringify([
    edits, used, world.run, world.code, batch, batch_number, current_level, fixed_point !== null,
    level_history.map(({ batch_number, level, outcome }) => [level, batch_number, outcome._tag]), strict,
    parties.map(({ pending, sent }) => [pending, sent])
  ])
}

const put = (state: State, i: number, party: Party, world = state.world): State => ({
  ...state, world, parties: state.parties.map((one, at) => at === i ? party : one)
})

const told = (world: World, rungs: Rungs, how: string): void =>
  assert.isTrue(isProven(world, rungs), `${how}: ${JSON.stringify(world.commits)}`)

/** What an orchestrator that calls the step comes to. */
const called = (state: State, i: number, party: Party): State => {
  const { outcome, world } = step(state.world, party.rungs)
  if (outcome?._tag === "DoneFixedPoint") told(world, party.rungs, "a step told a fixed point")
  if (outcome?._tag !== "HandoffAgent") return put(state, i, { ...party, pending: null }, world)
  const { batch_number: batch, current_level: level } = world.manifest
  const pending = { action: outcome.action, run: world.run, level, batch }
  // What a hand-off asks for can be answered, at least by one of its answers.
  assert.isTrue(answers[outcome.action].some((what) => !mark(world, party.rungs, what, pending).refused), "a dead hand-off")
  return put(state, i, { ...party, pending }, world)
}

const answered = (state: State, i: number, party: Party, what: Mark, to: Pending): State => {
  const { outcome, refused, world } = mark(state.world, party.rungs, what, to)
  if (outcome?._tag === "DoneFixedPoint") told(world, party.rungs, "a mark told a fixed point")
  if (what._tag === "AddressFailed" && to.run === state.world.run) {
    assert.strictEqual(outcome?._tag, "HandoffHuman", "red tests were swallowed")
  }
  const sent = refused ? null : { what, to, outcome: outcome?._tag ?? "" }
  return put(state, i, { ...party, pending: null, sent }, world)
}

/** The same mark once more changes nothing, and is told the same or refused. */
const resent = (state: State, i: number, { rungs, sent }: Party): void => {
  if (sent === null || sent.what._tag === "AddressFailed") return
  const { outcome, refused, world } = mark(state.world, rungs, sent.what, sent.to)
  assert.strictEqual(world.commits.length, state.world.commits.length, `party ${i} changed the run by the same mark`)
  if (refused) return
  assert.strictEqual(outcome?._tag, sent.outcome)
  if (outcome?._tag === "DoneFixedPoint") told(world, rungs, "a mark given again told a fixed point")
}

const next = (state: State, bounds: Bounds): ReadonlyArray<State> => {
  const { parties, world } = state
  const found: Array<State> = []
  for (const verdict of ["Clean", "HasIssues"] as const) {
    const after = finish(world, verdict)
    if (after !== null) found.push({ ...state, world: after })
  }
  for (const [i, party] of parties.entries()) {
    resent(state, i, party)
    if (world.manifest.batches < bounds.batches) found.push(called(state, i, party))
    // A person, or a program that has lost its place, marks what nobody asked for.
    const { batch_number: batch, current_level: level } = world.manifest
    for (const what of unasked) found.push(answered(state, i, party, what, { action: "Retrospective", run: world.run, level, batch }))
    if (party.pending !== null) {
      for (const what of answers[party.pending.action]) found.push(answered(state, i, party, what, party.pending))
    }
  }
  if (state.edits < bounds.edits) {
    for (const code of bounds.codes) {
      if (code !== world.code) found.push({ ...state, edits: state.edits + 1, world: { ...world, code } })
    }
  }
  if (state.primitives < bounds.primitives) {
    for (const what of primitives) {
      const at = { run: world.run, level: world.manifest.current_level, batch: world.manifest.batch_number }
      const after = mark(world, parties[0]?.rungs ?? { floor: "low", ceiling: "low" }, what, at).world
      found.push({ ...state, primitives: state.primitives + 1, world: after })
    }
  }
  return found
}

/** One orchestrator alone, code that stands still, clean reviews: how many batches it starts until the fixed point. */
const batchesToTheEnd = (from: World, rungs: Rungs): number => {
  let world = from
  const start = world.manifest.batches
  const run = world.run
  for (let turn = 0; turn < 60; turn++) {
    const stepped = step(world, rungs)
    world = stepped.world
    const { outcome } = stepped
    if (outcome?._tag === "DoneFixedPoint") return world.manifest.batches - (world.run === run ? start : 0)
    if (outcome?._tag === "HandoffAgent") {
      const { batch_number: batch, current_level: level } = world.manifest
      const what: Mark = outcome.action === "AddressBatch" ? { _tag: "AddressPassed" } : { _tag: "RetroClean" }
      const marked = mark(world, rungs, what, { run: world.run, level, batch })
      assert.isFalse(marked.refused, "the answer to a hand-off was refused")
      world = marked.world
    } else if (outcome === null) world = finish(world, "Clean") ?? world
    else assert.fail(`ended in ${outcome._tag}`)
  }
  return assert.fail(`never came to a fixed point: ${JSON.stringify([rungs, from.code, from.commits.map(({ events }) => events.map((e) => JSON.stringify(e).slice(0, 200)))])}`)
}

const explore = (bounds: Bounds): { readonly states: number; readonly most: number } => {
  const party = (ceiling: Level): Party => ({ rungs: { floor: bounds.floor, ceiling }, pending: null, sent: null })
  const first: State = {
    world: newWorld(bounds.floor), parties: bounds.ceilings.map(party), edits: 0, primitives: 0
  }
  const seen = new Set([keyOf(first)])
  const queue = [first]
  let most = 0
  const ended = new Map<string, number>()
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at] ?? first
    for (const { rungs } of state.parties) {
      const rungCount = levels.filter((level) => compare(level, rungs.floor) >= 0 && compare(level, rungs.ceiling) <= 0).length
      const key = `${rungs.ceiling} ${keyOf({ ...state, parties: [], edits: 0, primitives: 0 })}`
      const needed = ended.get(key) ?? batchesToTheEnd(state.world, rungs)
      ended.set(key, needed)
      assert.isAtMost(needed, rungCount + 1)
      most = Math.max(most, needed)
    }
    for (const one of next(state, bounds)) {
      const key = keyOf(one)
      if (seen.has(key)) continue
      seen.add(key)
      queue.push(one)
    }
  }
  return { states: seen.size, most }
}

describe("every state of a strict run", () => {
  const configurations: ReadonlyArray<readonly [string, Bounds]> = [
    ["one level, two orchestrators, three codes", {
      floor: "low", ceilings: ["low", "low"], codes: ["A", "B", "C"], edits: 2, primitives: 0, batches: 2
    }],
    ["two levels, one orchestrator, edits and primitives", {
      floor: "low", ceilings: ["medium"], codes: ["A", "B"], edits: 2, primitives: 1, batches: 3
    }],
    ["two levels, two orchestrators", {
      floor: "low", ceilings: ["medium", "medium"], codes: ["A", "B"], edits: 1, primitives: 0, batches: 3
    }],
    ["two orchestrators with other ceilings", {
      floor: "low", ceilings: ["low", "medium"], codes: ["A", "B"], edits: 1, primitives: 1, batches: 2
    }],
    ["an orchestrator at the top of the ladder, whom a primitive may take above its ceiling", {
      floor: "high", ceilings: ["high"], codes: ["A", "B"], edits: 1, primitives: 1, batches: 3
    }],
    ["three levels, one orchestrator, three codes", {
      floor: "low", ceilings: ["high"], codes: ["A", "B", "C"], edits: 2, primitives: 0, batches: 4
    }]
  ]
  it.each(configurations)("of %s", (_, bounds) => {
    const { most, states } = explore(bounds)
    // What was explored is no handful, and the bound on batches is reached.
    assert.isAbove(states, 1000)
    assert.isAtLeast(most, 1)
  })
})
