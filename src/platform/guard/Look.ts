// Look: what one look at a job shows, from its journal, its wrapper's liveness, its lock and its exit file.
import { statSync } from "node:fs"
import type { Variables } from "../Environment.ts"
import { sliceOf, withFile } from "../Files.ts"
import { hasProc } from "../Processes.ts"
import { exitedWith, type Job, type JobFiles, type Sighting } from "./Job.ts"
import {
  complete,
  exitStatus,
  fence,
  noteLost,
  noteStall,
  readJournal,
  type Stall,
  type StartedJournal,
  statusWithoutFile
} from "./Journal.ts"
import { lives, livingOf, locksHeld, signalGroup, signalProcess } from "./Liveness.ts"

/**
 * The trailing lines of a text without progress: where they begin, how many of them say that the command waits for the
 * network, and whether the text begins with them, so that more may lie before it.
 */
export interface StalledTail {
  readonly from: number
  readonly waits: number
  readonly cut: boolean
}

/** How the progress of a command is read: from which of its files, and which of their lines are no progress. */
export interface Transcript {
  readonly file: "log" | "out"
  /** True if nothing in the other file is progress; otherwise every write there is. */
  readonly alone?: boolean
  /** The stalled end of a text, or null if its last line is progress. One character must be one byte. */
  readonly stalledTail: (text: string) => StalledTail | null
}

/** The memory of a look for the next one. Times are epoch milliseconds. */
interface ProgressMemory {
  readonly size: number
  readonly changed: number
  readonly progressed: number
  readonly stalled: boolean
  readonly waitingSince: number | null
}

/** Times in milliseconds; `bytes` that the command has written so far. */
interface Progress {
  readonly silentFor: number
  readonly waitingForNetwork: number
  readonly bytes: number
}

/**
 * The input of a look at progress: the time, the time before which no silence counts, the previous look, and whether it
 * may write into the job's journal.
 */
interface ProgressLook {
  readonly now: number
  readonly leapt: number
  readonly last: ProgressMemory | null
  readonly note: boolean
}

const windowBytes = 16_384
// A command may quote one such line. A command that waits repeats it within seconds.
const waitsToBelieve = 2

/** Since when a stall has lasted, from the note of an earlier look or else from now. */
const since = (journal: string, stall: Stall, cut: boolean, note: boolean): number => {
  const read = readJournal(journal)
  const noted = read._tag === "Started" ? read.stalls : []
  const same = noted.findLast(({ from, kind }) =>
    kind === stall.kind && (from === stall.from || (cut && from < stall.from))
  )
  if (same === undefined && note) noteStall(journal, stall)
  return same?.since ?? stall.since
}

/** A changed transcript: when it last made progress, and since when it waits for the network. */
const remember = (
  { journal, ...files }: JobFiles,
  { file, stalledTail }: Transcript,
  { changed, size }: { readonly size: number; readonly changed: number },
  { last, note }: ProgressLook
): ProgressMemory => {
  const start = Math.max(0, size - windowBytes)
  const tail = stalledTail(withFile(files[file], (fd) => sliceOf(fd, start, size - start).toString("latin1")))
  if (tail === null) return { size, changed, progressed: changed, stalled: false, waitingSince: null }
  const from = start + tail.from
  const cut = tail.cut && start > 0
  // A silence that is first seen now counts from its latest line: that may be too late but never too early.
  const began = last !== null && !last.stalled && last.size === from ? last.changed : changed
  const progressed = since(journal, { from, kind: "silent", since: began }, cut, note)
  const waitingSince = tail.waits === 0
    ? null
    : since(journal, { from, kind: "network", since: changed }, cut, note)
  return { size, changed, progressed, stalled: true, waitingSince: tail.waits < waitsToBelieve ? null : waitingSince }
}

/** The progress of a living command, and the memory for the next look. Throws the system's error. */
export const progressOf = (
  files: JobFiles,
  transcript: Transcript,
  look: ProgressLook
): { readonly progress: Progress; readonly remembered: ProgressMemory | null } => {
  const { last, leapt, now } = look
  const lasting = (...since: ReadonlyArray<number>) => Math.max(0, Math.floor(now - Math.max(leapt, ...since)))
  const stat = statSync(files[transcript.file], { throwIfNoEntry: false })
  const other = statSync(files[transcript.file === "log" ? "out" : "log"], { throwIfNoEntry: false })
  if (stat === undefined) {
    const began = statSync(files.journal, { throwIfNoEntry: false })?.mtimeMs ?? now
    return {
      progress: { silentFor: lasting(began), waitingForNetwork: 0, bytes: other?.size ?? 0 },
      remembered: null
    }
  }
  const unchanged = last !== null && last.size === stat.size && last.changed === stat.mtimeMs
  const remembered = unchanged
    ? last
    : remember(files, transcript, { size: stat.size, changed: stat.mtimeMs }, look)
  const { progressed, waitingSince } = remembered
  const progress = {
    silentFor: lasting(progressed, transcript.alone === true ? 0 : other?.mtimeMs ?? 0),
    waitingForNetwork: waitingSince === null ? 0 : lasting(waitingSince),
    bytes: stat.size + (other?.size ?? 0)
  }
  return { progress, remembered }
}

