// Look: what one look at an attempt shows, from its journal, its wrapper's liveness, its lock and its exit file.
// The one rule: liveness before the exit file, and Lost or Unstarted only when the attempt can never report again.
import { readFileSync, statSync } from "node:fs"
import type { ReviewerState } from "../../core/run/ReviewerState.ts"
import type { Variables } from "../../services/Environment.ts"
import type { Attempt } from "../../services/Reviewers.ts"
import { lives, locksHeld } from "./Liveness.ts"
import { progressOf, type Remembered } from "../codex/Progress.ts"
import { livingOf, signalGroup, signalProcess } from "./LivingProcesses.ts"
import { fence, type Guarded, readJournal } from "./Journal.ts"

/** How long an attempt may stay without a journal and without a lock until it is fenced, in milliseconds. */
const fenceAfter = 3000
// A fresh attempt, or one whose wrapper is gone, is worth a helper process only this often. Milliseconds.
const probeEvery = 500

/** What is kept of an attempt between the looks of one process. Losing it costs time, never correctness. */
export interface Memory {
  guarded: Guarded | null
  progress: Remembered | null
  firstSeen: number
  probedAt: number
}

/** What a look may do beside looking: fence, end orphans, note the beginning of a stall. */
export interface Looking {
  readonly now: number
  readonly acting: boolean
  readonly env: Variables
}

interface Doubt {
  readonly index: number
  readonly attempt: Attempt
  readonly memory: Memory
}

const exitStatus = (path: string): number | null => {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
  const text = readFileSync(path, "latin1")
  return /^\d{1,3}\n$/.test(text) ? Number(text) : null
}

const exited = (attempt: Attempt): ReviewerState | null => {
  const status = exitStatus(attempt.files.exit)
  if (status === null) return null
  const run = readJournal(attempt.files.run)
  const struck = (kind: "deadline" | "transcript") => run._tag === "Guarded" && run.ended.includes(kind) && status !== 0
  return { _tag: "Exited", status, deadline: struck("deadline"), oversize: struck("transcript") }
}

const starting: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }

// Before its journal says who guards it, files of its name may still be an earlier attempt's.
const alive = ({ attempt: { files }, memory }: Doubt, { acting, now }: Looking): ReviewerState => {
  if (memory.guarded === null) return starting
  const { progress, remembered } = progressOf(files, now, memory.progress, acting)
  memory.progress = remembered
  return { _tag: "Alive", ...progress }
}

/** The sighting of an attempt whose files decide it, or null when its lock must be asked. */
const certain = (doubt: Doubt, looking: Looking): ReviewerState | null => {
  const { attempt, memory } = doubt
  if (memory.guarded === null) {
    const run = readJournal(attempt.files.run)
    if (run._tag === "Fenced") return { _tag: "Unstarted" }
    if (run._tag !== "Guarded") return looking.now - memory.firstSeen < probeEvery ? starting : null
    memory.guarded = run
    memory.probedAt = 0
  }
  const { guard } = memory.guarded
  // Without start ticks a pid proves nothing, so the lock is asked.
  const living = guard.ticks !== null && lives(guard)
  return exited(attempt) ?? (living ? alive(doubt, looking) : null)
}

/** The lock is free: whatever the attempt was, it can report no more; what it left behind is ended first. */
const settled = (doubt: Doubt, looking: Looking): ReviewerState => {
  const { acting, now } = looking
  const { attempt, memory } = doubt
  const run = readJournal(attempt.files.run)
  switch (run._tag) {
    case "Fenced":
    case "Begun":
      return { _tag: "Unstarted" }
    case "Absent":
      return acting && now - memory.firstSeen >= fenceAfter && fence(attempt.files.run, attempt.id)
        ? { _tag: "Unstarted" }
        : starting
    case "Guarded": {
      memory.guarded = run
      if (run.guard.ticks !== null && lives(run.guard)) return alive(doubt, looking)
      const ended = exited(attempt)
      if (ended !== null || !acting) return ended ?? { _tag: "Lost" }
      const { guards, others } = livingOf([run])
      // A helper of the killed wrapper may have put the exit file in place just now, as its last deed.
      if (guards.length === 0 && others.length === 0) return exited(attempt) ?? { _tag: "Lost" }
      if (run.group !== null) signalGroup(run.group, "SIGKILL")
      for (const one of [...guards, ...others]) signalProcess(one, "SIGKILL")
      memory.probedAt = 0
      return alive(doubt, looking)
    }
  }
}

/** Looks at attempts once, in order. Throws what the system throws, and NoLockProgram. */
export const sightings = (
  attempts: ReadonlyArray<Attempt>,
  memories: Map<string, Memory>,
  looking: Looking
): ReadonlyArray<ReviewerState> => {
  const doubts = attempts.map((attempt, index): Doubt => {
    const memory = memories.get(attempt.files.run) ??
      { guarded: null, progress: null, firstSeen: looking.now, probedAt: 0 }
    // A clock that has gone back must not put off the moment at which the attempt is fenced.
    memory.firstSeen = Math.min(memory.firstSeen, looking.now)
    memories.set(attempt.files.run, memory)
    return { index, attempt, memory }
  })
  const found = doubts.map((doubt) => certain(doubt, looking))
  const open = doubts.filter(({ index }) => found[index] === null)
  const asked = open.filter(({ memory }) => Math.abs(looking.now - memory.probedAt) >= probeEvery)
  const held = locksHeld(asked.map(({ attempt }) => attempt.files.lock), looking.env)
  const answers = new Map(asked.map((doubt, at): readonly [number, ReviewerState] => {
    doubt.memory.probedAt = looking.now
    return [doubt.index, held[at] === true ? alive(doubt, looking) : settled(doubt, looking)]
  }))
  return doubts.map((doubt) => {
    const sighting = found[doubt.index] ?? answers.get(doubt.index) ?? alive(doubt, looking)
    if (sighting._tag !== "Alive") memories.delete(doubt.attempt.files.run)
    return sighting
  })
}
