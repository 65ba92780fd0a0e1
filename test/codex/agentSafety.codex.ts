// What an agent in codex's sandbox can reach when it tries, with the real CLI: its worktree and one private directory.
// Every attack is a command that codex really runs, and what counts is the disk afterwards.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { looksSecret } from "../../src/agent/ClientVariables.live.ts"
import { type AgentBench, withAgents } from "./agents.ts"

const runs = (cmd: string): Policy => ({ outputs }) =>
  outputs[0] === undefined ? { _tag: "Command", cmd } : { _tag: "Message", text: outputs[0].text }

/** Every file of a tree with its text, as a list. */
const tree = (path: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const file = join(path, name)
    return lstatSync(file).isFile() ? `${name}: ${readFileSync(file, "utf8")}` : name
  })

const attack = (cmd: (bench: string) => string, use: (bench: AgentBench, said: string) => void | Promise<void>) =>
  withAgents((directory) => runs(cmd(directory)), async (bench) => {
    const { ended } = await bench.ask()
    const said = ended.message ?? ""
    assert.strictEqual(ended.ending._tag, "Done")
    // Codex may refuse to run a command at all, and then nothing was tried.
    assert.notInclude(said, "exec_command failed")
    await use(bench, said)
  })

const run = (directory: string) => `${directory}/state/repo-noremote/uncommitted/runs/20260101T000000Z-000000001-p1`

describe("an agent that writes", () => {
  it("writes its worktree and its own temporary directory", () =>
    attack(
      () => 'echo mine > in-tree && echo mine > "$TMPDIR/file" && mktemp -d && echo "at $TMPDIR"',
      ({ ref, repo, scratch }, said) => {
        assert.strictEqual(readFileSync(join(repo, "in-tree"), "utf8"), "mine\n")
        const own = scratch(ref())
        assert.include(said, `at ${own}\n`)
        assert.strictEqual(readFileSync(join(own, "file"), "utf8"), "mine\n")
      }
    ))

  it("cannot change this run, another run, or the state root", () =>
    withAgents(
      (directory) =>
        runs([
          ...["manifest.jsonl", "converge.jsonl", "agents/1/1.out", "agents/1/1.exit", "agents/1/1.run", "agents/new"]
            .map(
              (file) => `echo forged >> ${run(directory)}/${file}`
            ),
          `echo forged > ${directory}/state/other-run/manifest.jsonl`,
          `find ${directory}/state/other-run -delete`,
          `mv ${run(directory)} ${directory}/state/moved`,
          `chmod -R 777 ${directory}/state`,
          `echo forged > "$TMPDIR/../1.exit"`,
          `ln -s ${directory}/state/other-run "$TMPDIR/link"; echo forged > "$TMPDIR/link/manifest.jsonl"`,
          `ln -s ${directory}/state/other-run link; echo forged > link/manifest.jsonl`
        ].join("; ")),
      async ({ ask, directory, ref, run: own }) => {
        const other = join(directory, "state", "other-run")
        for (const path of [own, other]) {
          mkdirSync(path, { recursive: true })
          writeFileSync(join(path, "manifest.jsonl"), "true\n")
        }
        const attempt = ref()
        const { ended } = await ask({ attempt })
        assert.strictEqual(ended.ending._tag, "Done")
        assert.match(ended.message ?? "", /Read-only file system/)
        assert.deepStrictEqual(tree(other), ["manifest.jsonl: true\n"])
        assert.strictEqual(readFileSync(join(own, "manifest.jsonl"), "utf8"), "true\n")
        assert.deepStrictEqual(readdirSync(own).sort(), ["agents", "manifest.jsonl"])
        assert.notInclude(readFileSync(join(own, "agents", "1", "1.run"), "utf8"), "forged")
        assert.strictEqual(readFileSync(join(own, "agents", "1", "1.exit"), "utf8"), "0\n")
        assert.deepStrictEqual(readdirSync(join(directory, "state")).sort(), ["other-run", "repo-noremote"])
      }
    ))

  it("cannot change the repository's own state", () =>
    attack(
      () =>
        "echo x > .git/hooks/pre-commit; echo x >> .git/config; git commit --allow-empty -m no; git branch no; " +
        "git config user.name no; find .git -delete; mv .git away",
      ({ git, repo }, said) => {
        assert.match(said, /Read-only file system/)
        assert.isFalse(existsSync(join(repo, ".git", "hooks", "pre-commit")))
        assert.strictEqual(git("log", "--format=%s"), "Add one")
        assert.strictEqual(git("branch", "--format=%(refname:short)"), "main")
        assert.strictEqual(git("config", "--get", "--default", "none", "user.name"), "none")
      }
    ))

  it("cannot write beside its worktree, to /tmp, to /dev/shm, to the home, or to codex's own", () =>
    attack(
      (directory) => {
        const name = directory.split("/").at(-1)
        return [
          `${directory}/beside`,
          `/tmp/${name}-x`,
          `/var/tmp/${name}-x`,
          `/dev/shm/${name}-x`,
          `${directory}/home/.bashrc`,
          `${directory}/codex-home/config.toml`,
          ".codex/config.toml"
        ].map((file) => `echo x >> ${file}`).join("; ")
      },
      ({ directory, repo }, said) => {
        assert.match(said, /Read-only file system/)
        const name = directory.split("/").at(-1)
        for (
          const path of [
            `${directory}/beside`,
            `/tmp/${name}-x`,
            `/var/tmp/${name}-x`,
            `/dev/shm/${name}-x`,
            `${directory}/home/.bashrc`,
            join(repo, ".codex", "config.toml")
          ]
        ) assert.isFalse(existsSync(path), path)
        assert.match(
          readFileSync(join(directory, "codex-home", "config.toml"), "utf8"),
          /max_retries = 0\nstream.*\n.*\n$/
        )
      }
    ))

  it("cannot write through a link that its worktree already holds", () =>
    withAgents((directory) => runs(`echo x > out/file; echo x > ${directory}/outside/file`), async (bench) => {
      const outside = join(bench.directory, "outside")
      mkdirSync(outside)
      symlinkSync(outside, join(bench.repo, "out"))
      await bench.ask()
      assert.deepStrictEqual(readdirSync(outside), [])
    }))

  it("cannot reach the network", () =>
    withAgents(
      () =>
        runs("exec 3<>/dev/tcp/127.0.0.1/$(sed -n 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/p' \"$CODEX_HOME/config.toml\")"),
      async ({ ask, requests }) => {
        const { ended } = await ask()
        assert.match(ended.message ?? "", /connect|socket|Operation not permitted|Network is unreachable/)
        assert.lengthOf(requests, 2)
      }
    ))

  it("keeps to this on a thread that it continues", () =>
    withAgents((directory) => ({ index, outputs }) => {
      const file = `${directory}/state/${index}`
      return index % 2 === 0
        ? { _tag: "Command", cmd: `echo x > ${file}; echo x > /tmp/${directory.split("/").at(-1)}-y; echo ok > ours` }
        : { _tag: "Message", text: outputs.at(-1)?.text ?? "" }
    }, async ({ ask, directory, ref, repo }) => {
      const first = await ask({ sandbox: "read-only" })
      assert.isFalse(existsSync(join(repo, "ours")))
      const thread = first.ended.threadId ?? assert.fail("no thread")
      await ask({ attempt: ref(2), thread })
      assert.isTrue(existsSync(join(repo, "ours")))
      assert.deepStrictEqual(readdirSync(join(directory, "state")), ["repo-noremote"])
      assert.isFalse(existsSync(`/tmp/${directory.split("/").at(-1)}-y`))
    }))
})

