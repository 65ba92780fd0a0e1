// The plugin in the real Claude Code: it is valid, it is installed in each way, its events reach the program, its skill is read.
// The model is scripted and the program is a recorder; what reaches whom is Claude Code's own doing.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { assert, describe, it } from "vitest"
import { compacts, says, uses, waitsFor } from "../../fixtures/stand-in-claude/script.mjs"
import { commanding } from "../../src/commandLayers.ts"
import { hookTable } from "../../src/hook/Table.ts"
import { hookStatus, installHooks, uninstallHooks } from "../../src/hook/Install.ts"
import type { Reviewers } from "../../src/review/Reviewers.ts"
import { Environment } from "../../src/platform/Environment.ts"
import type { SettingsFiles } from "../../src/hook/SettingsFiles.ts"
import { onStage, PLUGIN, type Recorded, type Session, settled, type Stage } from "./session.ts"
import { ROOT } from "./support.ts"

const inSession = ["--plugin-dir", PLUGIN]

/** Each event that reached the program, in the order of the names: an event in the background comes when it comes. */
const calls = ({ recorded }: Session): ReadonlyArray<string> =>
  recorded.filter(({ argv }) => argv !== "--version")
    .map(({ argv, event, tool }: Recorded) => [event, tool, argv.replace("hook ", "")].filter(Boolean).join(" "))
    .sort()

/** What the program makes of the settings in the home of a stage. */
const here = <A, E>({ env }: Stage, effect: Effect.Effect<A, E, SettingsFiles | Reviewers>) =>
  Effect.runPromise(effect.pipe(Effect.provide(commanding), Effect.provideService(Environment, env), Effect.result))

/** The model's prompts from a request on. */
const said = ({ requests }: Session, from: number): string =>
  requests.slice(from).flatMap(({ messages }) => messages).join("\n")

const writes = uses("Write", { file_path: "made.txt", content: "made\n" })
const reads = uses("Read", { file_path: "none.txt" })
const stop = "Stop --gate review --deadline 170s"
const end = "SessionEnd --deadline 3s"

