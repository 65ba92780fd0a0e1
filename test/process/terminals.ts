// terminals: runs the CLI on terminals of its own and returns what arrived where.
// Needs python3 for the terminals; where it is missing that is said loudly and the tests are skipped.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CLI, type World } from "./world.ts"

/** Whether there is a python3 with terminals. */
export const terminals = spawnSync("python3", ["-c", "import fcntl, pty, termios"], { stdio: "ignore" }).status === 0
if (!terminals) console.warn("SKIPPED: no python3 with the pty module; what is drawn on terminals is not tested here")

export interface OnTerminal {
  readonly ended: Promise<number | null>
  /** The bytes so far on the controlling terminal, on standard error (when apart) and on standard output. */
  readonly tty: () => string
  readonly err: () => string
  readonly out: () => string
  readonly type: (keys: string) => void
}

export interface Terminal {
  /** Standard error is the controlling terminal itself, or another terminal, so that their bytes can be distinguished. */
  readonly errors: "same" | "apart"
  /** Standard output: a pipe (default) or the controlling terminal. */
  readonly out?: "pipe" | "tty"
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Runs the CLI as a background job of a shell on that terminal. */
  readonly background?: boolean
}

const script = fileURLToPath(new URL("./terminal.py", import.meta.url))

/** Starts the CLI with a terminal. */
export const onTerminal = (world: World, terminal: Terminal, ...args: ReadonlyArray<string>): OnTerminal => {
  const directory = mkdtempSync(join(world.dir, "terminal-"))
  const { background = false, columns = 100, env = {}, errors, out = "pipe", rows = 30 } = terminal
  const command = [process.execPath, CLI, ...args]
  const child: ChildProcess = spawn(
    "python3",
    [
      script,
      directory,
      errors,
      out,
      String(columns),
      String(rows),
      ...(background ? ["/bin/sh", "-c", `set -m; "$@" & wait "$!"`, "sh", ...command] : command)
    ],
    {
      cwd: world.repo,
      env: { ...world.env, OODA_STATE_ROOT: world.stateRoot, TERM: "xterm", ...env },
      stdio: ["ignore", "ignore", "inherit"]
    }
  )
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const read = (name: string) => () => {
    const path = join(directory, name)
    return existsSync(path) ? readFileSync(path, "utf8") : ""
  }
  return {
    ended,
    tty: read("tty"),
    err: read("err"),
    out: read("out"),
    type: (keys) => writeFileSync(join(directory, "keys"), keys)
  }
}
