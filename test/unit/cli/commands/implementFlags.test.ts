// The flags of `implement`: what each asks for, and what is refused in which words.
import { assert, describe, it } from "vitest"
import { command, read } from "../../../../src/cli/commands/implement.ts"
import { grammar } from "./grammar.ts"

const { asked, problem } = grammar({ command, read })

describe("a line", () => {
  it("names a plan, and has the defaults", async () => {
    const { texts, ...rest } = await asked("plan.md --no-test")
    assert.deepStrictEqual([...texts], [["--no-test", [""]]])
    assert.deepStrictEqual(rest, {
      plan: "plan.md",
      rounds: 5,
      wanted: { _tag: "All" },
      then: null,
      fresh: false,
      again: false,
      yes: false,
      inspect: false,
      json: false,
      events: false,
      notify: null
    })
  })

  it("says how far it goes", async () => {
    assert.deepInclude(await asked("p --test x --rounds 0 --then converge"), { rounds: 0, then: "converge" })
    const wanted = async (line: string | ReadonlyArray<string>) => (await asked(line)).wanted
    assert.deepStrictEqual(await wanted("p --test x --tasks 2"), { _tag: "AtMost", count: 2 })
    const titles = ["p", "--no-test", "--tasks", "Add two", "--tasks", "3"]
    assert.deepStrictEqual(await wanted(titles), { _tag: "Named", names: ["Add two", "3"] })
    assert.deepInclude(await asked("p --no-test --commit-fixes"), { fresh: false })
    assert.deepInclude(await asked("p --no-test --inspect --fresh"), { inspect: true, fresh: true })
  })

  it.each([
    ["p --no-test --rounds 21", "--rounds"],
    ["p --no-test --tasks 0", "--tasks"],
    ["p --no-test --then stop", "--then"],
    ["p --no-test --json --events", "exclude each other"],
    ["p --no-test --fix-attempts 99", "--fix-attempts"],
    ["p --no-test --base main", "--base"],
    ["--no-test", "plan"]
  ])("%s is refused", async (line, words) => assert.include((await problem(line)).toLowerCase(), words))
})
