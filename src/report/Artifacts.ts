// Artifacts: what the work of a driver left outside its log: the ends of what tests printed, and what agents changed.
// Nothing here fails: if something cannot be read, the report says so.
import { Effect } from "effect"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { DiffPart, Excerpt } from "../core/report/ReportData.ts"
import { excerpt } from "../core/report/WorkParts.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { size } from "../core/text/Phrases.ts"
import { recovered } from "../services/Note.ts"
import { Progress } from "../services/Progress.ts"
import { Snapshots } from "../services/Snapshots.ts"
import { Tests } from "../services/Tests.ts"

// The most that is read of both, the last ones first: the page is to open at once.
const bounds = { tests: 300, diffs: 60, diff: 48 * 1024 } as const

/** The ends of what the last tests printed, by their numbers. */
export const printedByTests = Effect.fn("Artifacts.printedByTests")(function*(run: RunRef, { tests }: DrivenState) {
  const { printed } = yield* Progress
  const { place } = yield* Tests
  const all = yield* Effect.forEach(
    tests.slice(-bounds.tests),
    ({ standing, started: { id, test } }) =>
      Effect.map(printed({ run, test, id }), ({ end }) => {
        const bytes = standing._tag === "Finished" ? standing.finished.output.bytes : 0
        const rest = `the whole output is in ${place(run, test)}`
        if (bytes <= new TextEncoder().encode(end).length) return [test, excerpt(end.trimEnd(), rest)] as const
        // The first line may begin in the midst of a secret, which nobody would know for one.
        const { text } = excerpt(end.slice(end.search(/[\n ]/) + 1).trimEnd(), rest)
        return [test, { text, rest: `${rest} (${size(bytes)})` }] as const
      })
  )
  return new Map<number, Excerpt>(all.filter(([, { text }]) => text !== ""))
})

/** What the last agents changed that snapshots were taken around, by their numbers. */
export const changedByAgents = Effect.fn("Artifacts.changedByAgents")(
  function*(run: RunRef, worktree: string, { agents: { snapshots } }: DrivenState) {
    const { diff } = yield* Snapshots
    const byAgent = new Map<number, ReadonlyArray<typeof snapshots[number]>>()
    for (const one of snapshots) byAgent.set(one.agent, [...byAgent.get(one.agent) ?? [], one])
    const pairs = [...byAgent].flatMap(([agent, own]) => {
      const [first, last] = [own[0], own.at(-1)]
      return first === undefined || last === undefined || first === last ? [] : [{ agent, first, last }]
    })
    const shown = yield* Effect.forEach(pairs.slice(-bounds.diffs), ({ agent, first, last }) => {
      const title = `Snapshot ${first.snapshot} to ${last.snapshot}`
      const whole = `\`git diff ${first.commit.slice(0, 12)} ${last.commit.slice(0, 12)}\` shows all of it`
      return diff(run, worktree, { before: first.snapshot, after: last.snapshot }, bounds.diff).pipe(
        Effect.map(({ files, text, whole: all }): DiffPart => {
          const shown = excerpt(text.trimEnd(), whole, bounds.diff)
          return { title, files, text: all ? shown : { ...shown, rest: whole }, problem: null }
        }),
        Effect.catch((error) =>
          Effect.as(recovered("a diff is left out of the report")(error), {
            title,
            files: [],
            text: { text: "", rest: null },
            problem: error.message
          })
        ),
        Effect.map((part) => [agent, part] as const)
      )
    })
    const left = pairs.slice(0, -bounds.diffs).map(({ agent, first, last }) =>
      [agent, {
        title: `Snapshot ${first.snapshot} to ${last.snapshot}`,
        files: [],
        text: { text: "", rest: null },
        problem: `left out here; \`git diff ${first.commit.slice(0, 12)} ${last.commit.slice(0, 12)}\` shows it`
      }] as const
    )
    return new Map<number, DiffPart>([...left, ...shown])
  }
)
