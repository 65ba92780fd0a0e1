// looping: what must hold after a loop step that ended badly, and when the next one continues from there.
// No attempt is reviewed twice, no finished review is thrown away, and the Outcome is the same.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import type { Bench, Ended, Place } from "./bench.ts"
import { attemptsIn, eventsOf, latestRun, type RunOnDisk, runsIn, targetRoot } from "./disk.ts"
import { freely, type Step } from "./gate.ts"

/** The raw lines of each run of a place, by the run's id. */
export type RunLines = ReadonlyMap<string, ReadonlyArray<string>>

/** The lines of all runs in a place. */
export const linesIn = (on: Place): RunLines => new Map(runsIn(on.state).map(({ id, raw }) => [id, raw]))

/** Checks that a place still holds every line of `before`, and at most `newRuns` runs more. */
export const keepsLines = (on: Place, before: RunLines, newRuns: number, where: string): void => {
  const now = linesIn(on)
  for (const [id, raw] of before) assert.deepStrictEqual(now.get(id)?.slice(0, raw.length), [...raw], where)
  assert.isAtMost(now.size, before.size + newRuns, where)
  if (before.size > 0) assert.isNotNull(latestRun(on.state), where)
}

/** Checks the reviewers of a run against the calls that were made for its attempts. */
const reviewedOnce = (run: RunOnDisk, attempts: ReadonlyArray<string>, where: string): void => {
  const finished = eventsOf(run, "ReviewFinished").map(({ attempt, batch, level, slot }) => ({
    slot: `${level}/${batch}/${slot}`,
    attempt: `${level}/${batch}/${slot}/${attempt}`
  }))
  assert.strictEqual(new Set(finished.map(({ slot }) => slot)).size, finished.length, `${where}: a slot finished twice`)
  const closed = new Set(finished.map(({ attempt }) => attempt))
  for (const { attempt, batch, id, level, slot } of eventsOf(run, "ReviewStarted")) {
    if (!attempts.includes(id)) continue
    assert.isTrue(closed.has(`${level}/${batch}/${slot}/${attempt}`), `${where}: slot ${slot} reviewed in vain`)
  }
}

/** Checks that each call of a reviewer belongs to a committed attempt, and that no attempt has two; returns them. */
export const attemptsOnce = (on: Place, where: string): ReadonlyArray<string> => {
  const attempts = attemptsIn(on.calls)
  assert.strictEqual(new Set(attempts).size, attempts.length, `${where}: two reviewers for one attempt`)
  const started = new Set(runsIn(on.state).flatMap((run) => eventsOf(run, "ReviewStarted").map(({ id }) => id)))
  for (const id of attempts) assert.isTrue(started.has(id), `${where}: a reviewer without a line in a log`)
  return attempts
}

/** Checks all reviewers of a place where no batch was left undecided: none is doubled, and none reviewed in vain. */
export const noReviewTwice = (on: Place, where: string): void => {
  const attempts = attemptsOnce(on, where)
  for (const run of runsIn(on.state)) reviewedOnce(run, attempts, where)
}

/** Runs the next step of a place and checks that it ends as the undisturbed one did, having lost nothing. */
export const continues = async (bench: Bench, on: Place, step: Step, whole: Ended, where: string): Promise<void> => {
  const before = linesIn(on)
  const pointed = latestRun(on.state)?.id
  const ended = await freely(bench, on, step)
  const context = `${where}\nnext: exit ${ended.exit}\n${ended.stdout}${ended.stderr}`
  assert.deepEqual([ended.header, ended.exit], [whole.header, whole.exit], context)
  keepsLines(on, before, pointed === undefined ? 1 : 0, context)
  const run = latestRun(on.state) ?? assert.fail(`${context}: no run`)
  if (pointed !== undefined) assert.strictEqual(run.id, pointed, context)
  assert.strictEqual(run.torn.length, 0, context)
  const slots = eventsOf(run, "BatchStarted").reduce((sum, { size }) => sum + size, 0)
  assert.strictEqual(eventsOf(run, "BatchStarted").length, 1, context)
  assert.strictEqual(eventsOf(run, "ReviewFinished").length, slots, context)
  noReviewTwice(on, context)
}

interface AuditedRun {
  readonly run: { readonly run: string }
  readonly findings: ReadonlyArray<{ readonly kind: string; readonly text: string }>
  readonly problem: string | null
}

// If a fault hid the code's identity, a fixed point is not proven, and audit says so.
const unknown = /^\S+ batch \d+: what it reviewed is not known$/

/** Audits all runs of places that are done with, in one go: moved below one state root, a repository each. */
export const allSound = async (bench: Bench, places: ReadonlyArray<Place>): Promise<void> => {
  const found = places.flatMap(({ state }) => runsIn(state))
  const all = bench.place()
  fs.mkdirSync(all.state, { mode: 0o700 })
  places.forEach(({ state }, i) => {
    const root = targetRoot(state)
    if (root === null) return
    fs.renameSync(path.dirname(root), path.join(all.state, `repo-${i.toString(16).padStart(12, "0")}`))
  })
  const audit = await bench.run(all, ["audit", "--all", "--json", "--state-root", all.state])
  const { runs }: { readonly runs: ReadonlyArray<AuditedRun> } = JSON.parse(audit.stdout)
  assert.strictEqual(runs.length, found.length, audit.stderr)
  // The move is all that may be wrong with them; a death before the first line leaves a directory that says nothing.
  const begun = new Set(found.filter(({ raw }) => raw.length > 0).map(({ id }) => id))
  const wrong = runs.filter(({ findings, problem, run }) =>
    (problem !== null && begun.has(run.run)) || findings.some(({ kind, text }) => kind !== "Run" && !unknown.test(text))
  )
  assert.deepStrictEqual(wrong, [])
  const list = await bench.run(all, ["runs", "--all", "--state-root", all.state])
  assert.strictEqual(list.exit, 0, list.stderr)
}
