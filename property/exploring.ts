// exploring: every state that orchestrators, people, crashes and lost answers can bring a strict run to, within bounds.
// Each state is looked at once, and what is demanded of it is demanded in every state.
import { assert } from "vitest"
import type { Mark } from "../src/run/Mark.ts"
import { compare, type Level, levels } from "../src/run/Level.ts"
import {
  crash,
  edit,
  finish,
  isProven,
  mark,
  newWorld,
  type Rungs,
  step,
  type World
} from "../test/unit/run/strictWorld.ts"
import { makeAtlas } from "./atlas.ts"

/** A hand-off: what it asks for, and the batch that an answer must name. */
interface Asked {
  readonly action: "AddressBatch" | "Retrospective"
  readonly run: number
  readonly level: Level
  readonly batch: number
}

/** A mark that was given. `outcome`: its result; null if the answer was lost. */
interface Sent {
  readonly what: Mark
  readonly to: Asked
  readonly outcome: string | null
}

interface Party {
  readonly rungs: Rungs
  readonly asked: Asked | null
  readonly sent: Sent | null
}

/** How often things may still happen. */
interface Left {
  readonly edits: number
  readonly primitives: number
  readonly crashes: number
  readonly dismissals: number
}

interface State {
  readonly world: World
  readonly parties: ReadonlyArray<Party>
  readonly left: Left
}

export interface Bounds extends Left {
  readonly parties: ReadonlyArray<Rungs>
  readonly codes: ReadonlyArray<string>
  readonly batches: number
}

const answers: Readonly<Record<Asked["action"], readonly [Mark, Mark]>> = {
  AddressBatch: [{ _tag: "AddressPassed" }, { _tag: "AddressFailed", details: { text: "red" } }],
  Retrospective: [{ _tag: "RetroClean" }, { _tag: "RetroChanges", reason: { text: "pattern" } }]
}
const unasked: ReadonlyArray<Mark> = [{ _tag: "RetroClean" }, { _tag: "AddressPassed" }]
const primitives: ReadonlyArray<Mark> = [{ _tag: "AdvanceLevel" }, { _tag: "DropLevel" }, { _tag: "RestartFromFloor" }]

const askedKey = (asked: Asked | null): string =>
  asked === null ? "" : `${asked.action}${asked.run}${asked.level}${asked.batch}`
const rungsKey = ({ ceiling, lenient }: Rungs): string => `${ceiling}${lenient}`
const partyKey = ({ asked, rungs, sent }: Party): string => {
  const given = sent === null ? "" : `${sent.what._tag}${askedKey(sent.to)}${sent.outcome}`
  return `${rungsKey(rungs)},${askedKey(asked)},${given}`
}

/** The run's current batch, as an answer names it. */
const here = ({ manifest, run }: World) => ({ run, level: manifest.current_level, batch: manifest.batch_number })

const checkProof = (world: World, rungs: Rungs, how: string): void => {
  if (!isProven(world, rungs)) assert.fail(`${how}: ${JSON.stringify(world.commits)}`)
}

/**
 * With unchanged code, clean reviews and orchestrators that take turns: how many batches they start until each has
 * heard of the fixed point.
 */
export const batchesToTheEnd = (from: World, parties: ReadonlyArray<Rungs>): number => {
  let world = from
  let started = 0
  const done = new Set<number>()
  for (let turn = 0; turn < 100; turn++) {
    const i = turn % parties.length
    const rungs = parties[i] ?? assert.fail()
    const { outcome, world: stepped } = step(world, rungs)
    if (stepped.manifest.batches > (stepped.run === world.run ? world.manifest.batches : 0)) started++
    world = stepped
    if (outcome?._tag === "DoneFixedPoint") {
      done.add(i)
      if (done.size === parties.length) return started
    } else if (outcome?._tag === "HandoffAgent") {
      const marked = mark(world, rungs, answers[outcome.action][0], here(world))
      assert.isFalse(marked.refused, "the answer to a hand-off was refused")
      world = marked.world
    } else if (outcome === null) world = finish(world, "Clean") ?? world
    else assert.fail(`ended in ${outcome._tag}`)
  }
  return assert.fail(`never came to a fixed point: ${JSON.stringify([parties, from.code, from.commits])}`)
}

