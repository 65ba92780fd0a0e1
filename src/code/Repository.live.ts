// Repository.live: what freezing needs to know of the user's repository, read without running anything of it.
import { existsSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { variable } from "../platform/Environment.ts"
import { refused } from "./CodeFailed.ts"
import { locate, parts, theirs, utf8 } from "./SafeGit.live.ts"

/** How a repository names objects: by SHA-1 or by SHA-256. */
export type ObjectFormat = "sha1" | "sha256"

/** Where the parts of a repository are, and the settings that decide how its files look. */
export interface Repository {
  /** The root of the worktree. */
  readonly top: string
  /** The git directory of this worktree, and the directory that it shares with other worktrees of the repository. */
  readonly gitDirectory: string
  readonly common: string
  readonly format: ObjectFormat
  readonly objects: string
  readonly index: string
  /** The commit of HEAD, null before the first one; and the full name of its branch, null if HEAD is detached. */
  readonly head: string | null
  readonly on: string | null
  /** `core.autocrlf` and so on, by their lower-case names without `core.`. */
  readonly settings: ReadonlyMap<string, string>
  /** The files of a person's own ignore rules and attributes; they need not exist. */
  readonly excludes: string
  readonly attributes: string
  /** Whether it is a partial clone, which lacks objects until git fetches them. */
  readonly isPartial: boolean
}

/** Whether the file system ignores case in names, as git found when it made the repository. */
export const foldsCase = ({ settings }: Pick<Repository, "settings">): boolean => settings.get("ignorecase") === "true"

/** The bytes of a plain file as one character each; "" if it is missing or cannot be read. Waits for no FIFO. */
export const plainText = (path: string | Buffer): string => {
  try {
    return statSync(path).isFile() ? readFileSync(path, "latin1") : ""
  } catch {
    return ""
  }
}

const asked =
  "^(core\\.(autocrlf|eol|filemode|symlinks|ignorecase|excludesfile|attributesfile)|remote\\..*\\.promisor)$"

/** A file of a person's own settings: one that a setting names, or one at git's usual place. */
const personal = Effect.fnUntraced(function*(
  gitDirectory: string,
  top: string,
  settings: ReadonlyMap<string, string>,
  setting: string,
  usual: string
) {
  if (settings.has(setting)) {
    const named = yield* theirs(gitDirectory, ["config", "--type=path", "--get", `core.${setting}`], { accept: [0, 1] })
    return resolve(top, Buffer.from(named.out.replace(/\n$/, ""), "latin1").toString())
  }
  const home = yield* variable("HOME")
  const configuration = (yield* variable("XDG_CONFIG_HOME")) ?? (home === null ? "/" : join(home, ".config"))
  return join(configuration, "git", usual)
})

const others = [["--path-format=absolute", "--git-common-dir"], ["--git-path", "objects"], ["--git-path", "index"]]

/** The root of the worktree around a directory, its git directory, and whatever other paths are asked for. */
const pathsAt = Effect.fnUntraced(function*(cwd: string, more: ReadonlyArray<ReadonlyArray<string>>) {
  // Node cannot name a directory that is not valid UTF-8.
  if (cwd.includes("\ufffd") && !existsSync(cwd)) {
    return yield* refused(`the path of this directory is not valid UTF-8: ${cwd} [work at a path that is]`)
  }
  // A path may hold line breaks, so the object format is printed between two paths, as a separator.
  const asked = [["--show-toplevel"], ["--absolute-git-dir"], ...more]
  const { out } = yield* locate(cwd, asked.flatMap((args, i) => i === 0 ? args : ["--show-object-format", ...args]))
  const format: ObjectFormat = /\n(sha1|sha256)\n/.exec(out)?.[1] === "sha256" ? "sha256" : "sha1"
  const paths = out.replace(/\n$/, "").split(`\n${format}\n`).map(utf8)
  if (paths.length === asked.length) return { format, paths }
  return yield* refused(`git gives no paths that can be used of the repository around ${cwd}`)
})

/** The root of the worktree around a directory, and its git directory. */
export const worktreeAt = Effect.fn("Repository.worktreeAt")(function*(cwd: string) {
  const { paths: [top = "", gitDirectory = ""] } = yield* pathsAt(cwd, [])
  return { top, gitDirectory }
})

/** The commit of HEAD and the full name of its branch, or null for each. */
const headOf = Effect.fnUntraced(function*(gitDirectory: string) {
  const both = yield* theirs(gitDirectory, ["rev-parse", "--quiet", "HEAD", "--symbolic-full-name", "HEAD"], {
    accept: [0, 128]
  })
  const [id = "", name = ""] = both.out.trim().split("\n")
  if (both.code === 0 && /^[0-9a-f]{40,64}$/.test(id) && name !== "") {
    return { head: id, on: name === "HEAD" ? null : utf8(name) }
  }
  // Before the first commit git answers only one question at a time.
  const head = yield* theirs(gitDirectory, ["rev-parse", "--verify", "--quiet", "HEAD"], { accept: [0, 1] })
  const on = yield* theirs(gitDirectory, ["symbolic-ref", "--quiet", "HEAD"], { accept: [0, 1] })
  return { head: head.out.trim() || null, on: utf8(on.out.trim()) || null }
})

/** The repository around a directory. Fails with CodeFailed if git finds or can read none. */
export const repositoryAt = Effect.fn("Repository.repositoryAt")(function*(cwd: string) {
  const { format, paths } = yield* pathsAt(cwd, others)
  const [top = "", gitDirectory = "", common = "", objects = "", index = ""] = paths
  const listed = yield* theirs(gitDirectory, ["config", "-z", "--get-regexp", asked], { accept: [0, 1] })
  const settings = new Map(
    parts(listed.out).map((entry) => {
      const end = entry.indexOf("\n")
      // A setting without a value is true.
      return end < 0
        ? [entry.replace(/^core\./, ""), "true"] as const
        : [entry.slice(0, end).replace(/^core\./, ""), entry.slice(end + 1)] as const
    })
  )
  const { head, on } = yield* headOf(gitDirectory)
  return {
    top,
    gitDirectory,
    common,
    format,
    objects,
    index,
    head,
    on,
    settings,
    excludes: yield* personal(gitDirectory, top, settings, "excludesfile", "ignore"),
    attributes: yield* personal(gitDirectory, top, settings, "attributesfile", "attributes"),
    isPartial: [...settings].some(([name, value]) => name.endsWith(".promisor") && value === "true")
  } satisfies Repository
})
