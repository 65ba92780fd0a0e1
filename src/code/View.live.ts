// View: what decides how git shows code to a reviewer, beside the code itself: settings, attributes, replaced objects.
// Each of these can hide code while it is reviewed and show it afterwards.
import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { variable } from "../platform/Environment.ts"
import { whyNot } from "../platform/Exec.ts"
import { git, ownSettings } from "../platform/GitCommand.ts"
import { placeOf } from "./Index.live.ts"
import { factsOf, sharedOf, tablesOf } from "./Changes.live.ts"
import { gitPaths } from "./Scratch.live.ts"

/** A view of a worktree: what is set, and marks that change with every write of what sets it, undone or not. */
export interface View {
  readonly view: string
  readonly viewMoved: string
}

/** What git and the environment say of a view. */
interface Told {
  /** Settings, variables and replaced objects, a text each. */
  readonly texts: ReadonlyArray<string>
  /** The files of settings, and of patterns that git ignores. */
  readonly settings: ReadonlyArray<string>
  /** The files of attributes outside of the worktree. */
  readonly attributes: ReadonlyArray<string>
  /** The directory where replaced objects are named, below that of all refs. */
  readonly replaced: string
}

// Code looks the same whatever these settings say: where code comes from and goes to, who writes it, when git tidies
// up, and which files it checks out.
const silent = new RegExp(
  "^((author|branch|committer|credential|fetch|gc|http|maintenance|pull|push|remote|safe|url|user)\\." +
    "|(core\\.(sparsecheckout|repositoryformatversion)|extensions\\.worktreeconfig|index\\.sparse))"
)

const own = new Set(ownSettings.map((one) => one.replace(/^(.*?)=/, (_, name: string) => `${name.toLowerCase()}\n`)))

const variables = [
  "GIT_ATTR_NOSYSTEM",
  "GIT_ATTR_SOURCE",
  "GIT_DIFF_OPTS",
  "GIT_EXTERNAL_DIFF",
  "GIT_GRAFT_FILE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_REPLACE_REF_BASE",
  "GIT_GLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
  "GIT_LITERAL_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS"
]

/** A git command's answer; fails with one line why there is none. */
const answer = Effect.fnUntraced(function*(root: string, args: ReadonlyArray<string>) {
  const done = yield* git(root, args, {}, { encoding: "latin1" })
  return done.code === 0 ? done.stdout : yield* Effect.fail(whyNot("git", done))
})

/** The file that a setting names, which git may have to find; without the setting, the one it takes by itself. */
const fileOf = Effect.fnUntraced(function*(root: string, key: string, entries: ReadonlyArray<string>, usual: string) {
  if (entries.some((entry) => entry.startsWith(`${key}\n`))) {
    const named = yield* git(root, ["config", "--type=path", "--get", key])
    return [resolve(root, named.stdout.replace(/\n$/, ""))]
  }
  return yield* personal(usual)
})

/** A person's own file of git's, where there is a home for it. */
const personal = Effect.fnUntraced(function*(name: string) {
  const home = yield* variable("HOME")
  const configuration = (yield* variable("XDG_CONFIG_HOME")) ?? (home === null ? null : join(home, ".config"))
  return configuration === null ? [] : [join(configuration, "git", name)]
})

const fileIn = (origin: string): string => Buffer.from(origin.slice("file:".length), "latin1").toString("utf8")

/**
 * The files of settings that git would read: those it has read settings in, and those that have none just now, which it
 * does not name. `parts` are origins and settings in turn.
 */
const settingsOf = Effect.fnUntraced(function*(root: string, parts: ReadonlyArray<string>) {
  const home = yield* variable("HOME")
  const own = (yield* variable("GIT_CONFIG_GLOBAL")) ?? (home === null ? null : join(home, ".gitconfig"))
  const system = (yield* variable("GIT_CONFIG_SYSTEM")) ?? "/etc/gitconfig"
  const named = parts.flatMap((origin, i) => {
    if (i % 2 === 1 || !origin.startsWith("file:")) return []
    const file = resolve(root, fileIn(origin))
    const [, path] = /^include(?:if\..*)?\.path\n(.+)$/s.exec(parts[i + 1] ?? "") ?? []
    if (path === undefined) return [file]
    const included = Buffer.from(path, "latin1").toString("utf8").replace(/^~(?=\/)/, () => home ?? "~")
    return [file, resolve(dirname(file), included)]
  })
  return [...new Set([...named, system, ...(own === null ? [] : [own]), ...(yield* personal("config"))])]
})

