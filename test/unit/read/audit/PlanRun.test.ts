// PlanRun: what an audit finds in a plan run: work that was taken, accepted or marked without grounds.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { planRun } from "../../../../src/drive/plan/State.ts"
import { walker, walkStart } from "../../../../src/log/Walk.ts"
import { planAuditor } from "../../../../src/read/audit/PlanRun.ts"
import {
  analysed,
  content,
  cycleStarted,
  planStarted,
  reviewed,
  taken,
  tested,
  worked
} from "../../drive/plan/histories.ts"
import { digest } from "../../run/events.ts"

/** What an audit finds in a log of these events, and how many reviews it counts. */
const audited = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) => {
  const walk = walker(planRun)
  let place: Parameters<typeof walk>[0] = walkStart
  const lines = [planStarted, ...events].map((one, i) => {
    const all = Array.isArray(one) ? one : [one]
    const at = "2030-01-01T00:00:00.000Z"
    const line = { v: 1, seq: i + 1, at, by: { version: "", pid: 1, host: "" }, prev: "", hash: "", events: all }
    const walked = walk(place, line)
    place = walked.after
    return walked
  })
  const { known, words } = Effect.runSync(planAuditor.examine(planAuditor.begin, lines))
  return { known, texts: words.map(({ finding: { line, text } }) => `${line} ${text}`) }
}

const accepted = (because: "Acceptable" | "OutOfScope" = "Acceptable"): PlanEvent => ({
  _tag: "CycleAccepted",
  cycle: 1,
  because,
  content: content("b")
})
const marked = (tasks: ReadonlyArray<number> = [0]): PlanEvent => ({
  _tag: "TasksMarked",
  cycle: 1,
  tasks,
  plan: digest
})
const done = [cycleStarted(), worked(1, "cycle-1/implement"), taken(1, [0]), tested(1, 1, 0)]

describe("the audit of a plan run", () => {
  it("finds nothing in a run that did its work", async () => {
    const { known, texts } = audited(...done, reviewed(2, 0, "ACCEPTABLE"), accepted(), marked())
    assert.deepStrictEqual([known, texts], [{ reviews: 1, converged: [] }, []])
    const scope = audited(...done, reviewed(2, 0, "NEEDS_FIXES"), analysed(3, false), accepted("OutOfScope"), marked())
    assert.deepStrictEqual(scope.texts, [])
    assert.deepStrictEqual(await Effect.runPromise(planAuditor.ended(walkStart)), [])
  })

  it("knows which run converged its code, and the line that says so", () => {
    const event = { _tag: "PlanConverged", run: "r2", outcome: "DoneFixedPoint", head: { seq: 9, hash: "h" } } as const
    assert.deepStrictEqual(audited(event).known, { reviews: 0, converged: [{ line: 2, event }] })
  })

  it.each<[string, ReturnType<typeof audited>]>([
    ["not ACCEPTABLE", audited(...done, reviewed(2, 0, "NEEDS_FIXES"), accepted())],
    ["no analysis says so", audited(...done, reviewed(2, 0, "NEEDS_FIXES"), analysed(3), accepted("OutOfScope"))],
    [
      "test 2 was not green",
      audited(...done, tested(2, 1, 1, "npm run lint"), reviewed(2, 0, "ACCEPTABLE"), accepted())
    ],
    ["its result was not accepted", audited(cycleStarted(), worked(1, "cycle-1/implement", "block"), taken(1, [0]))],
    ["was not accepted", audited(...done, marked())],
    ["other code was reviewed", audited(...done, reviewed(2, 0, "ACCEPTABLE", "c"), accepted(), marked())],
    [
      "worked after the review",
      audited(
        ...done,
        reviewed(2, 0, "ACCEPTABLE"),
        worked(3, "cycle-1/fix-1"),
        taken(3),
        tested(2, 1, 0),
        accepted(),
        marked()
      )
    ],
    [
      "judged otherwise",
      audited(
        ...done,
        worked(2, "cycle-1/review-0", "remediate", "spec-reviewer"),
        reviewed(2, 0, "ACCEPTABLE").at(-1) ?? []
      )
    ],
    [
      "was not asked for it",
      audited(...done, worked(2, "cycle-1/test"), taken(2), reviewed(2, 0, "ACCEPTABLE").at(-1) ?? [])
    ],
    [
      "agent 2 is recorded twice",
      audited(...done, reviewed(2, 0, "ACCEPTABLE"), reviewed(2, 0, "ACCEPTABLE").at(-1) ?? [])
    ],
    [
      "named for cycle-1/analysis",
      audited(...done, reviewed(2, 0, "NEEDS_FIXES"), worked(3, "cycle-1/fix-1"), analysed(3, false).at(-1) ?? [])
    ],
    ["no agent claimed", audited(...done, reviewed(2, 0, "ACCEPTABLE"), accepted(), marked([0, 1]))],
    ["never began", audited(accepted())]
  ])("finds that %s", (words, { texts }) => {
    assert.lengthOf(texts, 1)
    assert.include(texts[0], words)
  })
})
