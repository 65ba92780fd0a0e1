// The state root as the contract lays it out: targets, runs, `latest`, batches, and the lines of manifest.jsonl.
// Read with JSON.parse and the file system alone, independently of the program's own reader.
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { World } from "./support.ts"

export interface LogEvent {
  readonly _tag: string
  readonly [field: string]: unknown
}

export interface Line {
  readonly v: number
  readonly seq: number
  readonly at: string
  readonly prev: string
  readonly events: ReadonlyArray<LogEvent>
  readonly hash: string
}

/** The directory of a target in the bench's own repository. */
export const targetDir = (world: World, key = "uncommitted", repoId = "repo-noremote"): string =>
  join(world.stateRoot, repoId, key)

/** The run ids of a target, oldest first. */
export const runs = (world: World, key?: string): ReadonlyArray<string> => {
  const path = join(targetDir(world, key), "runs")
  return existsSync(path) ? readdirSync(path).sort() : []
}

export const latest = (world: World, key?: string): string =>
  readFileSync(join(targetDir(world, key), "latest"), "utf8")
export const runDir = (world: World, key?: string, run = latest(world, key)): string =>
  join(targetDir(world, key), "runs", run)
export const logPath = (world: World, key?: string, run?: string): string =>
  join(runDir(world, key, run), "manifest.jsonl")
export const logText = (world: World, key?: string, run?: string): string =>
  readFileSync(logPath(world, key, run), "utf8")

export const parseLine = (text: string): Line => JSON.parse(text)
export const lines = (world: World, key?: string, run?: string): ReadonlyArray<Line> =>
  logText(world, key, run).split("\n").filter((line) => line !== "").map(parseLine)

/** The events of a run, all or of one kind, in order. */
export const events = (world: World, tag?: string, key?: string, run?: string): ReadonlyArray<LogEvent> =>
  lines(world, key, run).flatMap((line) => line.events).filter((event) => tag === undefined || event._tag === tag)

/** Why each run of a target was opened, oldest first. */
export const reasons = (world: World, key?: string): ReadonlyArray<unknown> =>
  runs(world, key).map((run) => events(world, "RunCreated", key, run)[0]?.["because"])

export const batchDir = (world: World, level: string, batch: number, key?: string): string =>
  join(runDir(world, key), "levels", `level-${level}`, `batch-${batch}`)

/** Which batches have a directory, as `<level>/<number>`. */
export const batches = (world: World, key?: string): ReadonlyArray<string> => {
  const levels = join(runDir(world, key), "levels")
  if (!existsSync(levels)) return []
  return readdirSync(levels).flatMap((level) =>
    readdirSync(join(levels, level)).map((batch) => `${level.replace("level-", "")}/${batch.replace("batch-", "")}`)
  ).sort()
}

/** The line's hash as the format defines it: over the bytes before the suffix that carries it. */
export const hashOf = (line: string): string =>
  createHash("sha256").update(Buffer.from(line, "utf8").subarray(0, -75)).digest("hex")

/** Every path below a directory, the directory first. */
export const walk = (path: string): ReadonlyArray<string> => [
  path,
  ...(statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => walk(join(path, name))) : [])
]
