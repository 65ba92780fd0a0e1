// Progress: how long a living reviewer has been silent, from the times its files keep, whoever looks at them.
// The one rule: a transcript's end is read only when its size or time has changed, and only a bounded part of it.
import { statSync } from "node:fs"
import type { SlotFiles } from "../../core/run/Paths.ts"
import { noteStall, readJournal, type Stall } from "../process/Journal.ts"
import { sliceOf, withFile } from "../process/Slices.ts"
import { stalledTail } from "./Stalling.ts"

/** What a look leaves for the next one. Times are epoch milliseconds. */
export interface Remembered {
  readonly size: number
  readonly changed: number
  readonly progressed: number
  readonly stalled: boolean
  readonly waitingSince: number | null
}

/** Times in milliseconds, `bytes` of the transcript so far. */
export interface Progress {
  readonly silentFor: number
  readonly waitingForNetwork: number
  readonly bytes: number
}

const windowBytes = 16_384
// One such line may stand in anything a reviewer reads; codex itself repeats it within seconds.
const waitsToBelieve = 2

const since = (files: SlotFiles, recorded: ReadonlyArray<Stall>, stall: Stall, cut: boolean, note: boolean): number => {
  const same = recorded.findLast(({ from, kind }) =>
    kind === stall.kind && (from === stall.from || (cut && from < stall.from)))
  if (same === undefined && note) noteStall(files.run, stall)
  return same?.since ?? stall.since
}

/** A transcript that has changed: when it last made progress, and since when it waits for the network. */
const remember = (
  files: SlotFiles,
  size: number,
  changed: number,
  last: Remembered | null,
  note: boolean
): Remembered => {
  const start = Math.max(0, size - windowBytes)
  const tail = stalledTail(withFile(files.log, (fd) => sliceOf(fd, start, size - start).toString("latin1")))
  if (tail === null) return { size, changed, progressed: changed, stalled: false, waitingSince: null }
  const from = start + tail.from
  const cut = tail.cut && start > 0
  const run = readJournal(files.run)
  const recorded = run._tag === "Guarded" ? run.stalls : []
  // Seen for the first time only now, the silence counts from its latest line: too late rather than too early.
  const began = last !== null && !last.stalled && last.size === from ? last.changed : changed
  const progressed = since(files, recorded, { from, kind: "silent", since: began }, cut, note)
  const waitingSince = tail.waits === 0
    ? null
    : since(files, recorded, { from, kind: "network", since: changed }, cut, note)
  return {
    size,
    changed,
    progressed,
    stalled: true,
    waitingSince: tail.waits < waitsToBelieve ? null : waitingSince
  }
}

/**
 * The progress of a living reviewer at `now`, and what to remember for the next look. `note` allows to write the
 * beginning of a stall into the attempt's journal. Throws what the system throws.
 */
export const progressOf = (
  files: SlotFiles,
  now: number,
  last: Remembered | null,
  note: boolean
): { readonly progress: Progress; readonly remembered: Remembered | null } => {
  const log = statSync(files.log, { throwIfNoEntry: false })
  const out = statSync(files.out, { throwIfNoEntry: false })
  if (log === undefined) {
    const began = statSync(files.run, { throwIfNoEntry: false })?.mtimeMs ?? now
    return {
      progress: { silentFor: Math.max(0, now - began), waitingForNetwork: 0, bytes: out?.size ?? 0 },
      remembered: null
    }
  }
  const unchanged = last !== null && last.size === log.size && last.changed === log.mtimeMs
  const remembered = unchanged ? last : remember(files, log.size, log.mtimeMs, last, note)
  const { progressed, waitingSince } = remembered
  const progress = {
    silentFor: Math.max(0, Math.floor(now - Math.max(progressed, out?.mtimeMs ?? 0))),
    waitingForNetwork: waitingSince === null ? 0 : Math.max(0, Math.floor(now - waitingSince)),
    bytes: log.size + (out?.size ?? 0)
  }
  return { progress, remembered }
}
