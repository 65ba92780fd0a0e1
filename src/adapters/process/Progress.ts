// Progress: how long a living command has been silent, told from the times of its files, in whichever process asks.
// The end of a transcript is read only when its size or time has changed, and only a bounded part of it.
import { statSync } from "node:fs"
import type { JobFiles } from "./Job.ts"
import { noteStall, readJournal, type Stall } from "./Journal.ts"
import { sliceOf, withFile } from "./Slices.ts"

/**
 * The trailing lines of a text that are no progress: where they begin in the text, how many of them say that the
 * command waits for the network, and whether nothing of the line before them is in the text, so that they may begin
 * earlier.
 */
export interface StalledTail {
  readonly from: number
  readonly waits: number
  readonly cut: boolean
}

/** How the progress of a command is read: from which of its files, and which of their lines are no progress. */
export interface Transcript {
  readonly file: "log" | "out"
  /** True where nothing in the other file is progress; otherwise whatever is written there is. */
  readonly alone?: boolean
  /** The stalled end of a text, or null when its last line is progress. One character must be one byte. */
  readonly stalledTail: (text: string) => StalledTail | null
}

/** What a look leaves for the next one. Times are epoch milliseconds. */
export interface Remembered {
  readonly size: number
  readonly changed: number
  readonly progressed: number
  readonly stalled: boolean
  readonly waitingSince: number | null
}

/** Times in milliseconds; `bytes` of what the command has written so far. */
export interface Progress {
  readonly silentFor: number
  readonly waitingForNetwork: number
  readonly bytes: number
}

/** What a look at progress knows: the time, the look before, and whether it may write into the job's journal. */
export interface ProgressLook {
  readonly now: number
  readonly last: Remembered | null
  readonly note: boolean
}

const windowBytes = 16_384
// A command may quote one such line. A command that waits repeats it within seconds.
const waitsToBelieve = 2

/** Since when a stall has lasted, by the note of an earlier look or else by this one. */
const since = (journal: string, stall: Stall, cut: boolean, note: boolean): number => {
  const read = readJournal(journal)
  const noted = read._tag === "Started" ? read.stalls : []
  const same = noted.findLast(({ from, kind }) =>
    kind === stall.kind && (from === stall.from || (cut && from < stall.from))
  )
  if (same === undefined && note) noteStall(journal, stall)
  return same?.since ?? stall.since
}

/** A transcript that has changed: when it last made progress, and since when it waits for the network. */
const remember = (
  { journal, ...files }: JobFiles,
  { file, stalledTail }: Transcript,
  { changed, size }: { readonly size: number; readonly changed: number },
  { last, note }: ProgressLook
): Remembered => {
  const start = Math.max(0, size - windowBytes)
  const tail = stalledTail(withFile(files[file], (fd) => sliceOf(fd, start, size - start).toString("latin1")))
  if (tail === null) return { size, changed, progressed: changed, stalled: false, waitingSince: null }
  const from = start + tail.from
  const cut = tail.cut && start > 0
  // A silence that is seen only now counts from its latest line, which may be too late but never too early.
  const began = last !== null && !last.stalled && last.size === from ? last.changed : changed
  const progressed = since(journal, { from, kind: "silent", since: began }, cut, note)
  const waitingSince = tail.waits === 0
    ? null
    : since(journal, { from, kind: "network", since: changed }, cut, note)
  return { size, changed, progressed, stalled: true, waitingSince: tail.waits < waitsToBelieve ? null : waitingSince }
}

/** The progress of a living command, and what to remember for the next look. Throws what the system throws. */
export const progressOf = (
  files: JobFiles,
  transcript: Transcript,
  look: ProgressLook
): { readonly progress: Progress; readonly remembered: Remembered | null } => {
  const { last, now } = look
  const told = statSync(files[transcript.file], { throwIfNoEntry: false })
  const other = statSync(files[transcript.file === "log" ? "out" : "log"], { throwIfNoEntry: false })
  if (told === undefined) {
    const began = statSync(files.journal, { throwIfNoEntry: false })?.mtimeMs ?? now
    return {
      progress: { silentFor: Math.max(0, now - began), waitingForNetwork: 0, bytes: other?.size ?? 0 },
      remembered: null
    }
  }
  const unchanged = last !== null && last.size === told.size && last.changed === told.mtimeMs
  const remembered = unchanged
    ? last
    : remember(files, transcript, { size: told.size, changed: told.mtimeMs }, look)
  const { progressed, waitingSince } = remembered
  const progress = {
    silentFor: Math.max(0, Math.floor(now - Math.max(progressed, transcript.alone === true ? 0 : other?.mtimeMs ?? 0))),
    waitingForNetwork: waitingSince === null ? 0 : Math.max(0, Math.floor(now - waitingSince)),
    bytes: told.size + (other?.size ?? 0)
  }
  return { progress, remembered }
}
