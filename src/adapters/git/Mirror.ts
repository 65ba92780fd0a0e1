// Mirror: a bare repository on this machine that keeps the commits which submissions of one repository have named.
// The one rule: it is changed under its lock alone, and a commit counts as here only behind its ref, which comes last.
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import type { Submission } from "../../core/fleet/Submission.ts"
import { sha256 } from "../../core/text/Sha256.ts"
import type { TreeFailed } from "../../services/WorkingTrees.ts"
import { makeDirectories } from "../process/Directories.ts"
import { programFault } from "../process/Exec.ts"
import { fetched, type Fetching, filesAt, inTime, sweep, unfetched } from "./Fetch.ts"
import { askStranger, failedAt, mustStranger } from "./Stranger.ts"

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

const headRef = (sha: string): string => `refs/ooda/commits/${sha}`

// A base was seen on its branch before it got this ref, so that it counts also when the branch is gone.
const baseRef = ({ base, branch }: Submission): string => `refs/ooda/bases/${sha256(branch).slice(0, 12)}/${base}`

const has = Effect.fnUntraced(function*(mirror: string, ref: string, sha: string) {
  const done = yield* askStranger(mirror, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])
  return done.code === 0 && done.stdout.trim() === sha
})

const keep = (mirror: string, ref: string, sha: string) =>
  mustStranger(mirror, "keeping a commit", ["update-ref", ref, sha])

/** Whether a commit is the one behind a ref, or one before it. It need not be here. */
const isWithin = Effect.fnUntraced(function*(mirror: string, sha: string, ref: string) {
  const done = yield* askStranger(mirror, ["merge-base", "--is-ancestor", sha, ref])
  if (done.code === 0 || done.code === 1) return done.code === 0
  const known = yield* askStranger(mirror, ["cat-file", "-e", sha])
  if (done.problem === null && known.code === 1) return false
  return yield* failedAt(mirror)({
    _tag: "GitRefused",
    what: "looking for a commit",
    fault: programFault("git", done)
  })
})

/**
 * The base, through its branch alone. Whoever wrote the change may have any commit in the repository, and dismissals
 * are read from the base: only what is on the branch was let in by somebody else.
 */
const fetchBase = Effect.fnUntraced(function*(fetching: Fetching, submission: Submission) {
  const { mirror } = fetching
  const { base, branch } = submission
  const ref = baseRef(submission)
  if (yield* has(mirror, ref, base)) return
  const tip = "refs/ooda/through/base"
  const done = yield* fetched(fetching, `refs/heads/${branch}`, tip)
  if (done.code !== 0) return yield* unfetched(mirror, done, { _tag: "BranchMissing", branch })
  if (yield* isWithin(mirror, base, tip)) return yield* keep(mirror, ref, base)
  return yield* failedAt(mirror)({ _tag: "BaseElsewhere", branch })
})

/** The head by its id, or else from the ref that should lead to it, where a server gives nothing by id. */
const fetchHead = Effect.fnUntraced(function*(fetching: Fetching, { head, pr }: Submission) {
  const { mirror } = fetching
  const ref = headRef(head)
  if (yield* has(mirror, ref, head)) return
  const byId = yield* fetched(fetching, head, ref)
  if (byId.code === 0 && (yield* has(mirror, ref, head))) return
  const tip = "refs/ooda/through/head"
  const byRef = yield* fetched(fetching, `refs/pull/${pr}/head`, tip)
  const missing = { _tag: "CommitMissing" } as const
  if (byRef.code !== 0) return yield* unfetched(mirror, byRef, missing)
  if (yield* isWithin(mirror, head, tip)) return yield* keep(mirror, ref, head)
  return yield* failedAt(mirror)(missing)
})

/** Has the mirror hold head and base of a submission. The caller holds the lock of the mirror. */
export const fetchInto = Effect.fn("WorkingTrees.fetch")(function*(
  mirror: string,
  submission: Submission,
  { access, most }: Pick<Fetching, "access" | "most">
) {
  if (yield* filesAt(mirror, () => fs.existsSync(mirror))) yield* filesAt(mirror, () => sweep(mirror))
  else {
    yield* madeWhole(
      mirror,
      (at) => mustStranger(at, "making a mirror", ["init", "--quiet", "--bare", "--template=", "."])
    )
  }
  const fetching = { mirror, repo: submission.repo, access, most }
  yield* inTime(mirror, Effect.andThen(fetchBase(fetching, submission), fetchHead(fetching, submission)))
})
