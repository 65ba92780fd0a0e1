// Laws of the audit's rules: what the program writes is sound, and no transition can be altered unseen.
// The rules are laws over the program's own histories; a forgery is a history with one fact changed.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Envelope } from "../src/log/Frame.ts"
import type { Commit, LoggedEvent } from "../src/log/StreamKind.ts"
import type { Event } from "../src/run/Event.ts"
import { levels } from "../src/run/Level.ts"
import { fold } from "../src/run/Manifest.ts"
import { targetKey } from "../src/run/Target.ts"
import { walkStart, type WalkState, walker } from "../src/log/Walk.ts"
import { reviewRun, type WalkedRun } from "../src/run/ReviewRun.ts"
import { changesOf } from "../src/read/replay/Timeline.ts"
import { examine, nothingKnown } from "../src/read/audit/ReviewRun.ts"
import type { Finding } from "../src/read/LogReader.ts"
import { history as anyHistory, move } from "../src/testing/arbitraries/History.ts"

// Whether a target has changed is decided from an identity that no line holds: not every such move is possible.
const possible = fc.array(move.filter(({ _tag }) => _tag !== "ChangeTarget"), { maxLength: 30 })
const history = () => anyHistory({ moves: possible })

const walk = walker(reviewRun)
const envelope = ({ at, events, seq }: Commit<Event>): Envelope => ({ at, by: null, events, hash: "", prev: "", seq })

/** What an audit of these lines finds, in the run's own place. */
const audited = (commits: ReadonlyArray<Commit<Event>>): ReadonlyArray<Finding> => {
  const created = commits[0]?.events[0]
  if (created?._tag !== "RunCreated") return assert.fail("no run was created")
  const { repoId, runId, target } = created
  const stored = { root: "", repoId, runId, targetKey: targetKey(target) }
  let walked: WalkState<WalkedRun> = walkStart
  const lines = commits.map((commit) => {
    const line = walk(walked, envelope(commit))
    walked = line.after
    return line
  })
  return examine(nothingKnown(), stored, lines).findings
}

// A target that changes while it is reviewed is a finding, and no mistake of the program.
const mistakes = (commits: ReadonlyArray<Commit<Event>>): ReadonlyArray<Finding> =>
  audited(commits).filter(({ kind }) => kind !== "tree-changed")

const places = (commits: ReadonlyArray<Commit<Event>>, which: (event: LoggedEvent<Event>) => boolean) =>
  commits.flatMap(({ events }, line) => events.flatMap((event, index) => which(event) ? [{ line, index, event }] : []))

const replaced = (
  commits: ReadonlyArray<Commit<Event>>,
  at: { readonly line: number; readonly index: number },
  event: Event
): ReadonlyArray<Commit<Event>> =>
  commits.map((commit, line) =>
    line === at.line
      ? { ...commit, events: commit.events.map((old, index) => index === at.index ? event : old) }
      : commit
  )

describe("the rules of an audit", () => {
  it("find nothing in any history that the program can write", () =>
    fc.assert(fc.property(history(), ({ commits }) => assert.deepStrictEqual(mistakes(commits), [])), { numRuns: 500 }))

  it("find every transition that leads to another level or batch than the ladder's", () =>
    fc.assert(
      fc.property(
        history(),
        fc.nat(),
        fc.constantFrom(...levels),
        fc.integer({ min: 1, max: 9 }),
        (run, n, level, to) => {
          const all = places(run.commits, ({ _tag }) => _tag === "BatchOpened")
          const at = all[n % Math.max(1, all.length)]
          if (at?.event._tag !== "BatchOpened") return
          const forged: Event = { ...at.event, level, batch: to }
          if (forged.level === at.event.level && forged.batch === at.event.batch) return
          const kinds = mistakes(replaced(run.commits, at, forged)).map(({ kind }) => kind)
          assert.include(kinds, "transition")
        }
      ),
      { numRuns: 500 }
    ))

  it("find every fixed point that was put where none was reached", () =>
    fc.assert(
      fc.property(history(), fc.constantFrom(...levels), fc.constantFrom("Reviews", "Mark"), (run, ceiling, by) => {
        const { batch_number: batch, batch: last, current_level: level, fixed_point } = run.manifest
        const clean = last._tag === "Started" &&
          last.slots.every((slot) => slot._tag === "Finished" && slot.verdict === "Clean")
        if (fixed_point !== null || (by === "Reviews" && clean && level === ceiling)) return
        const seq = run.commits.length + 1
        const events: ReadonlyArray<Event> = [{ _tag: "FixedPointReached", level, batch, ceiling, by }]
        assert.include(mistakes([...run.commits, { seq, at: "", events }]).map(({ kind }) => kind), "transition")
      }),
      { numRuns: 300 }
    ))
})

describe("the changes that a replay shows", () => {
  it("lead from the created manifest to the last one", () =>
    fc.assert(
      fc.property(anyHistory(), ({ commits, manifest }) => {
        let walked: WalkState<WalkedRun> = walkStart
        const shown = new Map<string, unknown>()
        for (const line of commits) {
          const step = walk(walked, envelope(line))
          walked = step.after
          step.happenings.forEach((happening) => {
            for (const { after, before, field } of changesOf(happening)) {
              assert.notStrictEqual(before, after)
              if (field === "batch") {
                for (const name of shown.keys()) if (name.startsWith("batch.")) shown.delete(name)
              }
              if (field.startsWith("batch.")) shown.delete("batch")
              if (shown.has(field)) assert.deepStrictEqual(before, shown.get(field), field)
              shown.set(field, after)
            }
          })
        }
        const { batch, level_history } = manifest
        const expect = (field: string, value: unknown) => {
          if (shown.has(field)) assert.deepStrictEqual(shown.get(field), value, field)
        }
        const fields = ["current_level", "batch_number", "batch_size", "batches", "stopped_at", "fixed_point"] as const
        for (const field of fields) expect(field, manifest[field])
        if (batch._tag === "Started") batch.slots.forEach((slot, i) => expect(`batch.slots.${i + 1}`, slot))
        level_history.forEach((record, i) => assert.deepStrictEqual(shown.get(`level_history.${i}`), record))
        assert.strictEqual(walked.state?.records, level_history.length)
        const { level_history: _, ...state } = fold(commits) ?? assert.fail("no run")
        assert.deepStrictEqual({ ...walked.state?.run, level_history: [] }, { ...state, level_history: [] })
      }),
      { numRuns: 300 }
    ))
})
