// doctorMachines: machines for the doctor, made up of some of this one's programs and some that are invented.
// Nothing but what a test names is on such a machine's PATH.
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { World } from "./world.ts"

export const loggedIn = `case $1 in --version) echo codex-cli 0.169.0 ;; login) echo Logged in using ChatGPT ;; esac`
export const loggedOut = `case $1 in --version) echo codex-cli 0.169.0 ;; login) echo Not logged in >&2; exit 1 ;; esac`
/** The path of one of the machine's own programs; empty if the machine has none. */
export const which = (name: string): string =>
  execFileSync("sh", ["-c", `command -v ${name} || :`], { encoding: "utf8" }).trim()

/** A PATH with nothing on it but some of the machine's programs and some made up for the test. */
export const machine = (
  world: World,
  real: ReadonlyArray<string>,
  scripts: Readonly<Record<string, string>>
): string => {
  const bin = world.path(`bin-${Math.random().toString(36).slice(2)}`)
  mkdirSync(bin)
  for (const name of real) symlinkSync(which(name), join(bin, name))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 })
  }
  return bin
}

const lockProgram = ["flock", "perl", "python3"].find((name) => which(name) !== "") ?? "flock"
/** What every check-up needs. */
export const basics = ["git", "sh", lockProgram]
