// FrozenCopy.live: the private repository that reviewers read.
import * as fs from "node:fs"
import { appendFileSync, copyFileSync, existsSync, mkdirSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, type Scope } from "effect"
import type { BatchRef } from "../run/Refs.ts"
import { Environment, withoutRepository } from "../platform/Environment.ts"
import { makeDirectories, removeTree } from "../platform/Files.ts"
import { git, gitBytes, gitOutput, tryFiles } from "../platform/GitCommand.ts"
import { isFull, systemRefused } from "../platform/SystemError.ts"
import { programFaultText } from "../platform/SystemFault.ts"
import type { Identity } from "../run/Identity.ts"
import { privateRepository } from "../run/Layout.live.ts"
import type { BranchName } from "../run/Target.ts"
import { capture, type Captured } from "./Capture.live.ts"
import { IsolationFailed, type ToIsolate } from "./Git.ts"
import { against, baseMark, baseOf, identityOf, inTime, noBase, ofCommit, refOf, seenIn } from "./Identity.live.ts"
import { changedEntries, nameOf } from "./Index.live.ts"
import { alternates, gitPaths, probeRoom, scratchIn } from "./Scratch.live.ts"

// Copies those settings of a repository that decide how its files and differences look.
// Settings that run programs, or that lead to another worktree or repository, are not copied.

// Not copied: where the working copy is, hooks, monitors and included files.
const leftAlone = [
  "core\\.(worktree|bare|hookspath|fsmonitor|untrackedcache|splitindex|repositoryformatversion)",
  "extensions\\.(worktreeconfig|objectformat)",
  "(include|includeif|branch|submodule|maintenance|gc)\\."
]
const left = new RegExp(`^(${leftAlone.join("|")})`, "i")

// A merge or pick under way, the ends of a shallow clone, and rules about files.
const files = [
  "shallow",
  "MERGE_HEAD",
  "MERGE_MSG",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "info/exclude",
  "info/attributes",
  "info/sparse-checkout"
]

