// SubmissionsSql: without a database nothing is submitted, in one line without its address. test/fleet submits for real.
import { Effect, Layer, Redacted, Result } from "effect"
import { assert, it } from "vitest"
import { database } from "../../../../src/fleet/sql/Database.live.ts"
import { layer } from "../../../../src/fleet/sql/Submissions.live.ts"
import { decode, type Pin, Submissions, targetOf } from "../../../../src/fleet/Submission.ts"

const nowhere = Layer.provide(layer, database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere")))
const [head, base] = ["a".repeat(40), "b".repeat(40)]
const one = Result.getOrThrow(
  decode({ repo: "https://github.com/a/x", pr: 7, head, base, branch: "main" }, { local: false })
)
const pinned: Pin = {
  submission: one,
  worktree: "/work/pulls/x/7/x",
  tree: "/work/trees/x/7/a-b/x",
  identity: { _tag: "Unknown", why: "nobody looked" },
  problem: null,
  dismissals: ""
}

it.each([
  ["submitted", (them: Submissions["Service"]) => Effect.asVoid(them.submit("pg:1", one))],
  ["pinned", (them: Submissions["Service"]) => them.pin(targetOf("pg:1", one), 1, pinned)],
  ["pinned there", (them: Submissions["Service"]) => Effect.asVoid(them.pins(targetOf("pg:1", one)))],
  ["listed", (them: Submissions["Service"]) => Effect.asVoid(them.of(targetOf("pg:1", one), 1))]
])("nothing is %s", async (_, ask) => {
  const error = await Effect.runPromise(Effect.flip(Effect.provide(Submissions.use(ask), nowhere)))
  assert.strictEqual(
    error.message,
    "the submissions: the database cannot be reached [check that it runs, and the address of the store]"
  )
  assert.notMatch(JSON.stringify(error), /annabel|s3cret|nowhere/)
})
