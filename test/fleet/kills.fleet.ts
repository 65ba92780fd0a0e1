// kills: workers are killed at random and their database crashes: nothing that was acknowledged is lost or done twice.
// KILL_SECONDS=600 kills for ten minutes; CRASH_SEED repeats what was drawn.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { numbers } from "../crash/cli/random.ts"
import { CLI, processesWith } from "../process/world.ts"
import { kill } from "../unit/adapters/process/processes.ts"
import { querying } from "./databases.ts"
import { type Server, startServer } from "./postgres.ts"

const fake = fileURLToPath(new URL("../../fixtures/fake-codex", import.meta.url))
const lasting = Number(process.env["KILL_SECONDS"] ?? "12") * 1000
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000)
const cap = 3
const pulls = Math.max(4, Math.round(lasting / 6000))

describe.runIf(inject("postgres") !== null)("workers that are killed", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-kills-")))
  const author = join(dir, "author")
  const bare = join(dir, "name.git")
  const control = join(dir, "control")
  const number = numbers(seed)
  let server: Server
  let url = ""
  let env: Record<string, string> = {}
  const workers = new Map<string, ChildProcess>()
  const endedAlone: Array<string> = []

  const fleet = (...args: ReadonlyArray<string>): string =>
    execFileSync(process.execPath, [CLI, ...args], { cwd: dir, env, encoding: "utf8" })
  const git = (...args: ReadonlyArray<string>): string =>
    execFileSync("git", args, { cwd: author, env, encoding: "utf8", stdio: "pipe" }).trim()
  const hire = (name: string): void => {
    const words = ["--capacity", "4", "--account", "team", "--retro", "clean", "--active", "3"]
    const child = spawn(process.execPath, [CLI, "fleet", "worker", "--name", name, ...words], {
      cwd: dir,
      env,
      stdio: ["ignore", "ignore", "pipe"]
    })
    const from = Date.now()
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (part: string) => said += part)
    child.once("exit", (code) => {
      // A worker that has just begun may say that there is no database.
      if (code !== null && Date.now() - from > 3000) endedAlone.push(`${name} with ${code}: ${said}`)
    })
    workers.set(name, child)
  }

  /** The attempts whose wrappers and reviewers live. */
  const underWay = (): ReadonlyArray<string> => {
    const attempts = new Set<string>()
    processesWith((all) => {
      if (!all.includes(`FAKE_CODEX_DIR=${control}`)) return false
      const attempt = all.find((one) => one.startsWith("OODA_ATTEMPT="))
      if (attempt !== undefined) attempts.add(attempt)
      return attempt !== undefined
    })
    return [...attempts]
  }
  const submit = (pr: string): void => {
    const [head, base] = [git("rev-parse", `pr-${pr}`), git("rev-parse", "main")]
    const ladder = ["--ceiling", "medium", "-n", "2"]
    fleet("fleet", "submit", "--repo", `file://${bare}`, "--pr", pr, "--head", head, "--base", base, ...ladder)
  }

  beforeAll(async () => {
    server = await startServer(true)
    for (const name of ["home", "tmp", "control", "author"]) mkdirSync(join(dir, name))
    url = server.database("kills")
    env = {
      PATH: `${fake}${delimiter}${process.env["PATH"] ?? ""}`,
      HOME: join(dir, "home"),
      TMPDIR: join(dir, "tmp"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
      FAKE_CODEX_DIR: control,
      OODA_STORE: url
    }
    writeFileSync(join(control, "default"), "sleep 0.4; clean")
    git("init", "-q", "-b", "main")
    writeFileSync(join(author, "a.txt"), "one\n")
    git("add", ".")
    git("commit", "-qm", "One")
    execFileSync("git", ["clone", "-q", "--bare", author, bare], { env })
    fleet("fleet", "init", "--work", join(dir, "work"), "--local", "--lease", "3s", "--account", `team=${cap}`)
  })
  afterAll(async () => {
    for (const child of workers.values()) child.kill("SIGKILL")
    for (const pid of processesWith((all) => all.includes(`FAKE_CODEX_DIR=${control}`))) kill(pid)
    await server.remove()
    rmSync(dir, { recursive: true, force: true })
  })

  it("leave runs that come to their fixed points and are proven, each slot with one verdict", async () => {
    for (let pr = 1; pr <= pulls; pr++) {
      git("checkout", "-q", "-B", `pr-${pr}`, "main")
      writeFileSync(join(author, "a.txt"), `${pr}\n`)
      git("commit", "-qam", "Change")
      git("push", "-q", bare, `HEAD:refs/pull/${pr}/head`)
      submit(`${pr}`)
    }
    const names = ["one", "two"]
    for (const name of names) hire(name)
    const until = Date.now() + lasting
    // The server frees the places of a worker that dies at once, and what it ran gets two seconds to end.
    let [within, longest, most] = [Date.now(), 0, 0]
    const looking = setInterval(() => {
      const now = Date.now()
      const places = underWay().length
      most = Math.max(most, places)
      if (places <= cap) within = now
      longest = Math.max(longest, now - within)
    }, 100).unref()
    let [deaths, stops, crashes] = [0, 0, 0]
    while (Date.now() < until) {
      // A review is given up when three of its workers have died. On a busy machine it takes two seconds.
      await pause(800 + number() * 2400)
      const name = names[Math.floor(number() * names.length)] ?? "one"
      const drawn = number()
      const child = workers.get(name)
      // Once in every test, however short.
      const isHalf = crashes === 0 && Date.now() > until - lasting / 2
      if (isHalf || drawn < 0.1) {
        await server.crash()
        await server.start()
        crashes++
      } else if (drawn < 0.3 && child?.exitCode === null) {
        // It wakes up when what it did is another's.
        child.kill("SIGSTOP")
        setTimeout(() => child.kill("SIGCONT"), 4000)
        stops++
      } else {
        child?.kill("SIGKILL")
        deaths++
        await pause(50)
        hire(name)
      }
    }
    for (const [name, child] of workers) {
      child.kill("SIGCONT")
      if (child.exitCode !== null || child.signalCode !== null) hire(name)
    }
    type Row = { readonly pr: string; readonly standing: string; readonly run: string; readonly end: string }
    const rows = () =>
      querying(url, (sql) =>
        sql<Row>`
          select substring(target_key from '[0-9]+$') as pr, standing, last_run as run, end_header as end
          from ooda_target`)
    // A review whose workers die three times is lost, and its pull request waits for whoever submits it again.
    const lost = new Set<string>()
    for (const end = Date.now() + 120_000;; await pause(300)) {
      const all = await rows()
      if (all.every(({ standing }) => standing === "Done")) break
      if (Date.now() > end) assert.fail(`seed ${seed}: ${JSON.stringify(all)}`)
      for (const { end: header, pr, run, standing } of all) {
        if (standing !== "Parked" || lost.has(run)) continue
        assert.match(header, /^BinaryError: [^]* Lost: /, `seed ${seed}`)
        lost.add(run)
        submit(pr)
      }
    }
    const givenUp = await querying(
      url,
      (sql) => sql<{ run: string }>`select run_id as run from ooda_attempt where state = 'lost' and deliveries > 3`
    )
    assert.includeMembers(givenUp.map(({ run }) => run), [...lost], `seed ${seed}: lost with fewer than three deaths`)
    clearInterval(looking)
    assert.isBelow(longest, 5000, `seed ${seed}: ${most} reviewers for an account of ${cap}`)
    assert.deepStrictEqual(endedAlone, [], `seed ${seed}: workers ended by themselves`)
    for (const { run } of await rows()) {
      const to = join(dir, "out", run)
      fleet("fleet", "export", run, to)
      assert.match(fleet("audit", run, "--state-root", to), /\n {2}proven: [^]*\n {2}sound\n$/, `seed ${seed}`)
    }
    const [counted] = await querying(url, (sql) =>
      sql<{ attempts: number; exited: number; again: number }>`
        select count(*)::int as attempts, count(*) filter (where state = 'exited')::int as exited,
          count(*) filter (where deliveries > 1)::int as again from ooda_attempt`)
    // Two levels of two reviews: an attempt that was given up for lost has another one behind it.
    assert.isAtLeast(counted?.exited ?? 0, pulls * 4)
    console.log(
      `seed ${seed}: ${pulls} runs, ${deaths} workers killed, ${stops} stopped, ${crashes} crashes of the server, ` +
        `at most ${most} reviewers, ${counted?.attempts} attempts, ${counted?.again} given to more than one`
    )
    for (const child of workers.values()) child.kill("SIGTERM")
  }, lasting + 210_000)
})
