// strictWorld: a strict run, its code and what reviewers saw of it, driven by the program's own rules.
// What reviewers saw is kept beside the run's log, so that a fixed point is judged by that alone.
import { slotsOf } from "../../../src/run/Batch.ts"
import { isKnownToDiffer, type IsWaived } from "../../../src/run/Cover.ts"
import type { Commit } from "../../../src/log/StreamKind.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import { compare, type Level, levels } from "../../../src/run/Level.ts"
import { initial, type Manifest, nextBatch, replay } from "../../../src/run/Manifest.ts"
import { batchesOf, type PastBatch } from "../../../src/run/ReviewRun.ts"
import { isRecording, type Mark } from "../../../src/run/Mark.ts"
import type { Outcome } from "../../../src/run/Outcome.ts"
import { decideStrict, type StrictContext } from "../../../src/run/StrictDecide.ts"
import { type AnsweredBatch, decideStrictMark, repeatedMark } from "../../../src/run/StrictMark.ts"
import { created } from "./events.ts"

/** What the reviewers of a level's last complete batch saw from start to end, and their verdict. */
export interface Seen {
  readonly clean: boolean
  /** The code, or null if it changed during the review. */
  readonly code: string | null
  /** Whether a retrospective, a restart or a drop voided it since. */
  readonly voided: boolean
}

/** A run after an AddressFailed of which only the red tests remain. */
interface Past {
  readonly run: number
  readonly commits: ReadonlyArray<Commit<Event>>
  readonly manifest: Manifest
}

/** One run and its code. A run that the code left is replaced; `old` holds the replaced runs. */
export interface World extends Past {
  readonly code: string
  /** How code is identified. */
  readonly look: (code: string) => Identity
  /** Whether all findings are dismissed. */
  readonly dismissed: boolean
  readonly seen: Readonly<Record<Level, Seen | null>>
  /** The code that the running reviewers have seen so far: null once it changed. */
  readonly under: string | null
  readonly old: ReadonlyArray<Past>
}

/** The levels between which an orchestrator works. */
export interface Rungs {
  readonly floor: Level
  readonly ceiling: Level
  /** Whether its `--block` lets every finding pass. */
  readonly lenient?: boolean
}

/** The identity of a state of the code. */
export const codeIs = (code: string): Identity => ({
  _tag: "Known",
  head: "h",
  tree: code,
  base: null,
  headTree: "h",
  index: code,
  indexTree: code,
  untracked: false,
  nested: ""
})

const unseen: World["seen"] = { low: null, medium: null, high: null, xhigh: null }

const begin = (run: number, floor: Level) => {
  const event = created({ runId: `run-${run}`, startLevel: floor, batchSize: 1, strict: true })
  return { run, commits: [{ seq: 1, at: "", events: [event] }], manifest: initial(event), seen: unseen, under: null }
}

/** A strict run that has just been created. */
export const newWorld = (floor: Level, code = "A", look = codeIs): World => ({
  ...begin(1, floor),
  code,
  look,
  dismissed: false,
  old: []
})

const strictOf = ({ manifest }: Past) =>
  manifest.strict ?? (() => {
    throw new Error("not strict")
  })()

const commit = <W extends Past>(world: W, events: ReadonlyArray<Event>): W => {
  if (events.length === 0) return world
  const line: Commit<Event> = { seq: world.commits.length + 1, at: "", events }
  return { ...world, commits: [...world.commits, line], manifest: replay(world.manifest, [line]) }
}

const waivedBy = ({ dismissed }: World, { lenient = false }: Rungs): IsWaived => () => dismissed || lenient

const contextOf = (world: World, rungs: Rungs): StrictContext => ({
  ceiling: rungs.ceiling,
  retries: 0,
  openedAt: world.commits.length,
  identity: world.look(world.code),
  maxBatches: null,
  paths: { findings: "f", transcripts: "t", logs: ["l1", "l2", "l3"], history: "h" },
  waived: waivedBy(world, rungs)
})

