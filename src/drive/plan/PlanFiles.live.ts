// PlanFiles.live: plan files and documents of this machine's disk.
// A plan file is written beside itself and renamed, with its own mode: no reader sees half of it.
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { PlanFileFailed, type PlanFileReason, PlanFiles } from "./PlanFiles.ts"
import { systemFault } from "../../platform/SystemError.ts"

const most = 32 * 1024 * 1024

/** Runs synchronous file calls; what they throw is a failure about `path`. */
const attempt = <A>(path: string, run: (fail: (reason: PlanFileReason) => never) => A) =>
  Effect.try({
    try: () =>
      run((reason) => {
        throw new PlanFileFailed({ path, reason })
      }),
    catch: (error) => error instanceof PlanFileFailed ? error : new PlanFileFailed({ path, reason: systemFault(error) })
  })

const synced = (path: string, flags: string, use: (fd: number) => void): void => {
  const fd = fs.openSync(path, flags, 0o600)
  try {
    use(fd)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

// A file that is left beside a plan would count as a change of the code.
const isLeft = (path: string, name: string): boolean =>
  name.startsWith(`${basename(path)}.`) && /^\d+\.[0-9a-f]{8}\.new$/.test(name.slice(basename(path).length + 1))

const replaced = (path: string, bytes: Uint8Array): void => {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.new`
  try {
    const { mode } = fs.statSync(path)
    synced(temporary, "wx", (fd) => {
      fs.writeFileSync(fd, bytes)
      fs.fchmodSync(fd, mode & 0o777)
    })
    fs.renameSync(temporary, path)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
  synced(dirname(path), "r", () => undefined)
}

const isFile = (path: string): boolean => fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Whether a file is where it was located, without links: one that is there now has replaced it, or its directory. */
const isPlain = (path: string): boolean => isFile(path) && fs.realpathSync(path) === path

/** Plan files of this machine. */
export const layer: Layer.Layer<PlanFiles> = Layer.succeed(
  PlanFiles,
  PlanFiles.of({
    locate: Effect.fn("PlanFiles.locate")((path: string, cwd: string) =>
      attempt(path, (fail) => {
        const named = resolve(cwd, path)
        if (isFile(named)) return fs.realpathSync(named)
        return fs.existsSync(named) || !fs.existsSync(dirname(named))
          ? fail({ _tag: "NoPlanFile" })
          : join(fs.realpathSync(dirname(named)), basename(named))
      })
    ),
    read: Effect.fn("PlanFiles.read")((path: string) =>
      attempt(path, (fail) => {
        if (!isPlain(path)) return fail({ _tag: "NoPlanFile" })
        return fs.statSync(path).size > most ? fail({ _tag: "TooLarge", most }) : new Uint8Array(fs.readFileSync(path))
      })
    ),
    replace: Effect.fn("PlanFiles.replace")((path: string, before: Uint8Array, now: Uint8Array) =>
      attempt(path, (fail) => {
        if (!isPlain(path)) fail({ _tag: "NoPlanFile" })
        if (!fs.readFileSync(path).equals(before)) fail({ _tag: "ChangedMeanwhile" })
        replaced(path, now)
      })
    ),
    tidy: Effect.fn("PlanFiles.tidy")((path: string) =>
      attempt(path, () => {
        const left = fs.readdirSync(dirname(path)).filter((name) => isLeft(path, name))
        for (const name of left) fs.rmSync(join(dirname(path), name), { force: true })
      })
    ),
    present: Effect.fn("PlanFiles.present")((directory: string, names: ReadonlyArray<string>) =>
      Effect.sync(() => names.filter((name) => isFile(join(directory, name))))
    ),
    document: Effect.fn("PlanFiles.document")((directory: string, name: string, limit: number) =>
      Effect.sync(() => {
        const path = join(directory, name)
        const facts = fs.lstatSync(path, { throwIfNoEntry: false })
        return facts?.isFile() === true ? fs.readFileSync(path, "utf8").slice(0, limit) : null
      })
    )
  })
)
