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

const told = (...lines: ReadonlyArray<string>) => [{ path: "a.ts", lines }]
const port = told(
  "export class Clock extends Context.Service<Clock, {",
  "  readonly zone: string",
  "  /** Says what time it is. */",
  "  readonly now: (",
  "    zone: string",
  "  ) => Effect.Effect<number>",
  '}>()("Clock") {}'
)

describe("the ports", () => {
  it("are seen in traces, and have types", () => {
    assert.isAbove(read("services").length, 40)
    assert.deepStrictEqual(portProblems(read("services"), read("adapters")), [])
  })

  it("are missed where they are not", () => {
    assert.deepStrictEqual(portProblems(port, told('now: Effect.fn("Clock.now")(() => asked)')), [])
    assert.deepStrictEqual(portProblems(port, told("now: () => asked")), ["a.ts: no span is named Clock.now"])
    assert.deepStrictEqual(portProblems([], told("Layer.succeed(Clock, {")), [
      "a.ts: line 1 makes a service without its `of`"
    ])
  })
})
