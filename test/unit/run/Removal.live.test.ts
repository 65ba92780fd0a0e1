// Removal: what is removed of a run and cut of its transcripts, and what is refused.
// Whatever is behind a link, or outside the state root, must still exist afterwards.
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { RunRef } from "../../../src/log/Refs.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { openOnDisk } from "../../../src/platform/Files.ts"
import { bootId, processAt } from "../../../src/platform/Processes.ts"
import { agentFiles, archivedFiles, attemptFiles } from "../../../src/run/Layout.live.ts"
import type { ReviewRef } from "../../../src/run/Refs.ts"
import {
  cutTranscripts,
  isCut,
  look,
  remove as removeRun,
  shortenTranscript,
  usageOf
} from "../../../src/run/Removal.live.ts"
import type { CuttableTranscript } from "../../../src/run/RunStore.ts"

let dir = ""
beforeEach(() => (dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-removal-")))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))
const runId = "20260102T030405Z-000000001-p1"
const root = () => join(dir, "state")
const run = (): RunRef => ({ root: root(), repoId: "repo-noremote", targetKey: "uncommitted", runId })
const proper = () => join(root(), "repo-noremote", "uncommitted", "runs", runId)

const make = (path: string) => {
  mkdirSync(join(path, "levels"), { recursive: true })
  writeFileSync(join(path, "manifest.jsonl"), "line\n")
}

const remove = (run: RunRef, isLatest = false) =>
  Effect.runPromise(
    removeRun(run, { isLatest }).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "removed" })
    )
  )

describe("removing a run", () => {
  it("takes its directory, and `latest` only if it names the run", async () => {
    const latest = join(dirname(dirname(proper())), "latest")
    for (const isLatest of [false, true]) {
      make(proper())
      writeFileSync(latest, runId)
      assert.strictEqual(await remove(run(), isLatest), "removed")
      assert.deepEqual([existsSync(proper()), existsSync(latest)], [false, !isLatest])
    }
  })

  it("is refused behind a link, anywhere on the path", async () => {
    for (const linked of [proper(), dirname(proper()), dirname(dirname(proper())), join(root(), "repo-noremote")]) {
      make(proper())
      const real = join(dir, "real")
      renameSync(linked, real)
      symlinkSync(real, linked)
      assert.match(await remove(run()), / is a link; nothing that it leads to is removed$/)
      assert.isTrue(existsSync(join(proper(), "manifest.jsonl")))
      for (const path of [root(), real]) rmSync(path, { recursive: true })
    }
  })

  it("is refused outside the state root, and for a name that is not a run's", async () => {
    const cases: ReadonlyArray<readonly [string, Partial<RunRef>]> = [
      [join(dir, "elsewhere", "uncommitted", "runs", runId), { repoId: "../elsewhere" }],
      [join(root(), "repo-noremote", "uncommitted", "runs", "notes"), { runId: "notes" }]
    ]
    for (const [path, how] of cases) {
      make(path)
      assert.match(await remove({ ...run(), ...how }), /is not a run of this state root/)
      assert.isTrue(existsSync(join(path, "manifest.jsonl")))
    }
  })
})

describe("a run", () => {
  it("is alive while one of its agents holds its lock", async () => {
    make(proper())
    const { lock } = agentFiles({ run: run(), agent: 2, attempt: 3 })
    mkdirSync(dirname(lock), { recursive: true })
    const alive = async () => {
      const trace = Effect.provideService(look(run()), Environment, process.env)
      return (await Effect.runPromise(trace)).reviewersAlive
    }
    const holder = spawn("flock", [lock, "sh", "-c", "echo held; exec sleep 3600"], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true
    })
    await once(holder.stdout, "data")
    try {
      assert.isTrue(await alive())
    } finally {
      process.kill(-(holder.pid ?? 0), "SIGKILL")
    }
    await once(holder, "close")
    assert.isFalse(await alive())
  })
})

describe("the size of a store", () => {
  it("is the sum of its files, with the largest of them", () => {
    const dir = fs.mkdtempSync(join(tmpdir(), "ooda-usage-"))
    try {
      assert.isNull(usageOf(join(dir, "nowhere")).largest)
      fs.mkdirSync(join(dir, "a/b"), { recursive: true })
      fs.writeFileSync(join(dir, "small"), "x")
      fs.writeFileSync(join(dir, "a/b/large"), Buffer.alloc(300_000, "x"))
      fs.writeFileSync(join(dir, "hole"), "")
      fs.truncateSync(join(dir, "hole"), 10_000_000)
      fs.symlinkSync("/", join(dir, "link"))
      const { bytes, largest } = usageOf(dir)
      assert.strictEqual(largest?.path, join(dir, "a/b/large"))
      assert.isAtLeast(largest?.bytes ?? 0, 300_000)
      assert.isAtLeast(bytes, largest?.bytes ?? 0)
      assert.isBelow(bytes, 1_000_000)
    } finally {
      fs.rmSync(dir, { recursive: true })
    }
  })
})

