// events: docs/events.md against the schema: every event, every field, every value, and the envelope of a line.
// The words are written by hand; what there is to be written about is asked of the code.
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { DrivenEvent } from "../../../src/drive/State.ts"
import { PlanEvent } from "../../../src/drive/plan/Event.ts"
import { LogEvent } from "../../../src/log/StreamKind.ts"
import { InRound, WaiverReason, WaivedFinding } from "../../../src/run/Dismissal.ts"
import { Digest, Event, LevelOutcome, LongText } from "../../../src/run/Event.ts"
import { Identity } from "../../../src/run/Identity.ts"
import { levels } from "../../../src/run/Level.ts"
import { Target } from "../../../src/run/Target.ts"
import { Usage } from "../../../src/run/Usage.ts"

type Ast = Schema.Top["ast"]

const root = resolve(import.meta.dirname, "../../..")
const page = readFileSync(`${root}/docs/events.md`, "utf8")

/** The rows of the table with this heading, cell by cell; an empty first cell repeats the one above. */
const table = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = page.split("\n")
  const from = lines.indexOf(heading)
  assert.isAtLeast(from, 0, heading)
  const end = lines.findIndex((line, i) => i > from && !line.startsWith("|"))
  let above = ""
  return lines.slice(from + 2, end).map((line) => {
    const [, first = "", ...rest] = line.split("|").map((cell) => cell.trim())
    above = first === "" ? above : first
    return [above, ...rest.slice(0, -1)]
  })
}

const quoted = (cell = ""): string => /^`(.*)`$/.exec(cell)?.[1] ?? assert.fail(`not in backquotes: ${cell}`)

const placing = ["level", "batch", "slot", "attempt"]

/** The fields of a struct that need words of their own. */
const fieldsOf = (ast: Ast) =>
  ast._tag === "Objects"
    ? ast.propertySignatures
      .filter(({ name }) => name !== "_tag")
      .map(({ name, type }) => ({ name: String(name), type, optional: type.context?.isOptional === true }))
    : assert.fail(`no struct: ${ast._tag}`)

const membersOf = (ast: Ast): ReadonlyArray<Ast> => ast._tag === "Union" ? ast.types : [ast]

/** The texts that a field may be, where it is one of a list. */
const literalsOf = (ast: Ast): ReadonlyArray<string> =>
  membersOf(ast).flatMap((type) => type._tag === "Literal" ? [String(type.literal)] : [])

/** What the meaning of a field has to name, whatever its words are. */
const complete = (where: string, type: Ast, optional: boolean, meaning: string): void => {
  assert.isNotEmpty(meaning, where)
  assert.strictEqual(/^optional: /.test(meaning), optional, `${where}: optional`)
  const nullable = membersOf(type).some(({ _tag }) => _tag === "Null")
  assert.strictEqual(/\bnull\b/.test(meaning), nullable, `${where}: null`)
  const values = literalsOf(type)
  // Only docs/contract.md may contain a list this long; it is made from the code.
  if (values.length > 8 && meaning.includes("contract.md")) return
  for (const value of values) assert.include(meaning, `\`${value}\``, where)
}

const events = Object.entries({ ...Event.cases, ...LogEvent.cases })

