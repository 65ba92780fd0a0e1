// architecture: the rooms and their doors, purity, and the shape of every file in src, as a test.
// The one rule: each rule is shown to fail on a planted violation; a rule that cannot fail is no rule.
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { doors, roomOf } from "./rooms.ts"
import { circles, loadedWith, problems } from "./rules.ts"
import { readSource, type Source } from "./Source.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const sources = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .sort()
  .map((path) => readSource(path, readFileSync(join(root, path), "utf8")))

describe("every file of src", () => {
  it.each(sources.map((source): [string, Source] => [source.path, source]))(
    "%s keeps the rules",
    (_, source) => assert.deepStrictEqual(problems(source), [])
  )

  it("imports in no circle", () => assert.deepStrictEqual(circles(sources), []))

  it("lies in a planned room, and every planned room has files", () =>
    assert.sameMembers([...new Set(sources.map(({ path }) => roomOf(path)))], Object.keys(doors)))

  it("is one of few that lie loose", () => {
    const loose = (folder: string) => sources.filter(({ path }) => dirname(path) === folder)
    assert.isAtMost(loose("src").length, 10)
    assert.isAtMost(loose("src/core").length, 4)
  })
})

describe("what is loaded", () => {
  const loop = /^src\/(ooda|core\/verdict\/Judge)/
  const judging = (...entries: ReadonlyArray<string>) =>
    [...loadedWith(sources, ["src/program.ts", ...entries])].filter((path) => loop.test(path))

  it("for a mark or a loop is nothing of plans, whose library is as large as all that a mark loads", () =>
    assert.deepStrictEqual(
      [...loadedWith(sources, ["src/program.ts", "src/step/MarkStep.ts", "src/step/LoopStep.ts"])].filter((path) =>
        /^src\/core\/plan(file)?\//.test(path)
      ),
      []
    ))

  it("for a mark is neither the loop nor what judges reviews", () =>
    assert.deepStrictEqual(judging("src/step/MarkStep.ts"), []))

  it("for a mark is no walk of a log, which brings a compiler of schemas, and no event of a driver or of a plan", () =>
    assert.deepStrictEqual(
      [...loadedWith(sources, ["src/program.ts", "src/step/MarkStep.ts"])].filter((path) =>
        /^src\/(runs\/WalkLog|core\/(agent\/TaskEvent|(driven|converge|implement)\/Event)\.ts)/.test(path)
      ),
      []
    ))

  it("for a step whose flags can be read is no parser of Effect's", () =>
    assert.notInclude([...loadedWith(sources, ["src/program.ts"])], "src/cli/command.ts"))

  it("for an event of a session is nothing of runs or steps: the gate at the fixed point alone loads them", () => {
    const stepping = (...entries: ReadonlyArray<string>) =>
      [...loadedWith(sources, entries)].filter((path) => /^src\/(runs|ooda|step)\//.test(path))
    assert.deepStrictEqual(stepping("src/main.ts", "src/hookProgram.ts"), [])
    assert.include(stepping("src/hook/ladder/Ladder.ts"), "src/step/InspectStep.ts")
  })

  it("for help, and for most events of a session, is nothing of Effect", () => {
    const known = ["src/adapters/store/SessionGlance.ts", "src/core/hook/KnownEdit.ts"]
    const loaded = loadedWith(sources, ["src/main.ts", ...known])
    const effectful = sources.filter(({ imports, path }) =>
      loaded.has(path) && imports.some(({ erased, from }) => !erased && /^@?effect(\/|$)/.test(from))
    )
    assert.deepStrictEqual(effectful.map(({ path }) => path), [])
  })

  it("for a loop is both", () =>
    assert.includeMembers(judging("src/step/LoopStep.ts"), ["src/ooda/Loop.ts", "src/core/verdict/Judge.ts"]))
})

describe("a door that is not there", () => {
  const rooms = Object.entries(doors).map(([room, open]) => ({ room, open: new Set<string>([...open, room]) }))
  const path = (room: string, name: string) =>
    rooms.some((one) => one.room === room) && ["main", "program", "layers", "index", "testing"].includes(room)
      ? name === "A" || room !== "testing" ? `src/${room}.ts` : "src/testing/B.ts"
      : `src/${room}/${name}.ts`
  const shut = rooms.flatMap(({ open, room }) =>
    rooms.filter((other) => !open.has(other.room)).map((other) => [room, other.room] as const)
  )

  it.each(shut)("is noticed between %s and %s", (room, other) => {
    const from = path(room, "A")
    const to = `./${relative(dirname(from), path(other, "B"))}`
    const text = `// ${basename(from, ".ts")}: a room.\nimport type { b } from "${
      to.replace(/^\.\/\.\./, "..")
    }"\nexport type A = b\n`
    const found = problems(readSource(from, text))
    assert.lengthOf(found, 1)
    assert.include(found[0], `${room} imports ${other}`)
  })

  it("is noticed in a folder below a room", () =>
    assert.match(
      problems(file("src/core/text/deep/A.ts", `import { x } from "../../run/B.ts"`)).join(),
      /core\/text imports core\/run/
    ))

  it("is noticed where a folder is no room", () => {
    for (const at of ["src/A.ts", "src/misc/A.ts", "src/core/misc/A.ts", "src/adapters/misc/A.ts"]) {
      assert.match(problems(file(at)).join(), /lies in no room/)
    }
    assert.match(problems(file("src/runs/A.ts", `import { x } from "../misc/B.ts"`)).join(), /runs imports no room/)
  })
})

/** A file that keeps all rules but for `lines`. */
const file = (path: string, ...lines: ReadonlyArray<string>): Source => {
  const head = [`// ${basename(path, ".ts")}: what it is.`, "// The one rule: one rule.", ""]
  return readSource(path, `${[...head, ...lines].join("\n")}\n`)
}

/** An error with these fields. */
const failing = (fields: string) =>
  `export class Failed extends Schema.TaggedError<Failed>()("Failed", ${fields}) {\n  override get message() {}\n}`

describe("a planted violation", () => {
  it("is looked for in a file that is fine", () => assert.deepStrictEqual(problems(file("src/core/run/Name.ts")), []))

  const imports: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["src/core/findings/formats/A.ts", `import { b } from "./B.ts"`, /imports \.\/B\.ts, another format/],
    ["src/core/run/A.ts", `import { Effect } from "effect"`, /core\/run imports Effect of effect/],
    ["src/core/run/A.ts", `import { type Effect, Schema } from "effect"`, /imports Effect of effect/],
    ["src/core/run/A.ts", `import type { Layer } from "effect"`, /imports Layer/],
    ["src/core/run/A.ts", `import { Context as Schema } from "effect"`, /imports Context/],
    ["src/core/run/A.ts", `import { Ref } from "effect"`, /imports Ref/],
    ["src/core/run/A.ts", `import * as E from "effect"`, /imports \* of effect/],
    ["src/core/run/A.ts", `export * from "effect"`, /imports \* of effect/],
    ["src/core/run/A.ts", `export { Effect } from "effect"`, /imports Effect/],
    ["src/core/run/A.ts", `export type T = import("effect").Effect.Effect<void>`, /imports \* of effect/],
    ["src/core/run/A.ts", `import { Effect } from "effect/Effect"`, /imports effect\/Effect/],
    ["src/core/run/A.ts", `import * as fs from "node:fs"`, /imports node:fs/],
    ["src/core/run/A.ts", `import "fs"`, /imports fs/],
    ["src/core/run/A.ts", `import { parse } from "yaml"`, /core\/run imports yaml/],
    ["src/core/plan/A.ts", `import { Effect } from "effect"`, /core\/plan imports Effect of effect/],
    ["src/runs/A.ts", `import { parse } from "yaml"`, /runs imports yaml/],
    ["src/core/run/A.ts", `export const f = () => import("node:fs")`, /imports node:fs/],
    ["src/core/run/A.ts", `export const f = (x: string) => import(x)`, /imports <computed>/],
    ["src/core/run/A.ts", `export { g } from "../../services/Git.ts"`, /imports services/],
    ["src/core/run/A.ts", `import { x } from "./B.js"`, /without \.ts/],
    ["src/core/run/A.ts", `import { x } from "../../../test/facts.ts"`, /outside src/],
    ["src/core/run/A.ts", `export const f = () => import("./B.ts")`, /loads \.\/B\.ts lazily/],
    ["src/step/A.ts", `export const f = () => import("../ooda/Ooda.ts")`, /step loads \.\.\/ooda\/Ooda\.ts lazily/],
    ["src/step/A.ts", `export const f = () => import("effect")`, /step loads effect lazily/],
    ["src/services/A.ts", `import { x } from "node:fs"`, /services imports node:fs/],
    ["src/ooda/A.ts", `import { x } from "node:path"`, /ooda imports node:path/],
    ["src/ooda/A.ts", `import { x } from "effect/cli"`, /ooda imports effect\/cli/],
    ["src/ooda/A.ts", `import * as x from "effect/schema/SchemaJITCompiler"`, /ooda imports effect\/schema/],
    ["src/program.ts", `import { x } from "effect/cli"`, /program imports effect\/cli/],
    ["src/program.ts", `import { x } from "node:fs"`, /program imports node:fs/],
    ["src/layers.ts", `import { x } from "node:fs"`, /layers imports node:fs/],
    ["src/cli/A.ts", `import { x } from "node:fs"`, /cli imports node:fs/],
    ["src/adapters/git/A.ts", `import { x } from "@effect/platform-node"`, /imports @effect\/platform-node$/],
    ["src/adapters/git/A.ts", `import { SqlClient } from "effect/sql/SqlClient"`, /adapters\/git imports effect\/sql/],
    ["src/adapters/log/A.ts", `import { x } from "@effect/sql-pg/PgClient"`, /imports @effect\/sql-pg/],
    ["src/adapters/sql/A.ts", `import { x } from "@effect/sql-pg"`, /imports @effect\/sql-pg$/],
    ["src/adapters/sql/A.ts", `import { x } from "effect/persistence"`, /imports effect\/persistence/],
    ["src/adapters/git/A.ts", `import { x } from "fast-check"`, /imports fast-check/],
    ["src/adapters/git/A.ts", `import { tmpdir, userInfo } from "node:os"`, /imports tmpdir of node:os/],
    ["src/adapters/git/A.ts", `import { homedir as home } from "node:os"`, /imports homedir of node:os/],
    ["src/adapters/git/A.ts", `import * as os from "node:os"`, /imports \* of node:os/],
    ["src/runs/A.ts", `import { x } from "@effect/platform-node/NodeFileSystem"`, /imports @effect/]
  ]
  it.each(imports)("in %s: %s", (path, line, problem) => {
    const found = problems(file(path, line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  const purity: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["src/core/run/A.ts", "export const x = Date.now()", /core\/run uses Date\.now/],
    ["src/history/A.ts", "export const x = JSON.stringify({})", /history uses JSON\.stringify/],
    ["src/core/findings/A.ts", "export const x = JSON.stringify", /core\/findings uses JSON\.stringify/],
    ["src/core/run/A.ts", "export const x = new Date()", /core\/run uses Date\(\)/],
    ["src/core/run/A.ts", "export const x = Date()", /core\/run uses Date\(\)/],
    ["src/core/run/A.ts", "export const x = Math.random", /core\/run uses Math\.random/],
    ["src/core/run/A.ts", "export const x = process.env", /core\/run uses process/],
    ["src/core/run/A.ts", "export const x = globalThis", /core\/run uses globalThis/],
    ["src/core/run/A.ts", "export const x = crypto.randomUUID()", /core\/run uses crypto/],
    ["src/core/run/A.ts", "console.log(1)", /core\/run uses console/],
    ["src/core/run/A.ts", "setTimeout(() => {}, 1)", /core\/run uses setTimeout/],
    ["src/core/run/A.ts", "export const x = import.meta.url", /core\/run uses import\.meta/],
    ["src/ooda/A.ts", "export const x = Date.now()", /ooda uses Date\.now/],
    ["src/services/A.ts", "export const x = process.cwd()", /services uses process/],
    ["src/main.ts", "export const x = performance.now()", /main uses performance/],
    ["src/program.ts", "export const x = process.env", /program uses process/],
    ["src/layers.ts", "export const x = process.env", /layers uses process/],
    ["src/adapters/git/A.ts", "export const x = process.env", /adapters\/git uses process\.env/],
    ["src/adapters/git/A.ts", "export const x = process.cwd()", /adapters\/git uses process\.cwd/]
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

  const prose = (fields: string) => failing(`{ ${fields} }`)
  const errors: ReadonlyArray<readonly [string, RegExp]> = [
    [`export const x = (e: Error) => e.message.includes("no space")`, /parses a message/],
    [`export const x = ({ reason }: Failed) => reason.startsWith("no permission")`, /parses a message/],
    ["export const x = (e: Error) => /denied/.test(e.message)", /parses a message/],
    ["export const x = (e: Error) => /denied/.exec(e.cause?.message)", /parses a message/],
    [prose("reason: Schema.String"), /Failed has a reason without a tag/],
    [prose("path: Schema.String, problem: Schema.String"), /Failed has a problem without a tag/],
    [prose("\n  reason: Schema.optionalKey(Fault),\n  why: Schema.NullOr(Schema.String)\n"), /Failed has a why without/]
  ]
  it.each(errors)("of errors: %s", (line, problem) => {
    const found = problems(file("src/services/A.ts", "", line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  const paths: ReadonlyArray<readonly [string, string, RegExp]> = [
    [
      "src/ooda/A.ts",
      "export const f = (dir: string) => `${dir}/findings.md`",
      /composes a path of a run, \$\{dir\}\/findings\.md/
    ],
    ["src/ooda/A.ts", "export const f = (dir: string) => dir + '/history.md'", /composes a path of a run/],
    ["src/runs/A.ts", "export const f = (root: string) => `${root}/latest`", /composes a path of a run/],
    [
      "src/runs/A.ts",
      "export const f = (root: string, id: string) => `${root}/runs/${id}`",
      /composes a path of a run/
    ],
    ["src/runs/A.ts", "export const f = (run: { runId: string }) => `/state/${run.runId}`", /composes a path of a run/],
    [
      "src/upkeep/A.ts",
      "export const f = (run: { root: string, repoId: string }) => `${run.root}/${run.repoId}`",
      /composes a path of a run/
    ],
    [
      "src/core/run/A.ts",
      "export const f = (run: string, l: string) => `${run}/levels/level-${l}`",
      /composes a path of a run/
    ],
    [
      "src/core/findings/A.ts",
      "export const f = (dir: string, l: string) => `${dir}/${l}-1.log`",
      /composes a path of a run/
    ],
    ["src/history/A.ts", "export const f = (hex: string) => `texts/${hex}.txt`", /composes a path of a run/],
    ["src/adapters/git/A.ts", `export const f = (dir: string) => join(dir, "levels")`, /composes a path of a run/],
    [
      "src/adapters/log/A.ts",
      `export const f = (dir: string) => path.join(dir, "manifest.jsonl")`,
      /composes a path of a run/
    ],
    ["src/adapters/store/A.ts", "export const f = (dir: string) => `${dir}/lock`", /composes a path of a run/]
  ]
  it.each(paths)("of the one layout, in %s: %s", (path, line, problem) => {
    const found = problems(file(path, line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  it("of the shape of a file", () => {
    const of = (text: string) => problems(readSource("src/core/run/A.ts", text))
    const head = "// A: what it is.\n"
    assert.match(of("export {}\n").join(), /first line what it is/)
    assert.match(of("// B: what it is.\n").join(), /calls itself by another name than A/)
    assert.match(of(`${head}// ${"x".repeat(118)}\n`).join(), /line 2 is wider/)
    assert.match(of(`${head}\n// ${"TO"}${"DO"}: later\n`).join(), /leaves something to do/)
    for (const line of ["let x = 1", "export let x = 1", "const x = new Map<string, Set<number>>()"]) {
      assert.match(of(`${head}${line}\n`).join(), /line 2 keeps state between calls/)
    }
    assert.deepStrictEqual(of(`#!/usr/bin/env node\n${head}export {}\n`), [])
  })

  const walls: ReadonlyArray<readonly [string, string, RegExp]> = [
    [
      "src/adapters/log/A.ts",
      `import type { Event } from "../../core/run/Event.ts"`,
      /knows of src\/core\/run\/Event\.ts/
    ],
    ["src/runs/WalkLog.ts", `import type { Event } from "../core/run/Event.ts"`, /knows of src\/core\/run\/Event\.ts/],
    [
      "src/services/EventLog.ts",
      `import type { Manifest } from "../core/run/Manifest.ts"`,
      /knows of src\/core\/run\/Manifest\.ts/
    ],
    ["src/services/A.ts", "export type F = (path: string) => void", /takes a place on a disk/],
    ["src/services/A.ts", "export type F = (of: { readonly path: string }) => void", /takes a place on a disk/],
    ["src/services/A.ts", "export interface A { readonly directory?: string }", /takes a place on a disk/],
    ["src/services/Comments.ts", "export interface A { readonly path: string }", /takes a place on a disk/],
    ["src/services/A.ts", "export type F = (\n  files: Files\n) => void", /takes a place on a disk/]
  ]
  it.each(walls)("in %s: %s", (path, line, problem) => {
    const found = problems(file(path, line))
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", problem)
  })

  it("of circles", () => {
    const a = file("src/core/run/A.ts", `import { b } from "./B.ts"`, "export const a = b")
    const b = (line: string) => file("src/core/run/B.ts", line, "export const b = 1")
    assert.deepStrictEqual(circles([a, b(`import { a } from "./A.ts"`)]), [
      "src/core/run/A.ts -> src/core/run/B.ts -> src/core/run/A.ts"
    ])
    assert.deepStrictEqual(circles([a, b(`import type { a } from "./A.ts"`)]), [])
    assert.deepStrictEqual(circles([a, b(`import { type a } from "./A.ts"`)]), [])
  })
})

describe("what is fine", () => {
  const fine: ReadonlyArray<readonly [string, string]> = [
    ["src/core/run/A.ts", `import { Option, Result, Schema } from "effect"`],
    ["src/core/run/A.ts", `const text = "import { Effect } from 'effect'; Date.now() as any"`],
    ["src/core/run/A.ts", "export const x = [1] as const"],
    ["src/core/plan/A.ts", `import { Composer } from "yaml"`],
    ["src/core/log/A.ts", "export const x = JSON.stringify({})"],
    ["src/core/findings/formats/A.ts", `import { b } from "../B.ts"`],
    ["src/core/run/A.ts", "export const at = (ms: number) => new Date(ms).toISOString()"],
    ["src/core/run/A.ts", "export const f = (e: { process: number }) => e.process"],
    ["src/core/run/A.ts", "export const x = { process: 1, Date: 2 }"],
    ["src/services/A.ts", `import { Context, type Effect } from "effect"`],
    ["src/adapters/git/deep/A.ts", `import * as fs from "node:fs"`],
    ["src/adapters/git/A.ts", `import { x } from "@effect/platform-node/NodeStream"`],
    ["src/cli/a.ts", `import { Command } from "effect/cli"`],
    ["src/layers.ts", `import { layer } from "./adapters/git/GitLive.ts"`],
    ["src/program.ts", `export const f = () => import("./step/StopStep.ts")`],
    ["src/testing/a.ts", `import * as fc from "fast-check"`],
    ["src/ooda/A.ts", `import { Git } from "../services/Git.ts"`],
    ["src/adapters/store/Layout.ts", "export const f = (dir: string) => `${dir}/latest`"],
    ["src/core/loop/A.ts", "export const key = (level: string, batch: number) => `${level}/batch-${batch}`"],
    ["src/runs/A.ts", "export const f = (run: { runId: string }) => `run ${run.runId} of latest`"],
    ["src/runs/A.ts", `export const help = "levels/ and runs/ are directories"`],
    ["src/adapters/log/A.ts", `import type { RunRef } from "../../core/run/Refs.ts"`],
    ["src/services/RunStore.ts", "export interface RunPlaces { readonly directory: string }"],
    ["src/services/A.ts", "export type F = (worktree: string, cwd: string) => void"],
    ["src/services/A.ts", `export class E extends TaggedError<E>()("E", { path: Schema.String }) {}`],
    [
      "src/services/A.ts",
      failing(`{\n  what: Schema.String,\n  reason: Schema.TaggedStruct("A", { why: Schema.String })\n}`)
    ]
  ]
  it.each(fine)("in %s: %s", (path, line) => assert.deepStrictEqual(problems(file(path, line)), []))
})