describe("the secrets of an agent's starter", () => {
  const proxy = { HTTPS_PROXY: "http://me:hunter2@127.0.0.1:9", NO_PROXY: "127.0.0.1" }

  it("are not in its environment, and codex's own key reaches codex alone", () =>
    withAgents(() => runs("env"), async ({ ask, requests }) => {
      const { ended } = await ask()
      const names = (ended.message ?? "").split("\n").flatMap((line) => /^(.+?)=./.exec(line)?.[1] ?? [])
      assert.includeMembers(names, ["PATH", "HARMLESS", "OODA_IN_AGENT"])
      assert.deepStrictEqual(names.filter((name) => looksSecret(name)), [])
      assert.notInclude(ended.message, "hunter2")
      assert.match(ended.message ?? "", /^HTTPS_PROXY=$/m)
      assert.strictEqual(requests[0]?.headers["authorization"], "Bearer placeholder")
    }, {
      added: {
        GITHUB_TOKEN: "hunter2",
        AWS_SECRET_ACCESS_KEY: "hunter2",
        PGPASSWORD: "hunter2",
        ...proxy,
        HARMLESS: "1"
      }
    }))
})

describe("an agent that only reads", () => {
  it("can write nowhere at all", () =>
    withAgents(
      (directory) => runs(`echo x > in-tree; echo x > "$TMPDIR/x"; echo x > /tmp/${directory.split("/").at(-1)}-z`),
      async ({ ask, directory, git, ref, scratch }) => {
        const attempt = ref()
        await ask({ attempt, sandbox: "read-only" })
        assert.strictEqual(git("status", "--porcelain"), "")
        assert.deepStrictEqual(readdirSync(scratch(attempt)), [])
        assert.isFalse(existsSync(`/tmp/${directory.split("/").at(-1)}-z`))
        assert.isTrue(existsSync(dirname(scratch(attempt))))
      }
    ))
})
