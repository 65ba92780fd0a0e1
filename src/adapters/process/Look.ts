// Look: what one look at a job shows, from its journal, its wrapper's liveness, its lock and its exit file.
// The one rule: liveness before the exit file, and Lost or Unstarted only when the job can never report again.
import type { Variables } from "../../services/Environment.ts"
import { complete, statusWithoutFile } from "./Ending.ts"
import { exitStatus } from "./ExitFile.ts"
import { exitedWith, type Job, type Sighting } from "./Job.ts"
import { fence, readJournal, type Started } from "./Journal.ts"
import { lives, locksHeld } from "./Liveness.ts"
import { livingOf, signalGroup, signalProcess } from "./LivingProcesses.ts"
import { progressOf, type Remembered, type Transcript } from "./Progress.ts"

/** How long a job may stay without a journal and without a lock until it is fenced, in milliseconds. */
const fenceAfter = 3000
// A helper process is started at most this often for a fresh job or one whose wrapper is gone. Milliseconds.
const probeEvery = 500

/** What one process remembers of a job between its looks. Losing it costs time, but changes no result. */
export interface Memory {
  started: Started | null
  progress: Remembered | null
  firstSeen: number
  probedAt: number
}

/**
 * What a look knows and may do: with `acting` it fences, ends orphans and notes the beginning of a stall. `env` is the
 * environment of helper programs.
 */
export interface Looking {
  readonly transcript: Transcript
  readonly now: number
  readonly acting: boolean
  readonly env: Variables
}

interface Doubt {
  readonly index: number
  readonly job: Job
  readonly memory: Memory
}

/** The end of a job with an exit file. Acting completes a log for which its wrapper had no space. */
const exited = ({ files }: Job, acting: boolean): Sighting | null => {
  const status = exitStatus(files.exit)
  if (status === null) return null
  if (acting) complete(files, status)
  const read = readJournal(files.journal)
  return exitedWith(status, read._tag === "Started" ? read.struck : [])
}

/** The end of a job that is certainly over, although its wrapper put no exit file in place. */
const over = ({ files }: Job, journal: Started, acting: boolean): Sighting => {
  const status = statusWithoutFile(files, journal)
  if (status === null) return { _tag: "Lost" }
  if (acting) complete(files, status)
  return exitedWith(status, journal.struck)
}

const starting: Sighting = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }

// Before its journal says who guards it, files of its name may still be an earlier job's.
const alive = ({ job: { files }, memory }: Doubt, { acting, now, transcript }: Looking): Sighting => {
  if (memory.started === null) return starting
  const { progress, remembered } = progressOf(files, transcript, { now, last: memory.progress, note: acting })
  memory.progress = remembered
  return { _tag: "Alive", ...progress }
}

/** The sighting of a job if its files decide it, or null when its lock must be looked at. */
const certain = (doubt: Doubt, looking: Looking): Sighting | null => {
  const { job, memory } = doubt
  if (memory.started === null) {
    const journal = readJournal(job.files.journal)
    if (journal._tag === "Fenced") return { _tag: "Unstarted" }
    if (journal._tag !== "Started") return looking.now - memory.firstSeen < probeEvery ? starting : null
    memory.started = journal
    memory.probedAt = 0
  }
  const { wrapper } = memory.started
  // Without start ticks a pid proves nothing, so the lock is looked at.
  const living = wrapper.ticks !== null && lives(wrapper)
  return exited(job, looking.acting) ?? (living ? alive(doubt, looking) : null)
}

/**
 * The sighting of a job whose lock is free, so that it can report nothing more. What it left running is ended first.
 */
const settled = (doubt: Doubt, looking: Looking): Sighting => {
  const { acting, now } = looking
  const { job, memory } = doubt
  const journal = readJournal(job.files.journal)
  switch (journal._tag) {
    case "Fenced":
    case "Opened":
      return { _tag: "Unstarted" }
    case "Absent":
      return acting && now - memory.firstSeen >= fenceAfter && fence(job) ? { _tag: "Unstarted" } : starting
    case "Started": {
      memory.started = journal
      if (journal.wrapper.ticks !== null && lives(journal.wrapper)) return alive(doubt, looking)
      const ended = exited(job, acting)
      if (ended !== null || !acting) return ended ?? over(job, journal, acting)
      const { others, wrappers } = livingOf([journal])
      // A helper of the killed wrapper may have put the exit file in place just now.
      if (wrappers.length === 0 && others.length === 0) return exited(job, acting) ?? over(job, journal, acting)
      if (journal.group !== null) signalGroup(journal.group, "SIGKILL")
      for (const one of [...wrappers, ...others]) signalProcess(one, "SIGKILL")
      memory.probedAt = 0
      return alive(doubt, looking)
    }
  }
}

/** Looks at jobs once, in order. Throws what the system throws, and NoLockProgram. */
export const sightings = (
  jobs: ReadonlyArray<Job>,
  memories: Map<string, Memory>,
  looking: Looking
): ReadonlyArray<Sighting> => {
  const doubts = jobs.map((job, index): Doubt => {
    const memory = memories.get(job.files.journal) ??
      { started: null, progress: null, firstSeen: looking.now, probedAt: 0 }
    // A clock that was set back must not delay the fencing of the job.
    memory.firstSeen = Math.min(memory.firstSeen, looking.now)
    memories.set(job.files.journal, memory)
    return { index, job, memory }
  })
  const found = doubts.map((doubt) => certain(doubt, looking))
  const open = doubts.filter(({ index }) => found[index] === null)
  const asked = open.filter(({ memory }) => Math.abs(looking.now - memory.probedAt) >= probeEvery)
  const held = locksHeld(asked.map(({ job }) => job.files.lock), looking.env)
  const answers = new Map(asked.map((doubt, at): readonly [number, Sighting] => {
    doubt.memory.probedAt = looking.now
    return [doubt.index, held[at] === true ? alive(doubt, looking) : settled(doubt, looking)]
  }))
  return doubts.map((doubt) => {
    const sighting = found[doubt.index] ?? answers.get(doubt.index) ?? alive(doubt, looking)
    if (sighting._tag !== "Alive") memories.delete(doubt.job.files.journal)
    return sighting
  })
}
