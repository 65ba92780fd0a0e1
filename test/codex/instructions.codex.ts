// What reviewers read of a change besides its code, with the real Codex CLI: never its skills and project settings,
// even if codex trusts the directory; AGENTS.md in the version before the change, if the change is a stranger's.
import { spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { agent } from "../../fixtures/stand-in-model/agent.mjs"
import { reviewer } from "../../fixtures/stand-in-model/reviewer.mjs"
import { asksAgent } from "../../fixtures/stand-in-model/work.mjs"
import { type Bench, CLI, CODEX, withBench } from "./support.ts"

const FLAWED = "export const f = (xs) => {\n  for (let i = 0; i <= xs.length; i += 1) g(xs[i])\n}\n"
const LOW = ["--level", "low", "--ceiling", "low", "-n", "1", "--strict"]
const words = ["SKILL-OF-AGENTS", "SKILL-OF-CODEX", "WORDS-OF-AGENTS-MD", "WORDS-OF-SETTINGS"]

const started = ({ repo }: Bench): string => join(dirname(repo), "mcp-started")

/** A change that brings skills, AGENTS.md and settings of codex, in a directory that codex trusts. */
const given = (bench: Bench): void => {
  const { codexHome, git, repo, write } = bench
  appendFileSync(join(codexHome, "config.toml"), `\n[projects."${repo}"]\ntrust_level = "trusted"\n`)
  git("checkout", "--quiet", "-b", "change")
  for (const [place, word] of [[".agents", words[0]], [".codex", words[1]]]) {
    mkdirSync(join(repo, `${place}/skills/x`), { recursive: true })
    write(`${place}/skills/x/SKILL.md`, `---\nname: x\ndescription: ${word}\n---\n${word}\n`)
  }
  write("AGENTS.md", `${words[2]}\n`)
  write(
    ".codex/config.toml",
    `developer_instructions = "${words[3]}"\n[mcp_servers.x]\ncommand = "touch"\nargs = ["${started(bench)}"]\n`
  )
  write("two.mjs", FLAWED)
  git("add", ".")
  git("commit", "--quiet", "--message", "Add two")
}

/** The model's prompt before it asked for anything, such as the diff. */
const wordsShown = ({ requests }: Bench): ReadonlyArray<string> => {
  const first = requests.filter(({ outputs }) => outputs.length === 0)
  assert.isNotEmpty(first)
  return words.filter((word) => first.some(({ body }) => JSON.stringify(body).includes(word)))
}

/** A gh that names `main` as every pull request's base. */
const withGh = ({ repo }: Bench) => {
  const bin = join(dirname(repo), "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "gh"), "#!/bin/sh\necho main\n", { mode: 0o700 })
  return { env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` } }
}

/** The hook after an edit, as a client calls it in a directory. */
const afterEdit = ({ env, repo, stateRoot }: Bench, cwd: string): Promise<number | null> => {
  const hook = [CLI, "hook", "--codex-bin", CODEX, "--state-root", stateRoot]
  const child = spawn(process.execPath, hook, { cwd, env, stdio: ["pipe", "ignore", "inherit"] })
  child.stdin.end(JSON.stringify({
    session_id: "s1",
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "Edit",
    tool_input: { file_path: join(repo, "two.mjs"), old_string: "", new_string: FLAWED },
    tool_response: {}
  }))
  return new Promise((resolve) => child.once("exit", resolve))
}

describe("the real codex", () => {
  it("as the second model of a hook obeys nothing that the one it judges may have written", () =>
    withBench(() => reviewer, async (bench) => {
      given(bench)
      mkdirSync(join(bench.repo, "deep"))
      for (const cwd of [bench.repo, join(bench.repo, "deep")]) {
        assert.strictEqual(await afterEdit(bench, cwd), 0)
        assert.deepStrictEqual(wordsShown(bench), [])
        assert.isFalse(existsSync(started(bench)))
      }
    }))

  it("gives a reviewer of one's own change neither skills nor settings", () =>
    withBench(() => reviewer, async (bench) => {
      given(bench)
      assert.strictEqual((await bench.step("--base", "main", ...LOW)).exit, 5)
      assert.deepStrictEqual(wordsShown(bench), words.slice(2, 3))
      assert.isFalse(existsSync(started(bench)))
    }))

  it("takes no other file for an AGENTS.md, whatever its user's settings name", () =>
    withBench(() => reviewer, async (bench) => {
      const settings = join(bench.codexHome, "config.toml")
      writeFileSync(settings, `project_doc_fallback_filenames = ["NOTES.md"]\n${readFileSync(settings, "utf8")}`)
      bench.git("checkout", "--quiet", "-b", "change")
      bench.write("NOTES.md", `${words[2]}\n`)
      bench.write("two.mjs", FLAWED)
      bench.git("add", ".")
      bench.git("commit", "--quiet", "--message", "Add two")
      assert.strictEqual((await bench.step("--base", "main", ...LOW)).exit, 5)
      assert.deepStrictEqual(wordsShown(bench), [])
    }))

  it("gives a reviewer of another's change nothing but its code", () =>
    withBench(() => reviewer, async (bench) => {
      given(bench)
      assert.strictEqual((await bench.step("--base", "main", "--trust-from", "main", ...LOW)).exit, 5)
      assert.strictEqual((await bench.stepAs(withGh(bench), "--pr", "7", ...LOW)).exit, 5)
      assert.deepStrictEqual(wordsShown(bench), [])
      assert.isFalse(existsSync(started(bench)))
    }))

  it("gives a reviewer of another's change the AGENTS.md of the base, and shows its change", () =>
    withBench(() => reviewer, async (bench) => {
      bench.write("AGENTS.md", "WORDS-OF-THE-BASE\n")
      bench.git("add", ".")
      bench.git("commit", "--quiet", "--message", "Instruct")
      given(bench)
      assert.strictEqual((await bench.step("--base", "main", "--trust-from", "main", ...LOW)).exit, 5)
      assert.deepStrictEqual(wordsShown(bench), [])
      const [first, ...others] = bench.requests.map((request) => JSON.stringify(request))
      assert.include(first, "WORDS-OF-THE-BASE")
      assert.isTrue(others.some((text) => text.includes(`+${words[2]}`)), "the diff shows the change")
    }))

  it("gives a reviewer in a linked worktree no more than that", () =>
    withBench(() => reviewer, async (bench) => {
      given(bench)
      const linked = join(dirname(bench.repo), `a "linked" one.d`)
      bench.git("checkout", "--quiet", "main")
      bench.git("worktree", "add", "--quiet", linked, "change")
      const step = ["--base", "main", "--trust-from", "main", ...LOW]
      assert.strictEqual((await bench.stepAs({ cwd: linked }, ...step)).exit, 5)
      assert.deepStrictEqual(wordsShown(bench), [])
      assert.isFalse(existsSync(started(bench)))
    }))

  it("gives the agents that work on another's change none of its instructions either", () =>
    withBench(
      () => (request) => asksAgent(request.turn.prompt) ? agent()(request) : reviewer(request),
      async (bench) => {
        given(bench)
        const how = ["--base", "main", "--trust-from", "main", "-n", "1", "--ceiling", "low"]
        const { exit, stderr } = await bench.step("converge", ...how, "--no-test", "--max-rounds", "2")
        assert.strictEqual(exit, 0, stderr)
        assert.isTrue(bench.requests.some(({ turn }) => asksAgent(turn.prompt)))
        assert.deepStrictEqual(wordsShown(bench), [])
        assert.isFalse(existsSync(started(bench)))
      }
    ))
})
