// writtenRuns: runs written to disk line by line, transcripts beside them, and commands asked of them.
// Logs are written with valid hashes whatever they say, so that only the rule under test can object.
import { CallPlace } from "../../src/run/Naming.ts"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Layer } from "effect"
import { afterEach, beforeEach } from "vitest"
import { inFilesLayer as inFiles } from "../../src/read/UserFiles.live.ts"
import type { InFiles } from "../../src/read/UserFiles.ts"
import { Live } from "../../src/layers.ts"
import { layer as eventLog } from "../../src/log/EventLog.live.ts"
import { layer as git } from "../../src/code/Git.live.ts"
import { digestOf } from "../../src/run/SmallFile.live.ts"
import { runDirectory } from "../../src/log/LogFile.live.ts"
import { sha256 } from "../../src/platform/Sha256.ts"
import { beginning, type Head } from "../../src/log/StreamKind.ts"
import type { Event, EventOf } from "../../src/run/Event.ts"
import type { RunRef } from "../../src/log/Refs.ts"
import type { Level } from "../../src/run/Level.ts"
import { attemptFiles } from "../../src/run/Layout.live.ts"
import * as auditCommand from "../../src/cli/commands/audit.ts"
import { type CallContext, perform } from "../../src/cli/command.ts"
import type { Failure } from "../../src/platform/Failure.ts"
import * as replayCommand from "../../src/cli/commands/replay.ts"
import * as runsCommand from "../../src/cli/commands/runs.ts"
import { version } from "../../src/platform/Version.ts"
import type { Ending } from "../../src/cli/ending.ts"
import type { Drivers } from "../../src/drive/DriverLock.ts"
import type { EventLog } from "../../src/log/EventLog.ts"
import type { Git } from "../../src/code/Git.ts"
import { Output, Signals } from "../../src/platform/Process.ts"
import type { RunStore } from "../../src/run/RunStore.ts"
import type { Snapshots } from "../../src/code/Snapshots.ts"
import type { Reviewers } from "../../src/review/Reviewers.ts"
import type { ReviewFiles } from "../../src/review/ReviewFiles.ts"
import { batchStarted, created, finished, opened, started, tree } from "../unit/run/events.ts"

export const runId = "20300101T000001Z-000000001-p1"

/** How a log is written when not by this version, or in another repository's or target's directory. */
export interface Written {
  readonly id?: string
  readonly version?: string
  readonly repo?: string
  readonly target?: string
  readonly anchored?: boolean
  /** The time of every line, or of each by its number; one second after the other otherwise. */
  readonly at?: string | ((seq: number) => string)
}

const isStart = (event: unknown): event is EventOf<"ReviewStarted"> =>
  typeof event === "object" && event !== null && "_tag" in event && event._tag === "ReviewStarted"

const author = (by: string) => ({ version: by, pid: 7, host: "test" })
const at = (seq: number): string => new Date(Date.UTC(2030, 0, 1) + seq * 1000).toISOString()

/** One line of a log that follows `after`, with a valid hash, whatever its events are. */
const lineAfter = (after: Head, events: ReadonlyArray<unknown>, prev: string, how: Written) => {
  const seq = after.seq + 1
  const by = author(how.version ?? version)
  const timeOf = how.at === undefined ? at : typeof how.at === "string" ? () => String(how.at) : how.at
  const body = JSON.stringify({ v: 1, seq, at: timeOf(seq), by, prev, events }).slice(0, -1)
  const hash = sha256(body)
  return { text: `${body},"hash":"${hash}"}\n`, head: { seq, hash } }
}

/**
 * The bytes of a log of these lines, its heads and its last one. Events need not be known to this version. `born` is the
 * event that binds it, where that is not the creation of a run.
 */
export const logOf = (
  lines: ReadonlyArray<ReadonlyArray<unknown>>,
  how: Written = {},
  born?: { readonly runId: string; readonly nonce: string }
) => {
  let head: Head = beginning
  let text = ""
  const heads: Array<Head> = []
  for (const events of lines) {
    const first = events.find((event): event is Event & { _tag: "RunCreated" } =>
      typeof event === "object" && event !== null && "_tag" in event && event._tag === "RunCreated"
    )
    const { nonce, runId } = born ?? first ?? {}
    const prev = head.seq === 0 ? sha256(`${runId}\n${nonce}`) : head.hash
    const line = lineAfter(head, events, prev, how)
    text += line.text
    head = line.head
    heads.push(head)
  }
  return { text, head, heads }
}

