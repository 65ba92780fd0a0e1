// skipped: an extra that cannot run here says so, with its reason.
// A skipped check is never silent and never counted as passed.
import { spawnSync } from "node:child_process"

/** Whether a command works here; where it does not, SKIPPED and what is missing is printed. */
export const works = (what: string, command: string, args: ReadonlyArray<string>): boolean => {
  const { error, status } = spawnSync(command, [...args], { stdio: "ignore" })
  if (error === undefined && status === 0) return true
  console.warn(`SKIPPED ${what}: \`${[command, ...args].join(" ")}\` does not work here`)
  return false
}
