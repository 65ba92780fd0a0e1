// The hook in the real Claude Code with the real Codex CLI behind it: what reaches whom, and what holds a session up.
// Both models are scripted; the program, both clients, git and every process between them are the real ones.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { compacts, type Line, says, scripted, uses, waitsFor } from "../../fixtures/stand-in-claude/script.mjs"
import type { Policy } from "../../fixtures/stand-in-claude/server.mjs"
import { writeCodexHome } from "../../fixtures/stand-in-model/codex-home.mjs"
import type { ModelRequest } from "../../fixtures/stand-in-model/request.mjs"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import { isOfHook, second } from "../../fixtures/stand-in-model/second.mjs"
import { startStandIn } from "../../fixtures/stand-in-model/server.mjs"
import { pinnedCodex } from "../codex/install.mjs"
import { onStage, PLUGIN, type Session, settled, type Stage } from "./session.ts"
import { ROOT } from "./support.ts"

interface Both extends Stage {
  /** What codex asked its model. */
  readonly asked: ReadonlyArray<ModelRequest>
}

/** A stage on which codex answers, too. */
const withCodex = async (use: (stage: Both) => Promise<void>) => {
  const { codex } = pinnedCodex(ROOT)
  const standIn = await startStandIn({ policy: (request) => isOfHook(request) ? second(request) : reviewer(request) })
  try {
    await onStage(
      async (stage) => {
        const bin = stage.env["PATH"]?.split(":")[0] ?? ""
        writeFileSync(join(bin, "codex"), `#!/bin/sh\nexec "$NODE" "${codex}" "$@"\n`, { mode: 0o755 })
        const variables = writeCodexHome({ directory: join(stage.home, ".codex"), url: standIn.url })
        await use({
          ...stage,
          asked: standIn.requests,
          claudeRun: (run) => stage.claudeRun({ ...run, env: { ...variables, ...run.env } })
        })
      },
      "built"
    )
  } finally {
    await standIn.close()
  }
}

const inSession = ["--plugin-dir", PLUGIN]
const advice = "Another model (Codex) reviewed"

/** The model's prompts from a request on. */
const said = ({ requests }: Session, from: number): string =>
  requests.slice(from).flatMap(({ messages }) => messages).join("\n")

const writes = (text: string) => uses("Write", { file_path: "made.txt", content: text })
const waits = uses("Bash", { command: "sleep 1", description: "waits" })

describe("an edit", () => {
  it("that fails reaches the model with its reason, and holds the Stop up until it is fixed", () =>
    withCodex(async ({ asked, claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        session: [
          writes("BUG\n"),
          waitsFor("There is a BUG in it."),
          says("Done."),
          writes("fixed\n"),
          settled(3),
          waits,
          says("Done.")
        ]
      })
      assert.include(said(session, 2), `${advice} made.txt`)
      assert.include(said(session, 2), "- There is a BUG in it.")
      const stops = session.recorded.filter(({ event }) => event === "Stop")
      assert.lengthOf(stops, 2)
      assert.include(said(session, 4), "made.txt: There is a BUG in it.")
      assert.strictEqual(session.exit, 0)
      // The fixed edit passed, and a Stop that follows a blocked one asks nothing.
      assert.lengthOf(asked, 2)
    }))

  it("that passes says nothing to the model, and the turn is reviewed at its Stop", () =>
    withCodex(async ({ asked, claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        session: [writes("fine\n"), settled(1), waits, says("Done.")]
      })
      assert.notInclude(said(session, 0), advice)
      assert.deepStrictEqual(asked.map(({ effort }) => effort), ["low", "medium"])
      assert.include(asked[1]?.prompt ?? "", "new file made.txt\nfine")
      const stop = session.responses.find(({ hook_event: event }) => event === "Stop")
      assert.include(String(stop?.["stdout"]), "Codex on this turn: passed")
    }))

  it("with work in the background is looked at by the Stop that follows that work", () =>
    withCodex(async ({ asked, claudeRun }) => {
      const slow = uses("Bash", { command: "sleep 2", run_in_background: true, description: "works" })
      const session = await claudeRun({
        args: inSession,
        session: [writes("fine\n"), settled(1), slow, says("Waiting."), says("Done.")]
      })
      assert.lengthOf(session.recorded.filter(({ event }) => event === "Stop"), 2)
      assert.deepStrictEqual(asked.map(({ effort }) => effort), ["low", "medium"])
    }))

  it("that instructs codex to write cannot make it write", () =>
    withCodex(async ({ asked, claudeRun, repo }) => {
      await claudeRun({ args: inSession, session: [writes("WRITE BUG\n"), settled(1), waits, says("Done.")] })
      assert.isFalse(existsSync(join(repo, "planted.txt")))
      assert.isAbove(asked[1]?.outputs[0]?.exitCode ?? 0, 0)
    }))
})

/** A model that writes its plan where the client asks for it, and then continues. */
const plansFirst = (replies: ReadonlyArray<Line>): Policy => {
  const next = scripted({ session: replies })
  return (request) => {
    const [file] = /\/\S+\/\.claude\/plans\/[\w-]+\.md/.exec(request.messages.join("\n")) ?? []
    if (file === undefined) return says("No plan is asked for.")
    if (request.results.length === 0) return uses("Write", { file_path: file, content: "Leave the BUG.\n" })
    return request.results.length === 1 ? uses("ExitPlanMode", {}) : next(request)
  }
}

