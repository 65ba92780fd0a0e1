// Diagnostics: the log of the program's own work, in a file or on standard error.
// The one rule: a line that cannot be written is left out and counted; it never stands in the way of the work.
import { closeSync, constants, openSync, realpathSync, writeSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { isatty } from "node:tty"
import { Effect, Layer, Logger, type LogLevel, References, Tracer } from "effect"
import { jsonText } from "../../core/text/JsonText.ts"
import { counted } from "../../core/text/Phrases.ts"
import { BadEnvironment } from "../../services/BadEnvironment.ts"
import { Progress } from "../../services/Progress.ts"
import { exec } from "../process/Exec.ts"
import { systemFault } from "../process/SystemError.ts"
import { ofAHook, worktreeAround } from "../store/Tracked.ts"
import { diagnosticLine } from "./DiagnosticLine.ts"
import { spanLines } from "./SpanLines.ts"
import { undrawn } from "./TailOf.ts"

const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants
const privateFile = 0o600
const standardError = 2

const tried = <A>(path: string, call: () => A) =>
  Effect.try({
    try: call,
    catch: (error) => new BadEnvironment({ reason: { _tag: "LogFileUnusable", path, fault: systemFault(error) } })
  })

/** Whether a file would be a part of the code under review: git does not ignore it in the worktree of the call. */
const isReviewed = Effect.fnUntraced(function*(file: string, cwd: string) {
  const top = worktreeAround(cwd)
  if (top === null || worktreeAround(dirname(file)) !== top) return false
  const args = ["-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", file]
  const { code } = yield* exec("git", args, { cwd: dirname(file), env: { GIT_OPTIONAL_LOCKS: "0", ...ofAHook } })
  // Git answers 1 for a file that it does not ignore, and more where it cannot tell, as inside `.git`.
  return code === 1
})

/** Opens a file for appending. Every line is one write, so that several processes can share the file. */
const opened = Effect.fnUntraced(function*(path: string, cwd: string) {
  const file = yield* tried(path, () => {
    const given = resolve(cwd, path)
    return join(realpathSync(dirname(given)), basename(given))
  })
  const here = yield* tried(path, () => realpathSync(cwd))
  if (yield* isReviewed(file, here)) return yield* new BadEnvironment({ reason: { _tag: "LogFileReviewed", path } })
  return yield* Effect.acquireRelease(
    // Without O_NONBLOCK a named pipe that nobody reads would hold the program for ever.
    tried(path, () => openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, privateFile)),
    (fd) => Effect.sync(() => closeSync(fd))
  )
})

/** Writes lines to a file, and says on standard error at the end how many it could not write. */
const writer = (fd: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let lost = 0
      const write = (line: string): void => {
        try {
          if (writeSync(fd, line) < Buffer.byteLength(line)) lost++
        } catch {
          // The disk is full, or nobody reads standard error any more.
          lost++
        }
      }
      return { write, lost: () => lost }
    }),
    ({ lost }) =>
      Effect.sync(() => {
        if (lost() === 0 || fd === standardError) return
        const message = `${counted(lost(), "entry", "entries")} of the log could not be written: is its disk full?`
        try {
          writeSync(standardError, `${jsonText({ level: "WARN", pid: process.pid, message })}\n`)
        } catch {
          // Nobody reads standard error any more.
        }
      })
  )

/**
 * Effect's logger for a call made in `cwd`, from `level` on: appends lines of JSON to a file, or to standard error for
 * null. At the level Trace every span has a line too. Nothing redraws rows on a terminal that the lines go to.
 */
export const layer = (
  file: string | null,
  level: LogLevel.LogLevel,
  cwd: string
): Layer.Layer<never, BadEnvironment> => {
  const shared = file === null && isatty(standardError)
  return Layer.unwrap(
    Effect.map(
      Effect.flatMap(file === null ? Effect.succeed(standardError) : opened(file, cwd), writer),
      ({ write }) =>
        Layer.mergeAll(
          Logger.layer([Logger.make((options) => write(diagnosticLine(options, process.pid)))]),
          Layer.succeed(References.MinimumLogLevel, level),
          level === "Trace"
            ? Layer.succeed(Tracer.Tracer, spanLines(write, process.pid))
            : Layer.empty,
          shared ? Layer.succeed(Progress, undrawn) : Layer.empty
        )
    )
  )
}
