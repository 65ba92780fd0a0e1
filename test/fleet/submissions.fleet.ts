// submissions: one number for one submission, however often and by however many it is submitted, and none is changed.
import { Effect, Layer, Redacted, Result } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { layer } from "../../src/fleet/sql/Submissions.live.ts"
import { decode, type Pin, type Submission, Submissions, targetOf } from "../../src/fleet/Submission.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("submissions")

const submission = (head: string, other: object = {}): Submission =>
  Result.getOrThrow(decode(
    { repo: "https://github.com/a/x", pr: 7, head: head.repeat(40), base: "f".repeat(40), branch: "main", ...other },
    { local: false }
  ))

const asking = <A, E>(use: (them: Submissions["Service"]) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(Submissions.use(use), Layer.provide(layer, database(Redacted.make(url("submitter")))))
  )

describe.runIf(installed)("submissions", () => {
  beforeAll(() => makeStore(url(), "submitter"))

  it("are idempotent for a head, and one that comes back after another is a new one", async () => {
    const [one, two] = [submission("a"), submission("b")]
    const submitted = await asking((them) =>
      Effect.forEach([one, one, two, two, one], (next) => them.submit("pg:1", next))
    )
    assert.deepEqual(submitted.map(({ isNew, number }) => [number, isNew]), [
      [1, true],
      [1, false],
      [2, true],
      [2, false],
      [3, true]
    ])
    const past = await asking((them) => them.of(targetOf("pg:1", one), 2))
    assert.deepStrictEqual(past.map((each) => [each.number, each.submission]), [[3, one], [2, two]])
    assert.isTrue(past.every(({ at }) => Math.abs(at - Date.now()) < 600_000))
    assert.isEmpty(await asking((them) => them.of(targetOf("pg:2", one), 2)))
  })

  it("of another base or other levels are new ones", async () => {
    const all = [{}, { base: "e".repeat(40) }, { ceiling: "high" }].map((other) => submission("a", { pr: 8, ...other }))
    const submitted = await asking((them) => Effect.forEach(all, (next) => them.submit("pg:1", next)))
    assert.deepEqual(submitted.map(({ number }) => number), [1, 2, 3])
  })

  it("of many at once are numbered without a gap, and each message that comes twice counts once", async () => {
    const heads = ["0123456789", "abcde"].join("").split("").slice(1).map((head) => submission(head, { pr: 9 }))
    const results = await asking((them) =>
      Effect.forEach(heads, (next) => them.submit("pg:1", next), { concurrency: "unbounded" })
    )
    const numbers = results.map(({ number }) => number).sort((a, b) => a - b)
    assert.deepEqual(numbers, heads.map((_, i) => i + 1))
    const same = submission("c", { pr: 10 })
    const twice = await asking((them) =>
      Effect.forEach(Array.from({ length: 12 }, () => same), (next) => them.submit("pg:1", next), {
        concurrency: "unbounded"
      })
    )
    assert.deepEqual([...new Set(twice.map(({ number }) => number))], [1])
    assert.lengthOf(twice.filter(({ isNew }) => isNew), 1)
  })

  it("keep what was pinned of them first, the newest before the others", async () => {
    const target = targetOf("pg:1", submission("a", { pr: 11 }))
    const pinned = (head: string, why = "not looked up"): Pin => ({
      submission: submission(head, { pr: 11 }),
      worktree: "/work/pulls/x/11/x",
      tree: `/work/trees/x/11/${head}/x`,
      identity: { _tag: "Unknown", why },
      problem: { _tag: "CommitEmpty", sha: submission(head).head },
      dismissals: "{}\n"
    })
    const kept = await asking((them) =>
      Effect.gen(function*() {
        for (const head of ["a", "b"]) {
          const { number } = yield* them.submit("pg:1", submission(head, { pr: 11 }))
          yield* them.pin(target, number, pinned(head))
          yield* them.pin(target, number, pinned(head, "somebody came later"))
        }
        return [yield* them.pins(target), yield* Effect.flip(them.pin(target, 3, pinned("c")))] as const
      })
    )
    assert.deepStrictEqual(kept[0], [pinned("b"), pinned("a")])
    assert.match(kept[1].message, /^the submissions: /)
    assert.isEmpty(await asking((them) => them.pins({ ...target, root: "pg:2" })))
  })

  it("are refused where a row breaks the rules of the fleet, also in what was pinned", async () => {
    const own = submission("a", { pr: 12 })
    const target = targetOf("pg:1", own)
    const written = async (one: Submission, pr: number, number: number) => {
      const row = { repoId: targetOf("pg:1", one).repoId, targetKey: `pr/${pr}`, text: JSON.stringify(one) }
      const pin = JSON.stringify({
        submission: one,
        worktree: "/work",
        tree: "/work/tree",
        identity: { _tag: "Unknown", why: "" },
        problem: null,
        dismissals: ""
      })
      await querying(url("submitter"), (sql) =>
        Effect.andThen(
          sql`insert into ooda_submission (root, repo_id, target_key, seq, head, base, submission)
            values ('pg:1', ${row.repoId}, ${row.targetKey}, ${number}, ${one.head}, ${one.base}, ${row.text})`,
          sql`insert into ooda_pin (root, repo_id, target_key, seq, pinned)
            values ('pg:1', ${row.repoId}, ${row.targetKey}, ${number}, ${pin})`
        ))
      const at = { root: "pg:1", repoId: row.repoId, targetKey: row.targetKey }
      return asking((them) => Effect.all([Effect.flip(them.of(at, 1)), Effect.flip(them.pins(at))])).then((failed) =>
        failed.map(({ message }) => message)
      )
    }
    for (const message of await written({ ...own, repo: "file:///home/somebody/secret" }, 12, 1)) {
      assert.match(
        message,
        /^the submissions: a row breaks the fleet's rules: repo: this fleet takes no repository of its own/
      )
    }
    for (const message of await written(submission("a", { pr: 13 }), 14, 1)) {
      assert.match(message, /it is of another pull request than its row/)
    }
    await querying(
      url(),
      (sql) => sql`insert into ooda_store (name, work, local, lease) values ('s', '/w', true, 1000)`
    )
    const local = submission("a", { pr: 15 })
    const taken = { ...local, repo: "file:///srv/code" }
    await asking((them) => them.submit("pg:1", taken))
    const [first] = await asking((them) => them.of(targetOf("pg:1", taken), 1))
    assert.deepStrictEqual(first?.submission, taken)
    assert.isEmpty(await asking((them) => them.of(target, 1)))
  })

  it("cannot be changed or removed by who submits", async () => {
    const change = (what: "update" | "delete") =>
      querying(url("submitter"), (sql) =>
        Effect.flip(
          what === "update"
            ? sql`update ooda_submission set head = 'x'`
            : sql`delete from ooda_submission`
        ))
    for (const what of ["update", "delete"] as const) {
      assert.strictEqual((await change(what)).reason._tag, "AuthorizationError")
    }
  })
})
