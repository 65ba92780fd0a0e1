// Refs: references to a batch of a run and to the attempts at its reviews, in whatever store they are.
import { type RunRef, runText } from "../log/Refs.ts"
import type { Level } from "./Level.ts"

/** A batch of a run. Batches are counted per level, from 1. */
export interface BatchRef {
  readonly run: RunRef
  readonly level: Level
  readonly batch: number
}

/** The review by one attempt at a slot of a batch. Slots and attempts are counted from 1. */
export interface ReviewRef extends BatchRef {
  readonly slot: number
  readonly attempt: number
}

/** The attempt itself. `id` is unique and marks its reviewer's processes; see also `deliveredId`. */
export interface AttemptRef extends ReviewRef {
  readonly id: string
}

/**
 * Marks the processes of one delivery of an attempt by a fleet: another delivery of it may run on the same machine, and
 * neither may take the other's reviewer for its own. The id of an attempt has no colon.
 */
export const deliveredId = (id: string, token: string): string => `${id}:${token}`

/** The id of the attempt whose processes have a mark, whether a fleet delivered it or not. */
export const attemptIdIn = (mark: string): string => mark.split(":")[0] ?? mark

/** A key for maps: equal exactly for the same slot of the same batch, whatever the attempt. */
export const slotText = ({ batch, level, run, slot }: Omit<ReviewRef, "attempt">): string =>
  JSON.stringify([runText(run), level, batch, slot])

/** A key for maps: equal exactly for the same attempt. */
export const attemptText = (review: ReviewRef): string => JSON.stringify([slotText(review), review.attempt])
