import { spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import { commandOf } from "../../../src/agent/Program.live.ts"
import { failureOf } from "../../../src/agent/AgentEnding.ts"
import { withAgents } from "./agentBench.ts"

describe("the command of a program", () => {
  it("is its path with its arguments", () =>
    withAgents(async ({ task }) => {
      assert.deepStrictEqual(commandOf("/bin/sh", { task: task(), environment: {} }, ["-c", "x"]), [
        "/bin/sh",
        "-c",
        "x"
      ])
      const [found] = commandOf("sh", { task: task(), environment: { PATH: "/nowhere:/bin" } }, [])
      assert.strictEqual(found, "/bin/sh")
    }))

  it("that is missing says in one line what was looked for, and ends as a missing program does", () =>
    withAgents(async ({ task }) => {
      const [program, ...args] = commandOf("no'such", { task: task(), environment: { PATH: "/bin" } }, ["x"])
      const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8" })
      assert.deepStrictEqual([status, stdout], [127, ""])
      assert.strictEqual(stderr, "the program no'such of the agent is missing: not found in PATH (/bin)\n")
      assert.strictEqual(failureOf(stderr, status)._tag, "Missing")
    }))
})
