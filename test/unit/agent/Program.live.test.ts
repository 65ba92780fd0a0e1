// Program.live: the job of an attempt: its command and its files.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, statSync, symlinkSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { commandOf, doing, isInside, jobOf, orderOf, prepare } from "../../../src/agent/Program.live.ts"
import { failureOf } from "../../../src/agent/AgentEnding.ts"
import { agentFiles, agentScratch } from "../../../src/run/Layout.live.ts"
import { textOf, withAgents } from "../../support/agentBench.ts"

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

describe("the job of an attempt", () => {
  it("has the attempt's own files", () =>
    withAgents(async ({ ref }) => {
      const attempt = ref(2, 3)
      const { exit, journal, lock, log, out } = agentFiles(attempt)
      assert.deepStrictEqual(jobOf(attempt), { id: attempt.id, files: { journal, lock, log, out, exit } })
      assert.strictEqual(doing("starting", attempt), "starting agent 3, attempt 2")
    }))

  it("is prepared with its prompt, the schema of its answer and a private directory", () =>
    withAgents(async ({ ref, task }) => {
      const attempt = ref()
      const { prompt, schema } = agentFiles(attempt)
      assert.isNull(prepare(attempt, task(), "Ask ünd\n").schema)
      assert.strictEqual(textOf(prompt), "Ask ünd\n")
      assert.strictEqual(statSync(prompt).mode & 0o777, 0o600)
      assert.strictEqual(statSync(agentScratch(attempt)).mode & 0o777, 0o700)
      assert.isFalse(existsSync(schema))
      assert.strictEqual(prepare(attempt, task({ answer: { type: "object" } }), "x").schema, schema)
      assert.strictEqual(textOf(schema), '{"type":"object"}')
    }))

  it("is asked without the secrets of strangers, and with every word of a person", () =>
    withAgents(async ({ ref, task }) => {
      const attempt = ref()
      const asked = (secret: string, own: string) =>
        `Run \`TOKEN=${own} npm test\`\n\n\`\`\`text\n| password: |\n|   ${secret}\n| TOKEN=${secret}\n\`\`\`\n`
      prepare(attempt, task(), asked("hunter2", "swordfish"))
      assert.strictEqual(textOf(agentFiles(attempt).prompt), asked("[redacted]", "swordfish"))
    }))

  it("comes after all attempts before it, whose files stay where they are", () =>
    withAgents(async ({ ref, script, task }) => {
      const attempt = ref(3)
      const prepared = prepare(attempt, task(), "x")
      const asked = task({ limits: { timeout: 7, first: 1, idle: 1, maxTranscript: 9 } })
      const turn = { thread: null, prompt: "x" }
      const order = orderOf(script(":"), { attempt, task: asked, turn, prepared, environment: { PATH: "/bin" } })
      assert.deepStrictEqual(
        order.earlier.map(({ files }) => files.journal),
        [2, 1].map((n) => agentFiles({ ...attempt, attempt: n }).journal)
      )
      assert.isTrue(order.earlier.every(({ id, moves }) => id === "" && moves.length === 0))
      assert.deepStrictEqual([order.cwd, order.deadline, order.maxBytes, order.input], [
        asked.cwd,
        7,
        9,
        prepared.prompt
      ])
    }))
})

describe("a directory", () => {
  it("lies inside itself and what is above it, also through links, and not beside a longer name", () =>
    withAgents(async ({ path, root, work }) => {
      mkdirSync(`${work}/a/b`, { recursive: true })
      mkdirSync(`${work}/ab`)
      symlinkSync(`${work}/a`, path("link"))
      for (const [inner, outer] of [[work, work], [`${work}/a/b`, work], [path("link"), work], [work, "/"]] as const) {
        assert.isTrue(isInside(inner, outer))
      }
      for (const [inner, outer] of [[root, work], [work, `${work}/a`], [`${work}/ab`, `${work}/a`]] as const) {
        assert.isFalse(isInside(inner, outer))
      }
    }))
})
