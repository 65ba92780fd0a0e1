// ReviewFiles.live: files of ended reviewers: separated streams, within bounds, with digests and the session's review.
// A session file counts only if the first banner's UUID leads to it.
import { createHash } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import {
  cutMarker,
  exitIn,
  layer,
  logBytes,
  outBytes,
  outputOf,
  sourcesIn,
  storedIn,
  type StreamFiles,
  textsOf
} from "../../../src/review/ReviewFiles.live.ts"
import { attemptFiles, type AttemptFiles } from "../../../src/run/Layout.live.ts"
import type { ReviewRef } from "../../../src/run/Refs.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { type Evidence, ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { fileInMemory, type Open, openOnDisk } from "../../../src/platform/Files.ts"
import { runRef } from "../run/events.ts"

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
  readonly evidence: (options?: { readonly acting: boolean }) => Promise<Evidence>
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
      evidence: (options) =>
        Effect.runPromise(
          ReviewFiles.use((service) => service.evidence(ref, options)).pipe(
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
  it("cause an error with the file name if they cannot be read", () =>
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

  it("is read but not kept if nothing may be written", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2026/11/20", id, exitedReviewMode(review))
      const { digests, session } = await bench.evidence({ acting: false })
      assert.deepStrictEqual([session, digests.review], [{ _tag: "Found", output: review }, null])
      assert.isFalse(existsSync(bench.files.review))
    }))

  it("is null if codex recorded null, absent if it recorded nothing, and then nothing is kept", () =>
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

  it("is not searched for an id that is not a UUID or not in the banner", () =>
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

  it("is absent without a home, or if the sessions are a file", () =>
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

  it("come from its reviewer's session, even for a failed review", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2026/11/20", child, ...reviewer)
      assert.notProperty(await bench.evidence(), "usage")
      bench.session("2026/11/20", id, exitedReviewMode(null))
      const { session, usage } = await bench.evidence()
      assert.deepStrictEqual(usage, { input: 9, cached: 4, output: 3, reasoning: 1 })
      assert.deepStrictEqual(session, { _tag: "Found", output: null })
    }))
})

describe("a stored review", () => {
  const read = (ref: ReviewRef, session: boolean, home = "") =>
    Effect.runPromise(
      ReviewFiles.use((files) => Effect.all([files.stored(ref, { session }), files.said(ref, { session })])).pipe(
        Effect.provide(layer),
        Effect.provideService(Environment, { CODEX_HOME: home })
      )
    )

  it("equals the evidence at the time of recording, with its exit status", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n", "3\n")
      bench.session("2026/11/20", id, exitedReviewMode(review))
      const evidence = await bench.evidence()
      const [stored, said] = await read(bench.review, true)
      assert.deepStrictEqual(stored, { missing: [], status: 3, journal: null, joined: true, evidence })
      const { digests: _, reading, ...sources } = evidence
      assert.deepStrictEqual(said, { ...sources, reading: { ...reading, transcript: null } })
    }))

  it("only uses the copy of the session, and only if one was recorded", () =>
    withBench(async (bench) => {
      bench.leave(banner(), "Fine.\n")
      bench.session("2026/11/20", id, exitedReviewMode(review))
      const [without] = await read(bench.review, false, bench.home)
      assert.deepStrictEqual([without.evidence.session, without.missing], [{ _tag: "Absent" }, []])
      const [stored, said] = await read(bench.review, true, bench.home)
      assert.deepStrictEqual([stored.missing, said.session], [["review"], { _tag: "Absent" }])
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

  it("depends on its exit file, and before that on its wrapper", () =>
    withBench(async (bench) => {
      assert.strictEqual(await fate(bench.review), "Gone")
      writeFileSync(bench.files.journal, journal(process.pid))
      assert.strictEqual(await fate(bench.review), "Alive")
      assert.strictEqual(await fate({ ...bench.review, attempt: 2 }), "Gone")
      writeFileSync(bench.files.exit, "0\n")
      assert.strictEqual(await fate(bench.review), "Exited")
    }))
})

describe("standard error and standard output", () => {
  let dir = ""
  let files: StreamFiles = { log: "", out: "", exit: "", journal: "" }
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "ooda-output-"))
    files = { log: join(dir, "log"), out: join(dir, "out"), exit: join(dir, "exit"), journal: join(dir, "run") }
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  const sha = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex")

  /** Leaves files like the wrapper: standard error and standard output in the log. */
  const leave = (log: string, out: string): void => {
    writeFileSync(files.log, log + out)
    writeFileSync(files.out, out)
    writeFileSync(files.exit, "0\n")
  }

  describe("the streams of a reviewer", () => {
    it("are separated, with digests of the stored files", () => {
      leave("banner\nwords\n", "Ünïcode — fine.\n")
      const found = outputOf(openOnDisk, files)
      assert.deepStrictEqual([found.logHead, found.logTail], ["banner\nwords\n", "banner\nwords\n"])
      assert.strictEqual(found.out, "Ünïcode — fine.\n")
      const log = "banner\nwords\nÜnïcode — fine.\n"
      assert.deepStrictEqual(found.digests.log, { algorithm: "sha256", hex: sha(log), bytes: Buffer.byteLength(log) })
      const { digests: _, ...texts } = found
      assert.deepStrictEqual(textsOf(openOnDisk, files), { ...texts, transcript: null })
    })

    it("show the commands of standard error, but not text in standard output that looks like them", () => {
      const block = "exec\n/bin/sh -c 'git diff' in /r\n exited 1 in 2ms:\n"
      leave(`banner\n${block}`, block.replace("exited 1", "succeeded"))
      assert.deepInclude(outputOf(openOnDisk, files).transcript, { succeeded: 0, failed: 1 })
    })

    it.each(["banner\n", "banner\nans", "banner\nanswer\n"])(
      "are separated by the sizes in the journal for %j",
      (log) => {
        leave("", "answer\n")
        writeFileSync(files.log, log)
        writeFileSync(files.journal, "attempt a 123 456 boot\nended 0 7 7\n")
        assert.deepInclude(outputOf(openOnDisk, files), { logHead: "banner\n", logTail: "banner\n", out: "answer\n" })
      }
    )

    it("are read separately if they were never joined", () => {
      writeFileSync(files.log, "only standard error\n")
      writeFileSync(files.out, "an answer\n")
      assert.deepInclude(outputOf(openOnDisk, files), { logTail: "only standard error\n", out: "an answer\n" })
    })

    it("that are missing are empty", () => {
      const { digests, logHead, out } = outputOf(openOnDisk, files)
      assert.deepStrictEqual([logHead, out], ["", ""])
      assert.deepStrictEqual(digests.log, { algorithm: "sha256", hex: sha(""), bytes: 0 })
    })

    it("are read at both ends for 500 MB", () => {
      leave("head é", "")
      truncateSync(files.log, 500 * 2 ** 20)
      appendFileSync(files.log, "tail of standard error\nanswer\n")
      writeFileSync(files.out, "answer\n")
      const found = outputOf(openOnDisk, files)
      assert.isTrue(found.logHead.startsWith("head é\0"))
      assert.isAtMost(found.logHead.length, logBytes)
      assert.isTrue(found.logTail.endsWith("\0tail of standard error\n"))
      const size = statSync(files.log).size
      assert.deepInclude(found.digests.log, { algorithm: "sha256-ends", bytes: size })
      const [first, last] = [Buffer.alloc(65_536), Buffer.alloc(65_536)]
      first.write("head é")
      last.write("tail of standard error\nanswer\n", last.length - 30)
      assert.strictEqual(found.digests.log.hex, sha(Buffer.concat([Buffer.from(`${size}\n`), first, last])))
    })

    it("have a marker if a huge answer is cut", () => {
      leave("banner\n", "")
      writeFileSync(files.out, `x${"é".repeat(outBytes / 2 + 100)}`)
      const { out } = outputOf(openOnDisk, files)
      const { size } = statSync(files.out)
      assert.isTrue(out.endsWith(cutMarker(size)))
      assert.isFalse(out.includes("\ufffd"))
      assert.strictEqual(out.length, outBytes / 2 + cutMarker(size).length)
    })
  })
})