describe("transcripts", () => {
  let root = ""

  let review: ReviewRef = {
    run: { root, repoId: "r", targetKey: "t", runId: "i" },
    level: "low",
    batch: 1,
    slot: 1,
    attempt: 2
  }

  beforeEach(() => {
    root = fs.mkdtempSync(join(tmpdir(), "ooda-transcripts-"))
    review = { ...review, run: { ...review.run, root } }
    fs.mkdirSync(dirname(attemptFiles(review).log), { recursive: true })
  })

  afterEach(() => fs.rmSync(root, { recursive: true }))
  const long = `HEAD${"x".repeat(500_000)}TAIL`

  const cut = (state: CuttableTranscript["state"], dryRun = false) =>
    Effect.runPromise(cutTranscripts([{ review, state }], { dryRun }))

  /** Leaves long streams of an attempt, with their journal and exit file. */
  const leave = (
    journal: string | null,
    exit: string | null,
    files: { log: string; out: string } = attemptFiles(review)
  ) => {
    fs.writeFileSync(files.log, long)
    fs.writeFileSync(files.out, long)
    if (journal !== null) fs.writeFileSync(attemptFiles(review).journal, journal)
    if (exit !== null) fs.writeFileSync(attemptFiles(review).exit, exit)
  }

  const sizes = ({ log, out }: { log: string; out: string } = attemptFiles(review)) =>
    [log, out].map((path) => fs.statSync(path).size > 200_000 ? "whole" : "cut")

  const boot = bootId(process.env) ?? ""
  const dead = `attempt a 4194300 1 ${boot}\n`

  describe("a long transcript", () => {
    it("of a recorded review keeps both its ends, and is marked as cut; its standard output stays", async () => {
      leave(dead, "0\n")
      assert.isFalse(openOnDisk(attemptFiles(review).log, isCut))
      assert.isAbove(await cut("Reviewed", true), 300_000)
      assert.deepStrictEqual(sizes(), ["whole", "whole"])
      assert.isAbove(await cut("Reviewed"), 300_000)
      const text = fs.readFileSync(attemptFiles(review).log, "utf8")
      assert.strictEqual(shortenTranscript(Buffer.from(long))?.toString(), text)
      assert.isNull(shortenTranscript(Buffer.from(text)))
      assert.match(text, /^HEADx+\n\[cut by ooda-codex-review runs --prune --transcripts\]\nx+TAIL$/)
      assert.isBelow(text.length, 140_000)
      assert.deepStrictEqual([openOnDisk(attemptFiles(review).log, isCut), ...sizes()], [true, "cut", "whole"])
      assert.strictEqual(await cut("Reviewed"), 0)
    })

    it("of an attempt that failed, or was followed by another, is cut with its standard output", async () => {
      leave(dead, "1\n")
      await cut("Failed")
      assert.deepStrictEqual(sizes(), ["cut", "cut"])
      leave(null, null, archivedFiles(review))
      await cut("Archived")
      assert.deepStrictEqual(sizes(archivedFiles(review)), ["cut", "cut"])
    })

    it.each([
      ["ended with an error", dead, "101\n", ["cut", "cut"]],
      ["was lost", dead, null, ["cut", "cut"]],
      ["was ended by a signal", dead, "143\n", ["cut", "cut"]],
      ["ended well", dead, "0\n", ["whole", "whole"]],
      ["ended well, as its journal alone says", `${dead}ended 0 500008 500008\n`, null, ["whole", "whole"]],
      ["has not begun", null, null, ["whole", "whole"]],
      [
        "lives",
        `attempt a ${process.pid} ${processAt(process.pid, process.env)?.start} ${boot}\n`,
        null,
        ["whole", "whole"]
      ]
    ])("of an open attempt that %s, and its standard output: %4$s", async (_, journal, exit, left) => {
      leave(journal, exit)
      await cut("Open")
      assert.deepStrictEqual(sizes(), left)
    })
  })

  it("a short transcript, and a missing one, are left unchanged", async () => {
    assert.strictEqual(await cut("Reviewed"), 0)
    assert.isFalse(openOnDisk(attemptFiles(review).log, isCut))
    fs.writeFileSync(attemptFiles(review).log, "x".repeat(128 * 1024))
    assert.strictEqual(await cut("Reviewed"), 0)
    assert.strictEqual(fs.statSync(attemptFiles(review).log).size, 128 * 1024)
  })
})
