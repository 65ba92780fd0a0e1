// Mirror.live: a bare repository on this machine that keeps the commits of the submissions of one repository.
// It changes only under its lock, and a commit counts as present only once its ref exists, which comes last.
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Redacted } from "effect"
import { Environment, type Variables, withRootedPath } from "../platform/Environment.ts"
import { type ExecResult, programFault } from "../platform/Exec.ts"
import { makeDirectories } from "../platform/Files.ts"
import { git } from "../platform/GitCommand.ts"
import { systemFault } from "../platform/SystemError.ts"
import { sha256 } from "../platform/Sha256.ts"
import { repoIdOf, repoName, type Submission } from "./Submission.ts"
import { TreeFailed, type TreeReason } from "./WorkingTrees.ts"

/**
 * The places of a submission's repository, of its frozen code and of its working tree. `worktree` is the recorded path
 * of the pull request's run, whatever head is reviewed: nothing need be there.
 */
export const placesOf = (
  { base, branch, head, pr, repo }: Submission
): {
  readonly mirror: string
  readonly code: string
  readonly tree: string
  readonly worktree: string
} => {
  const id = repoIdOf(repo)
  // The name of a branch may hold slashes, and be longer than a file name.
  const pinned = `${head}-${base}-${sha256(branch).slice(0, 12)}`
  return {
    mirror: `mirrors/${id}`,
    code: `trees/${id}/${pr}/${pinned}.code`,
    tree: `trees/${id}/${pr}/${pinned}/${repoName(repo)}`,
    worktree: `pulls/${id}/${pr}/${repoName(repo)}`
  }
}

// Runs git on a repository of strangers: with none of this user's settings, and no program that a repository names.
// A token is only in the variables of one fetch: never in arguments, never in a file.

/** A token for the repositories of one host; it is sent to no other host. */
export interface Access {
  readonly host: string
  readonly token: Redacted.Redacted
}

// Variables that lead to programs and servers. Without HOME there are no files of passwords or settings.
const kept = /^(PATH|TMPDIR|(https?|all|no)_proxy|GIT_SSL_CAINFO|SSL_CERT_(FILE|DIR))$/i

