// gate: a step run under the shim: first to list its calls, then again and again to end badly at each of them.
// What a trial leaves out is only what changes nothing on disk, and how much was tried is printed.
import { endingAt, type Ending, type FileCall, listedCalls, listingCalls } from "../program.ts"
import type { Bench, Ended, Place, Way } from "./bench.ts"

/** A step as it goes when nothing happens to it. */
export interface Undisturbed {
  readonly place: Place
  readonly calls: ReadonlyArray<FileCall>
  readonly ended: Ended
}

/** A step: its arguments after the target, and the scenario of its reviewers. */
export interface Step {
  readonly args: ReadonlyArray<string>
  readonly scenario?: string
  /** Whether starting a program counts as a call. */
  readonly spawns?: boolean
}

const environment = ({ scenario = "clean", spawns = false }: Step): NodeJS.ProcessEnv => ({
  FAKE_CODEX: scenario,
  ...(spawns ? { CRASH_SPAWNS: "1" } : {})
})

/** Runs a step as it is. */
export const freely = (bench: Bench, on: Place, step: Step, way: Way = {}): Promise<Ended> =>
  bench.step(on, step.args, { ...way, env: { FAKE_CODEX: step.scenario ?? "clean", ...way.env } })

/** Runs a step on a copy of `from` and lists its calls. */
export const undisturbed = async (bench: Bench, from: Place | null, step: Step): Promise<Undisturbed> => {
  const place = bench.place(from)
  const log = `${place.state}.list`
  const env = { ...environment(step), ...listingCalls(place.state, log) }
  const ended = await bench.step(place, step.args, { env })
  return { place, calls: listedCalls(log), ended }
}

/** Runs a step on a place; its `at`-th call (from 1) ends as said. */
export const endingBadly = (bench: Bench, on: Place, step: Step, at: number, how: Ending): Promise<Ended> =>
  bench.step(on, step.args, { env: { ...environment(step), ...endingAt(on.state, at, how) } })

/** The calls to try, from 1: every one that may change the disk or make it last, and of the others every `every`-th. */
export const chosen = (calls: ReadonlyArray<FileCall>, every: number): ReadonlyArray<number> =>
  calls.flatMap((call, i) => call.changes || i % every === 0 ? [i + 1] : [])

/**
 * The calls to be killed before. A death before a call that changes nothing leaves the disk as a death before the next
 * one that does; so does one before an fsync, since the kernel keeps what was written.
 */
export const deadly = (calls: ReadonlyArray<FileCall>, every: number): ReadonlyArray<number> =>
  chosen(calls.map((call) => ({ ...call, changes: call.changes && !/^f(data)?sync/.test(call.name) })), every)

/** The calls that write, from 1: those that can be cut in half. */
export const writes = (calls: ReadonlyArray<FileCall>): ReadonlyArray<number> =>
  calls.flatMap(({ name }, i) => name.startsWith("write") ? [i + 1] : [])

/** What the messages of a trial begin with. */
export const label = (calls: ReadonlyArray<FileCall>, at: number, how: string, ended: Ended): string => {
  const call = calls[at - 1]
  const name = call === undefined ? "" : `${call.name} ${call.path.split("/").slice(-2).join("/")}`
  return `${how} at call ${at} (${name}): exit ${ended.exit} ${ended.signal ?? ""}\n${ended.stdout}${ended.stderr}`
}
