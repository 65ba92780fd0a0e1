// The document of a step: what `--json` prints on stdout.
// Everything known is included; what cannot be read is null, never empty.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { notShown } from "../../../src/review/verdict/Reading.ts"
import type { Event } from "../../../src/run/Event.ts"
import { fold } from "../../../src/run/Manifest.ts"
import type { Outcome } from "../../../src/run/Outcome.ts"
import { Live } from "../../../src/layers.ts"
import { Dismissals } from "../../../src/review/findings/Dismissals.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { ReviewFiles, ReviewFilesFailed } from "../../../src/review/ReviewFiles.ts"
import { stepJson } from "../../../src/step/StepJson.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import { created, opened, reviewed, runRef } from "../run/events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { Run } from "../../../src/run/Run.ts"
import { beginning } from "../../../src/log/StreamKind.ts"

const logHead = "OpenAI Codex v0.169.0\n--------\n"
const out = (body: string) => `Bad.\n\nReview comment:\n\n- [P1] Guard it — /repo/a.ts:1-2\n  ${body}\n`
const left = (body: string) =>
  ({ session: { _tag: "Absent" }, out: out(body), logHead, logTail: logHead, reading: notShown }) as const
const unreadable = Effect.fail(new ReviewFilesFailed({ path: "/x", reason: { _tag: "NoLockProgram" } }))

interface Document {
  readonly [field: string]: unknown
  readonly run: {
    readonly [field: string]: unknown
    readonly findings: ReadonlyArray<{ readonly [field: string]: unknown; readonly body: string }> | null
  } | null
}

const document = (
  events: ReadonlyArray<Event>,
  said: Effect.Effect<ReturnType<typeof left>, ReviewFilesFailed>,
  { line = null, outcome = { _tag: "Idle" } }: { readonly line?: string | null; readonly outcome?: Outcome } = {}
) =>
  Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* EventLog
      const head = yield* log.append(reviewRun, runRef(), yield* log.create(reviewRun, runRef(), [created()]), events)
      const manifest = fold((yield* log.read(reviewRun, runRef())).commits)
      const text = yield* stepJson({ line, outcome, run: manifest === null ? null : { ref: runRef(), manifest, head } })
      assert.strictEqual(text.indexOf("\n"), text.length - 1)
      const parsed: Document = JSON.parse(text)
      return { document: parsed, head }
    }).pipe(
      Effect.provide(Layer.mergeAll(
        Layer.mock(Dismissals)({ read: () => Effect.succeed("") }),
        memoryEventLog,
        Live.runStore,
        Layer.mock(ReviewFiles)({ said: () => said })
      ))
    )
  )

describe("the document of a step", () => {
  it("includes the line of a mark; a batch that never started has no findings", async () => {
    const events = [...reviewed("HasIssues"), opened("medium", 1)]
    const { document: json } = await document(events, unreadable, { line: "advanced level: low -> medium" })
    assert.strictEqual(json["line"], "advanced level: low -> medium")
    assert.deepInclude(json.run, { level: "medium", batch: 1, reviews: [], findings: [], unlisted: [] })
  })

  it("has null for findings that cannot be read, and everything else", async () => {
    const { document: json, head } = await document(reviewed("HasIssues"), unreadable)
    assert.deepInclude(json.run, { level: "low", batch: 1, head, findings: null, unlisted: null, gone: null })
  })

  it("cuts long bodies, with a mark", async () => {
    const { document: json } = await document(reviewed("HasIssues"), Effect.succeed(left("word ".repeat(100_000))))
    assert.deepInclude(json.run?.findings?.[0], { cut: true })
    assert.strictEqual(json.run?.findings?.[0]?.body.length, 16_000)
  })

  it("has no more findings than an agent can read, and the number of the others", async () => {
    const many = Array.from({ length: 300 }, (_, i) => `- [P1] Case ${i} of it — /repo/f${i}.ts:1-2\n  B.\n`).join("\n")
    const all = { ...left(""), out: `Full review comments:\n\n${many}` }
    const { document: json } = await document(reviewed("HasIssues"), Effect.succeed(all))
    assert.deepStrictEqual([json.run?.findings?.length, json.run?.["omitted"]], [200, { findings: 100, batches: 0 }])
  })

  const withoutRun = (outcome: Outcome, run: Run | null): Promise<Document> =>
    Effect.runPromise(
      stepJson({ line: null, outcome, run }).pipe(Effect.provide(Layer.mergeAll(
        Layer.mock(Dismissals)({ read: () => Effect.succeed("") }),
        memoryEventLog,
        Live.runStore,
        Layer.mock(ReviewFiles)({})
      )))
    ).then((text) => JSON.parse(text))

  it("has no run if there is none, or if it never started", async () => {
    const outcome = { _tag: "BinaryError", message: "not a repository" } as const
    const manifest = fold([{ seq: 1, at: "", events: [created()] }]) ?? assert.fail("no run")
    for (const run of [null, { ref: runRef(), manifest, head: beginning }]) {
      assert.deepInclude(await withoutRun(outcome, run), {
        outcome: "BinaryError",
        exitCode: 6,
        message: "not a repository",
        run: null
      })
    }
  })

  it("has the advice of a stuck step as its message", async () => {
    const outcome = { _tag: "StuckRepeated", action: "RunReviews", key: "k", advice: "leave it unchanged" } as const
    assert.deepInclude(await withoutRun(outcome, null), {
      action: "RunReviews",
      key: "k",
      message: "leave it unchanged"
    })
  })
})
