// realFleets: fleets of the built program on a server of their own: repositories, and workers as processes.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { committer } from "./committer.ts"
import { querying } from "./databases.ts"
import { startServer } from "./postgres.ts"
import type { Ask } from "./remembered.ts"

/** What a fleet consists of. */
export interface Made {
  /** The built program, and the folder of the codex that its workers find. */
  readonly cli: string
  readonly codex: string
  /** The names of its repositories, each with what its only file holds. */
  readonly repositories: Readonly<Record<string, string>>
  readonly account: { readonly name: string; readonly cap: number }
  /** The words of each worker behind its name and its account. */
  readonly working: ReadonlyArray<string>
  /** What the workers know beside the store. */
  readonly secrets: Readonly<Record<string, string>>
}

/** A fleet with a lease of three seconds, set up, without a worker. */
export const realFleet = async ({ account, cli, codex, repositories, secrets, working }: Made) => {
  const server = await startServer(true)
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-real-")))
  for (const name of ["home", "tmp", "control", "authors"]) mkdirSync(join(dir, name))
  const url = server.database("fleet")
  const env = {
    PATH: `${codex}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: join(dir, "home"),
    TMPDIR: join(dir, "tmp"),
    ...committer,
    FAKE_CODEX_DIR: join(dir, "control"),
    OODA_STORE: url
  }
  const workers = new Map<string, ChildProcess>()
  const endedAlone: Array<string> = []
  const said: Array<string> = []

  const call = (...args: ReadonlyArray<string>): string =>
    execFileSync(process.execPath, [cli, ...args], {
      cwd: dir,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    })
  const git = (repository: string, ...args: ReadonlyArray<string>): string =>
    execFileSync("git", args, { cwd: join(dir, "authors", repository), env, encoding: "utf8", stdio: "pipe" }).trim()
  const bare = (repository: string): string => join(dir, `${repository}.git`)

  for (const [name, text] of Object.entries(repositories)) {
    mkdirSync(join(dir, "authors", name))
    git(name, "init", "-q", "-b", "main")
    writeFileSync(join(dir, "authors", name, "a.txt"), text)
    git(name, "add", ".")
    git(name, "commit", "-qm", "One")
    execFileSync("git", ["clone", "-q", "--bare", join(dir, "authors", name), bare(name)], { env })
  }
  const places = ["--account", `${account.name}=${account.cap}`]
  call("fleet", "init", "--work", join(dir, "work"), "--local", "--lease", "3s", ...places)

  const hire = (name: string): void => {
    const words = ["--name", name, "--account", account.name, "--retro", "clean", ...working]
    const child = spawn(process.execPath, [cli, "fleet", "worker", ...words], {
      cwd: dir,
      env: { ...env, ...secrets },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const its: Array<string> = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        its.push(part)
        said.push(part)
      })
    }
    child.once("close", (code) => {
      // Before it works, a worker may say that there is no database, or that a dying one still has its name.
      const all = its.join("")
      if (code !== null && all.includes("works for store")) endedAlone.push(`${name} with ${code}: ${all}`)
    })
    workers.set(name, child)
  }

  /** Submits the pushed head of a pull request. */
  const submit = (repository: string, pr: number, ladder: ReadonlyArray<string>): void => {
    const [head, base] = [git(repository, "rev-parse", `pr-${pr}`), git(repository, "rev-parse", "main")]
    const words = ["--repo", `file://${bare(repository)}`, "--pr", `${pr}`, "--head", head, "--base", base]
    call("fleet", "submit", ...words, ...ladder)
  }
  /** Commits what a pull request makes of the file, and pushes it. */
  const push = (repository: string, pr: number, text: string): void => {
    git(repository, "checkout", "-q", "-B", `pr-${pr}`, "main")
    writeFileSync(join(dir, "authors", repository, "a.txt"), text)
    git(repository, "commit", "-qam", `Change ${pr}`)
    git(repository, "push", "-q", bare(repository), `HEAD:refs/pull/${pr}/head`)
  }

  const ask: Ask = (text) => querying(url, (sql) => sql.unsafe(text))
  return {
    ...{ ask, call, dir, env, hire, push, server, submit, url, workers },
    control: env.FAKE_CODEX_DIR,
    endedAlone: (): ReadonlyArray<string> => endedAlone,
    /** All that its workers have said. */
    said: (): string => said.join(""),
    remove: async (): Promise<void> => {
      for (const child of workers.values()) child.kill("SIGKILL")
      await server.remove()
      rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
    }
  }
}

/** What `realFleet` gives. */
export type RealFleet = Awaited<ReturnType<typeof realFleet>>
