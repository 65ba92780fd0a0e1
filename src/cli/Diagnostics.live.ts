// Diagnostics.live: the log of the program's own work, in a file or on standard error.
// Its texts may come from anywhere: they are cut, and hidden characters are shown.
import { closeSync, constants, openSync, realpathSync, writeSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { isatty } from "node:tty"
import { Array, Cause, Effect, Layer, Logger, type LogLevel, Option, References, Result, Tracer } from "effect"
import { BadEnvironment } from "../platform/Environment.ts"
import { systemFault } from "../platform/SystemError.ts"
import { worktreeAround } from "../platform/Tracked.ts"
import { undrawn } from "../read/view/Tail.live.ts"
import { Progress } from "../review/Progress.ts"
import { jsonText } from "../text/Json.ts"
import { counted } from "../text/Phrases.ts"
import { outgoing } from "../text/redaction/Redaction.ts"
import { brief } from "../text/Untrusted.ts"
import { logLevel, type LogOptions } from "./logOptions.ts"

const longest = 500

const shown = (value: unknown): unknown => {
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map(shown)
  return brief(typeof value === "string" ? value : jsonText(value), longest)
}

const causeText = (cause: Cause.Cause<unknown>): string | undefined =>
  cause.reasons.length === 0
    ? undefined
    : brief(Cause.prettyErrors(cause).map(({ message }) => message).join("; "), longest)

/** The line of an entry, with its newline. Our own fields win over annotations of the same name. */
export const diagnosticLine = (
  { cause, date, fiber, logLevel, message }: Logger.Options<unknown>,
  pid: number
): string => {
  const { span } = fiber.cache
  const own = {
    time: date.toISOString(),
    level: logLevel.toUpperCase(),
    pid,
    span: span?._tag === "Span" ? span.name : undefined,
    message: Array.ensure(message).map((part) => String(shown(part))).join(" ")
  }
  const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
  const rest = Object.fromEntries(annotations.map(([name, value]) => [name, shown(value)]))
  return outgoing(`${jsonText({ ...own, ...rest, ...own, cause: causeText(cause) })}\n`)
}

// A tracer that writes a line for every span as it ends

const millisecond = 1_000_000n

class LoggedSpan extends Tracer.NativeSpan {
  readonly ended: (span: LoggedSpan, endTime: bigint, failed: boolean) => void

  constructor(
    options: ConstructorParameters<typeof Tracer.NativeSpan>[0],
    ended: (span: LoggedSpan, endTime: bigint, failed: boolean) => void
  ) {
    super(options)
    this.ended = ended
  }

  override end(...[endTime, exit]: Parameters<Tracer.NativeSpan["end"]>): void {
    if (this.status._tag !== "Ended") this.ended(this, endTime, exit._tag === "Failure")
    super.end(endTime, exit)
  }
}

const nameOf = (span: Tracer.AnySpan): string | null => span._tag === "Span" ? span.name : null

/** The tracer; `write` takes each line with its newline. */
const spanLines = (write: (line: string) => void, pid: number): Tracer.Tracer => {
  const ended = ({ name, parent, startTime }: LoggedSpan, endTime: bigint, failed: boolean): void => {
    const within = Option.match(parent, { onNone: () => null, onSome: nameOf })
    const time = new Date(Number(endTime / millisecond)).toISOString()
    const ms = Number((endTime - startTime) / millisecond)
    write(`${jsonText({ time, level: "TRACE", pid, span: name, message: "a span ended", within, ms, failed })}\n`)
  }
  return Tracer.make({ span: (options) => new LoggedSpan(options, ended) })
}

// The log. A line that cannot be written is left out and counted; it never delays the work.

const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants
const privateFile = 0o600
const standardError = 2

const tried = <A>(path: string, call: () => A) =>
  Effect.try({
    try: call,
    catch: (error) => new BadEnvironment({ reason: { _tag: "LogFileUnusable", path, fault: systemFault(error) } })
  })

/** Whether a file would be part of the code under review: git does not ignore it in the worktree of the call. */
const isReviewed = Effect.fnUntraced(function*(file: string, cwd: string) {
  const top = worktreeAround(cwd)
  if (top === null || worktreeAround(dirname(file)) !== top) return false
  const name = relative(top, file)
  if (name.startsWith(".git/")) return false
  const { isIgnored } = yield* Effect.promise(() => import("../code/PlainFiles.live.ts"))
  // If the rules cannot be read, nothing of this worktree can be reviewed either.
  return !(yield* Effect.catch(isIgnored(top, name), () => Effect.succeed(true)))
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
    // Without O_NONBLOCK a named pipe without a reader would block the program for ever.
    tried(path, () => openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, privateFile)),
    (fd) => Effect.sync(() => closeSync(fd))
  )
})

/** Writes lines to a file, and reports on standard error at the end how many it could not write. */
const writer = (fd: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let lost = 0
      const write = (line: string): void => {
        try {
          if (writeSync(fd, line) < Buffer.byteLength(line)) lost++
        } catch {
          // The disk is full, or no process reads standard error any more.
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
          // Standard error has lost its reader.
        }
      })
  )

/**
 * Effect's logger for a call made in `cwd`, from `level` on: appends lines of JSON to a file, or to standard error for
 * null. At the level Trace every span has a line too. No rows are redrawn on a terminal that gets these lines.
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

// The log of a call

/** The flags of a call, combined with the environment's variables. */
export interface LogTarget extends LogOptions {
  /** The level in the environment, if no flag gives one. */
  readonly named: string | null
}

/** A log file without a level keeps what is needed to find out what happened. */
const level = ({ level, named }: LogTarget) => {
  if (level !== null) return Result.succeed(level)
  return named === null ? Result.succeed("Debug" as const) : logLevel(named)
}

/** The layer with the requested log of a call in a directory. */
export const logging = (wanted: LogTarget, cwd: string): Layer.Layer<never, BadEnvironment> =>
  Result.match(level(wanted), {
    onFailure: (expected) => {
      const reason = { _tag: "BadLogLevel", text: wanted.named ?? "", expected } as const
      return Layer.effectDiscard(Effect.fail(new BadEnvironment({ reason })))
    },
    onSuccess: (least) => least === "None" ? Layer.empty : layer(wanted.file, least, cwd)
  })
