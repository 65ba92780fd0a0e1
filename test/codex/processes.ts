// What the tests of processes need: waiting for a condition, counting by the attempt's mark, holding answers back.
// Nothing decides by a pause, and what is counted is looked for in all of /proc.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { only, recorded } from "./recorded.ts"
import type { Bench } from "./support.ts"

/** Waits for a condition; fails loudly when it does not come. */
export const eventually = async (what: string, holds: () => boolean, ms = 60_000): Promise<void> => {
  for (const end = Date.now() + ms; !holds(); await pause(20)) {
    if (Date.now() > end) throw new Error(`not in time: ${what}`)
  }
}

/** The ids of all attempts of the current run. */
export const attempts = ({ stateRoot }: Bench): ReadonlyArray<string> =>
  only(recorded(stateRoot, "uncommitted"), "ReviewStarted").map(({ id }) => id)

/** A living process by its number and command line. */
export interface Living {
  readonly pid: number
  readonly line: string
}

/** All living processes that carry the mark of an attempt, or hold a word (if one is given) in their command line. */
export const living = (ids: ReadonlyArray<string>, word: string | null = null): ReadonlyArray<Living> => {
  const marks = new Set(ids.map((id) => `OODA_ATTEMPT=${id}`))
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).flatMap((pid) => {
    try {
      if (/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return []
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim()
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
      const meant = (word !== null && line.includes(word)) || environment.some((entry) => marks.has(entry))
      return meant ? [{ pid, line }] : []
    } catch {
      return [] // ended meanwhile, or not ours to look at
    }
  })
}

/** Holds every answer back until it is opened. */
export const gate = (then: Policy) => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const policy: Policy = async (request) => {
    await opened
    return then(request)
  }
  return { open, policy }
}
