// Machine.live: programs and storage of this machine.
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { codexHomeFacts } from "../../agent/CodexHome.live.ts"
import { networkFileSystem, tryLock } from "../../log/FileLock.live.ts"
import { agentVariables } from "../../agent/ClientVariables.live.ts"
import { Environment, type Variables } from "../../platform/Environment.ts"
import { exec } from "../../platform/Exec.ts"
import { hasCode, systemFault } from "../../platform/SystemError.ts"
import { systemFaultText } from "../../platform/SystemFault.ts"
import { usageOf } from "../../run/Removal.live.ts"
import type { StorageFacts } from "./Checks.ts"
import { Machine } from "./Machine.ts"

// The facts about a place for runs: its file system, and whether files can be written and locked.
// The test files are always removed.

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

/** The nearest existing directory above a path. */
const existing = (path: string): string =>
  fs.existsSync(path) || dirname(path) === path ? path : existing(dirname(path))

const lockProblem = (file: string, env: Variables): StorageFacts["lockProblem"] => {
  try {
    const held = tryLock(file, env)
    if (held === null) return { kind: "Unreliable", text: "a lock without a holder was refused" }
    try {
      const second = tryLock(file, env)
      if (second === null) return null
      fs.closeSync(second)
      return { kind: "Unreliable", text: "a lock was given to two holders at once" }
    } finally {
      fs.closeSync(held)
    }
  } catch (error) {
    const fault = systemFault(error)
    const limited = fault._tag === "SystemRefused" && fault.code === "EMFILE"
    const kind = fault._tag === "NoLockProgram" ? "NoProgram" : limited ? "Limited" : "Unreliable"
    return { kind, text: systemFaultText(fault) }
  }
}

/** The facts about a directory for runs, which need not exist yet. `env` is the environment of helper programs. */
export const storageFacts = (root: string, env: Variables): Omit<StorageFacts, "safetyProblem"> => {
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
    return { ...facts, writeProblem: null, filling: null, lockProblem: lockProblem(join(scratch, "locked"), env) }
  } catch (error) {
    const full = hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT")
    const filling = full ? { root, ...usageOf(root) } : null
    return { ...facts, writeProblem: systemFaultText(systemFault(error)), filling, lockProblem: null }
  } finally {
    if (scratch !== null) fs.rmSync(scratch, { recursive: true, force: true })
  }
}

// This machine, examined for the doctor.

/** The live layer. */
export const layer: Layer.Layer<Machine> = Layer.sync(Machine, () =>
  Machine.of({
    nodeVersion: process.version,
    platform: process.platform === "linux" || process.platform === "darwin" ? process.platform : "other",
    ask: Effect.fn("Machine.ask")((program, args, { cwd, limit }) =>
      exec(program, args, { cwd, timeout: limit, group: true })
    ),
    storage: Effect.fn("Machine.storage")((root) =>
      Effect.flatMap(Environment, (env) => Effect.sync(() => storageFacts(root, env)))
    ),
    withheld: Effect.fn("Machine.withheld")((kind) =>
      Effect.map(Environment, (env) => {
        const given = agentVariables(kind, env)
        return Object.keys(env).filter((name) => !(name in given)).sort()
      })
    ),
    codexHome: Effect.withSpan(codexHomeFacts, "Machine.codexHome")
  }))