const body = {
  Clean: "I did not find any actionable correctness issues in the diff.\n",
  HasIssues: "The patch has a problem.\n\nReview comment:\n\n- [P1] Guard it — /repo/a.txt:1-1\n  It may be null.\n"
}

const transcript = (text: string, workdir: string, level: Level, session: string): string =>
  `OpenAI Codex v0.169.0\n--------\nworkdir: ${workdir}\nmodel: m\nsandbox: read-only\nreasoning effort: ${level}\n` +
  `session id: ${session}\n--------\nuser\ncurrent changes\ncodex\n${text}`

/** A session of its own for every slot of every batch. */
const sessionOf = (...place: ReadonlyArray<string | number>): string =>
  sha256(place.join()).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")

/** What the commands that read stored runs need. */
type Needed =
  | Drivers
  | EventLog
  | Git
  | InFiles
  | Output
  | Reviewers
  | ReviewFiles
  | RunStore
  | Signals
  | Snapshots

/** A command with what is asked of it, ready to be carried out. */
export type Asked = (called: CallContext) => Effect.Effect<Ending, never, Needed>

interface Command<A, E, R> {
  readonly run: (asked: A, called: CallContext) => Effect.Effect<Ending, E, R>
}

const asking = <A, E extends Failure, R extends Needed>({ run }: Command<A, E, R>, asked: A): Asked => (called) =>
  perform(run(asked, called))

