// Table: which tools call the program, and how long it may take.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { gates, hookTable, isOurs } from "../../../src/hook/Table.ts"
import { classifyTool } from "../../../src/hook/Event.ts"

const groups = (event: string) => hookTable("review")[event] ?? []
const handlers = Object.entries(hookTable("review")).flatMap(([event, all]) =>
  all.flatMap(({ hooks }) => hooks.map((hook) => ({ event, ...hook })))
)

// Matchers as in the client: letters, digits and `|` are exact names, everything else is a regular expression.
const matches = (matcher: string, tool: string): boolean =>
  /^[\w\s,|-]*$/.test(matcher) ? matcher.split("|").includes(tool) : new RegExp(matcher).test(tool)

const reached = (event: string, tool: string): ReadonlyArray<string> =>
  groups(event).filter(({ matcher }) => matcher !== undefined && matches(matcher, tool))
    .flatMap(({ hooks }) => hooks.map(({ command }) => command.replace(/^.*exit 0; /, "").replace(/;.*$/, "")))

describe("a matcher", () => {
  it.each(["Write", "Edit", "MultiEdit", "Patch", "NotebookEdit", "mcp__files__edit_file", "mcp__m__morph_apply"])(
    "sends an edit by %s to a quiet background review",
    (tool) => assert.deepStrictEqual(reached("PostToolUse", tool), ["ooda-codex-review hook --quiet --deadline 90s"])
  )

  it.each(["ExitPlanMode", "mcp__s__sequentialthinking", "mcp__t__actor-critic", "mcp__t__shannon_thinking"])(
    "sends %s to a call in the foreground",
    (tool) => assert.lengthOf(reached("PostToolUse", tool), 1)
  )

  it.each([
    "Read",
    "Glob",
    "Grep",
    "Task",
    "Bash",
    "TodoWrite",
    "BashOutput",
    "mcp__edit_file__read",
    "mcp__morph__list",
    "mcp__my-morph__list",
    "mcp__shannon__read"
  ])("starts nothing for %s", (tool) => assert.deepStrictEqual(reached("PostToolUse", tool), []))

  it.each([
    ...["Write", "Patch", "Read", "ExitPlanMode", "Bash", "WriteFile", "mcp__a__credit_file", "mcp__a__edit_files"],
    ...["mcp__a__edit_file", "mcp__a__b__edit_file", "mcp__edit_file", "mcp__a__morphology", "mcp__a__morph-apply"],
    ...["mcp__a_morph__read", "mcp__shannon__think", "mcp__a__shannonthinking", "mcp__a__actor-critic-thinking"]
  ])(
    "starts the program for %s only if it has work to do",
    (tool) => assert.lengthOf(reached("PostToolUse", tool), classifyTool("PostToolUse", tool) === null ? 0 : 1)
  )

  it("starts an explanation only for a failed command", () => {
    assert.lengthOf(reached("PostToolUseFailure", "Bash"), 1)
    assert.deepStrictEqual(reached("PostToolUseFailure", "Read"), [])
  })
})

describe("a handler", () => {
  it.each(handlers)("of $event has more time than the program uses", ({ command, timeout }) => {
    const deadline = Number(/ --deadline (\d+)s; /.exec(command)?.[1] ?? 0)
    assert.isAbove(timeout, deadline)
    assert.isAtMost(timeout, deadline + 10)
  })

  it.each(handlers)("of $event looks for the program first, and is recognised as ours", ({ command }) => {
    assert.match(
      command,
      /^command -v ooda-codex-review >\/dev\/null && (\[ -z "\$OODA_IN_AGENT" \] \|\| exit 0; ooda-|\{ \[ -n "\$OODA_IN_AGENT" \] \|\| ooda-codex-review --version )/
    )
    assert.isTrue(isOurs(command))
  })

  it.each(handlers)("of $event ends with 0 if the program cannot run, and else as the program does", ({ command }) => {
    const bin = mkdtempSync(join(tmpdir(), "ooda-table-"))
    const run = (program: string | null, mode = 0o700) => {
      rmSync(join(bin, "ooda-codex-review"), { force: true })
      if (program !== null) writeFileSync(join(bin, "ooda-codex-review"), program, { mode })
      return spawnSync("/bin/sh", ["-c", command], { env: { PATH: bin }, encoding: "utf8" })
    }
    const isNotice = command.includes("--version")
    for (const one of [run(null), run("#!/no/such/node\n"), run("#!/bin/sh\nexit 126\n"), run("#!/bin/sh\n", 0o600)]) {
      assert.strictEqual(one.status, 0)
      assert.strictEqual(one.stdout.includes("nothing is reviewed"), isNotice)
    }
    assert.deepInclude(run("#!/bin/sh\nexit 2\n"), isNotice ? { status: 0 } : { status: 2, stdout: "" })
    assert.deepInclude(run("#!/bin/sh\nexit 0\n"), { status: 0, stdout: "" })
    rmSync(bin, { recursive: true })
  })

  it("runs in the foreground only if the turn needs the answer", () =>
    assert.deepStrictEqual(
      handlers.filter((one) => one.async === true).map(({ event }) => event),
      ["PostToolUse", "PostToolUseFailure"]
    ))

  it("of Stop names the gate", () => {
    for (const gate of gates) {
      const [stop] = hookTable(gate)["Stop"]?.flatMap(({ hooks }) => hooks) ?? []
      assert.include(stop?.command, ` --gate ${gate} `)
    }
  })
})

describe("a command", () => {
  it.each([
    "ooda-codex-review hook",
    "/opt/bin/ooda-codex-review hook --gate off",
    'node "/opt/ooda-codex-review.cjs" hook --quiet',
    "cd /x && ooda-codex-review hook"
  ])("is ours: %s", (command) => assert.isTrue(isOurs(command)))

  it.each([
    "prettier --write",
    "ooda-codex-review --uncommitted --inspect",
    "my-ooda-codex-review hook",
    "ooda-codex-review hooks",
    "echo command -v ooda-codex-review"
  ])("is not ours: %s", (command) => assert.isFalse(isOurs(command)))
})

it("a plan is reviewed once: before or after the user approved it", () => {
  const of = (plans: "before" | "after") =>
    Object.entries(hookTable("review", plans)).flatMap(([event, groups]) =>
      groups.filter(({ matcher }) => matcher === "ExitPlanMode").map(() => event)
    )
  assert.deepStrictEqual([of("after"), of("before")], [["PostToolUse"], ["PreToolUse"]])
})
