// Named: how a question to the tables names a target.
import type { SqlClient } from "effect/sql/SqlClient"
import type { TargetRef } from "../../core/run/Refs.ts"

/** The condition that a row `t` of the targets is this one's. */
export const hasTarget = (sql: SqlClient, { repoId, root, targetKey }: TargetRef) =>
  sql`t.root = ${root} and t.repo_id = ${repoId} and t.target_key = ${targetKey}`
