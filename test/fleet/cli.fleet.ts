// cli: a fleet as those who run it see it: every command as a process, on a server that keeps what it acknowledges.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { CLI } from "../process/world.ts"
import { committer } from "./committer.ts"
import { querying } from "./databases.ts"
import { type Server, startServer } from "./postgres.ts"

const fake = fileURLToPath(new URL("../../fixtures/fake-codex", import.meta.url))

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

describe.runIf(inject("postgres") !== null)("a fleet", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-cli-")))
  const author = join(dir, "author")
  const bare = join(dir, "name.git")
  const repo = `file://${bare}`
  let server: Server
  let env: Record<string, string> = {}
  const children = new Set<ChildProcess>()

  const start = (args: ReadonlyArray<string>, more: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [CLI, "fleet", ...args], { cwd: dir, env: { ...env, ...more } })
    children.add(child)
    const said = { stdout: "", stderr: "" }
    child.stdout.on("data", (text: Buffer) => (said.stdout += text.toString()))
    child.stderr.on("data", (text: Buffer) => (said.stderr += text.toString()))
    const ended = new Promise<Ran>((resolve) => child.once("close", (code) => resolve({ code, ...said })))
    return { child, ended, said }
  }
  const fleet = (...args: ReadonlyArray<string>): Promise<Ran> => start(args).ended
  const git = (...args: ReadonlyArray<string>): string =>
    execFileSync("git", args, { cwd: author, env, encoding: "utf8", stdio: "pipe" }).trim()
  const secrets = (): Record<string, string> => ({
    OODA_FETCH_TOKEN: "t0ken-of-the-fleet",
    GITHUB_TOKEN: "t0ken-of-the-fleet",
    DATABASE: env["OODA_STORE"] ?? "",
    PGPASSWORD: "passw0rd-of-the-fleet",
    DB_PASSWORD: "passw0rd-of-the-fleet"
  })
  const submit = (pr: number, text: string): ReadonlyArray<string> => {
    git("checkout", "-q", "-B", `pr-${pr}`, "main")
    writeFileSync(join(author, "a.txt"), text)
    git("commit", "-qam", "Change")
    git("push", "-q", "--force", bare, `HEAD:refs/pull/${pr}/head`)
    const commits = ["--head", git("rev-parse", "HEAD"), "--base", git("rev-parse", "main")]
    return ["submit", "--repo", repo, "--pr", `${pr}`, ...commits, "--ceiling", "medium", "-n", "2"]
  }
  const worker = async (...args: ReadonlyArray<string>) => {
    const started = start(["worker", "--retro", "clean", ...args])
    while (!started.said.stdout.startsWith("works for store")) {
      if (started.child.exitCode !== null) throw new Error(started.said.stderr)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return started
  }

  beforeAll(async () => {
    server = await startServer(true)
    for (const name of ["home", "tmp", "control", "author"]) mkdirSync(join(dir, name))
    env = {
      PATH: `${fake}${delimiter}${process.env["PATH"] ?? ""}`,
      HOME: join(dir, "home"),
      TMPDIR: join(dir, "tmp"),
      ...committer,
      FAKE_CODEX_DIR: join(dir, "control"),
      OODA_STORE: server.database("fleet")
    }
    git("init", "-q", "-b", "main")
    writeFileSync(join(author, "a.txt"), "one\n")
    git("add", ".")
    git("commit", "-qm", "One")
    execFileSync("git", ["clone", "-q", "--bare", author, bare], { env })
  })
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL")
    await server.remove()
    rmSync(dir, { recursive: true, force: true })
  })

  it("that is not set up names the command for that, and an invalid one says what is valid", async () => {
    const early = await fleet("status")
    assert.deepStrictEqual([early.code, early.stdout], [6, ""])
    assert.match(early.stderr, /^error: the (store|queues of the fleet): SQLSTATE \w+: .* \[[^\n]*\]\n$/)
    const { OODA_STORE: url = "", ...without } = env
    env = without
    assert.match((await fleet("status")).stderr, /no store is named \[give its URL by \$OODA_STORE or --store\]/)
    env = { ...without, OODA_STORE: url }
    const secret = await fleet("status", "--store", "postgres://u:s3cret@h/x")
    assert.strictEqual(secret.code, 64)
    assert.match(secret.stderr, /others can read a password on a command line/)
    for (const { stderr } of [early, secret]) assert.notMatch(stderr.split("\n")[0] ?? "", /u:s3cret@h\/x.*u:s3cret/)
  })

  it("is set up once, and refuses another path afterwards", async () => {
    assert.match((await fleet("init")).stderr, /fleet init --work DIR/)
    const first = await fleet("init", "--work", `${dir}//./work/`, "--local", "--account", "team=3")
    assert.match(
      first.stdout,
      /^set up store pg:[0-9a-f]{16}, work below .*\/work, takes repositories of https:\/\/ and/
    )
    const again = await fleet("init")
    assert.strictEqual(again.stdout, first.stdout.replace("set up store", "set up already: store"))
    assert.match(again.stdout, /, lease 30 s\n$/)
    assert.match((await fleet("init", "--lease", "5s")).stdout, /^set up already: .*, lease 5 s\n$/)
    const examined = spawnSync(process.execPath, [CLI, "doctor", "--codex-bin", "none"], {
      cwd: dir,
      env,
      encoding: "utf8"
    })
    assert.match(examined.stdout, /^ok     store       pg:[0-9a-f]{16}, works below .*\/work$/m)
    assert.match((await fleet("init", "--work", "/else")).stderr, /works below .*\/work on every machine/)
  })

  it("takes pull requests to their fixed points, and shows the state of each", async () => {
    writeFileSync(join(author, "own-codex"), `#!/bin/sh\ntouch '${join(dir, "was-run")}'\n`, { mode: 0o755 })
    git("add", "own-codex")
    const clean = submit(1, "two\n")
    const submitted = await fleet(...clean)
    assert.match(submitted.stdout, /^submitted name-[0-9a-f]{12} pr\/1, number 1\n$/)
    assert.match((await fleet(...clean)).stdout, /^submitted already: /)
    Object.assign(env, secrets())
    // Of where the worker was called: what its clones hold under that name is not run.
    execFileSync("ln", ["-s", join(fake, "codex"), join(dir, "own-codex")])
    const { child, ended } = await worker("--capacity", "3", "--account", "team", "--codex-bin", "./own-codex")
    const done = await fleet("wait", `${repo}#1`)
    const head = clean[clean.indexOf("--head") + 1] ?? ""
    assert.deepStrictEqual([done.code, done.stderr], [0, "DoneFixedPoint\n"])
    assert.match(done.stdout, new RegExp(`^name-\\w+ pr/1, number 1, head ${head}\n$`))
    assert.deepStrictEqual(await fleet("wait", `${repo}#1`, "--head", head), done)
    // The head of another job.
    const other = await fleet("wait", `${repo}#1`, "--head", "b".repeat(40))
    assert.deepStrictEqual([other.code, other.stdout], [6, ""])
    assert.match(other.stderr, new RegExp(`the newest head that was submitted is ${head} \\[wait for that one`))

    writeFileSync(join(dir, "control/default"), "issues 1")
    await fleet(...submit(2, "bad\n"))
    const handed = await fleet("wait", `${repo}#2`)
    assert.deepStrictEqual([handed.code, handed.stderr], [5, "HandoffAgent: AddressBatch\n"])
    const table = (await fleet("status")).stdout.split("\n")
    assert.match(table[0] ?? "", /^REPOSITORY +TARGET +HEAD +STATE +FOR +RUN +LAST TURN$/)
    assert.match(table[1] ?? "", /^name-\w+ +pr\/2 +[0-9a-f]{12} +parked +\S+ +\S+ +HandoffAgent: AddressBatch$/)
    const document = JSON.parse((await fleet("status", "--json")).stdout)
    assert.deepStrictEqual(
      document.targets.map(({ exitCode, standing, target }: Record<string, unknown>) => [target, standing, exitCode]),
      [["pr/2", "Parked", 5], ["pr/1", "Done", 0]]
    )
    child.kill("SIGTERM")
    assert.deepStrictEqual((await ended).code, 0)
    assert.isFalse(existsSync(join(dir, "was-run")))
    // What an audit of the files says is what the database holds.
    for (const { exitCode, run: { run } } of document.targets) {
      const to = join(dir, `export-${exitCode}`)
      assert.strictEqual((await fleet("export", run, to)).stdout, `exported ${run} to ${to}\n`)
      const audit = execFileSync(process.execPath, [CLI, "audit", run, "--state-root", to], { cwd: dir, env })
      assert.match(audit.toString(), exitCode === 0 ? /^  proven: [^]*\n  sound\n$/m : /\n  sound\n$/)
      assert.match((await fleet("export", run, to)).stderr, /holds something already/)
    }
  })

  it("hides its store and its fetch token from reviewers, whatever the worker's variables are called", async () => {
    for (const call of readdirSync(join(dir, "control/calls"))) {
      const variables = readFileSync(join(dir, "control/calls", call, "env"), "utf8")
      assert.notMatch(variables, /^(OODA_STORE|OODA_FETCH\w*|PG\w+)=/m)
      assert.match(variables, /^PATH=/m)
      for (const secret of Object.values(secrets())) assert.notInclude(variables, secret)
      assert.match(readFileSync(join(dir, "control/calls", call, "cwd"), "utf8"), /\/work\/trees\/name-\w+\/\d\//)
    }
  })

  it("has one worker of a name on a machine, and none without codex or with an account that is not there", async () => {
    const { child, ended } = await worker()
    const second = await fleet("worker")
    assert.strictEqual(second.code, 6)
    assert.match(second.stderr, new RegExp(`another worker called ${hostname()} works on this machine \\[--name`))
    child.kill("SIGTERM")
    await ended
    assert.match((await fleet("worker", "--codex-bin", "nothing")).stderr, /codex binary nothing: not found in PATH/)
    assert.match((await fleet("worker", "--account", "unknown")).stderr, /there is no account unknown \[add it/)
  })

  it("does not take what is no pull request of its kind", async () => {
    const [first = "", ...rest] = submit(3, "three\n")
    const odd = [
      [[first, ...rest.map((word) => word === repo ? "ssh://git@h/x" : word)], 64, /only https:\/\/ is fetched/],
      [["wait", `${repo}#77`], 6, /was not submitted here \[fleet submit\]/],
      [["wait", "nonsense"], 64, /expected a pull request/],
      [["export", "20260101T000000Z-0-p1", join(dir, "none")], 6, /no run .* begins with|is no run|begins/],
      [["status", "--capacity", "3"], 64, /unknown flag --capacity/]
    ] as const
    for (const [args, code, line] of odd) {
      const ended = await fleet(...args)
      assert.strictEqual(ended.code, code, ended.stderr)
      assert.match(ended.stderr.split("\n")[0] ?? "", line)
    }
    const rows = await querying(env["OODA_STORE"] ?? "", (sql) => sql`select seq from ooda_submission`)
    assert.lengthOf(rows, 2)
  })
})
