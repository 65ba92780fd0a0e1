// What ended reviewers left: bounded reads, digests, and the session's review, from files laid out by hand.
// The one rule: nothing is believed about a session file but what the first banner's UUID leads to.
import { createHash } from "node:crypto"
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/review/ReviewFiles.live.ts"
import { type AttemptFiles, attemptFiles } from "../../../src/run/Layout.live.ts"
import type { ReviewRef } from "../../../src/run/Refs.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { type Evidence, ReviewFiles } from "../../../src/review/ReviewFiles.ts"

const id = "01a1f82b-a11c-7bc3-ae02-8032555061a0"
const banner = (session = id) =>
  `OpenAI Codex v0.169.0\n--------\nworkdir: /repo\nsession id: ${session}\n--------\nuser\ncurrent changes\n`
const review = { findings: [], overall_correctness: "patch is correct", overall_explanation: "Fine." }
const sha = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")

interface Bench {
  readonly review: ReviewRef
  readonly files: AttemptFiles
  readonly home: string
  readonly leave: (log: string, out: string, exit?: string) => void
  readonly session: (day: string, uuid: string, ...lines: ReadonlyArray<string>) => string
  readonly evidence: () => Promise<Evidence>
}

const exitedReviewMode = (output: unknown): string =>
  JSON.stringify({
    type: "event_msg",
    payload: { type: "item_completed", item: { type: "ExitedReviewMode", review_output: output } }
  })

const withBench = async (use: (bench: Bench) => Promise<void>): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), "ooda-evidence-"))
  const home = join(dir, "codex-home")
  const run = { root: dir, repoId: "repo-noremote", targetKey: "uncommitted", runId: "20260101T000000Z-000000001-p1" }
  const ref: ReviewRef = { run, level: "low", batch: 1, slot: 1, attempt: 1 }
  const files = attemptFiles(ref)
  mkdirSync(dirname(files.log), { recursive: true })
  try {
    await use({
      review: ref,
      files,
      home,
      leave: (log, out, exit = "0\n") => {
        writeFileSync(files.log, log + out)
        writeFileSync(files.out, out)
        writeFileSync(files.exit, exit)
      },
      session: (day, uuid, ...lines) => {
        const path = join(home, "sessions", day, `rollout-2026-11-20T10-00-00-${uuid}.jsonl`)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, lines.map((line) => `${line}\n`).join(""))
        return path
      },
      evidence: () =>
        Effect.runPromise(
          ReviewFiles.use((service) => service.evidence(ref)).pipe(
            Effect.provide(layer),
            Effect.provideService(Environment, { CODEX_HOME: home })
          )
        )
    })
  } finally {
    rmSync(dir, { recursive: true })
  }
}

describe("the streams of a reviewer", () => {
  it("are told apart again, with digests of the stored files", () =>
    withBench(async ({ evidence, files, leave }) => {
      leave(banner("none"), "Ünïcode — fine.\n")
      const found = await evidence()
      assert.strictEqual(found.logHead, banner("none"))
      assert.strictEqual(found.logTail, banner("none"))
      assert.strictEqual(found.out, "Ünïcode — fine.\n")
      assert.deepStrictEqual(found.session, { _tag: "Absent" })
      const [log, out] = [readFileSync(files.log), readFileSync(files.out)]
      assert.deepStrictEqual(found.digests, {
        log: { algorithm: "sha256", hex: sha(log), bytes: log.length },
        out: { algorithm: "sha256", hex: sha(out), bytes: out.length },
        review: null
      })
    }))

  it("that cannot be read are an error that names the file", () =>
    withBench(async ({ evidence, files }) => {
      mkdirSync(files.out)
      try {
        await evidence()
      } catch (error) {
        return assert.match(String(error), /low-1\.log.*EISDIR/)
      }
      assert.fail("it was read")
    }))
})

describe("the session's review", () => {
  it("is found by the banner's id, newest day first, and kept beside the slot", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2025/12/31", id, exitedReviewMode({ old: true }))
      const lines = [`{"type":"session_meta"}`, "no json", exitedReviewMode(null), exitedReviewMode(review)]
      bench.session("2026/11/20", id, ...lines)
      bench.session("2026/11/21", "01a1f82b-a11c-7bc3-ae02-000000000000", exitedReviewMode({ other: true }))
      const first = await bench.evidence()
      assert.deepStrictEqual(first.session, { _tag: "Found", output: review })
      const copy = readFileSync(bench.files.review)
      assert.deepStrictEqual(JSON.parse(copy.toString()), { review_output: review, ran: null })
      assert.strictEqual(statSync(bench.files.review).mode & 0o777, 0o600)
      assert.deepStrictEqual(first.digests.review, { algorithm: "sha256", hex: sha(copy), bytes: copy.length })
      assert.deepStrictEqual(await bench.evidence(), first)
      assert.isEmpty(readdirSync(dirname(bench.files.log)).filter((name) => name.endsWith(".new")))
    }))

  it("is null when codex recorded null, absent when it recorded nothing, and nothing is kept", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "")
      const path = bench.session(
        "2026/11/20",
        id,
        `{"type":"event_msg","payload":{"item":{"type":"EnteredReviewMode"}}}`
      )
      assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" })
      writeFileSync(path, `${exitedReviewMode(null)}\n`)
      const found = await bench.evidence()
      assert.deepStrictEqual(found.session, { _tag: "Found", output: null })
      assert.isNull(found.digests.review)
    }))

  it("is not searched for an id that is no UUID or stands outside the banner", () =>
    withBench(async (bench) => {
      bench.session("2026/11/20", id, exitedReviewMode(review))
      for (
        const log of [
          banner("../../../../etc/passwd"),
          banner("*"),
          banner("").concat(`session id: ${id}\n`),
          `codex\nsession id: ${id}\n`,
          `exec\ncat log\n${banner()}`
        ]
      ) {
        bench.leave(log, "Fine.\n")
        assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" }, log)
      }
    }))

  it("is found in a long session, whatever its last line looks like", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      const noise = JSON.stringify({ type: "response_item", payload: "x".repeat(300_000) })
      const path = bench.session("2026/11/20", id, noise, noise, exitedReviewMode(review), noise)
      appendFileSync(path, `{"type":"ExitedReviewMode","cut`)
      assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Found", output: review })
    }))

  it("is absent without a home, or with a file where the sessions should be", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" })
      mkdirSync(bench.home)
      writeFileSync(join(bench.home, "sessions"), "")
      assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" })
    }))
})

