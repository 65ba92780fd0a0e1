// marking: what must hold after a mark that ended badly, and when it is given once more.
// Acknowledged lines are all there, at most what the mark adds is too; then the fold alone decides.
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import type { Event, LongText } from "../../../src/run/Event.ts"
import type { Line } from "../../../src/log/Line.ts"
import { type Manifest, replay } from "../../../src/run/Manifest.ts"
import { decideMark, type Mark } from "../../../src/run/Mark.ts"
import { exitCode } from "../../../src/run/Outcome.ts"
import type { LogEvent, LoggedEvent } from "../../../src/log/StreamKind.ts"
import type { Bench, Ended, Place } from "./bench.ts"
import { latestRun, type RunOnDisk, runsIn, stateOf } from "./disk.ts"
import { freely, type Step } from "./gate.ts"

/** A mark: its flag as arguments, and what it means. */
export interface Marked extends Step {
  readonly mark: Mark
}

/** The lines before a trial; a place without a run has no lines. */
export const linesBefore = (from: Place | null): ReadonlyArray<string> =>
  from === null ? [] : latestRun(from.state)?.raw ?? []

const plain = (events: ReadonlyArray<LoggedEvent<Event>>): unknown => JSON.parse(JSON.stringify(events))

// Of a run's creation only the reason can be foretold.
const shape = (events: ReadonlyArray<LoggedEvent<Event>>): unknown =>
  events.map((event) => event._tag === "RunCreated" ? [event._tag, event.because] : plain([event]))

/** A text with all of it: what a line holds only the beginning of lies in `texts/`, named by its digest. */
const whole = (dir: string, { rest, text }: LongText): LongText => {
  if (rest === undefined) return { text }
  const bytes = fs.readFileSync(path.join(dir, "texts", `${rest.hex}.txt`))
  assert.strictEqual(crypto.createHash("sha256").update(bytes).digest("hex"), rest.hex)
  assert.isTrue(bytes.toString("utf8").startsWith(text))
  return { text: bytes.toString("utf8") }
}

/** The events of a line, with their texts whole. Fails where a text is not there. */
const eventsIn = ({ dir }: RunOnDisk, line: Line<Event> | undefined): ReadonlyArray<LoggedEvent<Event>> =>
  (line?.events ?? []).map((event) =>
    event._tag === "LevelOutcomeRecorded" && event.outcome._tag === "RetrospectiveChanges"
      ? { ...event, outcome: { ...event.outcome, reason: whole(dir, event.outcome.reason) } }
      : event
  )

/** Checks that a place holds `before` and a beginning of what the undisturbed mark added; `adds` limits how much. */
export const nothingLost = (
  on: Place,
  before: ReadonlyArray<string>,
  undisturbed: Place,
  adds: number,
  where: string
): void => {
  const after = latestRun(on.state) ?? runsIn(on.state)[0]
  const expected = latestRun(undisturbed.state) ?? assert.fail("the undisturbed mark left no run")
  assert.isAtMost(runsIn(on.state).length, 1, where)
  if (after === undefined) return assert.strictEqual(before.length, 0, where)
  assert.deepStrictEqual(after.raw.slice(0, before.length), [...before], where)
  const added = after.lines.slice(before.length)
  assert.isAtMost(added.length, adds, where)
  added.forEach((line, i) => {
    const planned = eventsIn(expected, expected.lines[before.length + i])
    assert.deepStrictEqual(shape(eventsIn(after, line)), shape(planned), where)
  })
}

interface Said {
  readonly outcome: string
  readonly exitCode: number
  readonly line: string | null
  readonly run: {
    readonly run: string
    readonly level: string
    readonly batch: number
    readonly head: { readonly seq: number; readonly hash: string }
  }
}

/** The `--json` document of a step. */
export const document = (ended: Ended, where: string): Said => {
  assert.match(ended.stdout, /^\{.*\}\n$/, `${where}\n${ended.stderr}`)
  return JSON.parse(ended.stdout)
}

/** The repairs that the next line must record: evidence of a torn tail, cut or to be cut where that line begins. */
const repairs = (
  run: RunOnDisk,
  offset: number,
  torn: Buffer,
  where: string
): ReadonlyArray<LogEvent> => {
  const dir = path.join(run.dir, "torn")
  const kept = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.startsWith(`${offset}-`)).sort() : []
  const evidence = kept.map((name) => fs.readFileSync(path.join(dir, name)))
  assert.isTrue(torn.length === 0 || evidence.some((bytes) => bytes.equals(torn)), `${where}: the evidence`)
  return kept.map((name, i) => ({
    _tag: "TailRepaired",
    offset,
    bytes: evidence[i]?.length ?? 0,
    kept: `torn/${name}`
  }))
}

/** Gives a mark on a place, and checks that it did what the fold of the committed lines demands. */
export const givesMark = async (bench: Bench, on: Place, { mark, ...step }: Marked, where: string): Promise<Ended> => {
  const previous = latestRun(on.state)
  const ended = await freely(bench, on, { ...step, args: [...step.args, "--json"] })
  const said = document(ended, where)
  const after = latestRun(on.state) ?? assert.fail(`${where}: no run`)
  const before: Manifest = previous === null ? stateOf({ ...after, lines: after.lines.slice(0, 1) }) : stateOf(previous)
  const lines = previous?.lines.length ?? 1
  const expected = decideMark(before, mark, "xhigh")
  if (previous !== null) {
    assert.strictEqual(after.id, previous.id, where)
    assert.deepStrictEqual(after.raw.slice(0, lines), [...previous.raw], where)
  }
  assert.strictEqual(after.raw.length, lines + 1, where)
  assert.strictEqual(after.torn.length, 0, where)
  const offset = Buffer.byteLength(after.raw.slice(0, lines).map((line) => `${line}\n`).join(""))
  const repairEvents = repairs(after, offset, previous?.torn ?? Buffer.alloc(0), where)
  assert.deepStrictEqual(
    plain(eventsIn(after, after.lines[lines])),
    plain([...repairEvents, ...expected.events]),
    where
  )
  assert.strictEqual(said.line, expected.line, where)
  assert.strictEqual(said.outcome, expected.outcome._tag, where)
  assert.strictEqual(ended.exit, exitCode(expected.outcome), where)
  const state = replay(before, [{ seq: lines + 1, at: "", events: expected.events }])
  assert.deepInclude(said.run, { run: after.id, level: state.current_level, batch: state.batch_number }, where)
  assert.strictEqual(said.run.head.seq, lines + 1, where)
  return ended
}
