// holding: what must hold of a driven run whatever was killed: nothing is lost, nothing ran twice, nothing is left.
// It reads logs, processes and files by itself, and asks the program for nothing but its `audit`.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert } from "vitest"
import type { Bench, Ended } from "../cli/bench.ts"
import { runsIn } from "../cli/disk.ts"
import { noReviewTwice } from "../cli/looping.ts"
import { type Driven, test } from "./driven.ts"

const logs = { review: "manifest.jsonl", converge: "converge.jsonl", plan: "plan.jsonl" } as const

/** The committed lines of the logs of each run, by the path of the log. */
export type Lines = ReadonlyMap<string, ReadonlyArray<string>>

const linesOf = (file: string): ReadonlyArray<string> =>
  fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").slice(0, -1) : []

/** What is committed in a place now. */
export const committed = ({ place }: Driven): Lines =>
  new Map(
    runsIn(place.state).flatMap(({ dir }) =>
      Object.values(logs).map((name) => [path.join(dir, name), linesOf(path.join(dir, name))] as const)
    )
  )

/** Checks that every line of before is still there, and returns what is there now. */
export const keeps = (on: Driven, before: Lines, where: string): Lines => {
  const now = committed(on)
  for (const [file, lines] of before) {
    assert.deepStrictEqual(now.get(file)?.slice(0, lines.length), [...lines], `${where}: ${file}`)
  }
  return now
}

/** Checks that every event that a call printed on standard output is in the logs. */
export const toldTruly = (on: Driven, { stdout }: Ended, where: string): number => {
  const runs = [...committed(on)]
  const events = stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line))
  for (const { at, event, index, seq, stream } of events) {
    const name = stream === "review" ? logs.review : stream === "plan" ? logs.plan : logs.converge
    const held = runs.some(([file, lines]) => {
      if (!file.endsWith(name)) return false
      const line = JSON.parse(lines[seq - 1] ?? "null")
      return line?.at === at && JSON.stringify(line.events[index]) === JSON.stringify(event)
    })
    assert.isTrue(held, `${where}: printed, but not in a log: ${JSON.stringify(event)}`)
  }
  return events.length
}

/** The events of a place's driver streams, including plans. */
export const driverEvents = (on: Driven): ReadonlyArray<Record<string, unknown>> =>
  [...committed(on)].flatMap(([file, lines]) =>
    file.endsWith(logs.converge) || file.endsWith(logs.plan) ? lines.flatMap((line) => JSON.parse(line).events) : []
  )

/** A task of a run, and the attempts that ran for it, as the agents themselves have noted it. */
interface Ran {
  readonly task: string
  readonly ran: ReadonlyArray<string>
}

/** All tasks for which agents ran. */
export const ranIn = ({ dir }: Driven): ReadonlyArray<Ran> => {
  const noted = path.join(dir, "ran")
  return fs.readdirSync(noted).flatMap((run) =>
    fs.readdirSync(path.join(noted, run)).map((name) => ({
      task: name.replace(".", "/"),
      ran: linesOf(path.join(noted, run, name))
    }))
  )
}

/** Checks that each attempt ran once and is in the stream, and that no finished task has run again. */
export const agentsOnce = (on: Driven, where: string, attempts = 1): void => {
  const events = driverEvents(on)
  const started = new Map(
    events.flatMap(({ _tag, id, taskId }) => _tag === "AgentStarted" ? [[`${id}`, `${taskId}`] as const] : [])
  )
  for (const { ran, task } of ranIn(on)) {
    assert.isAtMost(ran.length, attempts, `${where}: ${task} ran again`)
    assert.strictEqual(new Set(ran).size, ran.length, `${where}: an attempt of ${task} ran twice`)
    for (const id of ran) assert.strictEqual(started.get(id), task, `${where}: an agent without a line in the log`)
  }
}

/** The processes of a place that live. */
const living = ({ dir }: Driven): ReadonlyArray<string> =>
  fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      if (!fs.readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`CRASH_PLACE=${dir}`)) return []
      if (/^\d+ \(.*\) [ZX] /s.test(fs.readFileSync(`/proc/${name}/stat`, "latin1"))) return []
      return [`${name}: ${fs.readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 200)}`]
    } catch {
      return []
    }
  })

/** Checks that no process of a place is left, nor becomes one. */
export const nothingLives = async (on: Driven, where: string): Promise<void> => {
  for (const end = Date.now() + 10_000; living(on).length > 0 && Date.now() < end;) await pause(50)
  assert.deepStrictEqual(living(on), [], `${where}: processes are left`)
}

/** Checks a run that is over: its tests are green, and its audit, of the newest where none is named, is sound. */
export const isSound = async (bench: Bench, on: Driven, where: string, run: ReadonlyArray<string> = []) => {
  await nothingLives(on, where)
  execFileSync("sh", ["-c", test], { cwd: on.repo, env: { ...bench.env, CRASH_PLACE: on.dir } })
  for (const { dir } of runsIn(on.place.state)) assert.notInclude(fs.readdirSync(dir), "undo.json", where)
  const audit = await bench.run(on.place, ["audit", ...run, "--state-root", on.place.state], { cwd: on.repo })
  assert.strictEqual(audit.exit, 0, `${where}\n${audit.stdout}${audit.stderr}`)
  assert.match(audit.stdout, /^ {2}sound$/m, where)
}

/** Checks a run that has come to its fixed point. */
export const isProven = async (bench: Bench, on: Driven, where: string): Promise<void> => {
  noReviewTwice(on.place, where)
  await isSound(bench, on, where)
}