describe("docs/events.md", () => {
  it("says of every event what happened and what never changes", () => {
    const rows = table("| event | what happened | never changes |")
    assert.deepEqual(rows.map(([name]) => quoted(name)), events.map(([name]) => name))
    for (const [name, happened, never] of rows) assert.isTrue(happened !== "" && never !== "", name)
  })

  it("has every field of every event, and no other", () => {
    const rows = table("| event | field | meaning |")
    const fields = events.flatMap(([event, { ast }]) =>
      fieldsOf(ast).filter(({ name }) => !placing.includes(name)).map((field) => ({ event, ...field }))
    )
    assert.deepEqual(
      rows.map(([event, field]) => [quoted(event), quoted(field)]),
      fields.map(({ event, name }) => [event, name])
    )
    for (const [i, { event, name, optional, type }] of fields.entries()) {
      complete(`${event}.${name}`, type, optional, rows[i]?.[2] ?? "")
    }
  })

  const driving = Object.entries(ConvergeEvent.cases)
  const shared = table("| field of several events | meaning |").map(([name, meaning = ""]) => ({
    name: quoted(name),
    meaning
  }))
  const working = ["agent", "attempt", ...shared.map(({ name }) => name)]

  it("says of every event of a driver what happened and what never changes", () => {
    const rows = table("| event of a driver | what happened | never changes |")
    assert.deepEqual(rows.map(([name]) => quoted(name)), driving.map(([name]) => name))
    for (const [name, happened, never] of rows) assert.isTrue(happened !== "" && never !== "", name)
  })

  it("has every field of every event of a driver, and no other", () => {
    const rows = table("| event of a driver | field | meaning |")
    const fields = driving.flatMap(([event, { ast }]) =>
      fieldsOf(ast).filter(({ name }) => !working.includes(name)).map((field) => ({ event, ...field }))
    )
    assert.deepEqual(
      rows.map(([event, field]) => [quoted(event), quoted(field)]),
      fields.map(({ event, name }) => [event, name])
    )
    for (const [i, { event, name, optional, type }] of fields.entries()) {
      complete(`${event}.${name}`, type, optional, rows[i]?.[2] ?? "")
    }
    for (const name of working) assert.include(page, `\`${name}\``)
  })

  it("describes a field that several events of a driver share once", () => {
    for (const { meaning, name } of shared) {
      const having = driving.flatMap(([event, { ast }]) =>
        fieldsOf(ast).filter((field) => field.name === name).map((field) => ({ event, ...field }))
      )
      assert.isAbove(having.length, 1, name)
      for (const { event, optional, type } of having) complete(`${event}.${name}`, type, optional, meaning)
    }
  })

  const planning = Object.entries(PlanEvent.cases).filter(([event]) => !Object.hasOwn(DrivenEvent.cases, event))

  it("says of every event of a plan run what happened and what never changes", () => {
    const rows = table("| event of a plan run | what happened | never changes |")
    assert.deepEqual(rows.map(([name]) => quoted(name)), planning.map(([name]) => name))
    for (const [name, happened, never] of rows) assert.isTrue(happened !== "" && never !== "", name)
  })

  it("has every field of every event of a plan run, and no other", () => {
    const rows = table("| event of a plan run | field | meaning |")
    const fields = planning.flatMap(([event, { ast }]) =>
      fieldsOf(ast).filter(({ name }) => name !== "cycle").map((field) => ({ event, ...field }))
    )
    assert.include(page, "`cycle`")
    assert.deepEqual(
      rows.map(([event, field]) => [quoted(event), quoted(field)]),
      fields.map(({ event, name }) => [event, name])
    )
    for (const [i, { event, name, optional, type }] of fields.entries()) {
      complete(`${event}.${name}`, type, optional, rows[i]?.[2] ?? "")
    }
  })

  it("names the place of an event once for all", () => {
    for (const [event, { ast }] of events) {
      const here = fieldsOf(ast).map(({ name }) => name).filter((name) => placing.includes(name))
      assert.include([[], placing.slice(0, 2), placing].map(String), String(here), event)
    }
    for (const name of placing) assert.include(page, `\`${name}\``)
  })

  it("has every field of every value", () => {
    const rows = table("| value | field | meaning |")
    const values = {
      Target,
      Identity,
      LevelOutcome,
      WaivedFinding,
      WaivedBecause: WaiverReason,
      InRound,
      LongText,
      Usage,
      Digest
    }
    const fields = Object.entries(values).flatMap(([value, { ast }]) => {
      const cases = membersOf(ast)
      const tags = cases.map((one) =>
        one._tag === "Objects"
          ? literalsOf(one.propertySignatures.find(({ name }) => name === "_tag")?.type ?? one)[0] ?? null
          : null
      )
      const title = cases.length === 1 ? value : `${value}, one of ${tags.map((tag) => `\`${tag}\``).join(", ")}`
      // A field that several cases share is described once, with the first of them.
      const all = cases.flatMap(fieldsOf)
      return all.filter(({ name }, i) => all.findIndex((one) => one.name === name) === i)
        .map((field) => ({ title, ...field }))
    })
    assert.deepEqual(
      rows.map(([title, field]) => [title, quoted(field)]),
      fields.map(({ name, title }) => [title, name])
    )
    for (const [i, { name, optional, title, type }] of fields.entries()) {
      complete(`${title}.${name}`, type, optional, rows[i]?.[2] ?? "")
    }
  })

  it("has every field of a line", () => {
    const [line = ""] = readFileSync(`${root}/fixtures/logs/every-event.v1.jsonl`, "utf8").split("\n")
    const names = table("| field | meaning |").map(([name]) => quoted(name))
    assert.deepEqual([...names].sort(), Object.keys(JSON.parse(line)).sort())
  })

  it("asks its questions of the schema", () => {
    const { ast } = Event.cases.RunCreated
    const because = fieldsOf(ast).find(({ name }) => name === "because") ?? assert.fail("no because")
    assert.isAbove(literalsOf(because.type).length, 5)
    assert.throws(() => complete("x", because.type, false, "why"), /Forced/)
    assert.throws(() => complete("x", because.type, true, "why"), /optional/)
    const ceiling = fieldsOf(Event.cases.FixedPointReached.ast).find(({ name }) => name === "ceiling")
    assert.deepEqual(literalsOf(ceiling?.type ?? ast), [...levels])
  })
})
