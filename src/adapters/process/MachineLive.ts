// MachineLive: this machine, looked at for the doctor.
// The one rule: what it makes to try things out is its own, and is removed whatever happens.
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import type { CodexHomeFacts, StorageFacts } from "../../core/doctor/Checkup.ts"
import { Environment, type Variables, variable } from "../../services/Environment.ts"
import { Machine } from "../../services/Machine.ts"
import { codexHome } from "../codex/SessionFile.ts"
import { exec } from "./Exec.ts"
import { networkFileSystem } from "../log/Lock.ts"
import { explain, hasCode } from "./SystemError.ts"
import { tryLock } from "../log/TryLock.ts"

// f_type of statfs(2), for people.
const fileSystems: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x2fc12fc1, "zfs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlay"],
  [0xf2f52010, "f2fs"],
  [0x65735546, "fuse"],
  [0x6a656a63, "virtiofs"]
])

/** What goes wrong in an attempt, as one line, or null. */
const problemOf = (attempt: () => string | null): string | null => {
  try {
    return attempt()
  } catch (error) {
    return explain(error)
  }
}

/** The nearest directory above a path that is there. */
const existing = (path: string): string =>
  fs.existsSync(path) || dirname(path) === path ? path : existing(dirname(path))

const lockProblem = (file: string, env: Variables): string | null =>
  problemOf(() => {
    const held = tryLock(file, env)
    if (held === null) return "a lock that nobody holds was refused"
    try {
      const second = tryLock(file, env)
      if (second === null) return null
      fs.closeSync(second)
      return "a lock was given to two holders at once"
    } finally {
      fs.closeSync(held)
    }
  })

const storage = (root: string, env: Variables): Omit<StorageFacts, "safetyProblem"> => {
  const exists = fs.existsSync(root)
  const base = existing(root)
  const type = fs.statfsSync(base).type >>> 0
  const network = networkFileSystem(type)
  const facts = {
    root,
    exists,
    fileSystem: network ?? fileSystems.get(type) ?? `type 0x${type.toString(16)}`,
    network: network !== null
  }
  let scratch: string | null = null
  try {
    scratch = fs.mkdtempSync(join(base, ".ooda-doctor-"))
    fs.writeFileSync(join(scratch, "probe"), "probe\n", { flush: true, mode: 0o600 })
    return { ...facts, writeProblem: null, lockProblem: lockProblem(join(scratch, "lock"), env) }
  } catch (error) {
    return { ...facts, writeProblem: explain(error), lockProblem: null }
  } finally {
    if (scratch !== null) fs.rmSync(scratch, { recursive: true, force: true })
  }
}

/** The newest entry of a directory, by name. */
const newest = (path: string): string | null => {
  const last = fs.readdirSync(path).sort().at(-1)
  return last === undefined ? null : join(path, last)
}

/** Whether these paths belong to this user; what is not there does. Throws what the system throws. */
const ownedByUs = (paths: ReadonlyArray<string>): boolean =>
  paths.every((path) => {
    const facts = fs.statSync(path, { throwIfNoEntry: false })
    return facts === undefined || facts.uid === process.getuid?.()
  })

/** The newest session file, down the years, months and days. Throws what the system throws. */
const newestSession = (sessions: string): string | null => {
  let path: string | null = sessions
  for (let depth = 0; depth < 4 && path !== null; depth++) path = newest(path)
  if (path !== null) fs.closeSync(fs.openSync(path, "r"))
  return path
}

const homeFacts = (home: string, named: boolean): CodexHomeFacts => {
  let sessions = 0
  const sessionsProblem = problemOf(() => {
    try {
      if (newestSession(join(home, "sessions")) !== null) sessions = 1
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error
    }
    return null
  })
  let own = true
  problemOf(() => {
    own = ownedByUs([home, join(home, "sessions")])
    return null
  })
  let config = ""
  problemOf(() => {
    config = fs.readFileSync(join(home, "config.toml"), "utf8")
    return null
  })
  return {
    home,
    named,
    exists: fs.existsSync(home),
    own,
    sessionsProblem,
    sessions,
    // Tables come after the top level, whose keys alone are meant.
    provider: /^\s*model_provider\s*=\s*["']([^"'\n]+)["']/m.exec(config.split(/^\s*\[/m)[0] ?? "")?.[1] ?? null
  }
}

/** The live layer. */
export const layer: Layer.Layer<Machine> = Layer.sync(Machine, () => ({
  nodeVersion: process.version,
  ask: (program, args, { cwd, limit }) => exec(program, args, { cwd, timeout: limit, group: true }),
  storage: Effect.fnUntraced(function*(root) {
    return storage(root, yield* Environment)
  }),
  codexHome: Effect.gen(function*() {
    return homeFacts(yield* codexHome, (yield* variable("CODEX_HOME")) !== null)
  })
}))
