// Faults: how an error of a file call becomes an error of the port.
// The one rule: only the system's own errors are translated; anything else is a defect and stays one.
import { Effect } from "effect"
import {
  LogConflict,
  LogDamaged,
  type LogError,
  LogMissing,
  LogRewound,
  LogTooNew,
  LogUnavailable
} from "../../services/EventLog.ts"
import { isSystemError, systemFault } from "../process/SystemError.ts"

const isOfThePort = (error: unknown): error is LogError =>
  error instanceof LogMissing || error instanceof LogDamaged || error instanceof LogRewound ||
  error instanceof LogTooNew || error instanceof LogUnavailable || error instanceof LogConflict

const translate =
  <E extends LogError>(path: string, isExpected: (error: LogError) => error is E) =>
  (error: unknown): E | LogUnavailable => {
    if (isOfThePort(error) && isExpected(error)) return error
    if (isSystemError(error)) return new LogUnavailable({ path, reason: systemFault(error) })
    throw error
  }

const isAny = (_: LogError): _ is LogError => true
const isOfReading = (error: LogError): error is Exclude<LogError, LogConflict> => error._tag !== "LogConflict"

/** Runs the synchronous calls of a reader; `path` names the log in translated errors. */
export const reading = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: translate(path, isOfReading) })

/** Runs the synchronous calls of a writer. */
export const writing = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: translate(path, isAny) })
