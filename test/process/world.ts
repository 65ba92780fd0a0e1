// world: the bench of tests with real reviewers: a scratch repository, the fake codex, the built CLI as a process.
// Nothing decides by a pause; every world ends with nothing of it alive.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, test, vi } from "vitest"
import { person, repositoryWith } from "../support/madeOnce.ts"
import { eventually, kill, living } from "../unit/platform/guard/processes.ts"

export { eventually, living } from "../unit/platform/guard/processes.ts"

// Real processes on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const root = fileURLToPath(new URL("../..", import.meta.url))
/** The CLI under test. */
export const CLI = process.env["OODA_TEST_CLI"] ?? join(root, "dist", "ooda-codex-review.cjs")
const FAKE = join(root, "fixtures", "fake-codex")

/** Copies the CLI into a directory, where everybody may read it, and gives its path. */
export const copyOfCli = (directory: string): string => {
  const cli = join(directory, "cli.cjs")
  for (const part of ["", ".chunks"]) {
    copyFileSync(CLI + part, cli + part)
    chmodSync(cli + part, 0o644)
  }
  return cli
}

/** How a process of the CLI ended. */
export interface Ended {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly header: string
}

export interface Started {
  readonly pid: number
  readonly ended: Promise<Ended>
  readonly signal: (signal: NodeJS.Signals) => void
  /** What it has written to standard output so far. */
  readonly said: () => string
}

export interface LogEvent {
  readonly _tag: string
  readonly [field: string]: unknown
}

export interface World {
  readonly dir: string
  readonly repo: string
  readonly stateRoot: string
  readonly path: (name: string) => string
  readonly git: (...args: ReadonlyArray<string>) => string
  /** What the fake codex does: on its n-th call, at a level, or by `default`. */
  readonly scenario: (when: string, words: string) => void
  /** Lets go what waits for a file of this name (`wait` of the fake codex). */
  readonly release: (name: string) => void
  /** The process ids of the fake codex's calls. */
  readonly calls: () => ReadonlyArray<number>
  readonly start: (
    args: ReadonlyArray<string>,
    env?: Readonly<Record<string, string | undefined>>,
    cwd?: string,
    /** A command that runs the CLI as its own last arguments. */
    through?: ReadonlyArray<string>
  ) => Started
  readonly step: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** The run ids of a target, oldest first. */
  readonly runs: (key?: string) => ReadonlyArray<string>
  readonly runDir: (run?: string, key?: string) => string
  /** The events of a run (the newest), all or of one kind, in order. */
  readonly events: (tag?: string, run?: string) => ReadonlyArray<LogEvent>
  /** The living processes of reviewers: wrappers, codex and what it started. */
  readonly reviewers: () => ReadonlyArray<number>
  /** The environment of the CLI. */
  readonly env: Readonly<Record<string, string>>
}

// The bits of SIGHUP, SIGINT and SIGTERM in a mask. A program hears them one after the other.
const hupIntTerm = 0x4003n

/** Whether a process handles these signals by now, as a step does once it is under way. */
export const handlesSignals = (pid: number): boolean => {
  const caught = /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0"
  return (BigInt(`0x${caught}`) & hupIntTerm) === hupIntTerm
}

/** The living processes whose environment passes a test. */
export const processesWith = (wanted: (variables: ReadonlyArray<string>) => boolean): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return living(pid) && wanted(readFileSync(`/proc/${pid}/environ`, "latin1").split("\0"))
    } catch {
      return false
    }
  })

const copyRepo = repositoryWith("a.txt")

const makeWorld = (dir: string): World & { readonly remove: () => Promise<void> } => {
  const [repo, stateRoot, control] = [join(dir, "repo"), join(dir, "state"), join(dir, "control")]
  for (const name of ["repo", "home", "tmp", "control"]) mkdirSync(join(dir, name), { mode: 0o700 })
  const mark = `FAKE_CODEX_DIR=${control}`
  const env = {
    PATH: `${FAKE}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: join(dir, "home"),
    TMPDIR: join(dir, "tmp"),
    ...person,
    FAKE_CODEX_DIR: control
  }
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" })
  copyRepo(repo)
  // The times of the copied files are others than those in the copied index.
  git("update-index", "--refresh")
  const children = new Set<ChildProcess>()
  const start: World["start"] = (args, more = {}, cwd = repo, through = []) => {
    const [program = "", ...rest] = [...through, process.execPath, CLI, ...args]
    const child = spawn(program, rest, {
      cwd,
      env: { ...env, OODA_STATE_ROOT: stateRoot, ...more },
      stdio: ["ignore", "pipe", "pipe"]
    })
    children.add(child)
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject)
      child.once("close", (exit, signal) => {
        children.delete(child)
        resolve({ exit, signal, stdout, stderr, header: stderr.split("\n", 1)[0] ?? "" })
      })
    })
    return {
      pid: child.pid ?? assert.fail("not started"),
      ended,
      signal: (name) => child.kill(name),
      said: () => stdout
    }
  }
  const targetDir = (key: string) => join(stateRoot, "repo-noremote", key)
  const runs = (key = "uncommitted") => {
    const path = join(targetDir(key), "runs")
    return existsSync(path) ? readdirSync(path).sort() : []
  }
  const runDir = (run = runs().at(-1) ?? "none", key = "uncommitted") => join(targetDir(key), "runs", run)
  const reviewers = () =>
    processesWith((variables) => variables.includes(mark) && variables.some((one) => one.startsWith("OODA_ATTEMPT=")))
  return {
    dir,
    repo,
    stateRoot,
    git,
    start,
    runs,
    runDir,
    reviewers,
    env,
    path: (name) => join(dir, name),
    scenario: (when, words) => writeFileSync(join(control, when), words),
    release: (name) => writeFileSync(join(dir, name), ""),
    calls: () => {
      const calls = join(control, "calls")
      if (!existsSync(calls)) return []
      return readdirSync(calls).map(Number).sort((a, b) => a - b).flatMap((n) => {
        const pid = join(calls, String(n), "pid")
        return existsSync(pid) ? [Number(readFileSync(pid, "utf8"))] : []
      })
    },
    step: (...args) => start(args).ended,
    events: (tag, run) => {
      const path = join(runDir(run), "manifest.jsonl")
      // The directory is there a moment before the log, and a line is complete only with its newline.
      const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []
      return lines.flatMap((line): ReadonlyArray<LogEvent> => JSON.parse(line).events)
        .filter((event) => tag === undefined || event._tag === tag)
    },
    remove: async () => {
      for (const child of children) child.kill("SIGKILL")
      await eventually("the end of everything of this world", () => {
        const left = processesWith((variables) => variables.includes(mark))
        for (const pid of left) kill(pid)
        return left.length === 0
      })
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

/** `it`, with a world of its own for each test, taken down whatever happens. */
export const it = test.extend<{ world: World }>({
  world: async ({}, use) => {
    const world = makeWorld(realpathSync(mkdtempSync(join(tmpdir(), "ooda-faults-"))))
    try {
      await use(world)
    } finally {
      await world.remove()
    }
  }
})
