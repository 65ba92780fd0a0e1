// log: what opening a long run and appending to it cost, beside the bare calls they cannot do without.
// Figures are ratios to a floor measured in the same run; absolute times are only shown.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Result } from "effect"
import { layer } from "../src/log/EventLog.live.ts"
import { nodeFiles, withFile } from "../src/log/Files.live.ts"
import { logFile, start } from "../src/log/LogFile.live.ts"
import { sha256 } from "../src/platform/Sha256.ts"
import { scan } from "../src/log/LogRead.live.ts"
import { beginning, type Head } from "../src/log/StreamKind.ts"
import type { Event } from "../src/run/Event.ts"
import type { RunRef } from "../src/log/Refs.ts"
import { lineCodec } from "../src/log/Line.ts"
import { reviewRun } from "../src/run/ReviewRun.ts"
import { EventLog } from "../src/log/EventLog.ts"

const { decodeLine, encodeLine } = lineCodec(reviewRun)
const lines = 10_000
const appends = 100
const rounds = 7

const created = {
  _tag: "RunCreated",
  runId: "20300101T000000Z-000000001-p7",
  repoId: "bench-noremote",
  worktree: "/repo",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 3,
  createdAt: "2030-01-01T00:00:00Z",
  because: "NoLatestPointer",
  nonce: "00".repeat(16)
} satisfies Event
const digest = { algorithm: "sha256", hex: "ab".repeat(32), bytes: 12_345 } as const
const attempt = { level: "low", batch: 1, slot: 1, attempt: 1 } as const
const usual: ReadonlyArray<Event> = [
  { _tag: "ReviewStarted", ...attempt, id: "00000000-0000-4000-8000-000000000000" },
  {
    _tag: "ReviewFinished",
    ...attempt,
    verdict: "Clean",
    reason: "the review states no defect",
    source: "stdout",
    findings: 0,
    log: digest,
    out: digest
  },
  { _tag: "BatchCompleted", level: "low", batch: 1, identity: { _tag: "Unknown", why: "bench" } },
  { _tag: "BatchOpened", level: "low", batch: 2, from: "low", cause: "Dropped" }
]

const millis = (run: () => void): number => {
  const from = process.hrtime.bigint()
  run()
  return Number(process.hrtime.bigint() - from) / 1e6
}
const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const runIn = (root: string): RunRef => ({
  root,
  repoId: created.repoId,
  targetKey: "uncommitted",
  runId: created.runId
})
const fileOf = (root: string, name: string): string =>
  path.join(root, created.repoId, "uncommitted", "runs", created.runId, name)

const writeLog = (root: string): void => {
  fs.mkdirSync(fileOf(root, ""), { recursive: true })
  let after: Head = beginning
  const all = Array.from({ length: lines }, (_, i) => {
    const events = i === 0 ? [created] : [usual[i % usual.length] ?? created]
    const by = { version: "0.1.0", pid: 7, host: "bench" }
    const line = Result.getOrThrow(encodeLine({ after, at: "2030-01-01T00:00:00.000Z", by, events }, sha256))
    after = { seq: line.line.seq, hash: line.line.hash }
    return line.bytes
  })
  fs.writeFileSync(fileOf(root, "manifest.jsonl"), Buffer.concat(all))
}

const parse = (root: string): void => {
  const text = fs.readFileSync(fileOf(root, "manifest.jsonl"), "utf8")
  for (const line of text.split("\n")) if (line !== "") JSON.parse(line)
}

const open = (root: string): void => {
  const contents = Effect.runSync(EventLog.use((log) => log.read(reviewRun, runIn(root))).pipe(Effect.provide(layer)))
  if (contents.commits.length !== lines) throw new Error("not all lines were read")
}

/** Verifies and decodes every line and keeps none, as readers of long histories do. */
const verify = (root: string): void =>
  withFile(nodeFiles, fileOf(root, "manifest.jsonl"), "read", (fd) => {
    const log = logFile(nodeFiles, runIn(root), reviewRun)
    scan(log, fd, start, null, (line) => void Result.getOrThrow(decodeLine(line)))
  })

const warm = (measured: (root: string) => void) => (root: string): number =>
  median(Array.from({ length: 2 * rounds }, () => millis(() => measured(root))))

/** What one fresh process measures, in milliseconds: once, as a step is cold, or over and over. */
const measurements: Readonly<Record<string, (root: string) => number>> = {
  "cold parse": (root) => millis(() => parse(root)),
  "cold open": (root) => millis(() => open(root)),
  "warm parse": warm(parse),
  "warm verify": warm(verify)
}

const inFreshProcess = (name: string, root: string): number => {
  const done = spawnSync(process.execPath, [process.argv[1] ?? "", name, root], { encoding: "utf8" })
  if (done.status !== 0) throw new Error(done.stderr)
  return Number(done.stdout)
}

/** Milliseconds of one append in a running process, and of the two calls it is made of. */
const appending = async (root: string) => {
  const run = runIn(root)
  const each: Array<number> = []
  await Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* EventLog
      let head = yield* log.create(reviewRun, run, [created])
      for (let i = 0; i < appends; i++) {
        const from = process.hrtime.bigint()
        head = yield* log.append(reviewRun, run, head, [usual[i % usual.length] ?? created])
        each.push(Number(process.hrtime.bigint() - from) / 1e6)
      }
    }).pipe(Effect.provide(layer))
  )
  const fd = fs.openSync(fileOf(root, "bare"), "a")
  const bytes = Buffer.alloc(500, "x")
  const sync = Array.from({ length: appends }, () =>
    millis(() => {
      fs.writeSync(fd, bytes)
      fs.fdatasyncSync(fd)
    }))
  const lock = Array.from(
    { length: appends },
    () => millis(() => spawnSync("flock", ["-x", "-n", "3"], { stdio: ["ignore", "ignore", "ignore", fd] }))
  )
  fs.closeSync(fd)
  return { append: median(each), sync: median(sync), lock: median(lock) }
}

const main = async (): Promise<void> => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-bench-log-"))
  try {
    const long = path.join(root, "long")
    writeLog(long)
    const names = Object.keys(measurements)
    const taken = Array.from({ length: rounds }, () => names.map((name) => inFreshProcess(name, long)))
    const [coldParse = 0, coldOpen = 0, warmParse = 0, warmVerify = 0] = names.map((_, i) =>
      Math.min(...taken.map((row) => row[i] ?? Infinity))
    )
    const ratio = (a: number, b: number) => `ratio ${(a / b).toFixed(2)}`
    console.log(`a log of ${lines} lines, one event each; the least of ${rounds} interleaved processes`)
    console.log(`  opened by a fresh process    ${coldOpen.toFixed(1)} ms`)
    console.log(`  bare JSON.parse, as fresh    ${coldParse.toFixed(1)} ms   ${ratio(coldOpen, coldParse)}`)
    console.log(`  verified and decoded, warm   ${warmVerify.toFixed(1)} ms`)
    console.log(`  bare JSON.parse, as warm     ${warmParse.toFixed(1)} ms   ${ratio(warmVerify, warmParse)}`)
    const { append, lock, sync } = await appending(path.join(root, "short"))
    console.log(`an append, the median of ${appends}`)
    console.log(`  one line                     ${append.toFixed(2)} ms`)
    console.log(`  bare write and fdatasync     ${sync.toFixed(2)} ms`)
    console.log(`  one flock helper             ${lock.toFixed(2)} ms   ${ratio(append, sync + lock)} to both together`)
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

const measured = measurements[process.argv[2] ?? ""]
if (measured === undefined) await main()
else console.log(measured(process.argv[3] ?? ""))
