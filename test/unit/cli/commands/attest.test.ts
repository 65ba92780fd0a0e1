// The arguments of `attest`. test/process/attest.test.ts has where the attestation goes.
import { assert, describe, it } from "vitest"
import * as attest from "../../../../src/cli/commands/attest.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(attest)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, out: null } as const

describe("the arguments of attest", () => {
  it("by default name the newest run and standard output", async () => assert.deepStrictEqual(await asked(""), plain))

  it("can name a run and a file", async () =>
    assert.deepStrictEqual(await asked("2026 --out a.json"), {
      ...plain,
      selector: { _tag: "Named", prefix: "2026" },
      out: "a.json"
    }))

  const problems: ReadonlyArray<readonly [string, RegExp]> = [
    ["a --run b", /^RUN and --run exclude each other$/],
    ["--json", /^unknown flag --json/]
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.match(await problem(line), message))
})