/** One setting as a file of settings holds it. A key without a value means true. */
const written = (entry: string): string => {
  const end = entry.indexOf("\n")
  const [key, value] = end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)]
  const [section, name] = [key.slice(0, key.indexOf(".")), key.slice(key.lastIndexOf(".") + 1)]
  const within = key.slice(section.length + 1, -name.length - 1)
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`
  return `[${section}${within === "" ? "" : ` ${quoted(within)}`}]\n\t${name} = ${quoted(value)}\n`
}

// A person's settings for all repositories may start programs too, and those would live on after the review.
const quiet = "[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

/** Copies the settings of the repository around `root` into the private one at `into`. Fails with one line why not. */
export const copySettings = Effect.fnUntraced(function*(root: string, into: string) {
  const listed = yield* git(root, ["config", "--list", "--show-scope", "-z"])
  const parts = listed.stdout.split("\0")
  const own = parts.flatMap((scope, i) => {
    const entry = parts[i + 1]
    const ours = i % 2 === 0 && (scope === "local" || scope === "worktree") && entry !== undefined
    return ours && !left.test(entry) ? [written(entry)] : []
  })
  const paths = yield* gitPaths(root, files)
  yield* Effect.try({
    try: () => {
      appendFileSync(join(into, ".git/config"), own.join("") + quiet)
      for (const [i, from] of paths.entries()) {
        const to = join(into, ".git", files[i] ?? "")
        if (!existsSync(from)) continue
        mkdirSync(dirname(to), { recursive: true })
        copyFileSync(from, to)
      }
    },
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
})

// A private repository that shows what a worktree showed at one moment, for reviewers to read in peace.
// Whatever people do in the worktree meanwhile, nothing in the private one changes.

/** What a private repository is made with. */
export interface Isolation {
  /** The base branch of the target, which is frozen where codex would compare with it; null without one. */
  readonly branch: string | null
  /** Patterns of ignored files that are linked into it: git's globs; one without a slash fits at any depth. */
  readonly link: ReadonlyArray<string>
}

/** Whatever repository the caller's variables name: what is called here works on that of its directory. */
const inOwn = Effect.updateService(Environment, withoutRepository)

/** An empty repository beside the real one that finds its objects there. Returns where its own files lie. */
const founded = Effect.fnUntraced(function*(root: string, into: string) {
  const format = yield* gitOutput(root, ["rev-parse", "--show-object-format"])
  yield* tryFiles(() => fs.mkdirSync(into, { recursive: true, mode: 0o700 }))
  yield* inOwn(gitOutput(into, ["init", "--quiet", "--template=", `--object-format=${format}`, "."]))
  const own = join(into, ".git")
  const [objects = ""] = yield* gitPaths(root, ["objects"])
  yield* tryFiles(() => {
    for (const dir of [join(own, "objects/info"), join(own, "info"), join(own, "scratch")]) {
      fs.mkdirSync(dir, { recursive: true })
    }
    fs.writeFileSync(join(own, "objects/info/alternates"), `${alternates(objects, null)}\n`)
  })
  return own
})

/** HEAD as it is, by its branch's name where it has one; and the base branch where codex would compare with it. */
const freezeRefs = Effect.fnUntraced(function*(root: string, into: string, head: string | null, branch: string | null) {
  const name = yield* git(root, ["symbolic-ref", "--quiet", "HEAD"])
  const on = name.code === 0 ? name.stdout.trim() : null
  const base = branch === null ? null : (yield* Effect.mapError(baseOf(root, branch), programFaultText)).compared
  const ref = refOf(branch ?? "")
  // A branch that is compared with itself cannot be HEAD and the commit to compare with at once.
  const detached = on === null || (base !== null && on === ref)
  if (!detached) yield* inOwn(gitOutput(into, ["symbolic-ref", "HEAD", on]))
  if (base !== null) yield* inOwn(gitOutput(into, ["update-ref", ref, base]))
  if (head !== null) yield* inOwn(gitOutput(into, ["update-ref", ...(detached ? ["--no-deref"] : []), "HEAD", head]))
})

/** The files of the capture as working copy, and the index as it was over them. */
const layOut = Effect.fnUntraced(function*(into: string, { listed, scratch }: Captured) {
  const index = join(into, ".git/index")
  const env = { GIT_INDEX_FILE: join(scratch.dir, "index") }
  const all = ["-c", "checkout.workers=0", "checkout-index", "--all", "--force", "--index", "--quiet"]
  yield* inOwn(gitOutput(into, all, env))
  yield* tryFiles(() => fs.copyFileSync(join(scratch.dir, "index"), index))
  const staged = changedEntries(listed.after, listed.before)
  if (staged !== "") yield* inOwn(gitBytes(into, ["update-index", "-z", "--index-info"], {}, staged))
})

/** Links ignored files that reviewers may want, such as installed packages, and keeps them ignored. */
const linkIgnored = Effect.fnUntraced(function*(root: string, into: string, link: ReadonlyArray<string>) {
  if (link.length === 0) return
  const patterns = link.map((pattern) => `:(glob)${pattern.replace(/\/$/, "").includes("/") ? "" : "**/"}${pattern}`)
  const listing = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--", ...patterns]
  const found = (yield* gitOutput(root, listing)).split("\0").filter((name) => name !== "")
  yield* tryFiles(() => {
    for (const name of found.map((one) => one.replace(/\/$/, ""))) {
      fs.mkdirSync(dirname(join(into, name)), { recursive: true })
      fs.symlinkSync(join(root, name), join(into, name))
      // A rule for directories alone does not fit a link.
      fs.appendFileSync(join(into, ".git/info/exclude"), `/${name.replace(/[\\*?[\] !#]/g, "\\$&")}\n`)
    }
  })
})

const isTree = (id: string): boolean => /^[0-9a-f]+$/.test(id)

/** Copies the files of a repository that git cannot read. */
const copied = (from: string, to: string): Effect.Effect<void, string> =>
  tryFiles(() => fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true }))