/** A state root, a worktree beside it, and everything that can be asked of them. A new one for each test. */
export const bench = () => {
  let scratch = ""
  beforeEach(() => {
    scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ooda-history-")))
    fs.mkdirSync(path.join(scratch, "repo"))
    execFileSync("git", ["init", "-q", "-b", "main", path.join(scratch, "repo")])
  })
  afterEach(() => fs.rmSync(scratch, { recursive: true, force: true }))
  const root = () => path.join(scratch, "state")
  const cwd = () => path.join(scratch, "repo")
  const ref = ({ id = runId, repo = "repo-noremote", target = "uncommitted" }: Written = {}): RunRef => ({
    root: root(),
    repoId: repo,
    targetKey: target,
    runId: id
  })
  const dir = (how: Written = {}) => runDirectory(ref(how))

  /** Writes the journal of an attempt of which there are files, as its wrapper would have. */
  const writeJournal = (event: EventOf<"ReviewStarted">, { hash, seq }: Head, how: Written): void => {
    const { journal } = attemptFiles({ ...event, run: ref(how) })
    if (!fs.existsSync(path.dirname(journal))) return
    fs.writeFileSync(journal, `attempt ${event.id} 4194304 - -\nline ${seq} ${hash}\n`)
  }

  /** Writes a log and, by default, the anchor of its last line. Returns the head. */
  const write = (lines: ReadonlyArray<ReadonlyArray<unknown>>, how: Written = {}): Head => {
    const { head, heads, text } = logOf(lines, how)
    fs.mkdirSync(dir(how), { recursive: true, mode: 0o700 })
    lines.forEach((events, i) => {
      for (const event of events) if (isStart(event)) writeJournal(event, heads[i] ?? head, how)
    })
    fs.writeFileSync(path.join(dir(how), "manifest.jsonl"), text)
    if (how.anchored !== false) {
      fs.writeFileSync(path.join(dir(how), "head.json"), JSON.stringify({ ...head, offset: Buffer.byteLength(text) }))
    }
    return head
  }

  /** Writes the files of a finished reviewer and returns the event that recorded it. */
  const reviewed = (
    verdict: "Clean" | "HasIssues",
    where: { readonly level?: Level; readonly batch?: number; readonly slot?: number } = {},
    text = body[verdict]
  ): Event => {
    const { batch = 1, level = "low", slot = 1 } = where
    const files = attemptFiles({ run: ref(), level, batch, slot, attempt: 1 })
    const log = transcript(text, cwd(), level, sessionOf(level, batch, slot)) + text
    fs.mkdirSync(path.dirname(files.log), { recursive: true })
    fs.writeFileSync(files.log, log)
    fs.writeFileSync(files.out, text)
    fs.writeFileSync(files.exit, "0\n")
    return finished(verdict, {
      level,
      batch,
      slot,
      attempt: 1,
      reason: verdict === "Clean" ? "no-defect-stated" : "rendered-findings",
      findings: verdict === "Clean" ? 0 : 1,
      log: digestOf(Buffer.from(log)),
      out: digestOf(Buffer.from(text))
    })
  }

  const said: Array<string> = []
  const layers = (output: Layer.Layer<Output>) =>
    Layer.mergeAll(
      eventLog,
      git,
      inFiles,
      Live.runStore,
      Live.drivers,
      Live.reviewers,
      Live.reviewFiles,
      Live.snapshots,
      output,
      Layer.succeed(Signals, { asked: Effect.never })
    )
  const toSaid = Layer.succeed(Output, { write: (text) => Effect.sync(() => void said.push(text)) })

  /** Carries a command out and returns what it wrote and how it ended. */
  const ask = async (
    command: Asked,
    options: { readonly cwd?: string; readonly output?: Layer.Layer<Output> } = {}
  ) => {
    said.length = 0
    const asked = command({ cwd: Effect.succeed(options.cwd ?? cwd()), version })
    const placed = Effect.provideService(asked, CallPlace, { stateRoot: root(), store: null })
    const ended = await Effect.runPromise(Effect.provide(placed, layers(options.output ?? toSaid)))
    return { ...ended, out: said.join("") }
  }

  const runs = (fields: Partial<runsCommand.Request> = {}): Asked =>
    asking(runsCommand, {
      stateRoot: root(),
      all: false,
      json: false,
      action: { _tag: "List" },
      ...fields
    })
  const replay = (fields: Partial<replayCommand.Request> = {}): Asked =>
    asking(replayCommand, {
      stateRoot: root(),
      selector: { _tag: "Newest" },
      at: null,
      after: 0,
      follow: false,
      json: false,
      ...fields
    })
  const audit = (fields: Partial<auditCommand.Request> = {}): Asked =>
    asking(auditCommand, {
      stateRoot: root(),
      selector: { _tag: "Newest" },
      expectHead: null,
      attestation: null,
      logOnly: false,
      reclassify: false,
      json: false,
      ...fields
    })

  const born = (fields: Parameters<typeof created>[0] = {}): Event =>
    created({ runId, worktree: cwd(), batchSize: 2, ...fields })

  /** The line that starts a batch of two reviews. */
  const starts = (level: Level, batch: number, name = "t1"): ReadonlyArray<Event> => [
    batchStarted({ level, batch, size: 2, identity: tree(name) }),
    started({ level, batch, slot: 1, id: `${level}-${batch}-1` }),
    started({ level, batch, slot: 2, id: `${level}-${batch}-2` })
  ]

  const complete = (level: Level, batch: number, name = "t1"): Event => ({
    _tag: "BatchCompleted",
    level,
    batch,
    identity: tree(name)
  })

  /** A batch of two clean reviews, from its start to its completion, with its transcripts. */
  const cleanBatch = (level: Level, batch: number, name = "t1"): ReadonlyArray<ReadonlyArray<Event>> => [
    starts(level, batch, name),
    [reviewed("Clean", { level, batch, slot: 2 })],
    [reviewed("Clean", { level, batch, slot: 1 }), complete(level, batch, name)]
  ]

  const retroClean = (level: Level, next: Level, ceiling: Level): ReadonlyArray<Event> => [
    { _tag: "LevelOutcomeRecorded", level, batch: 1, outcome: { _tag: "Clean" }, ceiling },
    opened(next, 1, { from: level, cause: "Advanced" })
  ]

  const reached = (level: Level, batch = 1): Event => ({
    _tag: "FixedPointReached",
    level,
    batch,
    ceiling: level,
    by: "Reviews"
  })

  /** A sound run from low to its fixed point at medium. */
  const climb = (): ReadonlyArray<ReadonlyArray<Event>> => [
    [born()],
    ...cleanBatch("low", 1),
    retroClean("low", "medium", "medium"),
    ...cleanBatch("medium", 1),
    [reached("medium")]
  ]

  return {
    root,
    cwd,
    dir,
    write,
    reviewed,
    ask,
    runs,
    replay,
    audit,
    born,
    starts,
    complete,
    cleanBatch,
    retroClean,
    reached,
    climb,
    file: (name: string) => path.join(dir(), name)
  }
}
