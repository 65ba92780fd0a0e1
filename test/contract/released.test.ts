// released: what users of a version rely on stays in every later version of its line (docs/versioning.md).
// UPDATE_RELEASED=1 writes the record from the code: for what is new, or in a version that may break promises.
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, it } from "vitest"
import { flags } from "../../src/cli/flags.ts"
import { ConvergeEvent } from "../../src/drive/converge/Event.ts"
import { PlanEvent } from "../../src/drive/plan/Event.ts"
import * as library from "../../src/index.ts"
import { LogEvent } from "../../src/log/StreamKind.ts"
import { version } from "../../src/platform/Version.ts"
import { Event } from "../../src/run/Event.ts"
import * as kit from "../../src/testing.ts"
import { helpFlags } from "./helpFlags.ts"
import { documents, jsonSchema } from "./schemas/documents.ts"
import { isSchema, kindsOf, listOf, propertiesOf } from "./schemas/nodes.ts"

/** Every field of a schema with its types, and every name that it may have. */
const fieldsOf = (schema: unknown, path: string, mark = ""): ReadonlyArray<string> => {
  if (!isSchema(schema)) return []
  const kinds = kindsOf(schema)
  const types = new Set(kinds.map(({ type = "any" }) => String(type)))
  return [
    `${path}${mark}: ${[...types].sort().join(" | ")}`,
    ...kinds.flatMap((kind) => [
      ...listOf(kind["enum"]).map((value) => `${path} = ${String(value)}`),
      ...fieldsOf(kind["items"], `${path}[]`),
      ...Object.entries(propertiesOf(kind)).flatMap(([name, field]) =>
        fieldsOf(field, `${path}.${name}`, listOf(kind["required"]).includes(name) ? "" : "?")
      )
    ])
  ]
}

/** Every export of a module with its type, including the exports of the modules that it exports. */
const exportsOf = (module: object, path: string): ReadonlyArray<string> =>
  Object.entries(module).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && value[Symbol.toStringTag] === "Module"
      ? exportsOf(value, `${path} ${name}`)
      : [`${path} ${name}: ${typeof value}`]
  )

const eventsOf = (log: string, cases: object) => Object.keys(cases).map((name) => `${log} ${name}`)

const sorted = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(lines)].sort()

const record = `fixtures/released/${version.replace(/\.\d+$/, "")}.json`
const file = resolve(import.meta.dirname, "../..", record)

it("everything on the record of this line of versions is there, with its type", async () => {
  const ofSubcommands = (await helpFlags()).map(({ command, flag, metavar }) => `${command} ${flag} ${metavar}`.trim())
  const now: Readonly<Record<string, ReadonlyArray<string>>> = {
    flags: sorted([
      ...flags.map(({ flag, metavar = "" }) => `step ${flag} ${metavar}`.trim()),
      ...ofSubcommands
    ]),
    exports: sorted([...exportsOf(library, "."), ...exportsOf(kit, "./testing")]),
    documents: sorted(
      Object.entries(documents).flatMap(([name, document]) =>
        document === null ? [] : fieldsOf(jsonSchema(name, document), name)
      )
    ),
    events: sorted([
      ...eventsOf("log", LogEvent.cases),
      ...eventsOf("review", Event.cases),
      ...eventsOf("converge", ConvergeEvent.cases),
      ...eventsOf("plan", PlanEvent.cases)
    ])
  }
  if (process.env["UPDATE_RELEASED"] === "1") writeFileSync(file, `${JSON.stringify(now, null, 1)}\n`)
  const released: Record<string, ReadonlyArray<string>> = JSON.parse(readFileSync(file, "utf8"))
  const gone = Object.entries(released).flatMap(([what, lines]) =>
    lines.filter((line) => now[what]?.includes(line) !== true).map((line) => `${what} ${line}`)
  )
  if (gone.length > 0) {
    assert.fail(
      `in ${record}, but gone or changed: ${gone.join(", ")} [bring it back; where docs/versioning.md allows the ` +
        "change, say it in CHANGELOG.md and run UPDATE_RELEASED=1 npx vitest run test/contract/released.test.ts]"
    )
  }
})
