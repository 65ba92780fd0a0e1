// bench: a scratch repository, the built CLI as a process in it, and state roots to run it on.
// The CLI is a copy of its own, reviewers are the fake ones, and everything started here ends with it.
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll } from "vitest"

const product = fileURLToPath(new URL("../../..", import.meta.url))
/** The fake codex of this bench. */
export const codex = path.join(product, "fixtures", "fake-codex", "codex")

/** How an invocation ended. `header` is the first line of standard error. */
export interface Ended {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly header: string
}

/** A state root of its own, and the directory in which the fake reviewers that work on it leave their calls. */
export interface Place {
  readonly state: string
  readonly calls: string
}

/** How an invocation is started: `through` is a command that starts it, for limits. */
export interface Way {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly through?: ReadonlyArray<string>
  readonly stdio?: "pipe" | "closed"
  /** Receives the process as soon as it has started. */
  readonly onStart?: (child: ReturnType<typeof spawn>) => void
}

/** Ends whatever carries this bench's name in its environment: steps, reviewers and their wrappers. */
const endLeftovers = (root: string): void => {
  if (!fs.existsSync("/proc/self/environ")) return
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
      if (environment.includes(`CRASH_BENCH=${root}`)) process.kill(Number(pid), "SIGKILL")
    } catch {
      // Gone in the meantime, or not ours to look at.
    }
  }
}

/** Makes a bench. Its repository `repo` holds one commit and one change that is not committed. */
const makeBench = () => {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "ooda-crash-cli-")))
  for (const name of ["home", "tmp"]) fs.mkdirSync(path.join(root, name))
  const cli = path.join(root, "cli", "ooda-codex-review.cjs")
  for (const part of ["", ".chunks"]) fs.cpSync(path.join(product, "dist", `ooda-codex-review.cjs${part}`), cli + part)
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: path.join(root, "home"),
    TMPDIR: path.join(root, "tmp"),
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.org",
    CRASH_BENCH: root
  }
  const makeRepo = (at: string, origin: string | null = null): string => {
    fs.mkdirSync(at, { recursive: true })
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: at, env, stdio: "pipe" })
    fs.writeFileSync(path.join(at, "a.txt"), "one\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "One")
    if (origin !== null) git("remote", "add", "origin", origin)
    fs.writeFileSync(path.join(at, "a.txt"), "one\ntwo\n")
    return at
  }
  const repo = makeRepo(path.join(root, "repo"))
  let places = 0
  /** A new place, empty or with a copy of another one's state root. */
  const place = (from: Place | null = null): Place => {
    const dir = path.join(root, `place-${places++}`)
    fs.mkdirSync(dir)
    const made = { state: path.join(dir, "state"), calls: path.join(dir, "codex") }
    if (from !== null) fs.cpSync(from.state, made.state, { recursive: true })
    return made
  }
  /** Runs the CLI on a place. The scenario of the fake reviewers comes in `env` as FAKE_CODEX. */
  const run = (on: Place, args: ReadonlyArray<string>, way: Way = {}): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const [program = "", ...rest] = [...(way.through ?? []), process.execPath, cli, ...args]
      const child = spawn(program, rest, {
        cwd: way.cwd ?? repo,
        env: { ...env, FAKE_CODEX_DIR: on.calls, ...way.env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      way.onStart?.(child)
      let [stdout, stderr] = ["", ""]
      if (way.stdio === "closed") child.stdout.destroy()
      else child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      child.once("error", reject)
      child.once("close", (exit, signal) => {
        resolve({ exit, signal, stdout, stderr, header: stderr.split("\n", 1)[0] ?? "" })
      })
    })
  /** A step, or a mark, on the uncommitted changes of the repository. */
  const step = (on: Place, args: ReadonlyArray<string>, way: Way = {}): Promise<Ended> =>
    run(on, ["--state-root", on.state, "--codex-bin", codex, "--uncommitted", ...args], way)
  const remove = (): void => {
    endLeftovers(root)
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  return { root, env, repo, makeRepo, place, run, step, remove }
}

/** See `makeBench`. */
export type Bench = ReturnType<typeof makeBench>

/** A bench for the tests of one file, made before them, then `prepare`d, and removed after them. */
export const useBench = (prepare: (bench: Bench) => Promise<void> = () => Promise.resolve()): () => Bench => {
  const made: { bench: Bench | null } = { bench: null }
  beforeAll(() => {
    made.bench = makeBench()
    return prepare(made.bench)
  })
  // What hundreds of histories leave takes minutes to remove.
  afterAll(() => made.bench?.remove(), 600_000)
  return () => made.bench ?? assert.fail("no bench")
}
