// The arguments of `result`. test/process/result.test.ts has how it judges a message.
import { assert, describe, it } from "vitest"
import * as result from "../../../../src/cli/commands/result.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(result)
const worker = { role: "worker", taskId: "7" } as const
describe("the arguments of result", () => {
  it("are a role and a task", async () => {
    assert.deepStrictEqual(await asked("--role worker --task-id 7"), { ...worker, json: false })
    assert.deepInclude(await asked("--role spec-reviewer --task-id a/b --json"), { taskId: "a/b", json: true })
  })

  it.each([
    ["--task-id 7", /^--role is required$/],
    ["--role worker", /^--task-id is required$/],
    ["--role tester --task-id 7", /^--role "tester": expected worker, /],
    ["--role worker --task-id 7 message.txt", /^unexpected argument "message.txt"$/]
  ])("%s is refused", async (line, message) => assert.match(await problem(line), message))

  it("hold no task of no or several lines", async () => {
    for (const id of ["", " ", "a\nb", "x".repeat(201)]) {
      assert.match(
        await problem(["--role", "worker", "--task-id", id]),
        /expected 1 to 200 characters on one line, none of them hidden/
      )
    }
  })
})