/** How many levels there are from floor to ceiling. */
export const rungsBetween = ({ ceiling, floor }: Rungs): number =>
  levels.filter((level) => compare(level, floor) >= 0 && compare(level, ceiling) <= 0).length

/** The moves in a world, each with what is demanded of it. */
const makeMoves = () => {
  const { idOf, once, same } = makeAtlas()
  const called = (from: World, rungs: Rungs) =>
    once(from, `step ${rungsKey(rungs)}`, (from) => {
      const { outcome, world } = step(from, rungs)
      if (outcome?._tag === "DoneFixedPoint") checkProof(world, rungs, "a step reported a fixed point")
      if (outcome?._tag !== "HandoffAgent") return { asked: null, world: same(world) }
      const asked: Asked = { action: outcome.action, ...here(world) }
      const refused = answers[asked.action].map((what) => mark(world, rungs, what, asked).refused)
      assert.deepStrictEqual(refused, [false, false], `a dead hand-off: ${JSON.stringify(world.commits)}`)
      return { asked, world: same(world) }
    })
  const marked = (from: World, rungs: Rungs, what: Mark, to: Omit<Asked, "action">) =>
    once(from, `${what._tag} ${rungsKey(rungs)} ${to.run}${to.level}${to.batch}`, (from) => {
      const { outcome, refused, world } = mark(from, rungs, what, to)
      if (outcome?._tag === "DoneFixedPoint") checkProof(world, rungs, "a mark reported a fixed point")
      return { outcome: outcome?._tag ?? "", refused, added: world.commits !== from.commits, world: same(world) }
    })
  const finished = (from: World, verdict: "Clean" | "HasIssues") => once(from, verdict, (from) => finish(from, verdict))
  const crashed = (from: World, how: "Lost" | "Stopped") => once(from, how, (from) => crash(from, how))
  const edited = (from: World, code: string) => once(from, `edit ${code}`, (from) => same(edit(from, code)))
  const dismissed = (from: World) => once(from, "dismiss", (from) => same({ ...from, dismissed: !from.dismissed }))
  /** How many batches it takes to the end, whichever orchestrator continues. */
  const toTheEnd = (from: World, parties: ReadonlyArray<Rungs>) =>
    once(from, `end ${parties.map(rungsKey).join()}`, (from) => {
      const needed = batchesToTheEnd(from, parties)
      assert.isAtMost(needed, Math.max(...parties.map(rungsBetween)) + 1, JSON.stringify(from.commits))
      return needed
    })
  return { called, crashed, dismissed, edited, finished, idOf, marked, toTheEnd }
}
type Moves = ReturnType<typeof makeMoves>

const put = (state: State, i: number, party: Party, world: World): State => ({
  ...state,
  world,
  parties: state.parties.map((one, at) => at === i ? party : one)
})

/** The result of an orchestrator's mark: the answer reaches it, or is lost. */
const answered = (moves: Moves, state: State, i: number, what: Mark): ReadonlyArray<State> => {
  const party = state.parties[i] ?? assert.fail()
  const to = party.asked ?? assert.fail()
  const { outcome, refused, world } = moves.marked(state.world, party.rungs, what, to)
  if (what._tag === "AddressFailed") {
    // Red tests are reported wherever the run is now, and do not affect decisions.
    assert.strictEqual(outcome, "HandoffHuman", `red tests were swallowed: ${JSON.stringify(world.commits)}`)
    return [put(state, i, { ...party, asked: null }, state.world)]
  }
  if (refused) return [put(state, i, { ...party, asked: null, sent: null }, world)]
  const sent = (known: string | null): Party => ({ ...party, asked: null, sent: { what, to, outcome: known } })
  return [put(state, i, sent(outcome), world), put(state, i, sent(null), world)]
}