describe("the other events", () => {
  it("reach the model: a plan, a thought, a command that failed", () =>
    withCodex(async ({ asked, claudeRun, repo }) => {
      const args = [join(ROOT, "fixtures", "stand-in-claude", "tools.mjs"), "sequentialthinking", "approve"]
      const server = { command: process.execPath, args }
      writeFileSync(join(repo, "mcp.json"), JSON.stringify({ mcpServers: { "stand-in": server } }))
      const advised = ["the plan", "this thought", "the command that failed"].map((about) => `${advice} ${about}`)
      const session = await claudeRun({
        args: [...inSession, "--mcp-config", "mcp.json", "--permission-mode", "plan"].concat(
          ["--permission-prompt-tool", "mcp__stand-in__approve"]
        ),
        session: [],
        policy: plansFirst([
          uses("mcp__stand-in__sequentialthinking", { thought: "It is so.", thoughtNumber: 1, totalThoughts: 2 }),
          uses("Bash", { command: "echo it-broke; exit 3", description: "fails" }),
          waitsFor(...advised),
          says("Done.")
        ])
      })
      for (const words of advised) assert.include(said(session, 1), words)
      assert.deepStrictEqual(asked.map(({ effort }) => effort), ["high", "medium", "high"])
      assert.include(asked[0]?.prompt ?? "", "Leave the BUG.")
      assert.include(asked[2]?.prompt ?? "", "it-broke")
    }))

  it("reach the model before a person approves a plan, where that is wished for", () =>
    withCodex(async ({ asked, claudeRun, env, repo }) => {
      const args = [join(ROOT, "fixtures", "stand-in-claude", "tools.mjs"), "approve"]
      const server = { command: process.execPath, args }
      writeFileSync(join(repo, "mcp.json"), JSON.stringify({ mcpServers: { "stand-in": server } }))
      const install = ["hook", "install", "--scope", "local", "--gate", "off", "--plans", "before"]
      execFileSync("ooda-codex-review", install, { cwd: repo, env })
      const planning = ["--permission-mode", "plan", "--permission-prompt-tool", "mcp__stand-in__approve"]
      const session = await claudeRun({
        args: ["--mcp-config", "mcp.json", ...planning],
        session: [],
        policy: plansFirst([says("Done.")])
      })
      const plans = session.recorded.filter(({ tool }) => tool === "ExitPlanMode")
      assert.deepStrictEqual(plans.map(({ event }) => event), ["PreToolUse"])
      assert.include(said(session, 1), `${advice} the plan`)
      assert.include(asked[0]?.prompt ?? "", "Leave the BUG.")
    }))

  it("of a compaction reach the summary", () =>
    withCodex(async ({ claudeRun }) => {
      const reads = (tokens: number) => uses("Read", { file_path: "none.txt" }, tokens)
      const session = await claudeRun({
        args: inSession,
        env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
        session: [reads(10), reads(10), reads(99_000), says("Done.")]
      })
      const [compacting] = session.requests.filter(compacts)
      assert.include(compacting?.messages.at(-1), "- Look at it from the other side.")
    }))

  it("that need no review ask nothing", () =>
    withCodex(async ({ asked, claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        session: [
          uses("Read", { file_path: "none.txt" }),
          uses("Bash", { command: "true", description: "is" }),
          says("Done.")
        ]
      })
      assert.deepStrictEqual([asked.length, session.recorded.map(({ event }) => event)], [0, ["Stop", "SessionEnd"]])
    }))
})

describe("a session without codex", () => {
  it("warns Claude once and the user once, and continues", () =>
    onStage(async ({ claudeRun }) => {
      const session = await claudeRun({
        args: inSession,
        session: [writes("BUG\n"), settled(1), waits, writes("BUG 2\n"), settled(2), waits, says("Done.")]
      })
      assert.strictEqual(session.exit, 0)
      const words = /Codex reviews nothing in this session: codex: not found/g
      assert.lengthOf(session.requests.at(-1)?.messages.join("\n").match(words) ?? [], 1)
      const stops = session.responses.filter(({ hook_event: event }) => event === "Stop")
      assert.lengthOf(stops, 1)
      assert.match(
        String(stops[0]?.["stdout"]),
        /^\{"systemMessage":"Codex reviews nothing in this session: codex: not found/
      )
    }, "built"))
})

describe("the ladder", () => {
  const correct = `export const sum = (xs) => {
  let s = 0
  for (let i = 0; i < xs.length; i++) s += xs[i]
  return s
}
`

  /** A model that follows each Stop, fixes what it knows, and does nothing else. */
  const obedient: Policy = ({ messages, results }) => {
    if (results.length === 0) return uses("Write", { file_path: "sum.mjs", content: correct.replace("i <", "i <=") })
    if (results.length === 1) return waits
    const last = messages.at(-1) ?? ""
    const [, command] = /\n {4}(ooda-codex-review .*)/.exec(last) ?? []
    if (!last.includes("not at its fixed point") || command === undefined) return says("Done.")
    const fix = last.includes("AddressBatch") ? `cat >sum.mjs <<'END'\n${correct}END\n` : ""
    return uses("Bash", { command: `${fix}${command}`, description: "continues", timeout: 600_000 })
  }

  it(
    "sends a session by its Stops through the recipe to the fixed point",
    () =>
      withCodex(async ({ claudeRun, env, repo }) => {
        const program = (...args: ReadonlyArray<string>) =>
          execFileSync("ooda-codex-review", args, { cwd: repo, env, encoding: "utf8" })
        program("hook", "install", "--scope", "local", "--gate", "ladder")
        const session = await claudeRun({ session: [], policy: obedient })
        assert.strictEqual(session.exit, 0)
        const stops = session.recorded.filter(({ event }) => event === "Stop")
        assert.isAtLeast(stops.length, 5, said(session, 1))
        assert.include(readFileSync(join(repo, "sum.mjs"), "utf8"), "i < xs.length")
        assert.match(program("runs"), /reviewed clean/)
        program("audit")
      }),
    300_000
  )
})
