// History: the log of a run as the program could have written it, with the manifest it folds to.
// The one rule: every state here is reachable; what is true of all of them is an invariant of the product.
import * as fc from "fast-check"
import type { Commit } from "../../core/log/StreamKind.ts"
import type { Event, EventOf } from "../../core/run/Event.ts"
import { initial, type Manifest, replay } from "../../core/run/Manifest.ts"
import { events } from "./Event.ts"
import type { Overrides } from "./Fields.ts"
import { eventsOf, type Move, move } from "./Move.ts"

/** The lines of a run and the manifest they fold to. */
export interface History {
  readonly commits: ReadonlyArray<Commit<Event>>
  readonly manifest: Manifest
}

/** The time of a line: one second after the line before it. */
const at = (seq: number): string => new Date(Date.UTC(2030, 0, 1) + seq * 1000).toISOString()

/** Plays moves from the creation of a run on; moves that cannot happen leave no line. */
export const play = (created: EventOf<"RunCreated">, moves: ReadonlyArray<Move>): History => {
  const commits: Array<Commit<Event>> = [{ seq: 1, at: at(1), events: [created] }]
  let manifest = initial(created)
  for (const one of moves) {
    const line = eventsOf(manifest, one)
    if (line.length === 0) continue
    const seq = commits.length + 1
    const next: Commit<Event> = { seq, at: at(seq), events: line }
    commits.push(next)
    manifest = replay(manifest, [next])
  }
  return { commits, manifest }
}

// Most runs of a few moves stay near the floor; a climb to begin with takes them to every level.
const climb: fc.Arbitrary<ReadonlyArray<Move>> = fc.array(
  fc.constant<Move>({ _tag: "MarkRun", mark: { _tag: "AdvanceLevel" }, ceiling: "xhigh" }),
  { maxLength: 3 }
)

const anyMoves = fc.tuple(climb, fc.array(move, { maxLength: 30, size: "max" }))
  .map(([first, rest]) => [...first, ...rest])

/** A run's history; shrinks towards a run that has just been created. */
export const history = (
  overrides: {
    readonly created?: Overrides<EventOf<"RunCreated">>
    readonly moves?: fc.Arbitrary<ReadonlyArray<Move>>
  } = {}
): fc.Arbitrary<History> =>
  fc.tuple(events.RunCreated(overrides.created), overrides.moves ?? anyMoves)
    .map(([created, moves]) => play(created, moves))

/** A reachable manifest. */
export const manifest: fc.Arbitrary<Manifest> = history().map((one) => one.manifest)
