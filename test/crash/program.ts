// program: bundles the writer for plain Node, runs it (or another program) under the shim, and reads what it said.
// Every process started here has ended when the call returns; no run is left behind.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const here = path.dirname(fileURLToPath(import.meta.url))
/** See there. */
export const shim = path.join(here, "shim.mjs")

/** A program under test: the arguments for Node. */
export type Program = ReadonlyArray<string>

/** A temporary directory with a program of this folder in it, bundled. */
export const prepareProgram = async (name: string): Promise<{ readonly root: string; readonly program: string }> => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-crash-"))
  const program = path.join(root, "program.mjs")
  await build({
    input: path.join(here, name),
    platform: "node",
    logLevel: "silent",
    output: { file: program, format: "esm", minify: true }
  })
  return { root, program }
}

/** A temporary directory with the bundled writer in it. */
export const prepareWriter = async (): Promise<{ readonly root: string; readonly writer: string }> => {
  const { program: writer, root } = await prepareProgram("writer.ts")
  return { root, writer }
}

/** How one file call of a program ends: it is killed before it, or in the middle of a write, or gets an error. */
export type Ending = "kill" | "half" | "EIO" | "ENOSPC"

/** A file call that a program makes. `changes`: it may change what the disk holds. */
export interface FileCall {
  readonly name: string
  readonly changes: boolean
  readonly path: string
}

/** What a program said before it ended. `acknowledged` are the lines of its standard output, without the sequence. */
export interface Said {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly acknowledged: ReadonlyArray<string>
  readonly stderr: string
}

/** The texts that a writer has said were acknowledged; a last line without its end was not said. */
export const acknowledged = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").slice(0, -1).map((line) => line.split(" ")[1] ?? "")

/** Runs a command and reads what it said. */
export const runWith = (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Said => {
  const options = { encoding: "utf8", env: { ...process.env, ...env } } as const
  const { signal, status, stderr, stdout } = spawnSync(command, [...args], options)
  return { status, signal, acknowledged: acknowledged(stdout), stderr }
}

/** Runs a program as it is. */
export const runFreely = (program: Program): Said => runWith(process.execPath, program)

const shimmed = { NODE_OPTIONS: `--import ${shim}` }

/** The environment in which a program's `at`-th file call (from 1) below `root` ends as said. */
export const endingAt = (root: string, at: number, how: Ending): NodeJS.ProcessEnv => ({
  ...shimmed,
  CRASH_ROOT: root,
  CRASH_AT: String(at),
  CRASH_HOW: how
})

/** The environment in which a program writes its file calls below `root` into `log`, which is emptied. */
export const listingCalls = (root: string, log: string): NodeJS.ProcessEnv => {
  fs.rmSync(log, { force: true })
  return { ...shimmed, CRASH_ROOT: root, CRASH_LOG: log }
}

/** The file calls that a program has written into `log`, in order. */
export const listedCalls = (log: string): ReadonlyArray<FileCall> =>
  fs.readFileSync(log, "utf8").split("\n").slice(0, -1).map((line) => {
    const [name = "", changes, path = ""] = line.split("\t")
    return { name, changes: changes === "1", path }
  })

/** Runs a program whose `at`-th file call (from 1) below `root` ends as said. */
export const runUntil = (program: Program, root: string, at: number, how: Ending): Said =>
  runWith(process.execPath, program, endingAt(root, at, how))

/** The file calls that a program makes below `root`, in order. */
export const fileCalls = (program: Program, root: string): ReadonlyArray<FileCall> => {
  const log = `${root}.calls`
  const said = runWith(process.execPath, program, listingCalls(root, log))
  if (said.status !== 0) throw new Error(`the program fails by itself: ${said.stderr}`)
  return listedCalls(log)
}
