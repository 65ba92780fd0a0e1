// Witness: what an audit remembers of a run's reviewers, to tell them apart and to say what their files do not show.
// It is changed in place, because a run may have very many reviewers. Only few batches are remembered.
import type { Head } from "../core/log/Head.ts"
import type { EventOf } from "../core/run/Event.ts"
import { oneLine } from "../core/text/Text.ts"
import { batchName, slotName } from "../core/text/Phrases.ts"
import type { Launched, Seen } from "./Evidence.ts"

/**
 * What the reviewers of a batch have shown: the model that they named first, the version of codex if it is one, the
 * versions of this program that recorded them, and for each thing not shown the slots.
 */
interface BatchSeen {
  model: string | null
  readonly codex: Set<string | null>
  readonly recordedBy: Set<string>
  readonly unshown: Map<string, Array<number>>
  readonly pruned: Array<number>
}

export interface Witness {
  /** The ids of all attempts, and the sessions of all reviews. */
  readonly attempts: Set<string>
  readonly sessions: Set<string>
  /** How the open attempts were started, by their slots. */
  readonly launched: Map<string, Launched>
  readonly batches: Map<string, BatchSeen>
}

/** Before the first reviewer. */
export const newWitness = (): Witness => ({
  attempts: new Set(),
  sessions: new Set(),
  launched: new Map(),
  batches: new Map()
})

/** Remembers an attempt that a line started. Returns what is wrong with it, or null. */
export const noteStart = (witness: Witness, event: EventOf<"ReviewStarted">, line: Head): string | null => {
  const known = witness.attempts.has(event.id)
  witness.attempts.add(event.id)
  witness.launched.set(slotName(event), { id: event.id, line })
  return known ? "its id is that of an earlier attempt" : null
}

/** How the attempt was started that a review ends, by the log. */
export const takeLaunched = (witness: Witness, event: EventOf<"ReviewFinished">): Launched | null => {
  const launched = witness.launched.get(slotName(event)) ?? null
  witness.launched.delete(slotName(event))
  return launched
}

/** Remembers what the files of a review have shown. Returns how that contradicts other reviews. */
export const noteSeen = (
  witness: Witness,
  event: EventOf<"ReviewFinished">,
  seen: Seen,
  version: string | null = null
): ReadonlyArray<string> => {
  const { codex, model, session, unshown } = seen
  const name = batchName(event)
  const batch = witness.batches.get(name) ??
    { model, codex: new Set(), recordedBy: new Set<string>(), unshown: new Map<string, Array<number>>(), pruned: [] }
  witness.batches.set(name, batch)
  batch.codex.add(codex)
  if (version !== null) batch.recordedBy.add(version)
  for (const what of unshown) batch.unshown.set(what, [...(batch.unshown.get(what) ?? []), event.slot])
  if (seen.pruned === true) batch.pruned.push(event.slot)
  const again = session !== null && witness.sessions.has(session)
  if (session !== null) witness.sessions.add(session)
  const said = (problem: string): string => `${slotName(event)}: ${problem}`
  const problems = again ? [said(`its session ${session} also belongs to another review`)] : []
  if (model !== null && batch.model !== null && model !== batch.model) {
    const [one, other] = [oneLine(model), oneLine(batch.model)]
    problems.push(said(`its transcript shows model ${one}, but another reviewer of the batch shows ${other}`))
  }
  batch.model ??= model
  return problems
}

/** The programs behind a batch: what all its transcripts agree on, and what its lines say. */
export interface Programs {
  readonly model: string | null
  readonly codex: string | null
  readonly recordedBy: ReadonlyArray<string>
}

/** The programs behind a batch. */
export const programsOf = (witness: Witness, name: string): Programs => {
  const { codex, model, recordedBy } = witness.batches.get(name) ?? { codex: [], model: null, recordedBy: [] }
  const [one = null, ...others] = codex
  return { model, codex: others.length === 0 ? one : null, recordedBy: [...recordedBy].sort() }
}

/** Forgets what the reviewers of all batches but these have shown. */
export const keepBatches = (witness: Witness, names: ReadonlySet<string>): void => {
  for (const name of witness.batches.keys()) if (!names.has(name)) witness.batches.delete(name)
}

/** What the reviewers of a batch have left unshown, a sentence each. */
export const unshownBy = (witness: Witness, name: string): ReadonlyArray<string> =>
  [...(witness.batches.get(name)?.unshown ?? [])].map(([what, slots]) =>
    `${name}: nothing shows the ${what} of slot ${slots.join(", ")}`
  )

/** The slots of a batch whose transcripts were pruned, in a sentence, or none. */
export const prunedBy = (witness: Witness, name: string): ReadonlyArray<string> => {
  const slots = witness.batches.get(name)?.pruned ?? []
  const of = `of slot ${slots.join(", ")}`
  return slots.length === 0 ? [] : [`${name}: the transcript ${of} was pruned, so that its review cannot be checked`]
}
