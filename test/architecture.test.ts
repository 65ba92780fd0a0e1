// architecture: the dependency rule, purity and the shape of every file in src, as a test.
// The one rule: each rule is shown to fail on a planted violation; a rule that cannot fail is no rule.
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { circles, problems, roomOf, small } from "./architecture/rules.ts"
import { readSource, type Source } from "./architecture/Source.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .sort()
  .map((path) => readSource(path, readFileSync(join(root, path), "utf8")))

describe("every file of src", () => {
  it.each(sources.map((source): [string, Source] => [source.path, source]))("%s keeps the rules", (_, source) =>
    assert.deepStrictEqual(problems(source), []))

  it("imports in no circle", () => assert.deepStrictEqual(circles(sources), []))

  it("is there: the rules are looked at for all rooms that have files", () => {
    const seen = new Set(sources.map(({ path }) => roomOf(path)))
    for (const room of ["core", "services", "adapters", "cli", "program", "entry", "testing"] as const) {
      assert.isTrue(seen.has(room), room)
    }
    assert.isAbove(sources.length, 50)
  })

  it("that is excepted exists, and is in need of its exception", () => {
    for (const [path, reason] of Object.entries(small)) {
      const source = sources.find((one) => one.path === path)
      assert.isTrue(source !== undefined && source.lines.length < 20, `${path} needs no exception`)
      assert.isAbove(reason.length, 10)
    }
  })
})

/** A file that keeps all rules but for `lines`. */
const file = (path: string, ...lines: ReadonlyArray<string>): Source => {
  const head = ["// Name: what it is.", "// The one rule: one rule."]
  const body = Array.from({ length: 20 }, (_, i) => `export const a${i} = ${i}`)
  return readSource(path, `${[...head, ...lines, ...body].join("\n")}\n`)
}

