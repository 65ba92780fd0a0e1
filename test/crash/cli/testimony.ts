// testimony: what the witnesses of fixtures/witness saw, and whether a fixed point is borne out by that alone.
// Of the program's log it takes only which attempt belonged to which batch, and in what order.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { compare, type Level, levels } from "../../../src/run/Level.ts"
import type { RunOnDisk } from "./disk.ts"

const fixtures = fileURLToPath(new URL("../../../fixtures/witness", import.meta.url))

/** The fake codex that testifies. */
export const witness = path.join(fixtures, "codex")

/** What a reviewer sees in a working copy, in the words of fixtures/witness. */
export const seenNow = (repo: string, env: NodeJS.ProcessEnv, base = ""): string =>
  execFileSync(path.join(fixtures, "seen"), [base], { cwd: repo, env, encoding: "utf8" }).trim()

/** What one reviewer that finished saw and said. */
export interface Testimony {
  readonly level: string
  readonly began: string
  readonly ended: string
  readonly clean: boolean
}

/** The testimonies below a directory, by attempt. */
export const testimonies = (dir: string): ReadonlyMap<string, Testimony> =>
  new Map(
    fs.readdirSync(dir).filter((name) => /^[0-9a-f-]{36}$/.test(name)).map((name) => {
      const [level = "", began = "", ended = "", verdict] = fs.readFileSync(path.join(dir, name), "utf8").split("\n")
      return [name, { level, began, ended, clean: verdict === "clean" }]
    })
  )

/** Whether who reviewed `then` has reviewed `now`: for a base branch, to commit what was reviewed changes nothing. */
export const sameSight = (then: string, now: string, base = ""): boolean => {
  const [headThen, indexThen, filesThen, , , nestedThen, untracked, baseThen] = then.split(" ")
  const [head, index, files, ofHead, ofIndex, nested, , baseNow] = now.split(" ")
  if (files !== filesThen || nested !== nestedThen || baseNow !== baseThen) return false
  if (base === "") return head === headThen && index === indexThen
  return index === indexThen || (untracked === "tracked" && ofHead === files && ofIndex === files)
}

/** The attempts of the last complete batch of each level, after so many lines of a run. */
const lastBatches = (lines: RunOnDisk["lines"]): ReadonlyMap<Level, ReadonlyArray<string>> => {
  const last = new Map<Level, ReadonlyArray<string>>()
  const attempts = new Map<number, string>()
  for (const event of lines.flatMap(({ events }) => events)) {
    if (event._tag === "BatchStarted") attempts.clear()
    if (event._tag === "ReviewStarted") attempts.set(event.slot, event.id)
    if (event._tag === "BatchCompleted") last.set(event.level, [...attempts.values()])
  }
  return last
}

/** The levels and the base branch of a reported fixed point. */
export interface FixedPoint {
  readonly floor: Level
  readonly ceiling: Level
  readonly base?: string
}

/** The first level whose last complete batch did not see `now` from beginning to end and find it clean, or null. */
export const notBorneOut = (
  lines: RunOnDisk["lines"],
  { base, ceiling, floor }: FixedPoint,
  seen: ReadonlyMap<string, Testimony>,
  now: string
): string | null => {
  const last = lastBatches(lines)
  for (const level of levels.filter((one) => compare(one, floor) >= 0 && compare(one, ceiling) <= 0)) {
    const attempts = last.get(level) ?? []
    if (attempts.length === 0) return `${level}: no batch was complete`
    for (const attempt of attempts) {
      const said = seen.get(attempt)
      if (said === undefined) return `${level}: ${attempt} never reviewed`
      if (said.level !== level) return `${level}: ${attempt} reviewed at ${said.level}`
      if (!said.clean) return `${level}: ${attempt} found issues`
      if (![said.began, said.ended].every((one) => sameSight(one, now, base))) {
        return `${level}: ${attempt} saw ${said.began}, then ${said.ended}, not ${now}`
      }
    }
  }
  return null
}
