// Checks: the verdicts on programs, logins and places; no part of a key is ever repeated.
import { assert, describe, it } from "vitest"
import packageJson from "../../../../package.json" with { type: "json" }
import type { CodexHomeFacts } from "../../../../src/agent/CodexHome.live.ts"
import {
  type Answer,
  checkClaude,
  checkCodex,
  checkGh,
  checkLock,
  checkLogin,
  checkNode,
  checkSessions,
  checkStateRoot,
  checkStore,
  leastNode,
  type StorageFacts
} from "../../../../src/read/doctor/Checks.ts"

const said = (stdout: string, code = 0): Answer => ({ code, stdout, stderr: "", problem: null })
const missing: Answer = { code: null, stdout: "", stderr: "spawn ENOENT", problem: "missing" }
const late: Answer = { code: null, stdout: "", stderr: "", problem: "timeout" }
const keys = { codex: false, openai: false }

describe("the doctor", () => {
  it("requires the Node of package.json", () => {
    assert.strictEqual(packageJson.engines.node, `>=${leastNode.join(".")}`)
    for (const version of ["v20.19.0", "v22.1.0", "v24.0.0"]) {
      assert.strictEqual(checkNode(version).state, "fine", version)
    }
    for (const version of ["v20.18.9", "v18.20.0", "nonsense"]) {
      assert.strictEqual(checkNode(version).state, "wrong", version)
    }
  })

  it("requires a codex that answers and has `review`", () => {
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

  it("knows the ways to log in", () => {
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
    // Another provider may need no login.
    assert.strictEqual(checkLogin(out, keys, "local").state, "note")
  })

  it.each([
    ['Error loading configuration: legacy `profile = "x"` config is no longer supported', /config\.toml/],
    ["Error loading configuration: /h/config.toml:1:9: extra `=`, expected nothing", /config\.toml/],
    ['Error loading configuration: CODEX_HOME points to "/x", but that path does not exist', /CODEX_HOME/],
    ["failed to initialize in-process app-server client: No space left on device (os error 28)", /disk space/],
    ["Error: something else", /codex login status/]
  ])("sends no one to log in for %j, though a key is set", (words, fix) => {
    for (const codex of [true, false]) {
      const check = checkLogin({ ...said("", 1), stderr: `${words}\n` }, { ...keys, codex }, "local")
      assert.deepInclude(check, { state: "wrong", found: words })
      assert.match(check.fix ?? "", fix)
      assert.notMatch(check.fix ?? "", /codex login(?! status)/)
    }
  })

  it("warns about a Claude Code that is too old, and says nothing without Claude Code", () => {
    assert.isNull(checkClaude(missing))
    assert.strictEqual(checkClaude(said("2.1.332 (Claude Code)\n"))?.state, "fine")
    assert.strictEqual(checkClaude(said("2.1.197 (Claude Code)\n"))?.state, "fine")
    assert.deepInclude(checkClaude(said("2.1.100 (Claude Code)\n")), {
      state: "note",
      found: "2.1.100 (Claude Code) is too old: 2.1.197 is the least"
    })
    assert.strictEqual(checkClaude(late)?.state, "note")
  })

  it("never fails because of gh", () => {
    assert.strictEqual(checkGh(missing, missing, "linux").state, "note")
    assert.deepInclude(checkGh(said("gh version 2\n"), said("", 1), "linux"), { state: "note", fix: "gh auth login" })
    assert.strictEqual(checkGh(said("gh version 2\n"), said("ok"), "linux").state, "fine")
  })
})

const storage = (more: Partial<StorageFacts> = {}): StorageFacts => ({
  root: "/s",
  exists: true,
  safetyProblem: null,
  writeProblem: null,
  filling: null,
  lockProblem: null,
  fileSystem: "ext4",
  network: false,
  ...more
})
const home = (more: Partial<CodexHomeFacts> = {}): CodexHomeFacts => ({
  home: "/h/.codex",
  named: false,
  exists: true,
  own: true,
  sessionsProblem: null,
  sessions: 1,
  writeProblem: null,
  provider: null,
  ...more
})

describe("the state root", () => {
  it("is fine if it is safe and writable, or does not exist yet", () => {
    assert.deepInclude(checkStateRoot(storage()), { state: "fine", found: "/s (ext4)" })
    assert.strictEqual(checkStateRoot(storage({ exists: false })).found, "/s (ext4, not there yet)")
  })

  const problems: ReadonlyArray<readonly [Partial<StorageFacts>, string]> = [
    [{ safetyProblem: { kind: "Untrusted", text: "a link; chmod 700 is no help" } }, "a link; chmod 700 is no help"],
    [{ network: true, fileSystem: "NFS" }, "/s: locks do not hold on a network file system (NFS)"],
    [{ writeProblem: "read-only" }, "/s: read-only"]
  ]
  it.each(problems)("needs another place if %o", (facts, found) => {
    const check = checkStateRoot(storage(facts))
    assert.deepInclude(check, { state: "wrong", found })
    assert.match(check.fix ?? "", /^export OODA_STATE_ROOT=.*--state-root$/)
  })
})

describe("a store in a database", () => {
  it("is fine if it was set up", () =>
    assert.deepInclude(checkStore({ name: "pg:1", work: "/srv" }), { state: "fine", found: "pg:1, works below /srv" }))

  it.each(
    [
      ["Misnamed", /^export OODA_STORE=/],
      ["Lossy", /fsync, full_page_writes and synchronous_commit/],
      ["Unprepared", /fleet init/],
      ["Newer", /version/],
      ["Away", /\$OODA_STORE/]
    ] as const
  )("that is %s comes with its remedy", (kind, fix) => {
    const check = checkStore({ kind, text: "why" })
    assert.deepInclude(check, { name: "store", state: "wrong", found: "why" })
    assert.match(check.fix ?? "", fix)
  })
})

describe("locks", () => {
  it("are fine if a second holder is refused", () => assert.strictEqual(checkLock(storage(), "linux").state, "fine"))

  it("need a program; the remedy installs it for the platform", () => {
    const facts = storage({ lockProblem: { kind: "NoProgram", text: "none of flock, perl and python3" } })
    assert.deepStrictEqual(checkLock(facts, "linux"), {
      name: "lock",
      state: "wrong",
      found: "none of flock, perl and python3",
      fix: "install util-linux's flock (apt-get install util-linux), perl or python3"
    })
    assert.notInclude(checkLock(facts, "darwin").fix, "apt-get")
  })

  it("need open files for that program, which no installation gives", () => {
    const facts = storage({ lockProblem: { kind: "Limited", text: "too many open files" } })
    assert.strictEqual(checkLock(facts, "linux").fix, "ulimit -n 1024")
  })

  it("that do not work are a fault of the place, not of a program", () => {
    const facts = storage({ lockProblem: { kind: "Unreliable", text: "given to two holders" } })
    assert.deepInclude(checkLock(facts, "linux"), { state: "wrong", found: "given to two holders" })
    assert.match(checkLock(facts, "linux").fix ?? "", /--state-root$/)
  })

  it("are not tried if nothing can be written", () =>
    assert.deepInclude(checkLock(storage({ writeProblem: "read-only" }), "linux"), { state: "note", fix: null }))
})

describe("session files", () => {
  it("are fine if they can be read, or if there are none yet", () => {
    assert.deepInclude(checkSessions(home()), { state: "fine", found: "/h/.codex/sessions can be read" })
    const refused = checkSessions(home({ writeProblem: "read-only file system" }))
    assert.deepInclude(refused, { state: "wrong", found: "/h/.codex: codex cannot write: read-only file system" })
    assert.match(refused.fix ?? "", /CODEX_HOME/)
    assert.deepInclude(checkSessions(home({ sessions: 0 })), { state: "fine", found: "/h/.codex/sessions, none yet" })
  })

  it("need a home, which codex creates unless CODEX_HOME names it", () => {
    assert.strictEqual(checkSessions(home({ exists: false })).state, "note")
    assert.deepInclude(checkSessions(home({ exists: false, named: true })), {
      state: "wrong",
      fix: "mkdir -p /h/.codex"
    })
  })

  const denied = { kind: "Denied", text: "no permission (EACCES: scandir)" } as const
  it("that cannot be read are opened to their owner", () => {
    const check = checkSessions(home({ sessionsProblem: denied }))
    assert.strictEqual(check.found, "/h/.codex/sessions: no permission (EACCES: scandir)")
    assert.strictEqual(check.fix, "chmod -R u+rwX /h/.codex/sessions")
  })

  it("of another user are taken over", () =>
    assert.strictEqual(
      checkSessions(home({ sessionsProblem: denied, own: false })).fix,
      `sudo chown -R "$(id -un)" /h/.codex`
    ))

  it("that are broken in another way are moved away, whatever the message says", () =>
    assert.strictEqual(
      checkSessions(home({ sessionsProblem: { kind: "Broken", text: "no permission, says a broken disk" } })).fix,
      "mv /h/.codex/sessions /h/.codex/sessions.old"
    ))
})
