// The bench of the real-Codex suite: a scratch repository, a stand-in model, a CODEX_HOME, and both CLIs as processes.
// Everything of a test lives in one temporary directory and ends with it, processes included.
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { writeCodexHome } from "../../fixtures/stand-in-model/codex-home.mjs"
import { plainEnvironment } from "../../fixtures/stand-in-model/environment.mjs"
import { endLeftovers, leftovers } from "../../fixtures/stand-in-model/leftovers.mjs"
import { reading } from "../../fixtures/stand-in-model/reading.mjs"
import type { ModelRequest } from "../../fixtures/stand-in-model/request.mjs"
import { type Policy, startStandIn } from "../../fixtures/stand-in-model/server.mjs"
import { launcherOf, versionOf } from "./install.mjs"

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const CLI = join(ROOT, "dist", "ooda-codex-review.cjs")
export const CODEX = launcherOf(ROOT)
export const VERSION = versionOf(CODEX) ?? "none"

/** How a process ended and what it printed. */
export interface Ended {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process of the built CLI that has been started. */
export interface Started {
  readonly pid: number
  readonly ended: Promise<Ended>
  readonly signal: (signal: NodeJS.Signals) => void
}

export interface Bench {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
  readonly repo: string
  readonly stateRoot: string
  readonly codexHome: string
  /** Requests the model has seen so far. */
  readonly requests: ReadonlyArray<ModelRequest>
  /** The first request of each review so far: in a later one the output of a command has come back. */
  readonly reviews: () => ReadonlyArray<ModelRequest>
  readonly git: (...args: ReadonlyArray<string>) => string
  /** Writes a file of the repository. */
  readonly write: (path: string, text: string) => void
  /** `codex review <args>` itself. */
  readonly codex: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** The same in another directory, with variables added to its environment. */
  readonly codexIn: (
    cwd: string,
    env: Readonly<Record<string, string>>,
    ...args: ReadonlyArray<string>
  ) => Promise<Ended>
  /** One invocation of the built CLI; state root and codex are given. */
  readonly step: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** The same with variables added to its environment, with a codex of its own, or in another directory. */
  readonly stepAs: (
    how: { readonly env?: Readonly<Record<string, string>>; readonly codexBin?: string; readonly cwd?: string },
    ...args: ReadonlyArray<string>
  ) => Promise<Ended>
  /** The same, to be signalled while it runs. */
  readonly start: (...args: ReadonlyArray<string>) => Started
  /** One subcommand of the built CLI over the same state root. */
  readonly command: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** The model's service is gone: its connections end, and its port refuses new ones. */
  readonly hangUp: () => Promise<void>
  /** Process ids of what still runs for this bench: codex and what it started. */
  readonly running: () => ReadonlyArray<number>
}

const start = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>): Started => {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (exit) => resolve({ exit, stdout, stderr }))
  })
  return { pid: child.pid ?? 0, ended, signal: (name) => child.kill(name) }
}

const clean = async (directory: string, codexHome: string): Promise<void> => {
  await endLeftovers(codexHome)
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** A bench for one test, taken down whatever happens. The repository has one commit on `main` and nothing else.
 * The policy may depend on the bench: the places its findings name lie in the repository. Its reviewers read first. */
export const withBench = async (
  policy: (repo: string) => Policy,
  use: (bench: Bench) => Promise<void>,
  how: { readonly model?: string } = {}
) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-codex-")))
  const repo = join(directory, "repo")
  const stateRoot = join(directory, "state")
  const codexHome = join(directory, "codex-home")
  const standIn = await startStandIn({ policy: reading(policy(repo)) })
  try {
    const env = {
      ...plainEnvironment(directory),
      ...writeCodexHome({ directory: codexHome, url: standIn.url, ...how })
    }
    mkdirSync(repo)
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" }).trim()
    const write = (path: string, text: string) => writeFileSync(join(repo, path), text)
    git("init", "--quiet", "--initial-branch", "main")
    write("one.mjs", "export const one = 1\n")
    git("add", ".")
    git("commit", "--quiet", "--message", "Add one")
    const built = (args: ReadonlyArray<string>, added: Readonly<Record<string, string>> = {}, cwd = repo) => {
      if (!existsSync(CLI)) throw new Error(`${CLI} is missing: npm run build`)
      return start([CLI, ...args, "--state-root", stateRoot], cwd, { ...env, ...added })
    }
    const step = (...args: ReadonlyArray<string>) => built([...args, "--codex-bin", CODEX])
    const codexIn: Bench["codexIn"] = (cwd, added, ...args) =>
      start([CODEX, "review", ...args, "-c", 'sandbox_mode="read-only"'], cwd, { ...env, ...added }).ended
    await use({
      dir: directory,
      env,
      repo,
      stateRoot,
      codexHome,
      requests: standIn.requests,
      reviews: () => standIn.requests.filter(({ outputs }) => outputs.length === 0),
      git,
      write,
      codex: (...args) => codexIn(repo, {}, ...args),
      codexIn,
      step: (...args) => step(...args).ended,
      stepAs: ({ codexBin = CODEX, cwd, env: added }, ...args) =>
        built([...args, "--codex-bin", codexBin], added, cwd).ended,
      start: step,
      command: (...args) => built(args).ended,
      hangUp: standIn.close,
      running: () => leftovers(codexHome)
    })
  } finally {
    await clean(directory, codexHome)
    await standIn.close()
  }
}
