// explore: kills a writer at each of its file calls, and looks at every disk that this and a power loss may leave.
// After each, every acknowledged line is there, at most one more, and the next append works.
import { Effect } from "effect"
import { sha256 } from "../../src/platform/Sha256.ts"
import type { LogContents } from "../../src/log/EventLog.ts"
import type { Disk } from "../unit/log/disk.ts"
import { fileOf, onlyRun } from "../unit/log/onlyRun.ts"
import { repairs, type Sample, textsOf } from "../unit/log/samples.ts"
import { outcome, unlocked } from "../unit/log/temporaryLog.ts"
import type { Mutation } from "./mutants.ts"
import type { TaggedEvent } from "../../src/log/StreamKind.ts"

const run = onlyRun("/state")

/** The lines that a writer has had acknowledged, and the one that it waits for. */
interface Progress {
  readonly acknowledged: ReadonlyArray<string>
  readonly next: string
}

class Killed extends Error {}
class Violation extends Error {}

/** The writer of one kind of log, with or without one of its safeguards. */
const writer = <E extends TaggedEvent, S>(sample: Sample<E, S>, mutate: Mutation) => {
  const { begun, kind, note } = sample
  const notes = (contents: LogContents<E> | null): ReadonlyArray<string> =>
    contents === null ? [] : textsOf(sample, contents)

  /** The lines of a log, or null where there is no run yet. */
  const read = (disk: Disk): Promise<LogContents<E> | null> =>
    Effect.runPromise(
      unlocked(mutate(disk.files)).read(kind, run).pipe(
        Effect.catch((error) =>
          error._tag === "LogMissing"
            ? Effect.succeed(null)
            : Effect.die(new Violation(`cannot be read: ${error.message}`))
        )
      )
    )

  /** Appends a line, or creates the run where it has none. */
  const add = async (disk: Disk, text: string): Promise<void> => {
    const before = await read(disk)
    const log = unlocked(mutate(disk.files))
    const adding = before === null || before.head.seq === 0
      ? log.create(kind, run, [begun, note(text)])
      : log.append(kind, run, before.head, [note(text)])
    const said = await outcome(adding)
    if (JSON.stringify(said).includes("_tag")) throw new Violation(`cannot be appended to: ${JSON.stringify(said)}`)
  }

  const check = async (disk: Disk, { acknowledged, next }: Progress): Promise<void> => {
    const contents = await read(disk)
    const found = notes(contents)
    const allowed = [acknowledged, [...acknowledged, next]].map((lines) => lines.join())
    if (!allowed.includes(found.join())) {
      throw new Violation(`acknowledged ${acknowledged.join()}; found ${found.join()}`)
    }
    for (const { kept } of contents === null ? [] : repairs(contents)) {
      const evidence = disk.see(fileOf("/state", kept))
      if (evidence === null || !kept.endsWith(sha256(evidence).slice(0, 8))) throw new Violation(`${kept} is gone`)
    }
    await add(disk, "after")
    const after = await read(disk)
    if (after === null || after.torn > 0 || notes(after).join() !== [...found, "after"].join()) {
      throw new Violation(`after ${found.join()} a new line gave ${after === null ? "nothing" : notes(after).join()}`)
    }
  }

  /** Writes the lines one after the other and keeps count of what was acknowledged; stops when it is killed. */
  const write = async (disk: Disk, lines: ReadonlyArray<string>, done: ReadonlyArray<string>) => {
    const acknowledged = [...done]
    const log = unlocked(mutate(disk.files))
    const all = Effect.gen(function*() {
      for (const line of lines) {
        const before = done.length === 0 && acknowledged.length === 0 ? null : yield* log.read(kind, run)
        yield* before === null
          ? log.create(kind, run, [begun, note(line)])
          : log.append(kind, run, before.head, [note(line)])
        acknowledged.push(line)
      }
    })
    const exit = await Effect.runPromiseExit(all)
    return { acknowledged, finished: exit._tag === "Success" }
  }

  return { add, check, notes, read, write }
}

/** What a run of the exploration covered, or the first state in which the log broke its promise. */
export interface Explored {
  readonly kills: number
  readonly states: number
  readonly violation: string | null
}

/**
 * Writes `lines` on a disk made by `prepare`, which holds `done` already, killed at every file call in turn. After each
 * kill: every disk a power loss leaves then; and another writer on the surviving disk, and a power loss after that.
 */
export const explore = async <E extends TaggedEvent, S>(
  sample: Sample<E, S>,
  prepare: () => Promise<Disk>,
  done: ReadonlyArray<string>,
  lines: ReadonlyArray<string>,
  mutate: Mutation
): Promise<Explored> => {
  const { add, check, notes, read, write } = writer(sample, mutate)
  let states = 0
  for (let kills = 0;; kills++) {
    const disk = await prepare()
    let calls = 0
    disk.onCall = () => {
      if (calls++ >= kills) throw new Killed()
    }
    const { acknowledged, finished } = await write(disk, lines, done)
    disk.onCall = () => {}
    const next = lines[acknowledged.length - done.length] ?? ""
    try {
      for (const state of disk.afterPowerLoss()) {
        states++
        await check(state, { acknowledged, next })
      }
      const survived = await read(disk)
      await add(disk, "second")
      const second = { acknowledged: [...notes(survived), "second"], next: "" }
      for (const state of disk.afterPowerLoss()) {
        states++
        await check(state, second)
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      return { kills, states, violation: `killed at call ${kills}: ${error.message}` }
    }
    if (finished) return { kills, states, violation: null }
  }
}
