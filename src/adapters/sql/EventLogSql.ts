// EventLogSql: the event log on PostgreSQL: the lines of its logs are rows with the very bytes that a file would have.
// The one rule: a line is committed by one statement, which moves the log's head from where the line begins.
import { Effect, Layer, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { beginning, type Head } from "../../core/log/Head.ts"
import type { StreamKind, Tagged } from "../../core/log/StreamKind.ts"
import type { RunRef } from "../../core/run/Refs.ts"
import { EventLog } from "../../services/EventLog.ts"
import type { Latest } from "../../services/RunStore.ts"
import { thisProcess as by } from "../log/Line.ts"
import { commit } from "./Committing.ts"
import { contents, streamed } from "./Reading.ts"
import { sqlLog } from "./SqlLog.ts"
import { type Statements, statements } from "./Statements.ts"

/** The event log that asks by these statements. */
export const make = (ask: Statements): EventLog["Service"] =>
  EventLog.of({
    read: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef) =>
      Effect.withSpan(contents(ask, sqlLog(kind, run), beginning), "EventLog.read"),
    readFrom: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, head: Head) =>
      Effect.withSpan(contents(ask, sqlLog(kind, run), head), "EventLog.readFrom"),
    stream: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) =>
      Stream.withSpan(Stream.suspend(() => streamed(ask, sqlLog(kind, run), after)), "EventLog.stream"),
    create: <E extends Tagged, S>(
      kind: StreamKind<E, S>,
      run: RunRef,
      events: ReadonlyArray<E>,
      instead?: Latest
    ) =>
      commit(ask, sqlLog(kind, run), { as: "first", expected: beginning, by, events, instead }).pipe(
        Effect.withSpan("EventLog.create")
      ),
    append: <E extends Tagged, S>(kind: StreamKind<E, S>, run: RunRef, expected: Head, events: ReadonlyArray<E>) =>
      commit(ask, sqlLog(kind, run), { as: "further", expected, by, events }).pipe(
        Effect.withSpan("EventLog.append")
      )
  })

/** The event log in the tables of a database. */
export const layer: Layer.Layer<EventLog, never, SqlClient> = Layer.effect(EventLog, Effect.map(statements, make))