/** Asks git and the environment what a view is made of; fails with one line why it cannot be told. */
export const askView = Effect.fnUntraced(function*(root: string) {
  const replaced = (yield* variable("GIT_REPLACE_REF_BASE")) ?? "refs/replace/"
  const [listed, objects] = yield* Effect.all([
    answer(root, ["config", "--list", "--show-origin", "-z"]),
    answer(root, ["for-each-ref", "--format=%(refname) %(objectname)", replaced])
  ], { concurrency: "unbounded" })
  const parts = listed.split("\0")
  const entries = parts.filter((entry, i) => i % 2 === 1 && !own.has(entry))
  const set = yield* Effect.forEach(
    variables,
    (name) => Effect.map(variable(name), (value) => `${name}=${value ?? ""}`)
  )
  const attributes = yield* fileOf(root, "core.attributesfile", entries, "attributes")
  const ignored = yield* fileOf(root, "core.excludesfile", entries, "ignore")
  return {
    texts: [...entries.filter((entry) => !silent.test(entry)), ...set, objects],
    settings: [...yield* settingsOf(root, parts), ...ignored],
    attributes: ["/etc/gitattributes", ...attributes],
    replaced
  } satisfies Told
})

/** What a file holds; null where there is none. Nobody waits for what is no plain file. */
const textOf = (path: string | Buffer): string | null => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "latin1") : null
  } catch {
    return "unreadable"
  }
}

/** The digest of some texts, in which none can pass for a part of another. */
const digestOf = (texts: ReadonlyArray<string>): string =>
  createHash("sha256").update(texts.map((text) => `${text.length}:${text}`).join("")).digest("hex")

/**
 * The view of the worktree at `root`. `directories` are those in which attributes count, which git may ignore and so
 * leave out of its trees; `gitDirectory` is the one of the worktree.
 */
export const viewOf = (
  { attributes, replaced, settings, texts }: Told,
  root: string,
  gitDirectory: string,
  directories: Iterable<string>
): View => {
  const shared = sharedOf(gitDirectory)
  const named = (file: string) => [...directories].map((name) => placeOf(root, name === "" ? file : `${name}/${file}`))
  const info = join(shared, "info")
  const files = [
    ...attributes,
    join(info, "attributes"),
    join(info, "grafts"),
    join(root, ".gitmodules"),
    ...named(".gitattributes")
  ]
  const held = files.flatMap((path) => {
    const text = textOf(path)
    return text === null ? [] : [{ path, text }]
  })
  // Git may ignore a file of patterns too, so that it is in none of its trees.
  const patterns = [join(info, "exclude"), ...named(".gitignore")]
  const own = [join(shared, "config"), join(gitDirectory, "config.worktree")]
  const written = [...settings, ...own, info, ...patterns, join(shared, replaced), ...held.map(({ path }) => path)]
  return {
    view: digestOf([...texts, ...held.flatMap(({ path, text }) => [`${path}`, text])]),
    viewMoved: digestOf([...written.map(factsOf), tablesOf(shared)])
  }
}

/** The view of a commit, whose files need not be in the worktree; fails with one line why it cannot be told. */
export const viewOfCommit = Effect.fnUntraced(function*(root: string, commit: string) {
  const [told, listed, paths] = yield* Effect.all([
    askView(root),
    answer(root, ["ls-tree", "-r", "-d", "-z", "--full-tree", "--name-only", commit]),
    gitPaths(root, ["HEAD"])
  ], { concurrency: "unbounded" })
  return viewOf(told, root, dirname(paths[0] ?? ""), ["", ...listed.split("\0").slice(0, -1)])
})