/** The run of the present step: a new one if the fixed point was about other code. */
const opened = (world: World, { floor }: Rungs): World => {
  const { fixed_point: fixed, strict } = world.manifest
  const last = fixed === null ? null : strict?.last[fixed.level] ?? null
  if (last === null || !isKnownToDiffer(last, world.look(world.code))) return world
  const { commits, manifest, run } = world
  return { ...world, ...begin(run + 1, floor), old: [...world.old, { commits, manifest, run }] }
}

/** Changes the code; running reviewers see the change. */
export const edit = (world: World, code: string): World => ({ ...world, code, under: null })

/** One decision of loop mode and its commits. `outcome` is null if reviews were started or are awaited. */
export const step = (from: World, rungs: Rungs): { readonly world: World; readonly outcome: Outcome | null } => {
  const world = opened(from, rungs)
  const { manifest } = world
  const decision = decideStrict(manifest, strictOf(world), contextOf(world, rungs))
  switch (decision._tag) {
    case "AwaitReviews":
      return { world, outcome: null }
    case "Halt": {
      const { outcome } = decision
      if (outcome._tag !== "DoneFixedPoint" || manifest.fixed_point !== null) return { world, outcome }
      const by = { level: rungs.ceiling, ceiling: rungs.ceiling, by: "Reviews" } as const
      const batch = strictOf(world).last[rungs.ceiling]?.batch ?? 0
      return { world: commit(world, [{ _tag: "FixedPointReached", ...by, batch }]), outcome }
    }
    case "RunReviews": {
      const { batch, batch_number, current_level } = manifest
      const at = decision.cause === "stale"
        ? { level: decision.level, batch: nextBatch(manifest, decision.level) }
        : { level: current_level, batch: batch_number }
      const open: ReadonlyArray<Event> = decision.cause === "stale"
        ? [{ _tag: "BatchOpened", ...at, from: current_level, cause: "Stale" }]
        : []
      const again = decision.cause === "failed-slots" || decision.cause === "stopped-slots"
      const attempt = again && batch._tag === "Started" ? (batch.slots[0]?.attempts ?? 0) + 1 : 1
      const identity = { ...world.look(world.code), stamps: "0" }
      const events: ReadonlyArray<Event> = [
        ...open,
        ...(again ? [] : [{ _tag: "BatchStarted", ...at, size: 1, base: null, argv: [], identity } as const]),
        { _tag: "ReviewStarted", ...at, slot: 1, attempt, id: "1" }
      ]
      return { world: { ...commit(world, events), under: world.code }, outcome: null }
    }
  }
}

const digest = { algorithm: "sha256", hex: "", bytes: 0 } as const

const running = ({ manifest: { batch } }: World) => batch._tag === "Started" ? slotsOf(batch, "Running")[0] : undefined

/** Ends the reviewer of the current batch. An undone change is recognised by the times of files. */
export const finish = (world: World, verdict: "Clean" | "HasIssues"): World | null => {
  const slot = running(world)
  if (slot === undefined) return null
  const { batch_number, current_level: level } = world.manifest
  const at = { level, batch: batch_number }
  const said = {
    verdict,
    reason: "r",
    source: "stdout",
    findings: verdict === "Clean" ? 0 : 1,
    log: digest,
    out: digest
  }
  const now = world.look(world.code)
  const identity: Identity = { ...now, stamps: world.under === null ? "1" : "0" }
  const after = commit(world, [
    { _tag: "ReviewFinished", ...at, slot: 1, attempt: slot.attempts, ...said, source: "stdout" },
    { _tag: "BatchCompleted", ...at, identity }
  ])
  const seen = { clean: verdict === "Clean", code: world.under, voided: false }
  return { ...after, seen: { ...world.seen, [level]: seen }, under: null }
}

