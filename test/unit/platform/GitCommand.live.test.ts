// GitCommand: git asked without side effects: no hook, no monitor, no lock, and its answer as data or one line why not.
import { Effect } from "effect"
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "vitest"
import { commitId, git as ask, gitFault, tryFiles } from "../../../src/platform/GitCommand.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"

describe("Git asked without side effects", () => {
  eachInHome()

  describe("git", () => {
    it("answers with its streams and its exit, in the language of scripts", async () => {
      const repo = makeRepo()
      vi.stubEnv("LC_ALL", "de_DE.UTF-8")
      assert.deepInclude(await run(ask(repo, ["rev-parse", "--is-inside-work-tree"])), { code: 0, stdout: "true\n" })
      const refused = await run(ask(inHome(), ["status"]))
      assert.strictEqual(refused.code, 128)
      assert.match(refused.stderr, /^fatal: not a git repository/)
    })

    it("is asked with variables on top of the environment, and with standard input", async () => {
      const repo = makeRepo()
      const named = await run(ask(repo, ["config", "user.name"], {
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "user.name",
        GIT_CONFIG_VALUE_0: "B"
      }))
      assert.strictEqual(named.stdout, "B\n")
      const hashed = await run(ask(repo, ["hash-object", "--stdin"], {}, { input: "text" }))
      assert.strictEqual(hashed.stdout.trim(), git(repo, "hash-object", "--no-filters", repoFile(repo, "text")))
    })

    it("runs no hook and no monitor of the repository, and refreshes no index", async () => {
      const repo = makeRepo()
      const program = join(repo, ".git", "program")
      writeFileSync(program, `#!/bin/sh\ntouch '${inHome("was-run")}'\n`, { mode: 0o755 })
      git(repo, "config", "core.fsmonitor", program)
      writeFileSync(join(repo, ".git", "hooks", "post-index-change"), `#!/bin/sh\n'${program}'\n`, { mode: 0o755 })
      // A file that only looks changed: git would note its new time in the index.
      utimesSync(join(repo, "one.txt"), 1000, 1000)
      const before = statSync(join(repo, ".git", "index"), { bigint: true })
      assert.deepInclude(await run(ask(repo, ["status", "--porcelain"])), { code: 0, stdout: "" })
      assert.strictEqual(statSync(join(repo, ".git", "index"), { bigint: true }).mtimeNs, before.mtimeNs)
      assert.isFalse(existsSync(inHome("was-run")))
      assert.isEmpty(readdirSync(join(repo, ".git")).filter((name) => name.endsWith(".lock")))
    })
  })

  it("the words of a program in git's place are no complaint about the repository", () => {
    const said = "xcode-select: error: unable to read data link at '/var/select/developer_dir'"
    const done = { code: 72, problem: null, stdout: "", stderr: `${said}\n` }
    assert.deepInclude(gitFault(done, { cwd: inHome(), args: [], index: null }), { said })
  })

  it("the fault of a repository that git does not trust has git's own remedy", async () => {
    const repo = makeRepo()
    const question = { cwd: repo, args: [], index: null }
    const refused = gitFault(await run(ask(repo, ["status"], { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" })), question)
    const said = `fatal: detected dubious ownership in repository at '${repo}' ` +
      `[git config --global --add safe.directory ${repo}]`
    assert.deepStrictEqual(refused, { _tag: "ProgramFailed", program: "git", status: 128, said })
    const other = gitFault(await run(ask(repo, ["no-such-command"])), question)
    assert.notInclude(other._tag === "ProgramFailed" ? other.said : "[", "[")
  })

  /** A file with such a text, outside the worktree's files. */
  const repoFile = (repo: string, text: string): string => {
    const path = join(repo, ".git", "some-text")
    writeFileSync(path, text)
    return path
  }

  describe("the commit of a revision", () => {
    it("is its id, whatever names it", async () => {
      const repo = makeRepo()
      const head = git(repo, "rev-parse", "HEAD")
      git(repo, "tag", "-a", "-m", "t", "v1")
      for (const revision of ["HEAD", "main", "v1", head, head.slice(0, 12)]) {
        assert.strictEqual(await run(commitId(repo, revision)), head, revision)
      }
    })

    it("is null where it names none, also where it looks like an option", async () => {
      const repo = makeRepo()
      for (const revision of ["nothing", "HEAD:one.txt", "--all", "-q", "", "0".repeat(40)]) {
        assert.isNull(await run(commitId(repo, revision)), revision)
      }
      assert.isNull(await run(commitId(inHome(), "HEAD")))
    })
  })
})

it("a file call that throws fails with one line", async () => {
  const thrown = tryFiles(() => {
    throw new Error("so")
  })
  assert.strictEqual(await run(Effect.flip(thrown)), "so")
})
