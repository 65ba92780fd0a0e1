// diskLog: the log of a review run on a disk in memory, its lines as bytes, and what its calls throw.
import { assert } from "vitest"
import { append } from "../../../src/log/EventLog.live.ts"
import { type Anchor, type LogFile, logFile, start } from "../../../src/log/LogFile.live.ts"
import type { Files } from "../../../src/log/Files.live.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { Disk } from "./disk.ts"
import { onlyRun } from "./onlyRun.ts"
import { created, note } from "./samples.ts"

export const run = onlyRun("/state")
export const by = { version: "0.1.0", pid: 7 }
export const at = "2026-11-20T10:11:12.000Z"

/** The log of the run on a disk, with `change` applied to the file calls. */
export const onDisk = (disk: Disk, change: Partial<Files> = {}): LogFile<Event> =>
  logFile({ ...disk.files, ...change }, run, reviewRun)

/** Appends one line to a log whose end is known. */
export const appended = (log: LogFile<Event>, end: Anchor, ...events: ReadonlyArray<Event>): Anchor =>
  append(log, end.seq === 0 ? "create" : "append", end, { expected: end, at, by, events })

/** A disk with a log of `count` lines, the creation and then notes "2", "3", and so on, and the end of each line. */
export const written = (count: number) => {
  const disk = new Disk()
  const log = onDisk(disk)
  disk.files.makeDirectory(log.names.directory)
  const ends: Array<Anchor> = [start]
  for (let i = 1; i <= count; i++) {
    ends.push(appended(log, ends.at(-1) ?? start, i === 1 ? created() : note(String(i))))
  }
  const see = () => disk.see(log.names.log) ?? assert.fail("no log")
  /** Replaces the bytes of the log. */
  const put = (bytes: Uint8Array): void => {
    const fd = disk.files.open(log.names.log, "append")
    disk.files.truncate(fd, 0)
    disk.files.write(fd, bytes)
    disk.files.close(fd)
  }
  return { disk, log, ends, end: ends.at(-1) ?? start, see, put, text: () => new TextDecoder().decode(see()) }
}

/** The error that a call throws: its tag, and its fields except the path. */
export const thrown = (call: () => unknown): Readonly<Record<string, unknown>> => {
  try {
    call()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { exitCode: _exit, path: _path, ...fields } = { ...JSON.parse(JSON.stringify(error)) }
    return "_tag" in error ? fields : { code: "code" in error ? error.code : error.message }
  }
  return assert.fail("nothing was thrown")
}