/** Kills or stops the reviewer of the current batch. */
export const crash = (world: World, how: "Lost" | "Stopped"): World | null => {
  const slot = running(world)
  if (slot === undefined) return null
  const { batch_number, current_level: level } = world.manifest
  const at = { level, batch: batch_number, slot: 1, attempt: slot.attempts }
  const events: ReadonlyArray<Event> = how === "Stopped"
    ? [{ _tag: "ReviewStopped", ...at, cause: "Stop" }]
    : [
      { _tag: "ReviewFailed", ...at, kind: "Lost", transient: false, message: "m", exit: null },
      { _tag: "BatchFailed", level, batch: batch_number, slots: [1] }
    ]
  return { ...commit(world, events), under: null }
}

/** The result of a mark: `refused` changes nothing. */
export interface Marked {
  readonly world: World
  readonly refused: boolean
  readonly outcome: Outcome | null
}

const pasts = new WeakMap<ReadonlyArray<Commit<Event>>, ReadonlyArray<PastBatch>>()

/** The batches that a run has started. */
export const pastOf = ({ commits }: Past): ReadonlyArray<PastBatch> => {
  const past = pasts.get(commits) ?? batchesOf(commits)
  pasts.set(commits, past)
  return past
}

const voidedFrom = (seen: World["seen"], from: Level): World["seen"] => {
  const of = (level: Level) => {
    const one = seen[level]
    return one === null || compare(level, from) < 0 ? one : { ...one, voided: true }
  }
  return { low: of("low"), medium: of("medium"), high: of("high"), xhigh: of("xhigh") }
}

/** The world after the line of a mark: it may leave reviewers, and void what levels have shown. */
const marked = (world: World, events: ReadonlyArray<Event>, { _tag: what }: Mark): World => {
  const after = commit(world, events)
  if (!events.some(({ _tag }) => _tag === "BatchOpened")) return after
  const from = what === "RetroChanges" || what === "RestartFromFloor"
    ? "low"
    : what === "DropLevel"
    ? after.manifest.current_level
    : null
  return { ...after, under: null, seen: from === null ? after.seen : voidedFrom(after.seen, from) }
}

/** Applies a mark that answers a batch of a run. */
export const mark = (
  world: World,
  rungs: Rungs,
  what: Mark,
  answered: AnsweredBatch & { readonly run: number }
): Marked => {
  const named = what._tag === "AddressFailed" ? [world, ...world.old].find(({ run }) => run === answered.run) : world
  if (named === undefined || (isRecording(what) && answered.run !== named.run)) {
    return { world, refused: true, outcome: null }
  }
  const asked = { answered, mark: what, past: pastOf(named) }
  const decided = decideStrictMark(named.manifest, strictOf(named), asked, contextOf(world, rungs))
  switch (decided._tag) {
    case "Refused":
      return { world, refused: true, outcome: null }
    case "Repeated": {
      const { outcome } = repeatedMark(world.commits, { answered, mark: what, ceiling: rungs.ceiling })
      return { world, refused: false, outcome }
    }
    case "Applied": {
      const { events, outcome } = decided.decision
      // Red tests in a replaced run change nothing.
      return { world: named === world ? marked(world, events, what) : world, refused: false, outcome }
    }
  }
}

/** Whether a reviewer of one state of the code has reviewed another. */
export type Alike = (then: string, now: string) => boolean

/** Whether the reviewers of every level from floor to ceiling saw exactly the present code, and found nothing that blocks. */
export const isProven = (world: World, rungs: Rungs, alike: Alike = (then, now) => then === now): boolean =>
  levels.filter((level) => compare(level, rungs.floor) >= 0 && compare(level, rungs.ceiling) <= 0).every((level) => {
    const seen = world.seen[level]
    const passes = world.dismissed || rungs.lenient === true
    return seen !== null && !seen.voided && seen.code !== null && alike(seen.code, world.code) && (seen.clean || passes)
  })
