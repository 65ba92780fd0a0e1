// StateRoot: the directory of a store: its place, whether it can be trusted, and how it stays out of reviews.
// A directory into which others could have put files is not read, unless the user trusts it.
import * as fs from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { Effect, Option } from "effect"
import type { TargetRef } from "../log/Refs.ts"
import { variable } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import { makeDirectories } from "../platform/Files.ts"
import { hasCode } from "../platform/SystemError.ts"
import { trackedRoot } from "../platform/Tracked.ts"
import { directoriesTo } from "./Layout.live.ts"
import { repositoryDirectory, targetDirectory } from "../log/LogFile.live.ts"
import { StoreFailed, type StoreReason, TrustStateRoot } from "./RunStore.ts"
import { attempt } from "./SmallFile.live.ts"

/** The stat of a path, links followed; undefined if nothing is there. */
export const factsOf = (path: string): fs.Stats | undefined => {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return undefined
    throw error
  }
}

/** Why a directory cannot be trusted, or null. A missing one can be. */
const distrust = (path: string): StoreReason | null => {
  const facts = factsOf(path)
  if (facts === undefined) return null
  if (facts.uid !== process.getuid?.()) return { _tag: "OfAnotherUser" }
  return (facts.mode & 0o022) === 0 ? null : { _tag: "OpenToOthers" }
}

/** Fails for the first of some directories that somebody else owns or can write to. */
export const checkOwn = Effect.fn("RunStore.checkOwn")(function*(paths: Iterable<string>) {
  if (yield* TrustStateRoot) return
  for (const path of paths) {
    const reason = yield* attempt(path, () => distrust(path))
    if (reason !== null) return yield* new StoreFailed({ path, reason })
  }
})

/** The real path of a path that need not exist yet. */
export const real = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}

const isLink = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** Why a path cannot be a state root, as far as its name and kind show, or null. `paths` are its names. */
const unfit = (paths: ReadonlyArray<string>, isDefault: boolean): StoreReason | null => {
  for (const path of paths) {
    if (basename(path) === ".ooda") return { _tag: "RootReserved" }
    // The default root lies in a shared directory, where anybody could have made the link.
    if (isDefault && isLink(path)) return { _tag: "RootIsLink" }
    if (factsOf(path)?.isDirectory() === false) return { _tag: "RootIsNoDirectory" }
  }
  return null
}

/** Why a directory cannot be a state root, whoever owns it, or null. */
const refusal = Effect.fnUntraced(function*(root: string, cwd: string, isDefault: boolean) {
  const paths = [...new Set([root, real(root)])]
  const reason = yield* attempt(root, () => unfit(paths, isDefault))
  if (reason !== null) return reason
  for (const path of paths) {
    const reason = yield* trackedRoot(path, real(cwd))
    if (reason !== null) return reason
  }
  return null
})

const checked = Effect.fnUntraced(function*(root: string, cwd: string, isShared: boolean) {
  const reason = yield* refusal(root, cwd, isShared)
  if (reason !== null) return yield* new StoreFailed({ path: root, reason })
  yield* checkOwn([root])
  return root
})

const namedRoot = (configured: string | null) =>
  configured === null ? variable("OODA_STATE_ROOT") : Effect.succeed(configured)

/** The state root to use: `configured`, else OODA_STATE_ROOT, else the contract's; always checked. */
export const open = Effect.fn("RunStore.open")(function*(configured: string | null, cwd: string) {
  const named = yield* namedRoot(configured)
  const root = resolve(cwd, named ?? join((yield* variable("TMPDIR")) ?? "/tmp", "ooda-codex-review"))
  return yield* checked(root, cwd, named === null)
})

/** A name in the user's own directory for state, which survives a reboot; null if the user has none. */
export const ownPlace = Effect.fnUntraced(function*(name: string) {
  const state = yield* variable("XDG_STATE_HOME")
  // A relative path counts as unset, by the rules of that variable.
  if (state?.startsWith("/") === true) return join(state, name)
  const home = yield* variable("HOME")
  return home?.startsWith("/") === true ? join(home, ".local/state", name) : null
})

/** The state roots to search, the preferred one first; `making`: the user's own may still be created. */
export const roots = Effect.fn("RunStore.roots")(function*(configured: string | null, cwd: string, making: boolean) {
  if ((yield* namedRoot(configured)) !== null) return [yield* open(configured, cwd)]
  const own = yield* ownPlace("ooda-codex-review")
  const there = own !== null && (making || (yield* attempt(own, () => factsOf(own) !== undefined)))
  if (!there) return [yield* open(null, cwd)]
  const first = yield* checked(own, cwd, false)
  // The other root lies in a shared directory: if somebody else has taken its name, the user's own is enough.
  const second = yield* Effect.option(Effect.tapError(open(null, cwd), recovered("that state root is passed over")))
  return [first, ...Option.toArray(second)]
})

/** Whether git now ignores everything in a directory: a directory with the user's own rules keeps them. */
export const ignoreEverything = (directory: string): boolean => {
  const rules = join(directory, ".gitignore")
  try {
    fs.writeFileSync(rules, "*\n", { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
    // Opening a pipe would wait for its writer.
    return fs.lstatSync(rules).isFile() && fs.readFileSync(rules, "utf8").trim() === "*"
  }
}

/**
 * Keeps a root inside the worktree out of reviews. A directory that also holds the user's files is never ignored as a
 * whole, since untracked code in it would vanish from the review: only our files in it are.
 */
export const hide = (target: Pick<TargetRef, "root" | "repoId">, worktree: string): void => {
  const { root } = target
  const [inside, top] = [real(root), real(worktree)]
  if (inside !== top && !inside.startsWith(top + sep)) return
  const ours = (name: string) => name === ".gitignore" || /-(noremote|[0-9a-f]{12})$/.test(name)
  if (inside === top || !fs.readdirSync(root).every(ours) || !ignoreEverything(root)) {
    ignoreEverything(repositoryDirectory(target))
  }
}

/** Makes a target's directory, and hides the root from reviews of a worktree that contains it. */
export const prepare = Effect.fn("RunStore.prepare")((target: TargetRef, worktree: string) =>
  attempt(targetDirectory(target), () => {
    makeDirectories(targetDirectory(target))
    hide(target, worktree)
  }).pipe(Effect.andThen(checkOwn(directoriesTo(target))))
)
