// SessionFiles.live: a session's files on this machine.
import * as fs from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { cutSafely, partsOf } from "../text/redaction/Redaction.ts"
import { variable } from "../platform/Environment.ts"
import { sliceOf } from "../platform/Files.ts"
import { sha256 } from "../platform/Sha256.ts"
import { type PlanRef, SessionFiles, type TranscriptRef } from "./Sessions.ts"
import { isApart, uncommittedOf } from "../code/Uncommitted.live.ts"

// The changed files, the plans and the transcript of a session on this machine.
// A plan is read only if its resolved path lies directly in the resolved folder of plans.

// How many times the wanted number of characters is read if a line is longer.
const wider = 16

const most = { plan: 1024 * 1024, digest: 16 * 1024 * 1024, untracked: 64 * 1024 } as const

const quietly = <A>(run: () => A, otherwise: A): Effect.Effect<A> =>
  Effect.orElseSucceed(Effect.try(run), () => otherwise)

/** The text of a regular file of at most so many bytes; null for anything else. */
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

/** A file by its repository, links resolved. `isHidden`: a `.git` above it does not count. */
interface Placed {
  readonly root: string
  readonly path: string
  readonly isHidden: boolean
}

const hasGit = (folder: string): boolean => fs.existsSync(join(folder, ".git"))

/** The nearest folder, at or above a real one, that holds `.git`; null without one. */
const repositoryAbove = (folder: string): string | null =>
  hasGit(folder) ? folder : dirname(folder) === folder ? null : repositoryAbove(dirname(folder))

/** The real folder of a file that may be gone with its folder, and the rest of its path. */
const resolved = (whole: string): readonly [folder: string, rest: string] => {
  let [folder, rest] = [dirname(whole), basename(whole)]
  while (!fs.existsSync(folder)) [folder, rest] = [dirname(folder), join(basename(folder), rest)]
  return [fs.realpathSync(folder), rest]
}

/**
 * Whether a repository counts, so that its files are compared with its own HEAD: outside of the session's worktree, or
 * apart from it. A session could plant any other one to hide its edits.
 */
const counts = (session: string, root: string) =>
  root.startsWith(`${session}/`)
    ? Effect.orElseSucceed(isApart(session, relative(session, root)), () => false)
    : Effect.succeed(true)

/** The files of each repository: git gives no answer for any path if one is outside. */
const byRepository = Effect.fnUntraced(function*(cwd: string, paths: ReadonlyArray<string>) {
  const session = yield* quietly(() => repositoryAbove(resolved(join(resolve(cwd), "-"))[0]), null)
  const known = new Map<string, boolean>()
  const found = new Map<string, ReadonlyArray<Placed>>()
  for (const whole of paths) {
    const [folder, rest] = yield* quietly(() => resolved(resolve(cwd, whole)), ["/", ""] as const)
    let root = repositoryAbove(folder)
    let isHidden = false
    while (root !== null) {
      const isOne = known.get(root) ?? (session === null || (yield* counts(session, root)))
      known.set(root, isOne)
      if (isOne) break
      isHidden = true
      root = repositoryAbove(dirname(root))
    }
    if (root === null) continue
    const place = { root, path: join(relative(root, folder), rest), isHidden }
    found.set(root, [...found.get(root) ?? [], place])
  }
  return found
})

/** New files have no diff: their whole text is given. */
const untrackedText = (root: string, paths: ReadonlyArray<string>): string =>
  paths.map((path) => {
    const text = fileText(join(root, path), most.untracked)
    return `new file ${path}${text === null ? ", which is too large or no text" : `\n${text}`}\n`
  }).join("")

/** The uncommitted changes of files of a repository; the whole text of files about which git says nothing. */
const changed = Effect.fnUntraced(function*(root: string, files: ReadonlyArray<Placed>) {
  const paths = files.map(({ path }) => path)
  const hidden = files.filter(({ isHidden }) => isHidden).map(({ path }) => path)
  const { diff, untracked } = yield* Effect.orElseSucceed(
    uncommittedOf(root, paths, hidden),
    () => ({ diff: "", untracked: paths })
  )
  return diff + (yield* quietly(() => untrackedText(root, untracked), ""))
})

export const layer: Layer.Layer<SessionFiles> = Layer.succeed(
  SessionFiles,
  SessionFiles.of({
    repositories: Effect.fn("SessionFiles.repositories")((cwd: string, paths: ReadonlyArray<string>) =>
      Effect.map(byRepository(cwd, paths), (found) => [...found.keys()])
    ),
    changes: Effect.fn("SessionFiles.changes")(function*(cwd: string, paths: ReadonlyArray<string>, limit: number) {
      const places = [...yield* byRepository(cwd, paths)]
      const texts = yield* Effect.forEach(
        places,
        ([root, inside]) =>
          Effect.map(changed(root, inside), (text) => places.length > 1 && text !== "" ? `in ${root}:\n${text}` : text)
      )
      return cutSafely(texts.join(""), limit)
    }),
    digest: Effect.fn("SessionFiles.digest")((cwd: string, path: string) =>
      quietly(() => {
        const text = fileText(resolve(cwd, path), most.digest)
        return text === null ? "" : sha256(text)
      }, "")
    ),
    plan: Effect.fn("SessionFiles.plan")(function*({ path, since }: PlanRef) {
      const home = yield* variable("HOME")
      return home === null ? null : yield* quietly(() => planText(home, path, since), null)
    }),
    transcript: Effect.fn("SessionFiles.transcript")(({ path }: TranscriptRef, limit: number) =>
      quietly(() => {
        // Opening a pipe would wait for its writer.
        if (!fs.statSync(path).isFile()) return ""
        const fd = fs.openSync(path, "r")
        try {
          const { size } = fs.fstatSync(fd)
          const last = (most: number) => {
            const length = Math.min(size, most)
            return sliceOf(fd, size - length, length).toString()
          }
          const text = last(limit)
          if (size <= limit) return text
          // The first line is dropped if its beginning was cut off: a secret cannot be recognised by its end.
          const whole = text.slice(text.indexOf("\n") + 1)
          if (whole.trim() !== "" && whole !== text) return whole
          // The last line alone is too long: it is cut where that is safe.
          return partsOf(last(wider * limit), limit)?.tail ?? ""
        } finally {
          fs.closeSync(fd)
        }
      }, "")
    )
  })
)
