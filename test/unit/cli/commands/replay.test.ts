// The arguments of `replay`: what each command line asks for, and every misuse in one line.
import { assert, describe, it } from "vitest"
import * as replay from "../../../../src/cli/commands/replay.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(replay)
const plain = { stateRoot: null, selector: { _tag: "Newest" }, at: null, after: 0, follow: false, json: false } as const

describe("replay", () => {
  it("shows the newest run by default", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes a run by its id, before or behind the options", async () => {
    const named = { ...plain, selector: { _tag: "Named", prefix: "2026" } } as const
    assert.deepStrictEqual(await asked("2026"), named)
    assert.deepStrictEqual(await asked("2026 --at 7"), { ...named, at: 7 })
    assert.deepStrictEqual(await asked("2026 --after 7 --follow"), { ...named, after: 7, follow: true })
    assert.deepStrictEqual(await asked("--at=7 2026"), { ...named, at: 7 })
    assert.deepStrictEqual(await asked("--follow --json -- 2026"), { ...named, follow: true, json: true })
    assert.deepStrictEqual(await asked("-- --at"), { ...plain, selector: { _tag: "Named", prefix: "--at" } })
  })

  const problems: ReadonlyArray<readonly [string, string]> = [
    ["--at 0", '--at "0": expected a whole number from 1 to 9007199254740991'],
    ["--at x", '--at "x": expected a whole number from 1 to 9007199254740991'],
    ["--after -1", '--after "-1": expected a whole number from 0 to 9007199254740991'],
    ["--at 1 --after 1", "--at and --after exclude each other"],
    ["--at 1 --follow", "--at and --follow exclude each other"]
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})
