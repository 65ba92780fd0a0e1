// strictWorld: a strict run with its code and its orchestrators as one plain value, moved by the program's own rules.
import { assess } from "../../../../src/core/run/Batch.ts"
import { blocks } from "../../../../src/core/run/Cover.ts"
import type { Commit } from "../../../../src/core/log/StreamKind.ts"
import type { Event } from "../../../../src/core/run/Event.ts"
import type { Identity } from "../../../../src/core/run/Identity.ts"
import { compare, type Level, levels } from "../../../../src/core/run/Level.ts"
import { fold, initial, type Manifest, nextBatch, replay } from "../../../../src/core/run/Manifest.ts"
import { batchesOf } from "../../../../src/core/run/PastBatches.ts"
import type { Decision } from "../../../../src/core/loop/Decide.ts"
import { decideMark, type Mark } from "../../../../src/core/loop/Mark.ts"
import type { Outcome } from "../../../../src/core/loop/Outcome.ts"
import { decideStrict, type StrictContext } from "../../../../src/core/loop/StrictDecide.ts"
import { type Answered, decideStrictMark } from "../../../../src/core/loop/StrictMark.ts"
import { created } from "../run/events.ts"

/** One run and the code that it is about. `commits` are its lines; a run that the code has left is replaced. */
export interface World {
  readonly run: number
  readonly commits: ReadonlyArray<Commit<Event>>
  readonly manifest: Manifest
  readonly code: string
}

/** Between which levels an orchestrator works. */
export interface Rungs {
  readonly floor: Level
  readonly ceiling: Level
}

/** The identity of a state of the code. */
export const codeIs = (code: string): Identity => ({
  _tag: "Known", head: "h", tree: code, base: null, headTree: "h", index: code, indexTree: code, untracked: false, nested: ""
})

const begin = (run: number, floor: Level) => {
  const event = created({ runId: `run-${run}`, startLevel: floor, batchSize: 1, strict: true })
  return { commits: [{ seq: 1, at: "", events: [event] }], manifest: initial(event) }
}

/** A strict run that has just been created. */
export const newWorld = (floor: Level, code = "A"): World => ({ run: 1, ...begin(1, floor), code })

const strictOf = ({ manifest }: World) => manifest.strict ?? (() => { throw new Error("not strict") })()

const commit = (world: World, events: ReadonlyArray<Event>): World => {
  if (events.length === 0) return world
  const line: Commit<Event> = { seq: world.commits.length + 1, at: "", events }
  return { ...world, commits: [...world.commits, line], manifest: replay(world.manifest, [line]) }
}

const contextOf = (world: World, { ceiling }: Rungs): StrictContext => ({
  ceiling,
  retries: 0,
  openedAt: world.commits.length,
  identity: codeIs(world.code),
  maxBatches: null,
  paths: { findings: "f", transcripts: "t", history: "h" },
  waived: () => false
})

/** The run that the present step works on: another one where the fixed point was about other code. */
const opened = (world: World, { floor }: Rungs): World => {
  const { fixed_point: fixed, strict } = world.manifest
  const last = fixed === null ? null : strict?.last[fixed.level] ?? null
  const tree = last?.began._tag === "Known" ? last.began.tree : null
  return tree === null || tree === world.code ? world : { ...world, run: world.run + 1, ...begin(world.run + 1, floor) }
}

const isDone = (world: World): boolean => assess(world.manifest.batch, 0)._tag === "Complete"

