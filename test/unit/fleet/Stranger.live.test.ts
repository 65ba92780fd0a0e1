// The variables of git on strangers' repositories: nothing of this user, and a token for one host in one fetch alone.
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { assert, it, vi } from "vitest"
import { askStranger, failedAt, mustStranger, strangersVariables } from "../../../src/fleet/Mirror.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../code/repositories.ts"

eachInHome()

const access = { host: "github.com", token: Redacted.make("s3cret") }
const encoded = Buffer.from("x-access-token:s3cret").toString("base64")
const shows = (repo: string | null): boolean => JSON.stringify(strangersVariables({}, repo, access)).includes(encoded)

it("a token is shown to its own host, in a fetch, and to no other", () => {
  assert.isTrue(shows("https://github.com/a/b"))
  for (const repo of [null, "https://github.com.evil.example/a", "https://evil.example/github.com/", "file:///a"]) {
    assert.isFalse(shows(repo), `${repo}`)
  }
  const set = Object.values(strangersVariables({}, "https://github.com/a/b", access))
  assert.include(set, "http.https://github.com/.extraHeader")
})

it("of this user's variables only what leads to programs and servers is left", () => {
  const own = {
    PATH: "/bin",
    https_proxy: "http://proxy",
    HOME: "/home/a",
    OODA_STORE: "postgres://x:s3cret@h/d",
    GIT_TRACE_CURL: "1",
    GIT_SSH_COMMAND: "evil",
    GIT_DIR: "/x",
    GIT_CONFIG_COUNT: "9"
  }
  const { GIT_CONFIG_COUNT, ...left } = strangersVariables(own, "https://github.com/a/b", null)
  assert.deepInclude(left, { PATH: "/bin", https_proxy: "http://proxy", GIT_ALLOW_PROTOCOL: "https" })
  for (const name of ["HOME", "OODA_STORE", "GIT_TRACE_CURL", "GIT_SSH_COMMAND", "GIT_DIR"]) {
    assert.notProperty(left, name)
  }
  assert.isUndefined(left[`GIT_CONFIG_KEY_${GIT_CONFIG_COUNT}`])
  assert.strictEqual(strangersVariables({}, null, null)["GIT_ALLOW_PROTOCOL"], "")
})

it("no program of a repository is taken for git, whatever PATH says", async () => {
  const repo = makeRepo()
  for (const name of ["git", "git-remote-https"]) {
    writeFileSync(join(repo, name), `#!/bin/sh\ntouch '${inHome("was-run")}'\n`, { mode: 0o755 })
  }
  vi.stubEnv("PATH", `:.:${process.env["PATH"]}`)
  for (const repository of [null, `file://${repo}`]) {
    const asked = askStranger(repo, ["rev-parse", "HEAD"], repository === null ? null : { repo: repository, access })
    assert.match((await run(asked)).stdout, /^[0-9a-f]{40}\n$/)
  }
  assert.isFalse(existsSync(inHome("was-run")))
})

it("git knows the settings, and none of this user; what it refuses is one line", async () => {
  const repo = makeRepo()
  git(repo, "config", "--file", inHome("mine"), "user.name", "Mine")
  const asked = (key: string) => run(askStranger(repo, ["config", "--get", key]))
  assert.strictEqual((await asked("http.followRedirects")).stdout, "false\n")
  assert.strictEqual((await asked("user.name")).code, 1)
  const failed = await run(Effect.flip(mustStranger(repo, "asking", ["rev-parse", "--verify", "nothing"])))
  assert.match(failed.message, /: asking: fatal: .*\[look whether/)
  assert.strictEqual(failedAt("/x")({ _tag: "TreeChanged", what: "HEAD" }).path, "/x")
})
