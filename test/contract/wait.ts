// Waiting for a condition of the outside world, with a deadline; and whether a process is alive.
// No fixed pause ever decides a test.
import { existsSync, readFileSync } from "node:fs"

/** Resolves when the condition holds; fails, naming it, after the deadline (milliseconds). */
export const until = async (what: string, holds: () => boolean, deadline = 30_000): Promise<void> => {
  const end = Date.now() + deadline
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited ${deadline} ms in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Whether a process runs; a zombie does not. */
export const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, "utf8"))
  } catch {
    return false
  }
}
