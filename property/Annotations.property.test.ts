// Annotations: whatever reviewers write, each line is one command that GitHub's runner reads back unchanged.
// The parser here follows the runner's own and shares no code with the writer.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { annotations } from "../src/review/findings/formats/Annotations.ts"
import { lines } from "../src/text/Untrusted.ts"
import { hostileReport, nasty, unprintable } from "./hostile.ts"
import { batchOf, report, wrote } from "../test/support/reviewedBatches.ts"

interface Command {
  readonly name: string
  readonly properties: ReadonlyMap<string, string>
  readonly message: string
}

const decode = (text: string, codes: ReadonlyArray<readonly [string, string]>): string =>
  codes.reduce((decoded, [code, c]) => decoded.replaceAll(code, c), text)
const dataCodes = [["%0D", "\r"], ["%0A", "\n"], ["%25", "%"]] as const
const propertyCodes = [["%0D", "\r"], ["%0A", "\n"], ["%3A", ":"], ["%2C", ","], ["%25", "%"]] as const

/** The runner: `::name key=value,key=value::message`; the first `::` behind the name ends the properties. */
const parse = (line: string): Command | null => {
  if (!line.startsWith("::")) return null
  const end = line.indexOf("::", 2)
  if (end < 0) return null
  const [name = "", ...rest] = line.slice(2, end).split(" ")
  const properties = rest.join(" ").split(",").filter((part) => part !== "").map((part): [string, string] => {
    const at = part.indexOf("=")
    return [part.slice(0, at), decode(part.slice(at + 1), propertyCodes)]
  })
  return { name, properties: new Map(properties), message: decode(line.slice(end + 2), dataCodes) }
}

const commands = (text: string): ReadonlyArray<Command | null> => lines(text).slice(0, -1).map(parse)

describe("annotations", () => {
  it("are one command a finding, a review without a list, a slot without a review", () =>
    fc.assert(fc.property(hostileReport, (of) => {
      const text = annotations([of])
      assert.notMatch(text, unprintable)
      const all = commands(text)
      const missing = of.batch.started.slots.filter(({ _tag }) => _tag !== "Finished").length
      assert.lengthOf(all, of.findings.length + of.batch.unlisted.length + missing)
      for (const command of all) {
        assert.include(["error", "warning", "notice"], command?.name)
        assert.includeMembers(["file", "line", "endLine", "title"], [...command?.properties.keys() ?? []])
        assert.notInclude(command?.properties.get("title"), "\n")
      }
    })))

  it("read back as file, lines, title and text", () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,60}$/), fc.stringMatching(/^[a-z][ -.0-~]{0,30}$/), (text, path) => {
        const finding = wrote(1, { title: text, body: "", path, priority: 2 })
        fc.pre(finding.path === path)
        const [command] = commands(annotations([report(batchOf(1, [finding]))]))
        assert.deepStrictEqual([...command?.properties ?? []], [
          ["file", path],
          ["line", "10"],
          ["endLine", "12"],
          ["title", `[P2] ${text}`]
        ])
        assert.strictEqual(command?.message, `${text}\n\n[new; reported by 1 of 3 reviewers]`)
      })
    ))

  it("keep every line of a body", () =>
    fc.assert(fc.property(fc.array(fc.stringMatching(/^[!-~][ -~]{0,30}$/), { minLength: 1 }), (body) => {
      const [command] = commands(annotations([report(batchOf(1, [wrote(1, { body: body.join("\n") })]))]))
      assert.strictEqual(command?.message.split("\n\n[new;")[0], body.map((line) => line).join("\n").trimEnd())
    })))

  it("are one line whatever a title says", () =>
    fc.assert(
      fc.property(nasty, (title) => assert.lengthOf(lines(annotations([report(batchOf(1, [wrote(1, { title })]))])), 2))
    ))
})
