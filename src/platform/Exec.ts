// Exec: runs a short-lived helper program and gives its streams and exit as data.
// No shell, no inherited standard input, and always a time limit: a program that runs longer is killed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Duration, Effect } from "effect"
import { CallersPath, Environment, type Variables } from "./Environment.ts"
import { type ProgramFault, programFaultText } from "./SystemFault.ts"
import { note } from "./Note.ts"
import { reasonIn } from "../text/ProgramOutput.ts"

/** What a program did. `code` is null for a death by signal; `problem` says why it did not run or was ended. */
export interface ExecResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly problem: "missing" | "timeout" | "failed" | null
  /** The path of a missing program on the caller's PATH, in a directory that is not searched. */
  readonly skipped?: string
  /** The signal that killed it, unless this program sent it. */
  readonly signal?: NodeJS.Signals
}

const killedBy = (signal: NodeJS.Signals | null = null) => signal === null ? {} : { signal }

/** How a program is run: with the variables of `Environment` and `env`, which wins; `timeout` in milliseconds. */
export interface ExecOptions {
  readonly cwd: string
  readonly env?: Variables
  readonly timeout?: number
  /** What the program reads from its standard input; nothing by default. */
  readonly input?: string
  /** How its streams are read and its input is written. `latin1` keeps every byte as one character. */
  readonly encoding?: "utf8" | "latin1"
  /** Whether the program gets a process group of its own, so that everything it starts ends with it. */
  readonly group?: boolean
  /**
   * Whether it ends, with everything it started, when this process does, even by a kill. It then reads no input, and
   * gets SIGTERM two seconds before SIGKILL, so that git can remove its lock files.
   */
  readonly leash?: boolean
  /** A descriptor for its standard output, whatever bytes and however many; `stdout` is then empty. */
  readonly into?: number
  /** Whether the answer takes only milliseconds, so that this process blocks for it instead of creating streams. */
  readonly instant?: boolean
}

// Milliseconds that a killed program gets to exit.
const grace = 3_000

// Its standard input ends when this process does, which alone holds the other end of that pipe.
const leash = `exec 3<&0
"$@" </dev/null 3<&- &
work=$!
{ read -r _; trap '' TERM; kill -s TERM 0; sleep 2; kill -s KILL 0; } <&3 3<&- >/dev/null 2>&1 &
exec 3<&-
ending=
trap 'ending=1' TERM
wait "$work"
status=$?
while [ "$status" -gt 128 ] && kill -s 0 "$work" 2>/dev/null; do wait "$work"; status=$?; done
[ -n "$ending" ] || kill -s KILL "$!"
exit "$status"`

const environmentFor = (environment: Variables, { env }: ExecOptions) => ({ ...environment, LC_ALL: "C", ...env })

