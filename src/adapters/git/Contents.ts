// Contents: a digest of the files of a worktree, used where git cannot make a tree of them.
// Every file that git would add is read as it is, without filters. Names and modes count too.
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { lstat, readdir, readlink } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import { whyNot } from "../process/Exec.ts"
import { commitId, git } from "./Command.ts"

const digestOf = async (path: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash("sha256")
  for await (const part of createReadStream(path, { signal })) hash.update(part)
  return hash.digest("hex")
}

/** One path. For a file that cannot be read the error stands in the digest: it is the same each time. */
const entry = (path: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const facts = await lstat(path)
      if (facts.isDirectory()) return null
      if (facts.isSymbolicLink()) return `link ${await readlink(path)}`
      if (!facts.isFile()) return "special"
      return `${(facts.mode & 0o100) === 0 ? "file" : "program"} ${await digestOf(path, signal)}`
    },
    catch: (error) => error instanceof Error && "code" in error ? String(error.code) : "unreadable"
  }).pipe(Effect.catch((code) => Effect.succeed(`none ${code}`)))

const digestOfAll = Effect.fnUntraced(function*(root: string, names: ReadonlyArray<string>) {
  const hash = createHash("sha256")
  for (const name of [...new Set(names)].sort()) {
    const path = join(root, name)
    const found = (yield* entry(path)) ?? `repository ${yield* commitId(path, "HEAD")}`
    hash.update(`${name}\0${found}\0`)
  }
  return `contents-${hash.digest("hex")}`
})

/**
 * The digest of all files of a worktree, tracked or untracked, but for ignored ones; a repository in it counts by its
 * commit. Marked, so that it can never be taken for a tree of git's. Fails with one line why not.
 */
export const contentsOf = Effect.fn("Git.contents")(function*(root: string) {
  const listed = yield* git(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
  if (listed.code !== 0) return yield* Effect.fail(whyNot("git", listed))
  return yield* digestOfAll(root, listed.stdout.split("\0").filter((name) => name !== ""))
})

/** The same for a directory of which git can tell nothing, such as a submodule whose repository is gone: every file. */
export const filesOf = Effect.fn("Git.files")(function*(root: string) {
  const all = yield* Effect.tryPromise({
    try: () => readdir(root, { recursive: true, withFileTypes: true }),
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
  const names = all.filter((one) => !one.isDirectory()).map((one) => relative(root, join(one.parentPath, one.name)))
  return yield* digestOfAll(root, names.filter((name) => name !== ".git" && !name.startsWith(`.git${sep}`)))
})
