// Isolate: a private repository that shows what a worktree showed at one moment, for reviewers to read in peace.
// Whatever people do in the worktree meanwhile, nothing in the private one changes.
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, type Scope } from "effect"
import { Environment, withoutRepository } from "../../services/Environment.ts"
import { programFaultText } from "../../services/ProgramFault.ts"
import { baseOf, refOf } from "./Base.ts"
import { type Captured, capture } from "./Capture.ts"
import { git } from "./Command.ts"
import { changedEntries, nameOf } from "./Index.ts"
import { must, trying } from "./Must.ts"
import { copySettings } from "./Settings.ts"
import { alternates, gitPaths, scratchIn } from "./Scratch.ts"

/** What a private repository is made with. */
export interface Isolation {
  /** The base branch of the target, which is frozen where codex would compare with it; null without one. */
  readonly branch: string | null
  /** Patterns of ignored files that are linked into it: git's globs; one without a slash fits at any depth. */
  readonly link: ReadonlyArray<string>
}

/** Whatever repository the caller's variables name: what is called here works on that of its directory. */
export const inOwn = Effect.updateService(Environment, withoutRepository)

/** An empty repository beside the real one that finds its objects there. Returns where its own files lie. */
const founded = Effect.fnUntraced(function*(root: string, into: string) {
  const format = yield* must(root, ["rev-parse", "--show-object-format"])
  yield* trying(() => fs.mkdirSync(into, { recursive: true, mode: 0o700 }))
  yield* inOwn(must(into, ["init", "--quiet", "--template=", `--object-format=${format}`, "."]))
  const own = join(into, ".git")
  const [objects = ""] = yield* gitPaths(root, ["objects"])
  yield* trying(() => {
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
  if (!detached) yield* inOwn(must(into, ["symbolic-ref", "HEAD", on]))
  if (base !== null) yield* inOwn(must(into, ["update-ref", ref, base]))
  if (head !== null) yield* inOwn(must(into, ["update-ref", ...(detached ? ["--no-deref"] : []), "HEAD", head]))
})

/** The files of the capture as working copy, and the index as it was over them. */
const layOut = Effect.fnUntraced(function*(into: string, { listed, scratch }: Captured) {
  const index = join(into, ".git/index")
  const env = { GIT_INDEX_FILE: join(scratch.dir, "index") }
  const all = ["-c", "checkout.workers=0", "checkout-index", "--all", "--force", "--index", "--quiet"]
  yield* inOwn(must(into, all, env))
  yield* trying(() => fs.copyFileSync(join(scratch.dir, "index"), index))
  const staged = changedEntries(listed.after, listed.before)
  if (staged !== "") yield* inOwn(must(into, ["update-index", "-z", "--index-info"], {}, staged))
})

/** Links ignored files that reviewers may want, such as installed packages, and keeps them ignored. */
const linkIgnored = Effect.fnUntraced(function*(root: string, into: string, link: ReadonlyArray<string>) {
  if (link.length === 0) return
  const patterns = link.map((pattern) => `:(glob)${pattern.replace(/\/$/, "").includes("/") ? "" : "**/"}${pattern}`)
  const listing = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--", ...patterns]
  const found = (yield* must(root, listing)).split("\0").filter((name) => name !== "")
  yield* trying(() => {
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
  trying(() => fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true }))

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
