// The bench of the contract suite: a scratch repository, fakes of codex and gh on PATH, the built CLI as a process.
// Nothing here knows the program's source, and everything a test starts ends with it.
import { execFileSync, spawn } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { test } from "vitest"
import { person, repositoryWith } from "../support/madeOnce.ts"

const HERE = dirname(fileURLToPath(import.meta.url))
const CLI = join(HERE, "..", "..", "dist", "ooda-codex-review.cjs")

/** How an invocation ended. `header` is the first line of standard error. */
export interface Ended {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
  readonly header: string
}

/** An invocation that still runs. */
export interface Started {
  readonly ended: Promise<Ended>
  readonly signal: (signal: NodeJS.Signals) => void
}

/** How an invocation is started when not from the repository's root with the bench's own environment and state root. */
export interface Way {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The state root given on the command line; null gives none. */
  readonly stateRoot?: string | null
  /** Shell code that starts the invocation, which is "$@": for a umask, or streams of another kind. */
  readonly through?: string
}

/** One call of the fake codex. */
export interface Call {
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: string
  readonly pid: number
}

export interface World {
  readonly dir: string
  readonly repo: string
  readonly stateRoot: string
  readonly git: (...args: ReadonlyArray<string>) => string
  /** Makes a repository with one commit on `main`. */
  readonly makeRepo: (path: string) => void
  readonly write: (path: string, text: string) => void
  /** What the fake codex does on its n-th call (`call-<n>`), at a level, or else (`default`): see fake/codex. */
  readonly plan: (when: string, script: string) => void
  /** Lets go what waits in `block <name>`. */
  readonly release: (name?: string) => void
  /** The branch the fake gh answers with; without an answer it fails. */
  readonly ghSays: (answer: string) => void
  readonly ghCalls: () => ReadonlyArray<ReadonlyArray<string>>
  readonly calls: () => ReadonlyArray<Call>
  readonly start: (way: Way, ...args: ReadonlyArray<string>) => Started
  readonly step: (...args: ReadonlyArray<string>) => Promise<Ended>
  readonly stepFrom: (way: Way, ...args: ReadonlyArray<string>) => Promise<Ended>
  /** A PATH on which everything is found but one name. */
  readonly pathWithout: (name: string) => string
}

const textOf = (path: string): string => readFileSync(path, "utf8")
const linesOf = (path: string): ReadonlyArray<string> => textOf(path).split("\n").slice(0, -1)
const numbered = (path: string): ReadonlyArray<string> =>
  readdirSync(path).sort((a, b) => Number(a) - Number(b)).map((name) => join(path, name))

const callOf = (path: string): Call => ({
  argv: linesOf(join(path, "argv")),
  env: Object.fromEntries(
    linesOf(join(path, "env")).map((line) => {
      const at = line.indexOf("=")
      return [line.slice(0, at), line.slice(at + 1)]
    })
  ),
  cwd: textOf(join(path, "cwd")),
  stdin: textOf(join(path, "stdin")).trim(),
  pid: Number(textOf(join(path, "pid")))
})

/** Ends whatever carries the control directory in its environment: reviewers and their wrappers. */
const endLeftovers = (control: string): void => {
  if (!existsSync("/proc/self/environ")) return
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = textOf(join("/proc", pid, "environ")).split("\0")
      if (environment.includes(`FAKE_CODEX=${control}`)) process.kill(Number(pid), "SIGKILL")
    } catch {
      // Gone in the meantime, or not ours to look at.
    }
  }
}

const copyRepo = repositoryWith("tracked.txt")

const makeWorld = (dir: string): World & { readonly remove: () => void } => {
  const [repo, stateRoot, control, bin] = ["repo", "state", "control", "bin"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string
  ]
  for (const path of ["bin", "home", "tmp", "control/calls", "control/plan", "control/gh-calls"]) {
    mkdirSync(join(dir, path), { recursive: true })
  }
  for (const name of ["codex", "gh"]) symlinkSync(join(HERE, "fake", name), join(bin, name))
  const env = {
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: join(dir, "home"),
    TMPDIR: join(dir, "tmp"),
    LC_ALL: "C.UTF-8",
    ...person,
    FAKE_CODEX: control,
    OODA_AWAIT_SECS: "0.05"
  }
  const children = new Set<ReturnType<typeof spawn>>()
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" }).trim()
  const start = (way: Way, ...args: ReadonlyArray<string>): Started => {
    const root = way.stateRoot === undefined ? stateRoot : way.stateRoot
    const argv = [process.execPath, CLI, ...(root === null ? [] : ["--state-root", root]), ...args]
    const [program = "", ...rest] = way.through === undefined ? argv : ["sh", "-c", way.through, "sh", ...argv]
    const child = spawn(program, rest, {
      cwd: way.cwd ?? repo,
      env: { ...env, ...way.env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    children.add(child)
    const ended = new Promise<Ended>((resolve, reject) => {
      let stdout = ""
      let stderr = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      child.on("error", reject)
      child.on("close", (exit) => {
        children.delete(child)
        resolve({ exit, stdout, stderr, header: stderr.split("\n", 1)[0] ?? "" })
      })
    })
    return { ended, signal: (signal) => child.kill(signal) }
  }
  const makeRepo = (path: string): void => {
    copyRepo(path)
    // The times of the copied files are others than those in the copied index.
    execFileSync("git", ["update-index", "--refresh"], { cwd: path, env, stdio: "pipe" })
  }
  makeRepo(repo)
  return {
    dir,
    repo,
    stateRoot,
    git,
    makeRepo,
    start,
    write: (path, text) => writeFileSync(join(repo, path), text),
    plan: (when, script) => writeFileSync(join(control, "plan", when), `${script}\n`),
    release: (name = "release") => writeFileSync(join(control, name), ""),
    ghSays: (answer) => writeFileSync(join(control, "gh-answer"), answer),
    ghCalls: () => numbered(join(control, "gh-calls")).map((path) => linesOf(join(path, "argv"))),
    calls: () => numbered(join(control, "calls")).filter((path) => existsSync(join(path, "ready"))).map(callOf),
    step: (...args) => start({}, ...args).ended,
    stepFrom: (way, ...args) => start(way, ...args).ended,
    pathWithout: (name) => {
      const only = mkdtempSync(join(dir, "path-"))
      for (const from of env.PATH.split(delimiter).filter((path) => path !== "" && existsSync(path))) {
        for (const entry of readdirSync(from)) {
          if (entry !== name && !existsSync(join(only, entry))) {
            try {
              symlinkSync(join(from, entry), join(only, entry))
            } catch {
              // A dangling link of the same name is there already; the first on PATH wins.
            }
          }
        }
      }
      return only
    },
    remove: () => {
      for (const child of children) child.kill("SIGKILL")
      endLeftovers(control)
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

/** `it`, with a world of its own for each test, taken down whatever happens. */
export const it = test.extend<{ world: World }>({
  world: async ({}, use) => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-contract-")))
    const world = makeWorld(dir)
    try {
      await use(world)
    } finally {
      world.remove()
    }
  }
})