describe("the plugin", () => {
  it("is valid, and so is the marketplace that offers it", () =>
    onStage(async ({ claude }) => {
      for (const path of [PLUGIN, ROOT]) {
        assert.include(claude("plugin", "validate", "--strict", path), "Validation passed")
      }
    }))

  it("sends each event of the table to the program, and nothing else", () =>
    onStage(async ({ claudeRun, repo }) => {
      const tools = ["sequentialthinking", "edit_file", "list", "approve"]
      const server = {
        command: process.execPath,
        args: [join(ROOT, "fixtures", "stand-in-claude", "tools.mjs"), ...tools]
      }
      writeFileSync(join(repo, "mcp.json"), JSON.stringify({ mcpServers: { "stand-in": server } }))
      const asked = ["--permission-mode", "plan", "--permission-prompt-tool", "mcp__stand-in__approve"]
      const session = await claudeRun({
        args: [...inSession, "--mcp-config", "mcp.json", ...asked],
        session: [
          uses("ExitPlanMode", { plan: "Do it." }),
          writes,
          uses("Edit", { file_path: "made.txt", old_string: "made", new_string: "fixed" }),
          uses("Read", { file_path: "made.txt" }),
          uses("Bash", { command: "true", description: "does nothing" }),
          uses("Bash", { command: "exit 3", description: "fails" }),
          uses("Read", { file_path: "none.txt" }),
          uses("mcp__stand-in__sequentialthinking", {}),
          uses("mcp__stand-in__edit_file", {}),
          uses("mcp__stand-in__list", {}),
          settled(6),
          says("Done.")
        ]
      })
      const [init] = session.lines.filter(({ subtype }) => subtype === "init")
      assert.include(JSON.stringify(init?.["plugins"]), '"ooda"')
      assert.lengthOf(session.recorded.filter(({ argv }) => argv === "--version"), 1, "whether it runs at all")
      assert.deepStrictEqual(calls(session), [
        "PostToolUse Edit --quiet --deadline 90s",
        "PostToolUse ExitPlanMode --deadline 170s",
        "PostToolUse Write --quiet --deadline 90s",
        "PostToolUse mcp__stand-in__edit_file --quiet --deadline 90s",
        "PostToolUse mcp__stand-in__sequentialthinking --deadline 90s",
        "PostToolUseFailure Bash --quiet --deadline 90s",
        end,
        stop
      ])
    }))

  it("sends what a subagent edits, too", () =>
    onStage(async ({ claudeRun }) => {
      const ask = { description: "writes", prompt: "MARK: write a file", subagent_type: "general-purpose" }
      const session = await claudeRun({
        args: inSession,
        session: [uses("Agent", { ...ask, run_in_background: false }), settled(1), says("Done.")],
        agents: { "MARK: write": [writes, says("Written.")] }
      })
      const edit = session.recorded.find(({ event }) => event === "PostToolUse") ?? assert.fail("no edit was reported")
      assert.deepInclude(edit, { tool: "Write", argv: "hook --quiet --deadline 90s" })
      assert.isString(edit.input["agent_id"])
    }))

  it("sends nothing of what an agent of our own does", () =>
    onStage(async ({ claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        env: { OODA_IN_AGENT: "1" },
        session: [writes, uses("Bash", { command: "exit 3", description: "fails" }), says("Done.")]
      })
      assert.deepStrictEqual([session.exit, calls(session)], [0, []])
    }))

  it("gives the words of a compaction to the summariser", () =>
    onStage(async ({ claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
        answers: { PreCompact: "echo 'mind the open ends'" },
        session: [reads, reads, uses("Read", { file_path: "none.txt" }, 99_000), says("Done.")]
      })
      assert.deepStrictEqual(calls(session), ["PreCompact --deadline 90s", end, stop])
      const compacting = session.requests.filter(compacts)
      assert.lengthOf(compacting, 1)
      assert.include(compacting[0]?.messages.at(-1), "mind the open ends")
    }))
})

describe("what the program answers", () => {
  const answer = (event: string, text: string) =>
    `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })}'`

  it("in the background reaches the model with a later request", () =>
    onStage(async ({ claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        answers: { PostToolUse: answer("PostToolUse", "an edit was looked at") },
        session: [writes, waitsFor("an edit was looked at"), says("Done.")]
      })
      assert.include(said(session, 2), "an edit was looked at")
    }))

  it("at a Stop holds the session up, once", () =>
    onStage(async ({ claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        answers: {
          Stop: `grep -q '"stop_hook_active":true' "$RECORDS/$n/stdin" || { echo 'one thing is open' >&2; exit 2; }`
        },
        session: [says("Done."), says("Fixed.")]
      })
      assert.deepStrictEqual(calls(session), [end, stop, stop])
      assert.lengthOf(session.requests, 2)
      assert.include(said(session, 1), "one thing is open")
    }))

  it("is missed without blocking anything, and the user is warned once", () =>
    onStage(async ({ claudeRun, withoutProgram }) => {
      withoutProgram()
      const session = await claudeRun({ args: inSession, session: [writes, says("Done.")] })
      assert.strictEqual(session.exit, 0)
      assert.lengthOf(session.requests, 2)
      for (const { exit_code: code } of session.responses) assert.strictEqual(code, 0)
      const warnings = session.responses.filter(({ stdout }) => String(stdout).includes("not on PATH"))
      assert.lengthOf(warnings, 1)
    }))
})

