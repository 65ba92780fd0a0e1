// What ended reviewers left: bounded reads, digests, and the session's review, from files laid out by hand.
// The one rule: nothing is believed about a session file but what the first banner's UUID leads to.
import { createHash } from "node:crypto"
import {
  appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../../src/adapters/codex/ReviewFilesLive.ts"
import { type SlotFiles, slotFiles } from "../../../../src/core/run/Paths.ts"
import { Environment } from "../../../../src/services/Environment.ts"
import { type Evidence, ReviewFiles } from "../../../../src/services/ReviewFiles.ts"

const id = "01a1f82b-a11c-7bc3-ae02-8032555061a0"
const banner = (session = id) =>
  `OpenAI Codex v0.169.0\n--------\nworkdir: /repo\nsession id: ${session}\n--------\nuser\ncurrent changes\n`
const review = { findings: [], overall_correctness: "patch is correct", overall_explanation: "Fine." }
const sha = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")

interface Bench {
  readonly files: SlotFiles
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
  const files = slotFiles(join(dir, "batch"), "low", 1, 1)
  mkdirSync(dirname(files.log))
  try {
    await use({
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
        Effect.runPromise(ReviewFiles.use((service) => service.evidence(files)).pipe(
          Effect.provide(layer),
          Effect.provideService(Environment, { CODEX_HOME: home })
        ))
    })
  } finally {
    rmSync(dir, { recursive: true })
  }
}

describe("the streams of a reviewer", () => {
  it("are told apart again, with digests of the stored files", () => withBench(async ({ evidence, files, leave }) => {
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

  it("that cannot be read are an error that names the file", () => withBench(async ({ evidence, files }) => {
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
  it("is found by the banner's id, newest day first, and kept beside the slot", () => withBench(async (bench) => {
    bench.leave(banner(), "Fine.\n")
    bench.session("2025/12/31", id, exitedReviewMode({ old: true }))
    const lines = [`{"type":"session_meta"}`, "no json", exitedReviewMode(null), exitedReviewMode(review)]
    bench.session("2026/11/20", id, ...lines)
    bench.session("2026/11/21", "01a1f82b-a11c-7bc3-ae02-000000000000", exitedReviewMode({ other: true }))
    const first = await bench.evidence()
    assert.deepStrictEqual(first.session, { _tag: "Found", output: review })
    const copy = readFileSync(bench.files.review)
    assert.deepStrictEqual(JSON.parse(copy.toString()), review)
    assert.strictEqual(statSync(bench.files.review).mode & 0o777, 0o600)
    assert.deepStrictEqual(first.digests.review, { algorithm: "sha256", hex: sha(copy), bytes: copy.length })
    assert.deepStrictEqual(await bench.evidence(), first)
    assert.isEmpty(readdirSync(dirname(bench.files.log)).filter((name) => name.endsWith(".new")))
  }))

  it("is null when codex recorded null, absent when it recorded nothing, and nothing is kept", () => withBench(async (bench) => {
    bench.leave(banner(), "")
    const path = bench.session("2026/11/20", id, `{"type":"event_msg","payload":{"item":{"type":"EnteredReviewMode"}}}`)
    assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" })
    writeFileSync(path, `${exitedReviewMode(null)}\n`)
    const found = await bench.evidence()
    assert.deepStrictEqual(found.session, { _tag: "Found", output: null })
    assert.isNull(found.digests.review)
  }))

  it("is not searched for an id that is no UUID or stands outside the banner", () => withBench(async (bench) => {
    bench.session("2026/11/20", id, exitedReviewMode(review))
    for (const log of [
      banner("../../../../etc/passwd"),
      banner("*"),
      banner("").concat(`session id: ${id}\n`),
      `codex\nsession id: ${id}\n`,
      `exec\ncat log\n${banner()}`
    ]) {
      bench.leave(log, "Fine.\n")
      assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" }, log)
    }
  }))

  it("is found in a long session, whatever its last line looks like", () => withBench(async (bench) => {
    bench.leave(banner(), "Fine.\n")
    const noise = JSON.stringify({ type: "response_item", payload: "x".repeat(300_000) })
    const path = bench.session("2026/11/20", id, noise, noise, exitedReviewMode(review), noise)
    appendFileSync(path, `{"type":"ExitedReviewMode","cut`)
    assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Found", output: review })
  }))

  it("is absent without a home, or with a file where the sessions should be", () => withBench(async (bench) => {
    bench.leave(banner(), "Fine.\n")
    assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" })
    mkdirSync(bench.home)
    writeFileSync(join(bench.home, "sessions"), "")
    assert.deepStrictEqual((await bench.evidence()).session, { _tag: "Absent" })
  }))
})
