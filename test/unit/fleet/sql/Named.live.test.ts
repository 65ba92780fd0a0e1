// Named: each part of a target's name is a parameter of a question, never a part of its text.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { assert, it } from "vitest"
import { hasTarget } from "../../../../src/fleet/sql/FleetTargets.live.ts"
import { nowhere } from "./nowhere.ts"

it("a target is named by all its parts", async () => {
  const target = { root: "'; drop", repoId: "b", targetKey: "c" }
  const text = Effect.map(SqlClient, (sql) => sql`select ${hasTarget(sql, target)}`.compile())
  const [statement, values] = await Effect.runPromise(Effect.provide(text, nowhere))
  assert.strictEqual(statement, "select t.root = $1 and t.repo_id = $2 and t.target_key = $3")
  assert.deepEqual(values, ["'; drop", "b", "c"])
})
