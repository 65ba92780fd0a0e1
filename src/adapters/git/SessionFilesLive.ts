// SessionFilesLive: the changed files, the plans and the transcript of a session on this machine.
// A plan is read only where its resolved path lies directly in the resolved folder of plans.
import * as fs from "node:fs"
import { basename, dirname, isAbsolute, join, relative } from "node:path"
import { Effect, Layer } from "effect"
import { cut } from "../../core/text/Untrusted.ts"
import { variable } from "../../services/Environment.ts"
import { type PlanRef, SessionFiles } from "../../services/SessionFiles.ts"
import { git } from "./Command.ts"

const most = { plan: 1024 * 1024, untracked: 64 * 1024 } as const

const quietly = <A>(run: () => A, otherwise: A): Effect.Effect<A> =>
  Effect.orElseSucceed(Effect.try(run), () => otherwise)

/** The text of a regular file of at most so many bytes; null for everything else. */
const fileText = (path: string, bytes: number): string | null => {
  const facts = fs.lstatSync(path, { throwIfNoEntry: false })
  return facts?.isFile() === true && facts.size <= bytes ? fs.readFileSync(path, "utf8") : null
}

const plansIn = (folder: string): ReadonlyArray<{ readonly path: string; readonly at: number }> =>
  fs.readdirSync(folder).filter((name) => /^[^.].*\.md$/.test(name)).map((name) => join(folder, name))
    .map((path) => ({ path, at: fs.statSync(path).mtimeMs }))

const planText = (home: string, named: string | null, since: number): string | null => {
  const folder = fs.realpathSync(join(home, ".claude", "plans"))
  const newest = () => plansIn(folder).filter(({ at }) => at >= since).sort((a, b) => b.at - a.at)[0]?.path ?? null
  const path = named ?? newest()
  if (path === null) return null
  const real = fs.realpathSync(path)
  return dirname(real) === folder && basename(real).endsWith(".md") ? fileText(real, most.plan) : null
}

/** New files have no diff: they are told whole. */
const untrackedText = (cwd: string, paths: ReadonlyArray<string>): string =>
  paths.map((path) => {
    const text = fileText(isAbsolute(path) ? path : join(cwd, path), most.untracked)
    return text === null ? "" : `new file ${path}\n${text}\n`
  }).join("")

/** The files of this machine. */
export const layer: Layer.Layer<SessionFiles> = Layer.succeed(SessionFiles, {
  changes: Effect.fn("SessionFiles.changes")(function*(cwd: string, paths: ReadonlyArray<string>, limit: number) {
    if (paths.length === 0) return ""
    const inside = paths.map((path) => isAbsolute(path) ? relative(cwd, path) : path)
    const diff = yield* git(cwd, [
      "--literal-pathspecs",
      "diff",
      "HEAD",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
      "--",
      ...inside
    ])
    const others = yield* git(cwd, [
      "--literal-pathspecs",
      "ls-files",
      "--others",
      "--exclude-standard",
      "-z",
      "--",
      ...inside
    ])
    const untracked = others.stdout.split("\0").filter((path) => path !== "")
    return cut(diff.stdout + (yield* quietly(() => untrackedText(cwd, untracked), "")), limit)
  }),
  plan: Effect.fn("SessionFiles.plan")(function*({ path, since }: PlanRef) {
    const home = yield* variable("HOME")
    return home === null ? null : yield* quietly(() => planText(home, path, since), null)
  }),
  transcript: ({ path }, limit) =>
    quietly(() => {
      // Whoever opens a pipe waits for its writer.
      if (!fs.statSync(path).isFile()) return ""
      const fd = fs.openSync(path, "r")
      try {
        const { size } = fs.fstatSync(fd)
        const bytes = Buffer.alloc(Math.min(size, limit))
        fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length)
        return bytes.toString("utf8")
      } finally {
        fs.closeSync(fd)
      }
    }, "")
})
