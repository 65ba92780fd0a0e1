#!/usr/bin/env node
// main: the entry: answers help at once, loads the program for everything else, prints and exits.
// Stdout first, then the header on stderr, then the exit; everything is written before the process ends.
import { fstatSync, writeSync } from "node:fs"
import { hookCall, isHookCall } from "./cli/hookCall.ts"
import { asksJson, shortcut } from "./cli/argv.ts"
import type { Ending } from "./cli/ending.ts"
import { eventInput } from "./platform/EventInput.ts"
import { isColourWanted, paintedHelp } from "./text/Paint.ts"

// The files that this program keeps are for its user alone, and usable by that user, whatever the umask. The files that
// agents and tests write are not ours: they get the user's umask.
const umask = (process.umask(0o077) & 0o077).toString(8)

const couldNot = 6

/** Why a text could not be written; null if it was written. */
type Refused = string | null

const readerGone = "EPIPE"

const refusal = (error: unknown): Refused => error instanceof Error && "code" in error ? String(error.code) : "unknown"

/** Waits for a slow reader. */
const writeSlowly = (stream: NodeJS.WriteStream, bytes: Buffer): Promise<Refused> =>
  new Promise((resolve) => {
    if (stream.destroyed) return resolve(readerGone)
    stream.once("error", (error) => resolve(refusal(error)))
    stream.write(bytes, (error) => {
      if (!error) resolve(null)
    })
  })

/** Writes a text whole. Node takes milliseconds to make a stream, which only a slow reader needs. */
const write = async (fd: 1 | 2, text: string): Promise<Refused> => {
  let bytes = Buffer.from(text)
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes))
    return null
  } catch {
    return await writeSlowly(fd === 1 ? process.stdout : process.stderr, bytes)
  }
}

/** The directory of the call, or null: node throws in a directory that has been removed. */
const directory = (): string | null => {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

/** Answers an event of Claude Code. Whatever ends this process also ends what it has started. */
const hooked = async (args: ReadonlyArray<string>): Promise<Ending> => {
  const call = await hookCall(args, { env: process.env, input: eventInput })
  if (!("action" in call)) return call
  const cwd = directory() ?? "/"
  const ending = new AbortController()
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(name, () => ending.abort())
  const { answerRequest: answered } = await import("./hookProgram.ts")
  const age = 1000 * process.uptime()
  return await answered({ ...call, cwd, env: process.env, umask, age }, ending.signal)
}

/** Whether standard output is a terminal. Loading the module that knows takes milliseconds, which a pipe or a file need not wait. */
const isTerminal = (): boolean => {
  try {
    return fstatSync(1).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(1)
  } catch {
    return false
  }
}

/** Help costs little more than starting node, because the program is not even loaded for it. */
const ending = async (argv: ReadonlyArray<string>): Promise<Ending> => {
  if (isHookCall(argv)) return await hooked(argv.slice(1))
  const columns = isTerminal() ? process.stdout.columns : null
  const quick = shortcut(argv, columns)
  if (quick !== null) {
    const colour = columns !== null && process.env["TERM"] !== "dumb" && isColourWanted(process.env)
    return {
      stdout: `${colour && quick._tag === "Help" ? paintedHelp(quick.text) : quick.text}\n`,
      stderr: "",
      code: 0
    }
  }
  const { main } = await import("./program.ts")
  return await main(argv, { cwd: directory(), env: process.env, umask, columns })
}

/** The failure to load a file: the files of the program come from different builds. */
const unloadable = (error: unknown): Ending => {
  const why = error instanceof Error ? error.message : "it cannot be loaded"
  return { stdout: "", stderr: `ooda-codex-review: ${why}\n`, code: couldNot }
}

const argv = process.argv.slice(2)

// A CommonJS file starts faster than a module and waits for nothing at its top level.
void ending(argv).catch(unloadable).then(async ({ code, stderr, stdout }) => {
  const refused = await write(1, stdout)
  // A step's work is done whether its line is read or not, and its header remains. A document that is not written is
  // lost, and a call that only prints has failed, unless its reader has gone.
  const isLost = refused !== null && code !== couldNot && (asksJson(argv) || (stderr === "" && refused !== readerGone))
  await write(2, isLost ? `${stderr}ooda-codex-review: standard output cannot be written (${refused})\n` : stderr)
  process.exit(isLost ? couldNot : code)
})
