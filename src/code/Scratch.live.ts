// Scratch: an index and an object directory of our own beside a worktree, for questions that git answers by writing.
// Nothing is written in `.git`, and nothing is left when the scope ends.
import { copyFileSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join, resolve, sep } from "node:path"
import { Effect } from "effect"
import { variable } from "../platform/Environment.ts"
import { whyNot } from "../platform/Exec.ts"
import { removeTree } from "../platform/Files.ts"
import { git } from "../platform/GitCommand.ts"
import { isFull, systemRefused } from "../platform/SystemError.ts"
import { systemFaultText } from "../platform/SystemFault.ts"
import { makeScratch, removeScratch } from "../run/Copies.live.ts"
import { Scratchpad } from "./Scratchpad.ts"

/** A copy of a worktree's index, and the variables under which git works on it instead of the real one. */
export interface Scratch {
  readonly dir: string
  /** The real index. */
  readonly index: string
  /** The directory of the worktree's own HEAD. */
  readonly headDirectory: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Copies the index for the file states cached in it. The copy gets an older time, so that git looks again at fresh
 * files.
 */
const borrowIndex = (from: string, to: string): void => {
  try {
    const { mtimeMs } = statSync(from)
    copyFileSync(from, to)
    utimesSync(to, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000))
  } catch {
    // A repository without an index yet starts from an empty one.
  }
}

/** The paths of a repository's own files, by the names that `git rev-parse --git-path` takes; fails with why not. */
export const gitPaths = (
  root: string,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.gen(function*() {
    const asked = yield* git(root, ["rev-parse", ...names.flatMap((name) => ["--git-path", name])])
    if (asked.code !== 0) return yield* Effect.fail(whyNot("git", asked))
    const answer = asked.stdout.replace(/\n$/, "")
    if (names.length === 1) return [resolve(root, answer)]
    const paths = answer.split("\n")
    // Only a path that holds a line break gives more lines than names: then each name is asked for by itself.
    return paths.length === names.length
      ? paths.map((path) => resolve(root, path))
      : (yield* Effect.forEach(names, (name) => gitPaths(root, [name]))).flat()
  })

/**
 * Where git looks for objects besides our own directory, as its variable and its file want it. A colon separates, so a
 * path that has one is quoted.
 */
export const alternates = (objects: string, inherited: string | null): string => {
  const quoted = objects.includes(":") ? `"${objects.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : objects
  return inherited === null ? quoted : `${quoted}:${inherited}`
}

/**
 * A new directory outside the worktree, or it would be a part of what it is made for. `temporary` (TMPDIR) may be
 * missing, or lie within: then the system's own places must do. Throws what the system throws.
 */
const directoryBeside = (root: string, temporary: string | null): string => {
  const top = realpathSync(root)
  let problem: unknown = new Error("every temporary directory lies inside the worktree")
  for (const place of [temporary ?? "/tmp", "/tmp", "/var/tmp"]) {
    try {
      const real = realpathSync(resolve(root, place))
      if (real !== top && !real.startsWith(top.endsWith(sep) ? top : top + sep)) {
        return mkdtempSync(join(real, "ooda-identity-"))
      }
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

/** Makes the scratch of a worktree in an existing directory, with its objects in `objects`. Fails with why not. */
export const scratchIn = Effect.fnUntraced(function*(root: string, dir: string, objects: string) {
  const [real = "", index = "", head = ""] = yield* gitPaths(root, ["objects", "index", "HEAD"])
  const inherited = yield* variable("GIT_ALTERNATE_OBJECT_DIRECTORIES")
  borrowIndex(index, join(dir, "index"))
  return {
    dir,
    index,
    headDirectory: dirname(head),
    env: {
      GIT_INDEX_FILE: join(dir, "index"),
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(real, inherited)
    }
  } satisfies Scratch
})

const probeBytes = 256 * 1024

/** Throws what the system throws where a directory has no room left. */
export const probeRoom = (dir: string): void => {
  const probe = join(dir, "probe")
  try {
    writeFileSync(probe, Buffer.alloc(probeBytes))
  } finally {
    rmSync(probe, { force: true })
  }
}

/**
 * Fails where a scratch has no room left: what git could not tell in it then says nothing about the code, and must not
 * pass for another state of it.
 */
export const roomIn = Effect.fnUntraced(function*({ dir }: Scratch) {
  yield* Effect.try({
    try: () => probeRoom(dir),
    catch: (error) => {
      const place = dirname(dir)
      if (isFull(error)) return `there is no space in ${place} to read the code in`
      return `the code cannot be read in ${place}: ${systemFaultText(systemRefused(error))}`
    }
  })
})

/**
 * A scratch in a directory of its own until the scope ends: in the open store, where the next invocation finds what is
 * left if this one is killed. Fails with one line why not.
 */
export const scratchOf = Effect.fnUntraced(function*(root: string) {
  const temporary = yield* variable("TMPDIR")
  const target = yield* Scratchpad
  const make = () => target === null ? directoryBeside(root, temporary) : makeScratch(target)
  const dir = yield* Effect.acquireRelease(
    Effect.try({ try: make, catch: (e) => String(e) }),
    // A directory that cannot be removed now is found by the next invocation.
    (dir) => Effect.ignore(Effect.try(() => target === null ? removeTree(dir) : removeScratch(dir)))
  )
  return yield* scratchIn(root, dir, dir)
})
