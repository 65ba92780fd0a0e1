// SqlFaults: what a database refused, as a fault of the system, without a word of what it or its address said.
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseRefused } from "../../services/SystemFault.ts"

const causes = {
  ConnectionError: "unreachable",
  AuthenticationError: "denied",
  AuthorizationError: "denied",
  SqlSyntaxError: "unprepared",
  UniqueViolation: "other",
  ConstraintError: "other",
  DeadlockError: "busy",
  SerializationError: "busy",
  LockTimeoutError: "busy",
  StatementTimeoutError: "busy",
  UnknownError: "other"
} as const satisfies Record<SqlError["reason"]["_tag"], DatabaseRefused["why"]>

// Effect has no names for these: the server has no such database, ends or begins, or has no room for a connection.
const byState: ReadonlyMap<string, DatabaseRefused["why"]> = new Map([
  ["3D000", "unreachable"],
  ["57P01", "unreachable"],
  ["57P02", "unreachable"],
  ["57P03", "unreachable"],
  ["53300", "busy"]
])

const sqlState = /^[0-9A-Z]{5}$/

/** The SQLSTATE that a server gave, or null. */
const stateOf = (cause: unknown): string | null => {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return null
  return typeof cause.code === "string" && sqlState.test(cause.code) ? cause.code : null
}

/** The fault. Messages of the driver and of the server may hold the address, the user or a value, and are left out. */
export const sqlFault = ({ reason }: SqlError): DatabaseRefused => {
  const state = stateOf(reason.cause)
  return { _tag: "DatabaseRefused", why: byState.get(state ?? "") ?? causes[reason._tag], state }
}

/** Whether a row that must be the only one of its name is there already. */
export const isTaken = ({ reason }: SqlError): boolean => reason._tag === "UniqueViolation"
