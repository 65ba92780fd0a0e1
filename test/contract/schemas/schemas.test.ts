// schemas: docs/schemas/ holds the schema of every JSON document, as the code makes it.
// A schema is never edited by hand; UPDATE_DOCS=1 writes them, and the test fails when they differ.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { subcommands } from "../../../src/cli/subcommands.ts"
import { unconventional } from "./convention.ts"
import { documents, jsonSchema } from "./documents.ts"

const folder = resolve(import.meta.dirname, "../../../docs/schemas")
const made = new Map(
  Object.entries(documents).flatMap(([name, document]) =>
    document === null ? [] : [[`${name}.json`, `${JSON.stringify(jsonSchema(name, document), null, 1)}\n`] as const]
  )
)

describe("docs/schemas", () => {
  it("holds what the code makes, and nothing else", () => {
    if (process.env["UPDATE_DOCS"] === "1") {
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
      for (const [name, text] of made) writeFileSync(join(folder, name), text)
    }
    assert.deepStrictEqual(readdirSync(folder).sort(), [...made.keys()].sort())
    for (const [name, text] of made) assert.strictEqual(readFileSync(join(folder, name), "utf8"), text, name)
  })

  it("follows one convention, but for the forms of a step and an attestation", () =>
    assert.deepStrictEqual(
      [...made].flatMap(([name, text]) => unconventional(basename(name, ".json"), JSON.parse(text))),
      []
    ))

  it("has a place for the step, for every subcommand, for errors and for the events of a driven run", () =>
    assert.deepStrictEqual(Object.keys(documents).sort(), ["step", "events", "error", ...subcommands.keys()].sort()))
})
