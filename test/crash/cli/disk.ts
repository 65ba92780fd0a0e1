// disk: what a state root holds, read as bytes: runs, the lines of their logs, what follows the last newline.
// Reads without the program's own reader of files; every line is verified, and a bad one fails the test.
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Result } from "effect"
import type { Event } from "../../../src/run/Event.ts"
import { beginning } from "../../../src/log/StreamKind.ts"
import { type Line, lineCodec } from "../../../src/log/Line.ts"
import { fold, type Manifest } from "../../../src/run/Manifest.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"

/** A run on disk. `raw` are its committed lines as text, `torn` the bytes behind the last of them. */
export interface RunOnDisk {
  readonly id: string
  readonly dir: string
  readonly raw: ReadonlyArray<string>
  readonly lines: ReadonlyArray<Line<Event>>
  readonly torn: Buffer
}

const sha256 = (data: Uint8Array | string): string => crypto.createHash("sha256").update(data).digest("hex")

const { decodeLine, verifyLine } = lineCodec(reviewRun)

const verified = (raw: ReadonlyArray<string>, where: string): ReadonlyArray<Line<Event>> => {
  let after = beginning
  return raw.map((text) => {
    const line = Result.flatMap(verifyLine(Buffer.from(text), after, sha256), decodeLine)
    if (Result.isFailure(line)) throw new Error(`${where}: line ${after.seq + 1}: ${JSON.stringify(line.failure)}`)
    after = { seq: line.success.seq, hash: line.success.hash }
    return line.success
  })
}

const firstBelow = (dir: string): string | null => {
  const name = fs.readdirSync(dir).find((one) => !one.startsWith("."))
  return name === undefined ? null : path.join(dir, name)
}

/** The target's root: the one below the state root; null before there is one. */
export const targetRoot = (state: string): string | null => {
  let dir: string | null = fs.existsSync(state) ? firstBelow(state) : null
  // A base branch's key has more parts than one; what lies in a target's root is named here.
  do dir = dir === null ? null : firstBelow(dir)
  while (
    dir !== null && !["latest", "lock", "runs"].some((name) => fs.existsSync(path.join(dir ?? "", name)))
  )
  return dir
}

/** How many bytes of a log are committed: up to its last newline, but for a last line with a hole in it. */
const committed = (bytes: Buffer): number => {
  const end = bytes.lastIndexOf(10) + 1
  const begin = end < 2 ? 0 : bytes.lastIndexOf(10, end - 2) + 1
  return bytes.subarray(begin, end).includes(0) ? begin : end
}

/** Reads one run. */
export const readRun = (dir: string): RunOnDisk => {
  const log = path.join(dir, "manifest.jsonl")
  const bytes = fs.existsSync(log) ? fs.readFileSync(log) : Buffer.alloc(0)
  const end = committed(bytes)
  const raw = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1)
  return { id: path.basename(dir), dir, raw, lines: verified(raw, log), torn: bytes.subarray(end) }
}

/** The runs of a state root, oldest name first. */
export const runsIn = (state: string): ReadonlyArray<RunOnDisk> => {
  const root = targetRoot(state)
  const runs = root === null ? null : path.join(root, "runs")
  if (runs === null || !fs.existsSync(runs)) return []
  return fs.readdirSync(runs).sort().map((id) => readRun(path.join(runs, id)))
}

/** The directory of the run that `latest` names, or null where there is no `latest`. One that is not whole fails. */
export const latestDir = (state: string): string | null => {
  const root = targetRoot(state)
  if (root === null || !fs.existsSync(path.join(root, "latest"))) return null
  const name = fs.readFileSync(path.join(root, "latest"), "utf8")
  if (!fs.existsSync(path.join(root, "runs", name)) || name === "") {
    throw new Error(`latest names no run: ${JSON.stringify(name)}`)
  }
  return path.join(root, "runs", name)
}

/** The run that `latest` names, or null where there is no `latest`. */
export const latestRun = (state: string): RunOnDisk | null => {
  const dir = latestDir(state)
  if (dir === null) return null
  const run = readRun(dir)
  if (run.lines.length === 0) throw new Error(`latest names a run without a line: ${run.id}`)
  return run
}

/** The events of a run in order, all or of one kind. */
export const eventsOf = <Tag extends Event["_tag"]>(run: RunOnDisk, tag: Tag) =>
  run.lines.flatMap(({ events }) => events).filter((event): event is Extract<Event, { readonly _tag: Tag }> =>
    event._tag === tag
  )

/** The state of a run: the fold of its committed lines. */
export const stateOf = (run: RunOnDisk): Manifest => {
  const manifest = fold(run.lines)
  if (manifest === null) throw new Error(`${run.id} does not begin with its creation`)
  return manifest
}

/** The calls that the fake reviewers of a place have recorded, by the attempt that each was made for. */
export const attemptsIn = (calls: string): ReadonlyArray<string> => {
  const dir = path.join(calls, "calls")
  if (!fs.existsSync(dir)) return []
  return fs.readdirSync(dir).flatMap((n) => {
    const file = path.join(dir, n, "env")
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : ""
    // One that was ended in its first moment has not said yet whose it was.
    if (text === "") return []
    return [/^OODA_ATTEMPT=(.*)$/m.exec(text)?.[1] ?? `call ${n} without an attempt`]
  })
}

/** Every file below a directory with its bytes as text, to be compared as a whole. */
export const snapshot = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs.readdirSync(dir, { recursive: true, withFileTypes: true }).map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return [path.relative(dir, file), entry.isFile() ? fs.readFileSync(file, "latin1") : "directory"] as const
    }).sort(([a], [b]) => a < b ? -1 : 1)
  )