describe("a planted violation", () => {
  it("is looked for in a file that is fine", () => assert.deepStrictEqual(problems(file("src/core/Name.ts")), []))

  const imports: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["src/core/A.ts", `import { Effect } from "effect"`, /core imports Effect of effect/],
    ["src/core/A.ts", `import { type Effect, Schema } from "effect"`, /core imports Effect of effect/],
    ["src/core/A.ts", `import type { Layer } from "effect"`, /core imports Layer/],
    ["src/core/A.ts", `import { Context as Schema } from "effect"`, /core imports Context/],
    ["src/core/A.ts", `import { Ref } from "effect"`, /core imports Ref/],
    ["src/core/A.ts", `import * as E from "effect"`, /core imports \* of effect/],
    ["src/core/A.ts", `export * from "effect"`, /core imports \* of effect/],
    ["src/core/A.ts", `export { Effect } from "effect"`, /core imports Effect/],
    ["src/core/A.ts", `export type T = import("effect").Effect.Effect<void>`, /core imports \* of effect/],
    ["src/core/A.ts", `import { Effect } from "effect/Effect"`, /core imports effect\/Effect/],
    ["src/core/A.ts", `import * as fs from "node:fs"`, /core imports node:fs/],
    ["src/core/A.ts", `import "fs"`, /core imports fs/],
    ["src/core/A.ts", `export const f = () => import("node:fs")`, /core imports node:fs/],
    ["src/core/A.ts", `export const f = (x: string) => import(x)`, /core imports <computed>/],
    ["src/core/A.ts", `export { g } from "../services/Git.ts"`, /core imports services/],
    ["src/core/A.ts", `import type { G } from "../services/Git.ts"`, /core imports services/],
    ["src/core/A.ts", `import { x } from "../Ooda.ts"`, /core imports program/],
    ["src/core/A.ts", `import { x } from "../testing.ts"`, /core imports testing/],
    ["src/core/A.ts", `import { x } from "./B.js"`, /without \.ts/],
    ["src/core/A.ts", `import { x } from "../../test/core/facts.ts"`, /outside src/],
    ["src/core/deep/A.ts", `import { x } from "../../adapters/B.ts"`, /core imports adapters/],
    ["src/services/A.ts", `import { x } from "../adapters/B.ts"`, /services imports adapters/],
    ["src/services/A.ts", `import { x } from "node:fs"`, /services imports node:fs/],
    ["src/services/A.ts", `import { x } from "../Run.ts"`, /services imports program/],
    ["src/Ooda.ts", `import { x } from "./adapters/GitLive.ts"`, /program imports adapters/],
    ["src/Ooda.ts", `import { x } from "node:path"`, /program imports node:path/],
    ["src/Ooda.ts", `import { x } from "./cli/flags.ts"`, /program imports cli/],
    ["src/Ooda.ts", `import { x } from "effect/cli"`, /program imports effect\/cli/],
    ["src/Ooda.ts", `import { x } from "./main.ts"`, /program imports entry/],
    ["src/live.ts", `import { x } from "effect/cli"`, /entry imports effect\/cli/],
    ["src/cli/a.ts", `import { x } from "../adapters/GitLive.ts"`, /cli imports adapters/],
    ["src/cli/a.ts", `import { x } from "../Step.ts"`, /cli imports program/],
    ["src/cli/a.ts", `import { x } from "node:fs"`, /cli imports node:fs/],
    ["src/adapters/A.ts", `import { x } from "../Run.ts"`, /adapters imports program/],
    ["src/adapters/A.ts", `import { x } from "@effect/platform-node"`, /adapters imports @effect\/platform-node$/],
    ["src/adapters/A.ts", `import { x } from "fast-check"`, /adapters imports fast-check/],
    ["src/testing/a.ts", `import { x } from "../adapters/GitLive.ts"`, /testing imports adapters/],
    ["src/index.ts", `import { x } from "./cli/flags.ts"`, /api imports cli/]
  ]
  it.each(imports)("in %s: %s", (path, line, problem) => {
    const found = problems(file(path, line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  const purity: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["src/core/A.ts", "export const x = Date.now()", /core uses Date\.now/],
    ["src/core/A.ts", "export const x = new Date()", /core uses Date\(\)/],
    ["src/core/A.ts", "export const x = Date()", /core uses Date\(\)/],
    ["src/core/A.ts", "export const x = Math.random", /core uses Math\.random/],
    ["src/core/A.ts", "export const x = process.env", /core uses process/],
    ["src/core/A.ts", "export const x = globalThis", /core uses globalThis/],
    ["src/core/A.ts", "export const x = crypto.randomUUID()", /core uses crypto/],
    ["src/core/A.ts", "console.log(1)", /core uses console/],
    ["src/core/A.ts", "setTimeout(() => {}, 1)", /core uses setTimeout/],
    ["src/core/A.ts", "export const x = import.meta.url", /core uses import\.meta/],
    ["src/Ooda.ts", "export const x = Date.now()", /program uses Date\.now/],
    ["src/services/A.ts", "export const x = process.cwd()", /services uses process/],
    ["src/live.ts", "export const x = performance.now()", /entry uses performance/]
  ]
  it.each(purity)("in %s: %s", (path, line, problem) => {
    const found = problems(file(path, line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  const unsafe: ReadonlyArray<readonly [string, RegExp]> = [
    ["export const x: any = 1", /any/],
    ["export const f = (x: ReadonlyArray<any>) => x", /any/],
    ["export const x = 1 as unknown", /a cast/],
    ["export const x = <number>1", /a cast/],
    ["export const f = (x?: string) => x!.length", /a non-null !/],
    ["export const f = () => { let z!: string; return z }", /a definite !/],
    ["// @ts-expect-error", /a silenced compiler/]
  ]
  it.each(unsafe)("of the type checker: %s", (line, problem) => {
    const found = problems(file("src/services/A.ts", "", line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  it("of the shape of a file", () => {
    const of = (text: string) => problems(readSource("src/core/A.ts", text))
    const body = Array.from({ length: 20 }, (_, i) => `export const a${i} = ${i}\n`)
    const head = "// A: what it is.\n// The one rule: one.\n"
    assert.match(of(body.join("")).join(), /first line what it is/)
    assert.match(of(`// A: what it is.\n${body.join("")}`).join(), /second line the one rule/)
    assert.match(of(`${head}// and more\n${body.join("")}`).join(), /more than two comment lines/)
    assert.match(of(`${head}${body.slice(3).join("")}`).join(), /19 lines, fewer than 20/)
    assert.match(of(`${head}${"export {}\n".repeat(199)}`).join(), /201 lines, more than 200/)
    assert.match(of(`${head}${body.join("")}// ${"x".repeat(118)}\n`).join(), /line 23 is wider/)
    assert.match(of(`${head}${body.join("")}// ${"TO"}${"DO"}: later\n`).join(), /leaves something to do/)
    for (const line of ["let x = 1", "export let x = 1", "const x = new Map<string, Set<number>>()"]) {
      assert.match(of(`${head}${body.join("")}${line}\n`).join(), /line 23 keeps state between calls/)
    }
    assert.deepStrictEqual(of(`#!/usr/bin/env node\n${head}${body.join("")}`), [])
  })

  it("of circles", () => {
    const a = file("src/core/A.ts", `import { b } from "./B.ts"`, "export const a = b")
    const b = (line: string) => file("src/core/B.ts", line, "export const b = 1")
    assert.deepStrictEqual(circles([a, b(`import { a } from "./A.ts"`)]), [
      "src/core/A.ts -> src/core/B.ts -> src/core/A.ts"
    ])
    assert.deepStrictEqual(circles([a, b(`import type { a } from "./A.ts"`)]), [])
    assert.deepStrictEqual(circles([a, b(`import { type a } from "./A.ts"`)]), [])
  })
})

describe("what is fine", () => {
  const fine: ReadonlyArray<readonly [string, string]> = [
    ["src/core/A.ts", `import { Option, Result, Schema } from "effect"`],
    ["src/core/A.ts", `const text = "import { Effect } from 'effect'; Date.now() as any"`],
    ["src/core/A.ts", "export const x = [1] as const"],
    ["src/core/A.ts", "export const at = (ms: number) => new Date(ms).toISOString()"],
    ["src/core/A.ts", "export const f = (e: { process: number }) => e.process"],
    ["src/core/A.ts", "export const x = { process: 1, Date: 2 }"],
    ["src/services/A.ts", `import { Context, type Effect } from "effect"`],
    ["src/adapters/deep/A.ts", `import * as fs from "node:fs"`],
    ["src/adapters/A.ts", `import { x } from "@effect/platform-node/NodeStream"`],
    ["src/cli/a.ts", `import { Command } from "effect/cli"`],
    ["src/live.ts", `import { layer } from "./adapters/GitLive.ts"`],
    ["src/index.ts", `export { layer } from "./adapters/GitLive.ts"`],
    ["src/testing/a.ts", `import * as fc from "fast-check"`],
    ["src/Ooda.ts", `import { Git } from "./services/Git.ts"`]
  ]
  it.each(fine)("in %s: %s", (path, line) => assert.deepStrictEqual(problems(file(path, line)), []))
})