/** Starts a program, or says why the system refused to. */
const started = (
  program: string,
  args: ReadonlyArray<string>,
  options: ExecOptions,
  environment: Variables
): ChildProcess | Error => {
  const leashed = options.leash === true
  const [run, ...given] = leashed ? ["/bin/sh", "-c", leash, "sh", program, ...args] : [program, ...args]
  try {
    return spawn(run, given, {
      cwd: options.cwd,
      env: environmentFor(environment, options),
      stdio: [options.input === undefined && !leashed ? "ignore" : "pipe", options.into ?? "pipe", "pipe"],
      detached: leashed || options.group === true
    })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Runs a program to its end. Never fails: a problem is part of the answer. Interruption kills the program. */
export const exec = (program: string, args: ReadonlyArray<string>, options: ExecOptions): Effect.Effect<ExecResult> =>
  Effect.flatMap(
    Environment,
    (environment) =>
      Effect.timed((options.instant === true ? atOnce : executed)(program, args, options, environment)).pipe(
        Effect.flatMap(([took, done]) =>
          Effect.as(
            note("ran a program", {
              program,
              args: shownArguments(args),
              exit: done.code,
              ms: Math.round(Duration.toMillis(took)),
              problem: done.problem
            }),
            done
          )
        ),
        Effect.flatMap((done) => withSkipped(program, environment, done))
      )
  )

/** Names the directory of a missing program if only the caller's PATH has it. */
const withSkipped = (program: string, { PATH = "" }: Variables, done: ExecResult) =>
  Effect.map(CallersPath, (all = ""): ExecResult => {
    if (done.problem !== "missing") return done
    const left = all.split(delimiter).filter((one) => !PATH.split(delimiter).includes(one))
    const skipped = left.map((one) => join(one, program)).find((path) => existsSync(path))
    return skipped === undefined ? done : { ...done, skipped }
  })

/** The arguments without the settings (`-c name=value`) that every call to git begins with. */
const shownArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "-c" ? shownArguments(args.slice(2)) : args

/** Why the system refused to start a program. It reports a missing directory with the same code. */
const refused = (error: NodeJS.ErrnoException, { cwd }: ExecOptions): Pick<ExecResult, "problem" | "stderr"> => {
  const nowhere = error.code === "ENOENT" && !existsSync(cwd)
  return {
    problem: error.code === "ENOENT" && !nowhere ? "missing" : "failed",
    stderr: nowhere ? `there is no directory ${cwd}` : error.message
  }
}

/** Runs a program while this process blocks. */
const atOnce = (program: string, args: ReadonlyArray<string>, options: ExecOptions, environment: Variables) =>
  Effect.sync((): ExecResult => {
    const { cwd, encoding = "utf8", timeout } = options
    const done = spawnSync(program, [...args], {
      cwd,
      env: environmentFor(environment, options),
      stdio: ["ignore", "pipe", "pipe"],
      timeout,
      killSignal: "SIGKILL",
      maxBuffer: Infinity
    })
    const error: NodeJS.ErrnoException | undefined = done.error
    const text = (part: Buffer | null) => part?.toString(encoding) ?? ""
    const said = { code: done.status, stdout: text(done.stdout), stderr: text(done.stderr) }
    if (error === undefined) return { ...said, ...killedBy(done.signal), problem: null }
    return error.code === "ETIMEDOUT" ? { ...said, problem: "timeout" } : { ...said, ...refused(error, options) }
  })

const executed = (program: string, args: ReadonlyArray<string>, options: ExecOptions, environment: Variables) =>
  Effect.callback<ExecResult>((resume) => {
    const child = started(program, args, options, environment)
    if (child instanceof Error) {
      return resume(Effect.succeed({ code: null, stdout: "", stderr: child.message, problem: "failed" }))
    }
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    let problem: ExecResult["problem"] = null
    const kill = () => {
      // Without a pid it never started. Node would send the signal to process 0, which is our whole group with our
      // caller.
      if (child.pid === undefined) return
      if (options.leash === true) return void child.stdin?.destroy()
      try {
        if (options.group === true) process.kill(-child.pid, "SIGKILL")
        else child.kill("SIGKILL")
      } catch {
        // It has ended meanwhile, with its whole group.
      }
    }
    const timer = setTimeout(() => {
      problem = "timeout"
      kill()
      // Waits for its exit, not for its streams to close: a process that it started may hold them open for ever.
      done(null)
    }, options.timeout ?? 120_000)
    const done = (code: number | null, signal: NodeJS.Signals | null = null) => {
      clearTimeout(timer)
      const text = (parts: ReadonlyArray<Buffer>) => Buffer.concat(parts).toString(options.encoding ?? "utf8")
      const by = killedBy(problem === null ? signal : null)
      resume(Effect.succeed({ code, stdout: text(out), stderr: text(err), problem, ...by }))
    }
    // Ignored: a program that exits before it has read all its input reports its own error by its exit.
    child.stdin?.on("error", () => {})
    if (options.leash !== true) child.stdin?.end(Buffer.from(options.input ?? "", options.encoding ?? "utf8"))
    // Without free descriptors there are no streams either.
    child.stdout?.on("data", (part: Buffer) => out.push(part))
    child.stderr?.on("data", (part: Buffer) => err.push(part))
    child.once("error", (error: NodeJS.ErrnoException) => {
      const why = refused(error, options)
      problem = why.problem
      err.push(Buffer.from(why.stderr))
      done(null)
    })
    child.once("close", done)
    return Effect.callback<void>((ended) => {
      clearTimeout(timer)
      const over = () => ended(Effect.void)
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return over()
      // The caller may remove the program's files after an interruption, so the interruption waits until the program
      // has ended or the grace is over.
      const given = setTimeout(over, grace)
      child.once("exit", () => {
        clearTimeout(given)
        over()
      })
      kill()
    })
  })

/** Why a program gave no answer, in its own words if it printed any to standard error. */
export const programFault = (program: string, { code, problem, signal, skipped, stderr }: ExecResult): ProgramFault => {
  if (problem === "missing") return { _tag: "ProgramMissing", program, ...(skipped === undefined ? {} : { skipped }) }
  if (problem === "timeout") return { _tag: "ProgramTooSlow", program }
  return { _tag: "ProgramFailed", program, status: code, said: reasonIn(stderr), ...killedBy(signal) }
}

/** The same in one line, for a message. */
export const whyNot = (program: string, done: ExecResult): string => programFaultText(programFault(program, done))
