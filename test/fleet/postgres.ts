// postgres: private PostgreSQL servers, each in a temporary directory, reached through a Unix socket unless a test asks
// for a port too, and poolers before them.
// A server is stopped by its process id, and leaves nothing behind.
import { execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

const versions = "/usr/lib/postgresql"
/** Who asks: the owner of everything in these servers. */
export const user = "ooda"
const missing = "there is no PostgreSQL server here [apt-get install postgresql]"

/** The folder of the newest server's programs, or null: Debian gives each version a folder of its own. */
export const programs = (): string | null => {
  const found = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : []
  const folders = found.map((version) => join(versions, version, "bin"))
  return folders.find((folder) => existsSync(join(folder, "initdb"))) ?? null
}

/**
 * Whether the suite runs, by what `OODA_TEST_PG` says and where the server's programs are. Without them `auto`, which
 * is what no word means, passes over it; `require` fails.
 */
export const wanted = (said: string | undefined, found: string | null, reason = missing): boolean => {
  if (said !== undefined && said !== "auto" && said !== "require") {
    throw new Error(`OODA_TEST_PG is ${said} [say auto or require]`)
  }
  if (found === null && said === "require") throw new Error(reason)
  return found !== null
}

/** Whoever runs the server: it refuses to run as root, and then runs as the user whom its package made. */
const runner = (): { readonly words: ReadonlyArray<string>; readonly own: (directory: string) => void } => {
  if (process.getuid?.() !== 0) return { words: [], own: () => {} }
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  const [uid, gid] = [id("-u"), id("-g")]
  return {
    words: ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"],
    own: (directory) => chownSync(directory, uid, gid)
  }
}

/** A server that runs. */
export interface Server {
  /** The folder of its socket. */
  readonly directory: string
  readonly pid: () => number
  /** Makes a database and returns its URL. */
  readonly database: (name: string) => string
  /** Ends it at once, as a crash does: what was not durable is lost. */
  readonly crash: () => Promise<void>
  /** Starts it again after a crash. */
  readonly start: () => Promise<void>
  /** Writes files where its data lie, by their names, and has it read its settings again. */
  readonly configure: (files: Readonly<Record<string, string>>) => void
  /** Ends it, and removes all it kept. */
  readonly remove: () => Promise<void>
}

/**
 * Starts a server. `durable`: a commit is on disk before it is acknowledged, as where people's data lies. It listens at
 * localhost too where a port is given.
 */
export const startServer = async (durable: boolean, listens: number | null = null): Promise<Server> => {
  const bin = programs()
  if (bin === null) throw new Error(missing)
  const { own, words } = runner()
  const directory = mkdtempSync(join(tmpdir(), "ooda-pg-"))
  own(directory)
  chmodSync(directory, 0o700)
  const data = join(directory, "data")
  const [first, ...before] = [...words, join(bin, "initdb")]
  execFileSync(first, [...before, "-D", data, "--no-sync", "-A", "trust", "-U", user, "-E", "UTF8", "--locale=C"], {
    stdio: "pipe",
    cwd: directory
  })
  const port = `${listens ?? 5432}`
  const state: { pid: number; ended: Promise<unknown> } = { pid: 0, ended: Promise.resolve() }

  const isReady = (): boolean => {
    try {
      execFileSync(join(bin, "pg_isready"), ["-q", "-h", directory, "-p", port, "-U", user, "-d", "postgres"])
      return true
    } catch {
      return false
    }
  }

  const start = async () => {
    const switches = [
      ...["-c", `listen_addresses=${listens === null ? "" : "localhost"}`, "-c", `port=${port}`],
      ...durable ? [] : ["-c", "fsync=off", "-c", "full_page_writes=off"]
    ]
    const [program, ...rest] = [...words, join(bin, "postgres")]
    const server = spawn(
      program,
      [...rest, "-D", data, "-k", directory, "-c", "log_min_messages=fatal", ...switches],
      { stdio: "ignore", cwd: directory }
    )
    let over = false
    state.ended = new Promise<void>((resolve) => {
      const done = () => {
        over = true
        resolve()
      }
      server.once("exit", done)
      server.once("error", done)
    })
    state.pid = server.pid ?? 0
    for (let tries = 0; !isReady(); tries++) {
      if (over || tries > 300) throw new Error(`the server in ${directory} did not start`)
      await setTimeout(50)
    }
  }

  const end = async (signal: "SIGINT" | "SIGQUIT") => {
    if (state.pid > 0) process.kill(state.pid, signal)
    await state.ended
    state.pid = 0
  }

  const server: Server = {
    directory,
    pid: () => state.pid,
    database: (name) => {
      execFileSync(join(bin, "createdb"), ["-h", directory, "-p", port, "-U", user, name])
      return urlOf(directory, name)
    },
    crash: () => end("SIGQUIT"),
    start,
    configure: (files) => {
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(data, name), text, { mode: 0o600 })
        own(join(data, name))
      }
      process.kill(state.pid, "SIGHUP")
    },
    remove: async () => {
      await end("SIGINT")
      rmSync(directory, { recursive: true, force: true })
    }
  }
  try {
    await start()
  } catch (error) {
    await server.remove()
    throw error
  }
  return server
}

/** The URL of a database behind the socket in a folder. */
export const urlOf = (directory: string, name: string, role = user): string =>
  `postgres://${role}@localhost/${name}?host=${encodeURIComponent(directory)}`

/** The process that a server says it is, by its own file. */
export const pidFile = (directory: string): number =>
  Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0])

/** The pooler of Debian, or null. */
export const pooler = (): string | null => existsSync("/usr/sbin/pgbouncer") ? "/usr/sbin/pgbouncer" : null

/** Whether somebody listens at a socket, which is there a moment earlier. */
const listens = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => resolve(true)).on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })

/** Starts a pooler before a server, with some settings of its own, and runs an effect with the URL of a database. */
export const withPooler = async <A>(
  { directory }: Server,
  database: string,
  settings: ReadonlyArray<string>,
  use: (url: string) => Promise<A>
): Promise<A> => {
  const { own, words } = runner()
  const place = mkdtempSync(join(tmpdir(), "ooda-pooler-"))
  own(place)
  const file = join(place, "pooler.ini")
  const lines = [
    ...["[databases]", `* = host=${directory} user=${user}`],
    ...["[pgbouncer]", "auth_type=any", "listen_addr=", "listen_port=6432", `unix_socket_dir=${place}`, ...settings]
  ]
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o644 })
  const [program, ...rest] = [...words, pooler() ?? "", "-q", file]
  const process = spawn(program, rest, { stdio: "ignore", cwd: place })
  const ended = new Promise((resolve) => process.once("close", resolve))
  try {
    for (let tries = 0; !await listens(join(place, ".s.PGSQL.6432")); tries++) {
      if (process.exitCode !== null || tries > 300) throw new Error("the pooler did not start")
      await setTimeout(20)
    }
    return await use(`${urlOf(place, database)}&port=6432`)
  } finally {
    process.kill("SIGINT")
    await ended
    rmSync(place, { recursive: true, force: true })
  }
}