describe("stored files", () => {
  const files = attemptFiles({ run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1 })
  const opening = (contents: Partial<Record<keyof AttemptFiles, string>>): Open => {
    const found = new Map(Object.entries(contents).map(([name, text]) => [files[name as keyof AttemptFiles], text]))
    return (path, use) => {
      const text = found.get(path)
      return use(text === undefined ? null : fileInMemory(Buffer.from(text)))
    }
  }
  const whole = {
    log: "banner\nanswer\n",
    out: "answer\n",
    exit: "3\n",
    journal: `attempt abc 4194300 1 boot\nline 3 ${"0".repeat(64)}\nended 3 7 7\n`,
    review: '{"findings":[]}\n'
  }

  describe("a review with all its files", () => {
    const stored = storedIn(opening(whole), files, { session: true })

    it("has its status, its attempt and its line, and a transcript that ends with its output", () =>
      assert.deepInclude(stored, {
        missing: [],
        status: 3,
        joined: true,
        journal: {
          id: "abc",
          line: { seq: 3, hash: "0".repeat(64) },
          end: { status: 3, logBytes: 7, outBytes: 7 }
        }
      }))

    it("belongs to its attempt, whatever delivery of a fleet ran it", () => {
      const delivered = { ...whole, journal: whole.journal.replace("abc", "abc:token") }
      assert.strictEqual(storedIn(opening(delivered), files, { session: true }).journal?.id, "abc")
    })

    it("has no kept review if the log has none", () => {
      const without = storedIn(opening(whole), files, { session: false })
      assert.deepStrictEqual(sourcesIn(opening(whole), files, { session: false }).session, { _tag: "Absent" })
      assert.deepStrictEqual([without.evidence.session, without.evidence.digests.review], [{ _tag: "Absent" }, null])
    })
  })

  it("missing files are listed, and a review only if one was kept", () => {
    const { exit: _, review: __, ...some } = whole
    assert.deepStrictEqual(storedIn(opening(some), files, { session: true }).missing, ["exit", "review"])
    assert.deepStrictEqual(storedIn(opening({}), files, { session: false }).missing, ["log", "out", "exit"])
    assert.isNull(storedIn(opening({}), files, { session: false }).journal)
  })

  it("a cut transcript is marked as pruned", () => {
    const cut = `${"x".repeat(64 * 1024)}\n[cut by ooda-codex-review runs --prune --transcripts]\nend`
    assert.isTrue(storedIn(opening({ ...whole, log: cut }), files, { session: true }).pruned)
    assert.notProperty(storedIn(opening(whole), files, { session: true }), "pruned")
  })

  it.each([["0\n", 0], ["143\n", 143], ["0", null], ["\n", null], ["1234\n", null]])(
    "an exit file %j means %s",
    (text, said) => assert.strictEqual(exitIn(fileInMemory(Buffer.from(text))), said)
  )
  it("no exit file means null", () => assert.isNull(exitIn(null)))
})
