// ports: every effect of a port has a span by its name, and every adapter is held to the types of its port.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { portProblems } from "./ports.ts"

const src = fileURLToPath(new URL("../../../src", import.meta.url))
const read = (folder: string) =>
  readdirSync(join(src, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
    .map((path) => ({ path, lines: readFileSync(join(src, path), "utf8").split("\n") }))

const at = (path: string, ...lines: ReadonlyArray<string>) => ({ path, lines })
const told = (...lines: ReadonlyArray<string>) => [at("a.ts", ...lines)]
const port = told(
  "export class Clock extends Context.Service<Clock, {",
  "  readonly zone: string",
  "  /** Says what time it is. */",
  "  readonly now: (",
  "    zone: string",
  "  ) => Effect.Effect<number>",
  "  readonly ticks: Stream.Stream<number>",
  '}>()("Clock") {}'
)

describe("the ports", () => {
  it("are seen in traces, and have types", () => {
    assert.isAbove(read("services").length, 40)
    assert.deepStrictEqual(portProblems(read("services"), read("adapters")), [])
  })

  const ticks = 'ticks: Stream.withSpan(all, "Clock.ticks")'
  const now = 'now: Effect.fn("Clock.now")(() => asked)'
  const both = ["a.ts: no span is named Clock.now", "a.ts: no span is named Clock.ticks"]
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    ["told where they are made", [`Clock.of({ ${now}, ${ticks} })`], []],
    [
      "told by what they name",
      [`const now = Effect.fn("Clock.now")(f)`, `Layer.succeed(Clock, { now, ${ticks} })`],
      []
    ],
    ["told in a layer that is made late", [`Layer.sync(Clock, () => ({ ${now}, ${ticks} }))`], []],
    ["not told", ["Clock.of({ now: () => asked, ticks: all })"], both],
    ["told by nothing that they name", [`const other = "Clock.now"`, `Clock.of({ now, ${ticks} })`], both.slice(0, 1)],
    ["told by another object", [`Clock.of({ ${now}, ${ticks} })`, "Clock.of({ now: f, ticks: all })"], both],
    ["told by what is spread", [`Clock.of({ ...base, ${now} })`], ["no adapter is seen to make Other"]],
    ["not made", [`const now = "Clock.now Clock.ticks"`], ["no adapter is seen to make Clock"]]
  ]
  it.each(cases)("are %s", (_, lines, problems) => {
    const other = told("export class Other extends Context.Service<Other, {", "  readonly f: Effect.Effect<void>", "}>")
    const ports = problems.includes("no adapter is seen to make Other") ? [...port, ...other] : port
    assert.deepStrictEqual(portProblems(ports, told(...lines)), problems)
  })

  it("may be told in a file that the adapter imports, and in no other", () => {
    const made = at("x/b.ts", `import { now } from "./c.ts"`, `Clock.of({ now, ${ticks} })`)
    const named = (path: string) => at(path, `export const now = Effect.fn("Clock.now")(f)`)
    assert.deepStrictEqual(portProblems(port, [made, named("x/c.ts")]), [])
    assert.deepStrictEqual(portProblems(port, [made, named("x/d.ts")]), ["x/b.ts: no span is named Clock.now"])
  })

  it("are held to their types", () =>
    assert.deepStrictEqual(portProblems([], told("Layer.succeed(Clock, {", "})")), [
      "a.ts: line 1 makes a service without its `of`"
    ]))
})
