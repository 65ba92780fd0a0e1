// events: events with plain defaults, and "given these lines" as a manifest, for the tests of the core.
// Every default is a value that a real run could hold; a test only names what it is about.
import { assert } from "vitest"
import type { Commit, LoggedEvent } from "../../../src/log/StreamKind.ts"
import type { Digest, Event, EventOf } from "../../../src/run/Event.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import type { Level } from "../../../src/run/Level.ts"
import { fold, type Manifest } from "../../../src/run/Manifest.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewArguments } from "../../../src/run/Target.ts"

type Fields<Tag extends Event["_tag"]> = Partial<Omit<EventOf<Tag>, "_tag">>

export const digest: Digest = { algorithm: "sha256", hex: "ab".repeat(32), bytes: 12 }

/** A known identity; two of them differ in the tree. */
export const tree = (name: string): Identity => ({ _tag: "Known", head: "a".repeat(40), tree: name, base: null })

export const created = (fields: Fields<"RunCreated"> = {}): EventOf<"RunCreated"> => ({
  _tag: "RunCreated",
  runId: "20300101T000001Z-000000001-p1",
  repoId: "repo-noremote",
  worktree: "/repo",
  target: { _tag: "Uncommitted" },
  startLevel: "low",
  batchSize: 3,
  createdAt: "2030-01-01T00:00:01.000Z",
  because: "NoLatestPointer",
  nonce: "0".repeat(32),
  ...(fields.strict === true ? { frozen: true } : {}),
  ...fields
})

/** The stored run that `created` creates. */
export const runRef = (root = "/state"): RunRef => ({
  root,
  repoId: created().repoId,
  targetKey: "uncommitted",
  runId: created().runId
})

export const batchStarted = (fields: Fields<"BatchStarted"> = {}): EventOf<"BatchStarted"> => ({
  _tag: "BatchStarted",
  level: "low",
  batch: 1,
  size: 2,
  base: null,
  argv: reviewArguments({ _tag: "Uncommitted" }, null, fields.level ?? "low"),
  identity: tree("t1"),
  ...fields
})

const attempt = { level: "low", batch: 1, slot: 1, attempt: 1 } as const

/** An attempt with an id of its own. */
export const started = (fields: Fields<"ReviewStarted"> = {}): EventOf<"ReviewStarted"> => {
  const place = { ...attempt, ...fields }
  const name = [place.level, place.batch, place.slot, place.attempt].join("-")
  return { _tag: "ReviewStarted", ...place, id: fields.id ?? (name === "low-1-1-1" ? "id-1" : `id-${name}`) }
}

export const finished = (
  verdict: "Clean" | "HasIssues",
  fields: Fields<"ReviewFinished"> = {}
): EventOf<"ReviewFinished"> => ({
  _tag: "ReviewFinished",
  ...attempt,
  verdict,
  reason: "as written",
  source: "stdout",
  findings: verdict === "Clean" ? 0 : 2,
  log: digest,
  out: digest,
  ...fields
})

export const failed = (fields: Fields<"ReviewFailed"> = {}): EventOf<"ReviewFailed"> => ({
  _tag: "ReviewFailed",
  ...attempt,
  kind: "NotLoggedIn",
  transient: false,
  message: "NotLoggedIn: 401",
  exit: 1,
  ...fields
})

export const stopped = (fields: Fields<"ReviewStopped"> = {}): EventOf<"ReviewStopped"> => ({
  _tag: "ReviewStopped",
  ...attempt,
  cause: "Stop",
  ...fields
})

export const opened = (level: Level, batch: number, fields: Fields<"BatchOpened"> = {}): Event => ({
  _tag: "BatchOpened",
  level,
  batch,
  from: "low",
  cause: "Advanced",
  ...fields
})

const first = { level: "low", batch: 1 } as const

export const batchFailed = (slots: ReadonlyArray<number>): Event => ({ _tag: "BatchFailed", ...first, slots })

export const batchCompleted = (identity: Identity): Event => ({ _tag: "BatchCompleted", ...first, identity })

/** The time of a line. */
export const at = (seq: number): string => `2030-01-01T00:00:${String(seq).padStart(2, "0")}.000Z`

/** Each argument is one line of the log. */
export const log = (...lines: ReadonlyArray<ReadonlyArray<LoggedEvent<Event>>>): ReadonlyArray<Commit<Event>> =>
  lines.map((events, i) => ({ seq: i + 1, at: at(i + 1), events }))

/** The manifest of a log; lines are numbered from 1, and the first must create the run. */
export const given = (...lines: ReadonlyArray<ReadonlyArray<LoggedEvent<Event>>>): Manifest => {
  const manifest = fold(log(...lines))
  if (manifest === null) return assert.fail("the first line does not create a run")
  return manifest
}

/** A batch at low with one finished review per verdict. */
export const reviewed = (...verdicts: ReadonlyArray<"Clean" | "HasIssues">): ReadonlyArray<Event> => [
  batchStarted({ size: verdicts.length }),
  ...verdicts.map((_, i) => started({ slot: i + 1 })),
  ...verdicts.map((verdict, i) => finished(verdict, { slot: i + 1 }))
]