// Liveness before the exit file, and Lost or Unstarted only when the job can never report again

/** How long a job may have neither journal nor lock before it is fenced, in milliseconds. */
const fenceAfter = 3000
// A job that is gone at a look ended just now if it was alive at the look before. Milliseconds between two such looks.
const closely = 5000
// A helper process is started at most this often for a fresh job or one whose wrapper has died. Milliseconds.
const probeEvery = 500

/** One process's memory of a job between its looks. Losing it costs time, but changes no result. */
export interface Memory {
  started: StartedJournal | null
  progress: ProgressMemory | null
  firstSeen: number
  probedAt: number
  /** When its wrapper was last seen alive. */
  aliveAt: number
}

/** The input of a look; with `acting` it also fences, ends orphans and notes stalls. `env` is for helper programs. */
interface LookOptions {
  readonly transcript: Transcript
  readonly now: number
  readonly leapt: number
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

/** The end of a job that is certainly over, although its wrapper moved no exit file into place. */
const over = (
  { job: { files }, memory }: Doubt,
  journal: StartedJournal,
  { acting, env, now }: LookOptions
): Sighting => {
  const status = statusWithoutFile(files, journal, env)
  if (status === null) {
    if (acting && Math.abs(now - memory.aliveAt) <= closely) noteLost(files.journal)
    return { _tag: "Lost" }
  }
  if (acting) complete(files, status)
  return exitedWith(status, journal.struck)
}

const starting: Sighting = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 }

// Until its journal names its wrapper, files of its name may still be an earlier job's.
const alive = ({ job: { files }, memory }: Doubt, { acting, leapt, now, transcript }: LookOptions): Sighting => {
  if (memory.started === null) return starting
  const { progress, remembered } = progressOf(files, transcript, { now, leapt, last: memory.progress, note: acting })
  memory.progress = remembered
  return { _tag: "Alive", ...progress }
}

/** The sighting of a job whose wrapper lives, as its process or its lock shows. */
const guarded = (doubt: Doubt, looking: LookOptions): Sighting => {
  doubt.memory.aliveAt = looking.now
  return alive(doubt, looking)
}

/** The sighting of a job if its files decide it, or null if its lock must be checked. */
const certain = (doubt: Doubt, looking: LookOptions): Sighting | null => {
  const { job, memory } = doubt
  if (memory.started === null) {
    const journal = readJournal(job.files.journal)
    if (journal._tag === "Fenced") return { _tag: "Unstarted" }
    if (journal._tag !== "Started") return looking.now - memory.firstSeen < probeEvery ? starting : null
    memory.started = journal
    memory.probedAt = 0
  }
  const { wrapper } = memory.started
  // Without /proc a program must be run anyway, so it checks the locks of all jobs at once.
  const living = hasProc() && lives(wrapper, looking.env) === true
  return exited(job, looking.acting) ?? (living ? guarded(doubt, looking) : null)
}

/** The sighting of a job whose lock is free; what it left running is ended first. */
const settled = (doubt: Doubt, looking: LookOptions): Sighting => {
  const { acting, env, now } = looking
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
      if (lives(journal.wrapper, env) === true) return guarded(doubt, looking)
      const ended = exited(job, acting)
      if (ended !== null || !acting) return ended ?? over(doubt, journal, looking)
      const { others, wrappers } = livingOf([journal], env)
      // A helper of the killed wrapper may have moved the exit file into place just now.
      if (wrappers.length === 0 && others.length === 0) return exited(job, acting) ?? over(doubt, journal, looking)
      if (journal.group !== null) signalGroup(journal.group, "SIGKILL", env)
      for (const one of [...wrappers, ...others]) signalProcess(one, "SIGKILL", env)
      memory.probedAt = 0
      return alive(doubt, looking)
    }
  }
}

/** Looks at jobs once, in order. Throws the system's error, and NoLockProgram. */
export const sightings = (
  jobs: ReadonlyArray<Job>,
  memories: Map<string, Memory>,
  looking: LookOptions
): ReadonlyArray<Sighting> => {
  const doubts = jobs.map((job, index): Doubt => {
    const memory = memories.get(job.files.journal) ??
      { started: null, progress: null, firstSeen: looking.now, probedAt: 0, aliveAt: -Infinity }
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
    return [doubt.index, held[at] === true ? guarded(doubt, looking) : settled(doubt, looking)]
  }))
  return doubts.map((doubt) => {
    const sighting = found[doubt.index] ?? answers.get(doubt.index) ?? alive(doubt, looking)
    if (sighting._tag !== "Alive") memories.delete(doubt.job.files.journal)
    return sighting
  })
}
