// heldTables: the tables of logs in memory, answering each statement as the database does, and faults that it may have.
// What a test changes in them is what somebody changed in the tables.
import { Effect } from "effect"
import { ConnectionError, SqlError, UniqueViolation, UnknownError } from "effect/sql/SqlError"
import type { Head } from "../../../../src/log/StreamKind.ts"
import { runText } from "../../../../src/log/Refs.ts"
import type { LogName, Statements, StoredLine } from "../../../../src/fleet/sql/Statements.live.ts"

/** A log as it is held. */
export interface HeldLog {
  head: Head
  lines: Array<StoredLine>
}

const cause = (code: string) => Object.assign(new Error("postgres://ann:secret@db.example/store"), { code })

/** What a database that is not there answers. */
export const away = new SqlError({ reason: new ConnectionError({ cause: cause("ECONNREFUSED"), message: "secret" }) })
/** What a server that is being stopped answers. */
export const stopping = new SqlError({ reason: new UnknownError({ cause: cause("57P01"), message: "secret" }) })
/** What a database answers to a row that is there. */
export const taken = new SqlError({
  reason: new UniqueViolation({ cause: cause("23505"), message: "secret", constraint: "ooda_run_key" })
})

const nameOf = ({ kind, run }: LogName): string => `${runText(run)} ${kind}`

/** Empty tables, and their logs by name. */
export const heldTables = () => {
  const logs = new Map<string, HeldLog>()
  const ask: Statements = {
    part: (name, after, most) =>
      Effect.sync(() => {
        const log = logs.get(nameOf(name))
        return log === undefined ? null : {
          head: log.head,
          before: log.lines.find(({ seq }) => seq === after)?.hash ?? null,
          lines: log.lines.filter(({ seq }) => seq > after).slice(0, most)
        }
      }),
    bytesBefore: (name, before) =>
      Effect.sync(() => {
        const lines = logs.get(nameOf(name))?.lines.filter(({ seq }) => seq < before) ?? []
        return lines.reduce((sum, { bytes }) => sum + bytes.length, 0)
      }),
    create: (name, line) =>
      Effect.suspend(() => {
        if (logs.has(nameOf(name))) return Effect.fail(taken)
        logs.set(nameOf(name), { head: { seq: line.seq, hash: line.hash }, lines: [line] })
        return Effect.succeed(true)
      }),
    append: (name, expected, line) =>
      Effect.sync(() => {
        const log = logs.get(nameOf(name))
        if (log === undefined || log.head.seq !== expected.seq || log.head.hash !== expected.hash) return false
        log.head = { seq: line.seq, hash: line.hash }
        log.lines.push(line)
        return true
      })
  }
  return { ask, only: (): HeldLog => [...logs.values()][0] ?? { head: { seq: 0, hash: "" }, lines: [] } }
}
