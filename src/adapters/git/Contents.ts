// Contents: a digest of the files of a worktree, used where git cannot make a tree of them.
// Every file that git would add is read as it is, without filters. Names and modes count too.
import { createHash } from "node:crypto"
import { type BigIntStats, createReadStream, promises } from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import { whyNot } from "../process/Exec.ts"
import { commitId, git } from "./Command.ts"
import { directoriesIn } from "./Index.ts"
import { directoryStamps } from "./Stamps.ts"

const digestOf = async (path: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash("sha256")
  for await (const part of createReadStream(path, { signal })) hash.update(part)
  return hash.digest("hex")
}

/** The digest of files, and a mark that changes with every write of one, also where the write was undone. */
export interface Contents {
  readonly digest: string
  readonly stamps: string
}

// These functions use `promises`, which node makes when it is first asked for: few calls need it.
const textOf = async (path: string, facts: BigIntStats, signal: AbortSignal): Promise<string | null> => {
  if (facts.isDirectory()) return null
  if (facts.isSymbolicLink()) return `link ${await promises.readlink(path)}`
  if (!facts.isFile()) return "special"
  return `${(facts.mode & 0o100n) === 0n ? "file" : "program"} ${await digestOf(path, signal)}`
}

/** One path. For a file that cannot be read the error stands in the digest: it is the same each time. */
const entry = (path: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const facts = await promises.lstat(path, { bigint: true })
      const text = await textOf(path, facts, signal)
      return { text, stamp: text === null ? "" : `${facts.ino} ${facts.mtimeNs} ${facts.ctimeNs}` }
    },
    catch: (error) => error instanceof Error && "code" in error ? String(error.code) : "unreadable"
  }).pipe(Effect.catch((code) => Effect.succeed({ text: `none ${code}`, stamp: "" })))

const digestOfAll = Effect.fnUntraced(function*(root: string, names: ReadonlyArray<string>) {
  const [hash, stamps] = [createHash("sha256"), createHash("sha256")]
  for (const name of [...new Set(names)].sort()) {
    const path = join(root, name)
    const { stamp, text } = yield* entry(path)
    hash.update(`${name}\0${text ?? `repository ${yield* commitId(path, "HEAD")}`}\0`)
    stamps.update(`${name}\0${stamp}\0`)
  }
  const listed = { text: names.map((name) => `\t${Buffer.from(name).toString("latin1")}\0`).join("") }
  stamps.update(directoryStamps(root, directoriesIn(listed)))
  return { digest: `contents-${hash.digest("hex")}`, stamps: stamps.digest("hex") } satisfies Contents
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
    try: () => promises.readdir(root, { recursive: true, withFileTypes: true }),
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
  const names = all.filter((one) => !one.isDirectory()).map((one) => relative(root, join(one.parentPath, one.name)))
  return yield* digestOfAll(root, names.filter((name) => name !== ".git" && !name.startsWith(`.git${sep}`)))
})