/**
 * Makes a private repository of the worktree at `root` in the directory `into`, which must not exist: HEAD, index,
 * files, submodules and nested repositories as they are now. Returns what was captured. Fails with one line why not;
 * the caller then removes what was made.
 */
export const isolate = (
  root: string,
  into: string,
  isolation: Isolation
): Effect.Effect<Captured, string, Scope.Scope> =>
  Effect.gen(function*() {
    const own = yield* founded(root, into)
    const captured = yield* capture(root, yield* scratchIn(root, join(own, "scratch"), join(own, "objects")))
    if (!isTree(captured.tree)) return yield* Effect.fail("git cannot make a tree of the working copy")
    yield* copySettings(root, into)
    yield* freezeRefs(root, into, captured.head, isolation.branch)
    yield* layOut(into, captured)
    yield* linkIgnored(root, into, isolation.link)
    for (const name of captured.repositories.map(nameOf)) {
      const [from, to] = [join(root, name), join(into, name)]
      const inner = inOwn(isolate(from, to, { branch: null, link: isolation.link }))
      yield* Effect.catch(inner, () => copied(from, to))
    }
    return captured
  })

// The private repository of a batch, in its place in the store, with the identity of what is in it.
// Its identity is that of the captured code. Its own marks tell in the end whether reviewers saw exactly that.

const failed = (error: unknown): IsolationFailed =>
  new IsolationFailed({ reason: { _tag: "Complained", said: error instanceof Error ? error.message : String(error) } })

/** The same for a file call that the system refused. */
const refused = (place: string) => (error: unknown): IsolationFailed =>
  isFull(error)
    ? new IsolationFailed({ reason: { ...systemRefused(error), _tag: "PlaceFull", place } })
    : failed(error)

/** Says that the disk is full where it is, and otherwise what git complained of. */
const failedIn = (place: string) => (why: string): Effect.Effect<never, IsolationFailed> =>
  Effect.andThen(Effect.try({ try: () => probeRoom(place), catch: refused(place) }), Effect.fail(failed(why)))

/** An empty place for a private repository, as processes that work in it name it. */
const emptied = (batch: BatchRef): string => {
  const path = privateRepository(batch)
  if (existsSync(path)) removeTree(path)
  makeDirectories(path)
  return realpathSync(path)
}

/** The base of the worktree and, in the private repository, the commit that codex compares with. */
const frozenBase = Effect.fnUntraced(function*(root: string, place: string, branch: BranchName | null) {
  if (branch === null) return noBase
  const base = yield* baseOf(root, branch)
  const frozen = baseOf(place, branch).pipe(Effect.updateService(Environment, withoutRepository))
  return { ...base, mergeBase: (yield* frozen).mergeBase }
}, Effect.mapError(programFaultText))

/** Makes the private repository of a batch. See the port. */
export const isolateTarget = Effect.fn("Git.isolate")(function*(root: string, batch: BatchRef, what: ToIsolate) {
  const { base, link, target } = what
  const branch = target._tag === "Base" ? target.branch : base
  const place = yield* Effect.try({ try: () => emptied(batch), catch: refused(privateRepository(batch)) })
  const made = inTime(isolate(root, place, { branch, link }))
  const captured = yield* Effect.scoped(Effect.catch(made, failedIn(place)))
  const frozen = yield* Effect.catch(frozenBase(root, place, branch), failedIn(place))
  const identity: Identity = target._tag === "Commit"
    ? yield* ofCommit(root, target.sha)
    : {
      _tag: "Known",
      ...seenIn(captured),
      ...against(target, branch, frozen),
      ...baseMark(branch, frozen, captured.scratch.headDirectory)
    }
  const looked = identityOf(place, target, base)
  const own: Identity = yield* Effect.updateService(looked, Environment, withoutRepository)
  // A reviewer that asks git for the status may write the index once.
  const { indexMoved: _, ...copy } = own
  if (copy._tag === "Unknown") return yield* failed(copy.why)
  return { place, identity, copy }
})