/** One decision of loop mode and what it commits. `outcome` is null where reviews were started or are awaited. */
export const step = (from: World, rungs: Rungs): { readonly world: World; readonly outcome: Outcome | null } => {
  const world = opened(from, rungs)
  const { manifest } = world
  const decision: Decision = decideStrict(manifest, strictOf(world), contextOf(world, rungs))
  switch (decision._tag) {
    case "AwaitReviews":
      return { world, outcome: null }
    case "Halt": {
      if (decision.outcome._tag !== "DoneFixedPoint" || manifest.fixed_point !== null) return { world, outcome: decision.outcome }
      const last = strictOf(world).last[rungs.ceiling]
      const by = { batch: last?.batch ?? 0, level: rungs.ceiling, ceiling: rungs.ceiling, by: "Reviews" } as const
      return { world: commit(world, [{ _tag: "FixedPointReached", ...by }]), outcome: decision.outcome }
    }
    case "RunReviews": {
      const { batch_number, current_level } = manifest
      const at = decision.cause === "stale"
        ? { level: decision.level, batch: nextBatch(manifest, decision.level) }
        : { level: current_level, batch: batch_number }
      const open: ReadonlyArray<Event> = decision.cause === "stale"
        ? [{ _tag: "BatchOpened", ...at, from: current_level, cause: "Stale" }]
        : []
      const identity = codeIs(world.code)
      const events: ReadonlyArray<Event> = [
        ...open,
        { _tag: "BatchStarted", ...at, size: 1, base: null, argv: [], identity },
        { _tag: "ReviewStarted", ...at, slot: 1, attempt: 1, id: "1" }
      ]
      return { world: commit(world, events), outcome: null }
    }
  }
}

const digest = { algorithm: "sha256", hex: "", bytes: 0 } as const

/** The reviewer of the current batch ends. */
export const finish = (world: World, verdict: "Clean" | "HasIssues"): World | null => {
  const { batch, batch_number, current_level: level } = world.manifest
  if (batch._tag !== "Started" || assess(batch, 0)._tag !== "Running") return null
  const at = { level, batch: batch_number }
  const said = { verdict, reason: "r", source: "stdout", findings: verdict === "Clean" ? 0 : 1, log: digest, out: digest }
  return commit(world, [
    { _tag: "ReviewFinished", ...at, slot: 1, attempt: 1, ...said, source: "stdout" },
    { _tag: "BatchCompleted", ...at, identity: codeIs(world.code) }
  ])
}

/** What a mark came to: `refused` changes nothing. */
export interface Marked {
  readonly world: World
  readonly refused: boolean
  readonly outcome: Outcome | null
}

/** Applies a mark that answers a batch of a run. */
export const mark = (world: World, rungs: Rungs, what: Mark, answered: Answered & { readonly run: number }): Marked => {
  const primitive = what._tag === "AdvanceLevel" || what._tag === "DropLevel" || what._tag === "RestartFromFloor"
  if (!primitive && answered.run !== world.run) return { world, refused: true, outcome: null }
  const asked = { answered, mark: what, past: batchesOf(world.commits) }
  const decided = decideStrictMark(world.manifest, strictOf(world), asked, contextOf(world, rungs))
  switch (decided._tag) {
    case "Refused":
      return { world, refused: true, outcome: null }
    case "Repeated": {
      const at = world.commits.findIndex(({ events }) => events.some((event) =>
        event._tag === "LevelOutcomeRecorded" && event.level === answered.level && event.batch === answered.batch))
      const before = fold(world.commits.slice(0, at))
      return { world, refused: false, outcome: before === null ? null : decideMark(before, what, rungs.ceiling).outcome }
    }
    case "Applied":
      return {
        world: commit(world, decided.decision.events),
        refused: false,
        outcome: decided.decision.outcome
      }
  }
}

/** Whether every level from floor to ceiling has a last complete batch, clean, that saw exactly the present code. */
export const isProven = (world: World, { ceiling, floor }: Rungs): boolean => {
  const strict = strictOf(world)
  return levels.filter((level) => compare(level, floor) >= 0 && compare(level, ceiling) <= 0).every((level) => {
    const last = strict.last[level]
    return last !== null && !blocks(level, last, () => false) &&
      [last.began, last.completed].every((one) => one._tag === "Known" && one.tree === world.code)
  })
}

export { isDone }
