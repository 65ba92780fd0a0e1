// processes: what lives on this machine, and waiting for it to change.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { vi } from "vitest"

// Real processes on a busy machine: a grace alone takes two seconds.
vi.setConfig({ testTimeout: 60_000 })

/** Waits for a condition, or for a text that is not empty; fails loudly when it does not come in time. */
export const eventually = async <A>(
  what: string,
  probe: () => A | null | false | undefined | "",
  ms = 120_000
): Promise<A> => {
  for (const end = Date.now() + ms;; await pause(10)) {
    const found = probe()
    if (found !== null && found !== false && found !== undefined && found !== "") return found
    if (Date.now() > end) throw new Error(`not in time: ${what}`)
  }
}

/** Whether a process lives. */
export const living = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Kills a process, or the group of a negative number, that may have ended since it was listed. */
export const kill = (pid: number, signal: NodeJS.Signals = "SIGKILL"): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/** The living processes that carry a job's mark. */
export const marked = (id: string): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return living(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`OODA_ATTEMPT=${id}`)
    } catch {
      return false
    }
  })
