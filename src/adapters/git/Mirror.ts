// Mirror: a bare repository on this machine that keeps the commits which submissions of one repository have named.
// The one rule: it is changed under its lock alone, and a commit counts as here only behind its ref, which comes last.
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import type { Submission } from "../../core/fleet/Submission.ts"
import type { TreeFailed } from "../../services/WorkingTrees.ts"
import { programFault } from "../process/Exec.ts"
import { makeDirectories } from "../process/Directories.ts"
import { systemFault } from "../process/SystemError.ts"
import { type Access, askStranger, failedAt, mustStranger } from "./Stranger.ts"

/** Synchronous file calls at a path. */
export const filesAt = <A>(path: string, run: () => A): Effect.Effect<A, TreeFailed> =>
  Effect.try({ try: run, catch: (error) => failedAt(path)(systemFault(error)) })

/** A name beside a path, for what is not finished; and all that were left there by those who died. */
export const unfinished = (path: string): string => join(dirname(path), `.new-${basename(path)}`)

/** Makes a directory as a whole: what is half made lies beside it, and is removed by whoever comes next. */
export const madeWhole = Effect.fnUntraced(function*<R>(
  path: string,
  make: (at: string) => Effect.Effect<void, TreeFailed, R>
) {
  const at = unfinished(path)
  yield* filesAt(path, () => {
    makeDirectories(dirname(path))
    fs.rmSync(at, { recursive: true, force: true })
    fs.mkdirSync(at, { mode: 0o700 })
  })
  yield* make(at)
  yield* filesAt(path, () => fs.renameSync(at, path))
})

// What a fetch that was killed leaves: packs that are no packs yet, and locks of refs.
const sweep = (mirror: string): void => {
  const packs = join(mirror, "objects/pack")
  for (const name of fs.existsSync(packs) ? fs.readdirSync(packs) : []) {
    if (/^(tmp_|\.tmp-)/.test(name)) fs.rmSync(join(packs, name), { force: true })
  }
  for (const name of fs.readdirSync(join(mirror, "refs"), { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".lock")) fs.rmSync(join(mirror, "refs", name), { force: true })
  }
  for (const name of ["packed-refs.lock", "shallow.lock", "config.lock"]) {
    fs.rmSync(join(mirror, name), { force: true })
  }
}

const refOf = (sha: string): string => `refs/ooda/commits/${sha}`

const has = Effect.fnUntraced(function*(mirror: string, sha: string) {
  const done = yield* askStranger(mirror, ["rev-parse", "--verify", "--quiet", `${refOf(sha)}^{commit}`])
  return done.code === 0 && done.stdout.trim() === sha
})

const quietly = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"]

/** One commit by its id, or else from the ref that should lead to it, where a server gives nothing by id. */
const fetchOne = Effect.fnUntraced(function*(
  mirror: string,
  { access, from, repo, sha, what }: Wanted & { readonly repo: string; readonly access: Access | null }
) {
  if (yield* has(mirror, sha)) return
  const fetched = { repo, access }
  const byId = yield* askStranger(mirror, [...quietly, "--", repo, `${sha}:${refOf(sha)}`], fetched)
  if (byId.code === 0 && (yield* has(mirror, sha))) return
  const through = `refs/ooda/through/${what}`
  const byRef = yield* askStranger(mirror, [...quietly, "--", repo, `+${from}:${through}`], fetched)
  if (byRef.code === 0) {
    const within = yield* askStranger(mirror, ["merge-base", "--is-ancestor", sha, through])
    if (within.code === 0) return yield* mustStranger(mirror, "keeping a commit", ["update-ref", refOf(sha), sha])
    return yield* failedAt(mirror)({ _tag: "CommitMissing", what })
  }
  // Where even the repository does not answer, that is said; where only its ref is missing, the commit is.
  return yield* failedAt(mirror)(
    /couldn't find remote ref/.test(byRef.stderr)
      ? { _tag: "CommitMissing", what }
      : { _tag: "GitRefused", what: "fetching", fault: programFault("git", byId) }
  )
})

interface Wanted {
  readonly sha: string
  readonly what: "head" | "base"
  readonly from: string
}

/** Has the mirror hold head and base of a submission. The caller holds the lock of the mirror. */
export const fetchInto = Effect.fn("WorkingTrees.fetch")(function*(
  mirror: string,
  { base, branch, head, pr, repo }: Submission,
  access: Access | null
) {
  if (yield* filesAt(mirror, () => fs.existsSync(mirror))) yield* filesAt(mirror, () => sweep(mirror))
  else {
    yield* madeWhole(
      mirror,
      (at) => mustStranger(at, "making a mirror", ["init", "--quiet", "--bare", "--template=", "."])
    )
  }
  const wanted: ReadonlyArray<Wanted> = [
    { sha: base, what: "base", from: `refs/heads/${branch}` },
    { sha: head, what: "head", from: `refs/pull/${pr}/head` }
  ]
  for (const one of wanted) yield* fetchOne(mirror, { ...one, repo, access })
})