describe("the tokens of a review", () => {
  const child = "01a1f82b-a11c-7bc3-ae03-000000000000"
  const used = { input_tokens: 9, cached_input_tokens: 4, output_tokens: 3, reasoning_output_tokens: 1 }
  const reviewer = [
    JSON.stringify({ type: "session_meta", payload: { id: child, parent_thread_id: id } }),
    JSON.stringify({ type: "token_usage_record", payload: { thread_token_usage: used } })
  ]

  it("are those of its reviewer's session, also of a review that failed", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2026/11/20", child, ...reviewer)
      assert.notProperty(await bench.evidence(), "usage")
      bench.session("2026/11/20", id, exitedReviewMode(null))
      const { session, usage } = await bench.evidence()
      assert.deepStrictEqual(usage, { input: 9, cached: 4, output: 3, reasoning: 1 })
      assert.deepStrictEqual(session, { _tag: "Found", output: null })
    }))

  it("change nothing else: the verdict is read the same without them", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2026/11/20", id, exitedReviewMode(review))
      bench.session("2026/11/20", child, reviewer[0] ?? "")
      const without = await bench.evidence()
      bench.session("2026/11/20", child, ...reviewer)
      const { usage: _, ...others } = await bench.evidence()
      assert.deepStrictEqual(others, without)
    }))
})

describe("what the run keeps of a review", () => {
  const read = (ref: ReviewRef, session: boolean, home = "") =>
    Effect.runPromise(
      ReviewFiles.use((files) => Effect.all([files.stored(ref, { session }), files.said(ref, { session })])).pipe(
        Effect.provide(layer),
        Effect.provideService(Environment, { CODEX_HOME: home })
      )
    )

  it("is what was read when it was recorded, with the status it ended with", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n", "3\n")
      bench.session("2026/11/20", id, exitedReviewMode(review))
      const evidence = await bench.evidence()
      const [stored, said] = await read(bench.review, true)
      assert.deepStrictEqual(stored, { missing: [], status: 3, journal: null, joined: true, evidence })
      const { digests: _, reading, ...sources } = evidence
      assert.deepStrictEqual(said, { ...sources, reading: { ...reading, transcript: null } })
    }))

  it("has no session but the copy, and that only where one was recorded", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2026/11/20", id, exitedReviewMode(review))
      const [without] = await read(bench.review, false, bench.home)
      assert.deepStrictEqual([without.evidence.session, without.missing], [{ _tag: "Absent" }, []])
      const [stored, said] = await read(bench.review, true, bench.home)
      assert.deepStrictEqual([stored.missing, said.session], [["review"], { _tag: "Absent" }])
    }))

  it("is missing file by file", () =>
    withBench(async (bench) => {
      const [stored] = await read(bench.review, true)
      assert.deepStrictEqual([stored.missing, stored.status], [["log", "out", "exit", "review"], null])
    }))

  it("that cannot be read is an error that names the transcript", () =>
    withBench(async (bench) => {
      mkdirSync(bench.files.out)
      const error = await read(bench.review, false).then(() => assert.fail("it was read"), String)
      assert.match(error, /low-1\.log.*EISDIR/)
    }))
})

describe("the fate of an attempt", () => {
  const fate = (ref: ReviewRef) =>
    Effect.runPromise(ReviewFiles.use((files) => files.fate(ref)).pipe(Effect.provide(layer)))
  const journal = (pid: number) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
    return `attempt an-id ${pid} ${start} ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}\n`
  }

  it("is told by its exit file, and by its wrapper before there is one", () =>
    withBench(async (bench) => {
      assert.strictEqual(await fate(bench.review), "Gone")
      writeFileSync(bench.files.journal, journal(process.pid))
      assert.strictEqual(await fate(bench.review), "Alive")
      assert.strictEqual(await fate({ ...bench.review, attempt: 2 }), "Gone")
      writeFileSync(bench.files.exit, "0\n")
      assert.strictEqual(await fate(bench.review), "Exited")
    }))
})
