// marking: what must hold after a mark that ended badly, and when it is given once more.
// The one rule: acknowledged lines are all there, at most what the mark adds is too; then the fold alone decides.
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "vitest"
import type { Event, EventOf, LongText } from "../../../src/core/Event.ts"
import { type Manifest, replay } from "../../../src/core/Manifest.ts"
import { decideMark, type Mark } from "../../../src/core/Mark.ts"
import { exitCode } from "../../../src/core/Outcome.ts"
import type { Bench, Ended, Place } from "./bench.ts"
import { latestRun, type RunOnDisk, runsIn, stateOf } from "./disk.ts"
import { freely, type Step } from "./gate.ts"

/** A mark: its flag as arguments, and what it means. */
export interface Marked extends Step {
  readonly mark: Mark
}

/** The lines that stood before a trial; a place without a run has none. */
export const linesBefore = (from: Place | null): ReadonlyArray<string> =>
  from === null ? [] : latestRun(from.state)?.raw ?? []

const plain = (events: ReadonlyArray<Event>): unknown => JSON.parse(JSON.stringify(events))

// Of a run's creation only the reason can be foretold.
const shape = (events: ReadonlyArray<Event>): unknown =>
  events.map((event) => event._tag === "RunCreated" ? [event._tag, event.because] : plain([event]))

const inlineCharacters = 8_000

/** A text as a line holds it: a long one's beginning, with the digest of the file in `texts/` that holds all of it. */
const inLine = (long: LongText): LongText => {
  if (long.text.length <= inlineCharacters) return long
  const hex = crypto.createHash("sha256").update(long.text).digest("hex")
  const rest = { algorithm: "sha256", hex, bytes: Buffer.byteLength(long.text) } as const
  return { text: long.text.slice(0, inlineCharacters), rest }
}

const stored = (event: Event): Event =>
  event._tag === "LevelOutcomeRecorded" && event.outcome._tag === "RetrospectiveChanges"
    ? { ...event, outcome: { ...event.outcome, reason: inLine(event.outcome.reason) } }
    : event

/** Checks that the texts which lines name by their digest are there, whole. */
const textsAreThere = ({ dir, lines }: RunOnDisk, where: string): void => {
  for (const event of lines.flatMap(({ events }) => events)) {
    if (event._tag !== "LevelOutcomeRecorded" || event.outcome._tag !== "RetrospectiveChanges") continue
    const { rest } = event.outcome.reason
    if (rest === undefined) continue
    const bytes = fs.readFileSync(path.join(dir, "texts", `${rest.hex}.txt`))
    assert.strictEqual(crypto.createHash("sha256").update(bytes).digest("hex"), rest.hex, where)
  }
}

/** Checks that a place holds `before` and a beginning of what the undisturbed mark added; `adds` limits how much. */
export const nothingLost = (
  on: Place,
  before: ReadonlyArray<string>,
  whole: Place,
  adds: number,
  where: string
): void => {
  const after = latestRun(on.state) ?? runsIn(on.state)[0]
  const expected = latestRun(whole.state)?.lines ?? assert.fail("the undisturbed mark left no run")
  assert.isAtMost(runsIn(on.state).length, 1, where)
  if (after === undefined) return assert.strictEqual(before.length, 0, where)
  assert.deepStrictEqual(after.raw.slice(0, before.length), [...before], where)
  textsAreThere(after, where)
  const added = after.lines.slice(before.length)
  assert.isAtMost(added.length, adds, where)
  added.forEach((line, i) =>
    assert.deepStrictEqual(shape(line.events), shape(expected[before.length + i]?.events ?? []), where)
  )
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

/** The repairs that a torn tail obliges the next writer to, in the words of its line. */
const repairOf = (torn: Buffer, offset: number, kept: ReadonlyArray<string>): ReadonlyArray<EventOf<"TailRepaired">> =>
  torn.length === 0
    ? []
    : kept.map((name) => ({ _tag: "TailRepaired", offset, bytes: torn.length, kept: `torn/${name}` }))

/** Gives a mark on a place as it stands now, and checks that it did what the fold of the committed lines demands. */
export const givesMark = async (bench: Bench, on: Place, { mark, ...step }: Marked, where: string): Promise<Ended> => {
  const standing = latestRun(on.state)
  const ended = await freely(bench, on, { ...step, args: [...step.args, "--json"] })
  const said = document(ended, where)
  const after = latestRun(on.state) ?? assert.fail(`${where}: no run`)
  const before: Manifest = standing === null ? stateOf({ ...after, lines: after.lines.slice(0, 1) }) : stateOf(standing)
  const lines = standing?.lines.length ?? 1
  const expected = decideMark(before, mark, "xhigh")
  if (standing !== null) {
    assert.strictEqual(after.id, standing.id, where)
    assert.deepStrictEqual(after.raw.slice(0, lines), [...standing.raw], where)
  }
  assert.strictEqual(after.raw.length, lines + 1, where)
  assert.strictEqual(after.torn.length, 0, where)
  const offset = Buffer.byteLength(after.raw.slice(0, lines).map((line) => `${line}\n`).join(""))
  const tornDir = path.join(after.dir, "torn")
  const kept = fs.existsSync(tornDir) ? fs.readdirSync(tornDir).filter((name) => name.startsWith(`${offset}-`)) : []
  const torn = standing?.torn ?? Buffer.alloc(0)
  if (torn.length > 0) {
    assert.strictEqual(kept.length, 1, where)
    assert.isTrue(fs.readFileSync(path.join(tornDir, kept[0] ?? "")).equals(torn), `${where}: the evidence`)
  }
  const events = [...repairOf(torn, offset, kept), ...expected.events.map(stored)]
  assert.deepStrictEqual(plain(after.lines[lines]?.events ?? []), plain(events), where)
  assert.strictEqual(said.line, expected.line, where)
  assert.strictEqual(said.outcome, expected.outcome._tag, where)
  assert.strictEqual(ended.exit, exitCode(expected.outcome), where)
  const state = replay(before, [{ seq: lines + 1, at: "", events: expected.events }])
  assert.deepInclude(said.run, { run: after.id, level: state.current_level, batch: state.batch_number }, where)
  assert.strictEqual(said.run.head.seq, lines + 1, where)
  return ended
}
