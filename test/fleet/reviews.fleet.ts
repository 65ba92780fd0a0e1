// reviews: what reviewers left is read from rows as it is from the same files on a disk, byte by byte.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { layer as onDisk } from "../../src/review/ReviewFiles.live.ts"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { keptFiles, pathIn } from "../../src/fleet/sql/KeptFiles.live.ts"
import { reviewFilesLayer, type AttemptFacts } from "../../src/fleet/sql/Reviewers.live.ts"
import { type AttemptFiles, attemptFiles } from "../../src/run/Layout.live.ts"
import type { ReviewRef } from "../../src/run/Refs.ts"
import { ReviewFiles } from "../../src/review/ReviewFiles.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"

const { installed, url } = databaseOf("reviews")
const writer = "review_writer"
const directory = mkdtempSync(join(tmpdir(), "ooda-reviews-"))
afterAll(() => rmSync(directory, { recursive: true }))
let stores = 0

const body = `${JSON.stringify({ findings: [], overall_explanation: "Fine." })}\n`
const journal = `attempt abc 4194300 1 boot\nline 3 ${"0".repeat(64)}\nended 0 7 7\n`
const known: AttemptFacts = { fate: "Exited", emptySession: false, usage: null }

/** The files of a review with these contents, on a disk and in rows; what both say of them. */
const both = async (contents: Partial<Record<keyof AttemptFiles, string>>, said = known) => {
  const review: ReviewRef = {
    run: onlyRun(join(directory, `${++stores}`)),
    level: "low",
    batch: 1,
    slot: 1,
    attempt: 1
  }
  const files = attemptFiles(review)
  mkdirSync(dirname(files.log), { recursive: true })
  const entries = Object.entries(contents).map(([name, text]) => [files[name as keyof AttemptFiles], text] as const)
  for (const [path, text] of entries) writeFileSync(path, text)
  const base = database(Redacted.make(url(writer)))
  await Effect.runPromise(Effect.provide(
    Effect.flatMap(
      keptFiles,
      (kept) => Effect.forEach(entries, ([path]) => kept.keep(review.run, pathIn(review.run, path), readFileSync(path)))
    ),
    base
  ))
  const ask = (from: Layer.Layer<ReviewFiles, unknown>) =>
    Effect.runPromise(Effect.provide(
      ReviewFiles.use((them) =>
        Effect.all([
          them.stored(review, { session: true }),
          them.stored(review, { session: false }),
          them.said(review, { session: true }),
          them.said(review, { session: false })
        ])
      ),
      from
    ))
  const inRows = Layer.provide(reviewFilesLayer(() => Effect.succeed(said)), base)
  return { review, disk: await ask(onDisk), rows: await ask(inRows), inRows }
}

describe.runIf(installed)("reviews on PostgreSQL", () => {
  beforeAll(() => makeStore(url(), writer))

  const whole = { log: "banner\nanswer\n", out: "answer\n", exit: "0\n", journal, review: body }
  it.each([
    ["are all there", whole],
    ["were never begun", {}],
    ["have no exit file", { log: "banner\n", out: "answer\n", journal }],
    ["have an invalid review", { ...whole, review: "{" }],
    ["have an invalid exit file", { ...whole, exit: "zero" }],
    ["have a transcript without standard output", { ...whole, log: "banner\n" }],
    ["are of an old wrapper", { ...whole, journal: "attempt abc 4194300 1 boot\n" }],
    ["are long", { ...whole, log: "x".repeat(9_000_000), out: "é".repeat(4_300_000) }],
    ["were cut", { ...whole, log: `${"x".repeat(65_536)}\n[cut by ooda-codex-review runs --prune --transcripts]\n` }]
  ])("that %s are read as from a disk", async (_, contents) => {
    const { disk, rows } = await both(contents)
    assert.deepStrictEqual(rows, disk)
  })

  it("whose files were rewritten have other digests, each file for itself", async () => {
    const { inRows, review, rows } = await both(whole)
    const files = attemptFiles(review)
    for (const name of ["out", "review", "log"] as const) {
      await querying(
        url(),
        (sql) =>
          sql`update ooda_file set bytes = bytes || 'x' where path = ${
            pathIn(review.run, files[name])
          } and target = (select id from ooda_target where root = ${review.run.root})`
      )
      const now = await Effect.runPromise(
        Effect.provide(ReviewFiles.use((them) => them.stored(review, { session: true })), inRows)
      )
      assert.notDeepEqual(now.evidence.digests[name], rows[0].evidence.digests[name], name)
    }
  })

  it("are evidence with their machine's report of the session, the tokens and the end", async () => {
    const usage = { input: 5, cached: 1, output: 2, reasoning: 1 }
    const ask = async (contents: typeof whole | Omit<typeof whole, "review">, said: AttemptFacts) => {
      const { inRows, review, rows } = await both(contents, said)
      const asked = ReviewFiles.use((them) => Effect.all([them.evidence(review), them.fate(review)]))
      return { asked: await Effect.runPromise(Effect.provide(asked, inRows)), kept: rows[0].evidence }
    }
    const kept = await ask(whole, { ...known, emptySession: true })
    assert.deepStrictEqual(kept.asked, [kept.kept, "Exited"])
    const { review: _, ...without } = whole
    const empty = await ask(without, { fate: "Gone", emptySession: true, usage: null })
    assert.deepStrictEqual(empty.asked, [{ ...empty.kept, session: { _tag: "Found", output: null } }, "Gone"])
    const none = await ask(without, { ...known, usage })
    assert.deepStrictEqual(none.asked, [{ ...none.kept, usage }, "Exited"])
    assert.deepStrictEqual(none.kept.session, { _tag: "Absent" })
  })
})