const settings: ReadonlyArray<readonly [string, string]> = [
  // A redirection could lead to an internal host.
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
  // A pack is moved into place as a whole, or not at all.
  ["fetch.unpackLimit", "1"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"]
]

const header = ({ host, token }: Access): readonly [string, string] => [
  `http.https://${host}/.extraHeader`,
  `Authorization: Basic ${Buffer.from(`x-access-token:${Redacted.value(token)}`).toString("base64")}`
]

/** The only variables that git gets. `repo` is the URL to fetch, or null. */
export const strangersVariables = (own: Variables, repo: string | null, access: Access | null): Variables => {
  const shown = access !== null && repo?.startsWith(`https://${access.host}/`) === true ? [header(access)] : []
  const set = [...settings, ...shown]
  return {
    ...Object.fromEntries(Object.entries(withRootedPath(own)).filter(([name]) => kept.test(name))),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOW_PROTOCOL: repo === null ? "" : repo.startsWith("file:") ? "file" : "https",
    GIT_CONFIG_COUNT: `${set.length}`,
    ...Object.fromEntries(
      set.flatMap(([key, value], i) => [[`GIT_CONFIG_KEY_${i}`, key], [`GIT_CONFIG_VALUE_${i}`, value]])
    )
  }
}

/** Time limit of one fetch in milliseconds; a first fetch that is cut off starts from zero again. */
const fetchPatience = 15 * 60_000

/** Runs git on strangers' code. A fetch ends with this process, so that none outlives its worker. */
export const askStranger = (
  cwd: string,
  args: ReadonlyArray<string>,
  fetched: { readonly repo: string; readonly access: Access | null } | null = null,
  input?: string
) =>
  Effect.updateService(
    git(
      cwd,
      args,
      {},
      fetched !== null
        ? { leash: true, timeout: fetchPatience }
        : input === undefined
        ? {}
        : { input, encoding: "latin1" }
    ),
    Environment,
    (own) => strangersVariables(own, fetched?.repo ?? null, fetched?.access ?? null)
  )

/** A failure at a path. */
export const failedAt = (path: string) => (reason: TreeReason): TreeFailed => new TreeFailed({ path, reason })

/** The answer of a command that must succeed, without its last newline. */
export const mustStranger = Effect.fnUntraced(function*(cwd: string, what: string, args: ReadonlyArray<string>) {
  const done = yield* askStranger(cwd, args)
  if (done.code === 0) return done.stdout.replace(/\n$/, "")
  return yield* failedAt(cwd)({ _tag: "GitRefused", what, fault: programFault("git", done) })
})

// One fetch within limits of bytes and time. Git has no such limits, so the fetch is watched.

/** The most bytes that a mirror may hold: all that was ever fetched into it, with its history. */
export const mostHeld = 16 * 1024 ** 3

// Milliseconds between two looks at what a fetch has written: for that long it may exceed the limit.
const lookEvery = 500

/** A mirror, the repository that it is fetched from, and the most bytes that it may hold. */
interface Fetching {
  readonly mirror: string
  readonly repo: string
  readonly access: Access | null
  readonly most: number
}

/** Synchronous file calls at a path. */
export const filesAt = <A>(path: string, run: () => A): Effect.Effect<A, TreeFailed> =>
  Effect.try({ try: run, catch: (error) => failedAt(path)(systemFault(error)) })

const packsOf = (mirror: string): string => join(mirror, "objects/pack")

const packsIn = (mirror: string): ReadonlyArray<string> =>
  fs.existsSync(packsOf(mirror)) ? fs.readdirSync(packsOf(mirror)) : []

const heldBy = (mirror: string): number =>
  packsIn(mirror).reduce(
    (sum, name) => sum + (fs.statSync(join(packsOf(mirror), name), { throwIfNoEntry: false })?.size ?? 0),
    0
  )

const removePacks = (mirror: string, isMeant: (name: string) => boolean): void => {
  for (const name of packsIn(mirror).filter(isMeant)) fs.rmSync(join(packsOf(mirror), name), { force: true })
}

/** Removes what a killed fetch leaves: unfinished packs, and locks of refs. */
export const sweep = (mirror: string): void => {
  removePacks(mirror, (name) => /^(tmp_|\.tmp-)/.test(name))
  for (const name of fs.readdirSync(join(mirror, "refs"), { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".lock")) fs.rmSync(join(mirror, "refs", name), { force: true })
  }
  for (const name of ["packed-refs.lock", "shallow.lock", "config.lock"]) {
    fs.rmSync(join(mirror, name), { force: true })
  }
}

/** Ends once a mirror holds more than it may. */
const exceeded = Effect.fnUntraced(function*({ mirror, most }: Fetching) {
  while ((yield* filesAt(mirror, () => heldBy(mirror))) <= most) yield* Effect.sleep(lookEvery)
  return null
})

const quietly = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--force"]

/** Fetches `from` to the ref `to` under the mirror's lock; fails if the mirror would hold more than it may. */
export const fetched = Effect.fn("WorkingTrees.fetched")(function*(fetching: Fetching, from: string, to: string) {
  const { access, mirror, most, repo } = fetching
  const before = new Set(yield* filesAt(mirror, () => packsIn(mirror)))
  const git = askStranger(mirror, [...quietly, "--", repo, `+${from}:${to}`], { repo, access })
  const done = yield* Effect.raceFirst(git, exceeded(fetching)).pipe(
    // Also after a kill: the fetch may have filled the disk.
    Effect.ensuring(Effect.ignore(filesAt(mirror, () => sweep(mirror))))
  )
  if (done !== null && (yield* filesAt(mirror, () => heldBy(mirror))) <= most) return done
  // The ref goes first: a dangling one would spoil every later fetch.
  yield* mustStranger(mirror, "giving up a fetch", ["update-ref", "-d", to])
  yield* filesAt(mirror, () => removePacks(mirror, (name) => !before.has(name)))
  return yield* failedAt(mirror)({ _tag: "FetchTooLarge", most })
})

/** If the repository does not answer, that is the failure; if only the ref is missing, `missing` is. */
export const unfetched = (mirror: string, done: ExecResult, missing: TreeReason): TreeFailed =>
  failedAt(mirror)(
    /couldn't find remote ref/.test(done.stderr)
      ? missing
      : { _tag: "GitRefused", what: "fetching", fault: programFault("git", done) }
  )

/** Limits the time of a whole visit, however many fetches it takes: others wait for the mirror. */
export const inTime = <A, R>(mirror: string, visit: Effect.Effect<A, TreeFailed, R>): Effect.Effect<A, TreeFailed, R> =>
  Effect.timeoutOrElse(visit, {
    duration: fetchPatience,
    orElse: () =>
      Effect.fail(
        failedAt(mirror)({ _tag: "GitRefused", what: "fetching", fault: { _tag: "ProgramTooSlow", program: "git" } })
      )
  })

// The mirror

/** A name beside a path for unfinished work; and all that killed processes left there. */
export const unfinished = (path: string): string => join(dirname(path), `.new-${basename(path)}`)

/** Makes a directory as a whole: an unfinished one lies beside it, and the next process removes it. */
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

// A base was found on its branch before it got this ref, so it counts even if the branch is gone.
const baseRef = ({ base, branch }: Submission): string => `refs/ooda/bases/${sha256(branch).slice(0, 12)}/${base}`

const has = Effect.fnUntraced(function*(mirror: string, ref: string, sha: string) {
  const done = yield* askStranger(mirror, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])
  return done.code === 0 && done.stdout.trim() === sha
})

const keep = (mirror: string, ref: string, sha: string) =>
  mustStranger(mirror, "keeping a commit", ["update-ref", ref, sha])

/** Whether a commit is the one behind a ref, or an ancestor. It need not exist here. */
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
 * The base, through its branch only. The author of a change may have pushed any commit to the repository, and
 * dismissals are read from the base: only somebody else can have put a commit on the branch.
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

/** The head by its id, or from the ref that should lead to it if the server gives no commits by id. */
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

/** Fetches head and base of a submission into the mirror. The caller holds the lock of the mirror. */
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
