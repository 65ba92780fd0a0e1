// SqlFaults: every reason of a database as a fault, without a word that the driver or the server said.
import { SqlError } from "effect/sql/SqlError"
import * as Reasons from "effect/sql/SqlError"
import { assert, describe, it } from "vitest"
import { isTaken, sqlFault } from "../../../../src/fleet/sql/Database.live.ts"
import { systemFaultText } from "../../../../src/platform/SystemFault.ts"
import { away, stopping, taken } from "./heldTables.ts"

const of = (cause: unknown) => ({ cause, message: "postgres://ann:secret@db", operation: "execute" })
const all: ReadonlyArray<readonly [Reasons.SqlErrorReason, string]> = [
  [new Reasons.ConnectionError(of(null)), "unreachable"],
  [new Reasons.AuthenticationError(of({ code: "28P01" })), "denied"],
  [new Reasons.AuthorizationError(of({ code: "42501" })), "denied"],
  [new Reasons.SqlSyntaxError(of({ code: "42P01" })), "unprepared"],
  [new Reasons.UniqueViolation({ ...of({ code: "23505" }), constraint: "key" }), "other"],
  [new Reasons.ConstraintError(of({ code: "23503" })), "other"],
  [new Reasons.DeadlockError(of({ code: "40P01" })), "busy"],
  [new Reasons.SerializationError(of({ code: "40001" })), "busy"],
  [new Reasons.LockTimeoutError(of({ code: "55P03" })), "busy"],
  [new Reasons.StatementTimeoutError(of({ code: "57014" })), "busy"],
  [new Reasons.UnknownError(of({ code: "53300" })), "busy"],
  [new Reasons.UnknownError(of({ code: "57P03" })), "unreachable"],
  [new Reasons.UnknownError(of({ code: "3D000" })), "unreachable"],
  [new Reasons.UnknownError(of({ code: "XX000" })), "other"]
]

describe("sqlFault", () => {
  it.each(all.map(([reason, why]): [string, Reasons.SqlErrorReason, string] => [reason._tag, reason, why]))(
    "of %s",
    (_, reason, why) => {
      const fault = sqlFault(new SqlError({ reason }))
      assert.strictEqual(fault.why, why)
      assert.match(systemFaultText(fault), /^(SQLSTATE [0-9A-Z]{5}: )?the database .* \[.*\]$/)
      assert.notInclude(JSON.stringify(fault), "secret")
    }
  )

  it("names the state that a server gave, and no other code", () => {
    assert.strictEqual(sqlFault(stopping).state, "57P01")
    assert.isNull(sqlFault(away).state)
    assert.isNull(sqlFault(new SqlError({ reason: new Reasons.UnknownError(of({ code: 7 })) })).state)
  })
})

it("a row that is there is told from all else", () => {
  assert.isTrue(isTaken(taken))
  assert.isFalse(isTaken(away))
})