/** Repeating a mark changes nothing: it gets the same answer or is refused. */
const resent = (moves: Moves, state: State, i: number): ReadonlyArray<State> => {
  const party = state.parties[i] ?? assert.fail()
  const { sent } = party
  if (sent === null) return []
  const { added, outcome, refused, world } = moves.marked(state.world, party.rungs, sent.what, sent.to)
  assert.isFalse(added, `a run was changed by the same mark: ${JSON.stringify(world.commits)}`)
  if (sent.outcome === null) return [put(state, i, { ...party, sent: refused ? null : { ...sent, outcome } }, world)]
  if (!refused) assert.strictEqual(outcome, sent.outcome)
  return []
}

const next = (moves: Moves, state: State, bounds: Bounds): ReadonlyArray<State> => {
  const { left, parties, world } = state
  const found: Array<State> = []
  const become = (after: World | null): void => {
    if (after !== null && after !== world) found.push({ ...state, world: after })
  }
  const use = (what: keyof Left, after: World | null): void => {
    if (after !== null) found.push({ ...state, world: after, left: { ...left, [what]: left[what] - 1 } })
  }
  for (const verdict of ["Clean", "HasIssues"] as const) become(moves.finished(world, verdict))
  for (const [i, party] of parties.entries()) {
    found.push(...resent(moves, state, i))
    if (world.manifest.batches < bounds.batches) {
      const { asked, world: after } = moves.called(world, party.rungs)
      found.push(put(state, i, { ...party, asked }, after))
    }
    // A person, or a program that has lost its place, sets a mark that was not asked for.
    for (const what of unasked) become(moves.marked(world, party.rungs, what, here(world)).world)
    if (party.asked !== null) {
      for (const what of answers[party.asked.action]) found.push(...answered(moves, state, i, what))
    }
  }
  if (left.edits > 0) {
    for (const code of bounds.codes) {
      if (code !== world.code) use("edits", moves.edited(world, code))
    }
  }
  if (left.crashes > 0) { for (const how of ["Lost", "Stopped"] as const) use("crashes", moves.crashed(world, how)) }
  if (left.dismissals > 0) use("dismissals", moves.dismissed(world))
  const rungs = parties[0]?.rungs ?? assert.fail()
  if (left.primitives > 0) {
    for (const what of primitives) use("primitives", moves.marked(world, rungs, what, here(world)).world)
  }
  return found
}

/** Explores; gives how many states there were, and the most batches that any of them needed to come to the end. */
export const explore = (bounds: Bounds): { readonly states: number; readonly most: number } => {
  const { crashes, dismissals, edits, parties, primitives: some } = bounds
  const moves = makeMoves()
  // Who of two orchestrators with the same settings is which makes no difference.
  const keyOf = ({ left, parties: now, world }: State): string =>
    [Object.values(left), moves.idOf(world), ...now.map(partyKey).sort()].join("|")
  const first: State = {
    world: newWorld(parties[0]?.floor ?? "low"),
    parties: parties.map((rungs) => ({ rungs, asked: null, sent: null })),
    left: { crashes, dismissals, edits, primitives: some }
  }
  const seen = new Set([keyOf(first)])
  let most = 0
  for (let edge: ReadonlyArray<State> = [first]; edge.length > 0;) {
    const beyond: Array<State> = []
    for (const state of edge) {
      for (const one of parties) most = Math.max(most, moves.toTheEnd(state.world, [one]))
      moves.toTheEnd(state.world, parties)
      for (const one of next(moves, state, bounds)) {
        const key = keyOf(one)
        if (seen.has(key)) continue
        seen.add(key)
        beyond.push(one)
      }
    }
    edge = beyond
  }
  return { states: seen.size, most }
}
