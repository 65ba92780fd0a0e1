// Node, git, codex, its login and gh, judged from what they answered; no part of a key is ever repeated.
import { assert, describe, it } from "vitest"
import {
  type Answer,
  checkClaude,
  checkCodex,
  checkGh,
  checkGit,
  checkLogin,
  checkNode,
  checkRepository,
  leastNode
} from "../../../../src/read/doctor/Checks.ts"
import packageJson from "../../../../package.json" with { type: "json" }

const said = (stdout: string, code = 0): Answer => ({ code, stdout, stderr: "", problem: null })
const missing: Answer = { code: null, stdout: "", stderr: "spawn ENOENT", problem: "missing" }
const late: Answer = { code: null, stdout: "", stderr: "", problem: "timeout" }
const keys = { codex: false, openai: false }

describe("the doctor", () => {
  it("wants the Node of package.json", () => {
    assert.strictEqual(packageJson.engines.node, `>=${leastNode.join(".")}`)
    for (const version of ["v20.19.0", "v22.1.0", "v24.0.0"]) {
      assert.strictEqual(checkNode(version).state, "fine", version)
    }
    for (const version of ["v20.18.9", "v18.20.0", "nonsense"]) {
      assert.strictEqual(checkNode(version).state, "wrong", version)
    }
  })

  it("wants git, and only mentions a missing repository", () => {
    assert.deepInclude(checkGit(said("git version 2.39.5\n"), "linux"), { state: "fine", found: "git version 2.39.5" })
    assert.deepInclude(checkGit(missing, "linux"), { state: "wrong", found: "not installed or not on PATH" })
    assert.strictEqual(checkRepository(said("/repo\n")).state, "fine")
    const outside = checkRepository({ ...said("", 128), stderr: "fatal: not a git repository\n" })
    assert.deepInclude(outside, { state: "note", found: "fatal: not a git repository" })
  })

  it("wants a codex that answers and has `review`", () => {
    const path = { path: "/bin/codex" }
    const version = said("codex-cli 0.169.0\n")
    assert.deepInclude(checkCodex(path, { version, review: said("Usage") }), {
      state: "fine",
      found: "codex-cli 0.169.0 (/bin/codex)"
    })
    assert.deepInclude(checkCodex(path, { version, review: said("error: unrecognized subcommand", 2) }), {
      state: "wrong"
    })
    assert.deepInclude(checkCodex(path, { version: late, review: late }), {
      state: "wrong",
      found: "/bin/codex: did not answer in time"
    })
    const thrown =
      "file:///codex.js:112\n  throw new Error(\n        ^\n\nError: Missing optional dependency x\n    at f\n"
    const broken = { ...said("", 1), stderr: thrown }
    assert.strictEqual(
      checkCodex(path, { version: broken, review: broken }).found,
      "/bin/codex: Error: Missing optional dependency x"
    )
    const old = checkCodex(path, { version: said("codex-cli 0.116.0\n"), review: said("Usage") })
    assert.match(old.found, /is too old: 0\.117\.0 is the least$/)
    assert.match(old.fix ?? "", /^npm install -g @openai\/codex@latest/)
    const unknown = checkCodex(path, { version: said("a build of mine\n"), review: said("Usage") })
    assert.strictEqual(unknown.state, "fine")
    assert.deepInclude(checkCodex({ problem: "nowhere" }, null), { state: "wrong", found: "nowhere" })
  })

  it("knows the ways to be logged in", () => {
    const out = said("Not logged in\n", 1)
    assert.strictEqual(checkLogin(out, { ...keys, codex: true }, null).found, "CODEX_API_KEY is set")
    assert.strictEqual(checkLogin(null, { ...keys, codex: true }, null).state, "fine")
    const byKey = checkLogin(said("Logged in using an API key - sk-proj-***ABCDE\n"), keys, null)
    assert.deepInclude(byKey, { state: "fine", found: "Logged in using an API key" })
    assert.deepInclude(checkLogin(out, keys, null), { state: "wrong", fix: "codex login, or set CODEX_API_KEY" })
    const ignored = checkLogin(out, { ...keys, openai: true }, null)
    assert.strictEqual(ignored.found, "Not logged in; codex review ignores OPENAI_API_KEY")
    assert.strictEqual(ignored.fix, `export CODEX_API_KEY="$OPENAI_API_KEY"`)
    assert.deepInclude(checkLogin(late, keys, null), { state: "wrong", found: "did not answer in time" })
    const warned = { ...said("", 1), stderr: "WARNING: proceeding, even though ...\nNot logged in\n" }
    assert.strictEqual(checkLogin(warned, keys, null).found, "Not logged in")
    assert.strictEqual(checkLogin({ ...said("", 1), stderr: "warning: x\n" }, keys, null).found, "warning: x")
    // Another provider may want no login at all.
    assert.strictEqual(checkLogin(out, keys, "local").state, "note")
  })

  it.each([
    ['Error loading configuration: legacy `profile = "x"` config is no longer supported', /config\.toml/],
    ["Error loading configuration: /h/config.toml:1:9: extra `=`, expected nothing", /config\.toml/],
    ['Error loading configuration: CODEX_HOME points to "/x", but that path does not exist', /CODEX_HOME/],
    ["failed to initialize in-process app-server client: No space left on device (os error 28)", /disk space/],
    ["Error: something else", /codex login status/]
  ])("sends nobody to log in for %j, though a key is set", (words, fix) => {
    for (const codex of [true, false]) {
      const check = checkLogin({ ...said("", 1), stderr: `${words}\n` }, { ...keys, codex }, "local")
      assert.deepInclude(check, { state: "wrong", found: words })
      assert.match(check.fix ?? "", fix)
      assert.notMatch(check.fix ?? "", /codex login(?! status)/)
    }
  })

  it("mentions a Claude Code that is too old, and nothing where there is none", () => {
    assert.isNull(checkClaude(missing))
    assert.strictEqual(checkClaude(said("2.1.332 (Claude Code)\n"))?.state, "fine")
    assert.strictEqual(checkClaude(said("2.1.197 (Claude Code)\n"))?.state, "fine")
    assert.deepInclude(checkClaude(said("2.1.100 (Claude Code)\n")), {
      state: "note",
      found: "2.1.100 (Claude Code) is too old: 2.1.197 is the least"
    })
    assert.strictEqual(checkClaude(late)?.state, "note")
  })

  it("only mentions gh", () => {
    assert.strictEqual(checkGh(missing, missing, "linux").state, "note")
    assert.deepInclude(checkGh(said("gh version 2\n"), said("", 1), "linux"), { state: "note", fix: "gh auth login" })
    assert.strictEqual(checkGh(said("gh version 2\n"), said("ok"), "linux").state, "fine")
  })

  it("advises what fits the platform", () => {
    assert.strictEqual(checkGit(missing, "linux").fix, "install git (apt-get install git)")
    assert.notInclude(checkGit(missing, "darwin").fix, "apt-get")
    assert.notInclude(checkGh(missing, missing, "darwin").fix, "apt-get")
  })
})
