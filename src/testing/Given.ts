// Given: tests of marks as sentences: the position of a run, a side-effect flag, and what must follow.
// The run is folded from events, so every state that is given can really be reached.
import { Equal } from "effect"
import type { Event } from "../run/Event.ts"
import type { Level } from "../run/Level.ts"
import { fold, type Manifest, replay } from "../run/Manifest.ts"
import { decideMark, type Mark, type MarkDecision } from "../run/Mark.ts"
import { reviewArguments } from "../run/Target.ts"

/**
 * The position of a run. `reviews` are the verdicts of its current batch; without any, the batch has not been started.
 */
export interface RunPosition {
  readonly floor?: Level
  readonly level?: Level
  readonly reviews?: ReadonlyArray<"Clean" | "HasIssues">
}

/** The expected result of a mark. A missing field is not checked. */
export interface Expected extends Partial<MarkDecision> {
  /** The level of the run afterwards. */
  readonly level?: Level
  readonly batch?: number
}

const file = { algorithm: "sha256", hex: "", bytes: 0 } as const

const eventsTo = ({ floor = "low", level = floor, reviews = [] }: RunPosition): ReadonlyArray<Event> => {
  const batch = { level, batch: 1 }
  const reviewed = reviews.flatMap((verdict, i): ReadonlyArray<Event> => {
    const attempt = { ...batch, slot: i + 1, attempt: 1 }
    const said = { verdict, reason: "given", source: "stdout", findings: verdict === "Clean" ? 0 : 1 } as const
    return [
      { _tag: "ReviewStarted", ...attempt, id: `${i + 1}` },
      { _tag: "ReviewFinished", ...attempt, ...said, log: file, out: file }
    ]
  })
  const identity = { _tag: "Unknown", why: "given" } as const
  const argv = reviewArguments({ _tag: "Uncommitted" }, null, level)
  return [
    {
      _tag: "RunCreated",
      runId: "20300101T000000Z-000000000-p1",
      repoId: "repo-noremote",
      worktree: "/repo",
      target: { _tag: "Uncommitted" },
      startLevel: floor,
      batchSize: 3,
      createdAt: "2030-01-01T00:00:00.000Z",
      because: "NoLatestPointer",
      nonce: "0".repeat(32)
    },
    ...(level === floor ? [] : [{ _tag: "BatchOpened", ...batch, from: floor, cause: "Advanced" } as const]),
    ...(reviews.length === 0
      ? []
      : [{ _tag: "BatchStarted", ...batch, size: reviews.length, base: null, argv, identity } as const]),
    ...reviewed
  ]
}

/** The manifest of a run at a position. */
export const manifestAt = (where: RunPosition): Manifest => {
  const manifest = fold([{ seq: 1, at: "2030-01-01T00:00:00.000Z", events: eventsTo(where) }])
  if (manifest === null) throw new Error("unreachable: the first event creates the run")
  return manifest
}

const after = (manifest: Manifest, events: ReadonlyArray<Event>): Manifest =>
  replay(manifest, [{ seq: 2, at: "2030-01-01T00:00:01.000Z", events }])

/**
 * `given({ level: "medium" }).when({ _tag: "RetroClean" }, "high").then({ level: "high", outcome: { _tag: "Idle" } })`.
 * Takes a manifest too. `then` throws, with both sides, when something that is expected is otherwise.
 */
export const given = (run: Manifest | RunPosition) => {
  const manifest = "run_id" in run ? run : manifestAt(run)
  return {
    when: (mark: Mark, ceiling: Level = "xhigh") => {
      const decision = decideMark(manifest, mark, ceiling)
      const { batch_number: batch, current_level: level } = after(manifest, decision.events)
      const actual: Required<Expected> = { ...decision, level, batch }
      return {
        decision,
        then: (expected: Expected): void => {
          const seen = Object.fromEntries(Object.entries(actual).filter(([field]) => field in expected))
          if (Equal.equals(seen, expected)) return
          throw new Error(`expected ${JSON.stringify(expected)}, found ${JSON.stringify(seen)}`)
        }
      }
    }
  }
}