describe("an installation", () => {
  const session = { session: [writes, settled(1), says("Done.")] }
  const once = ["PostToolUse Write --quiet --deadline 90s", end, stop]

  it.each([
    "claude plugin marketplace add ./",
    'claude plugin marketplace add "$(npm root -g)/ooda-codex-review"'
  ])("from the marketplace takes two commands: %s, and one more", (add) =>
    onStage(async (stage) => {
      stage.sh(add, ROOT)
      stage.sh("claude plugin install ooda@ooda-codex-review", ROOT)
      assert.deepStrictEqual(calls(await stage.claudeRun(session)), once)
      const checks = Result.getOrThrow(await here(stage, hookStatus(stage.repo)))
      assert.deepInclude(checks.find(({ name }) => name === "plugin"), {
        state: "fine",
        found: "ooda@ooda-codex-review"
      })
    }))

  it.each(["user", "project", "local"] as const)(
    "into %s settings takes one, and another takes it away",
    (scope) =>
      onStage(async (stage) => {
        const ref = { scope, cwd: stage.repo }
        Result.getOrThrow(await here(stage, installHooks(ref, "review")))
        assert.deepStrictEqual(calls(await stage.claudeRun(session)), once)
        Result.getOrThrow(await here(stage, uninstallHooks(ref)))
        assert.deepStrictEqual(calls(await stage.claudeRun({ session: [writes, says("Done.")] })), [])
      })
  )

  it("in both ways runs twice, which `status` reports", () =>
    onStage(async (stage) => {
      Result.getOrThrow(await here(stage, installHooks({ scope: "user", cwd: stage.repo }, "review")))
      stage.claude("plugin", "install", "ooda", "--marketplace", ROOT)
      const both = { session: [writes, settled(2), says("Done.")] }
      assert.deepStrictEqual(calls(await stage.claudeRun(both)), once.flatMap((line) => [line, line]))
      const checks = Result.getOrThrow(await here(stage, hookStatus(stage.repo)))
      assert.deepInclude(checks.find(({ name }) => name === "twice"), { state: "wrong" })
    }))

  it("in settings of the user and of a project runs once", () =>
    onStage(async (stage) => {
      for (const scope of ["user", "project"] as const) {
        Result.getOrThrow(await here(stage, installHooks({ scope, cwd: stage.repo }, "review")))
      }
      assert.deepStrictEqual(calls(await stage.claudeRun(session)), once)
    }))

  it("keeps the settings that are there at work", () =>
    onStage(async (stage) => {
      const path = join(stage.home, ".claude", "settings.json")
      mkdirSync(join(stage.home, ".claude"))
      const mine = { matcher: "Write", hooks: [{ type: "command", command: "touch mine" }] }
      writeFileSync(path, JSON.stringify({ hooks: { PostToolUse: [mine] } }))
      Result.getOrThrow(await here(stage, installHooks({ scope: "user", cwd: stage.repo }, "review")))
      assert.deepStrictEqual(calls(await stage.claudeRun(session)), once)
      assert.strictEqual(readFileSync(join(stage.repo, "mine"), "utf8"), "")
    }))
})

describe("the skill", () => {
  const body = "Verify each in the code before you change anything"

  it("is offered, and read when it is asked for", () =>
    onStage(async ({ claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        session: [uses("Skill", { skill: "ooda:review-to-fixed-point" }), says("Done.")]
      })
      assert.include(session.requests[0]?.text, "ooda:review-to-fixed-point")
      assert.notInclude(said(session, 0).split("ooda:review-to-fixed-point")[0], body)
      assert.include(said(session, 1), body)
    }))

  it.each([
    ["/ooda:converge --base main", "on this change: --base main"],
    ["/ooda:findings --batch low/1", "ooda-codex-review findings --batch low/1"],
    ["/ooda:status", "ooda-codex-review hook status"],
    ["/ooda:setup", "ooda-codex-review doctor"]
  ])("has a command beside it: %s", (prompt, text) =>
    onStage(async ({ claudeRun }) => {
      assert.include(said(await claudeRun({ args: inSession, prompt, session: [says("Done.")] }), 0), text)
    }))
})

it("the plugin has a hook for each event of the table", () =>
  assert.sameMembers(
    Object.keys(hookTable("review")),
    Object.keys(JSON.parse(readFileSync(join(PLUGIN, "hooks", "hooks.json"), "utf8")).hooks)
  ))
