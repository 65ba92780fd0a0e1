// SqlLog: one log of a run in the tables: its name there and in messages, and how its lines are written and read.
import { lineCodec, type LineCodec } from "../../core/log/Line.ts"
import type { StreamKind, Tagged } from "../../core/log/StreamKind.ts"
import { type RunRef, runText } from "../../core/run/Refs.ts"
import { LogUnavailable } from "../../services/EventLog.ts"
import type { SqlError } from "effect/sql/SqlError"
import { sqlFault } from "./SqlFaults.ts"
import type { LogName } from "./Statements.ts"

/** A log by its name, with the text that messages name it by and the codec of its lines. */
export interface SqlLog<E extends Tagged> extends LogName {
  readonly path: string
  readonly codec: LineCodec<E>
}

/** The log of one kind of a run. */
export const sqlLog = <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef): SqlLog<E> => ({
  run,
  kind: kind.kind,
  path: `${runText(run)} ${kind.kind}`,
  codec: lineCodec(kind)
})

/** The error of the port for what a database refused. */
export const unavailable = ({ path }: { readonly path: string }) => (error: SqlError): LogUnavailable =>
  new LogUnavailable({ path, reason: sqlFault(error) })
