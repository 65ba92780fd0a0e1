// GitHub.live: a pull request's base branch through gh.
import { Effect, Layer, Option, Result, Schema } from "effect"
import { shellWord } from "../text/Phrases.ts"
import { type BranchName, parseBranch, type PrNumber } from "../run/Target.ts"
import { GitHub, GitHubFailed, type GitHubReason } from "./GitHub.ts"
import { programFault } from "../platform/Exec.ts"
import { gh } from "../platform/GhCommand.ts"
import { asked } from "./Asked.live.ts"
import { baseOf as localBase, commitOf, mergeBaseOf, noBase } from "./Base.live.ts"
import { CodeFailed } from "./CodeFailed.ts"
import type { Repository } from "./Repository.live.ts"
import { parts, theirs } from "./SafeGit.live.ts"
import type { Store } from "./Store.live.ts"

// A pull request's base branch, asked through the `gh` program.
// The local branch of that name may be old, or a fork's: it must have the same merge base with HEAD as on GitHub.

// Milliseconds for one answer of gh.
const patience = 30_000

const Answer = Schema.Struct({
  baseRefName: Schema.String,
  baseRefOid: Schema.String.check(Schema.isPattern(/^[0-9a-f]{40,64}$/)),
  url: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

const asks = (cwd: string, ...args: ReadonlyArray<string>) => gh(args, { cwd, timeout: patience })

/** The end of a URL that names a repository of GitHub, whatever the protocol and the alias of the host. */
const pathOf = (url: string): string =>
  url.toLowerCase().replace(/\/+$/, "").replace(/\.git$/, "").split(/[/:]/).slice(-2).join("/")

/** The URLs of all remotes, as configured and as `insteadOf` makes them. */
const urlsOf = Effect.fnUntraced(function*(repository: Repository) {
  const query = ["config", "--null", "--get-regexp", "^(remote\\..*\\.url|url\\..*\\.insteadof)$"]
  const { out } = yield* theirs(repository.gitDirectory, query, { accept: [0, 1] })
  const settings = parts(Buffer.from(out, "latin1").toString()).map((entry) => {
    const end = entry.indexOf("\n")
    const key = entry.slice(0, end)
    return { name: key.slice(key.indexOf(".") + 1, key.lastIndexOf(".")), key, value: entry.slice(end + 1) }
  })
  const shorts = settings.filter(({ key }) => key.startsWith("url."))
    .toSorted((one, other) => other.value.length - one.value.length)
  return settings.filter(({ key }) => key.startsWith("remote.")).flatMap(({ name, value }) => {
    const short = shorts.find((one) => value.startsWith(one.value))
    const used = short === undefined ? value : short.name + value.slice(short.value.length)
    return [{ name, url: value }, { name, url: used }]
  })
})

/** The commits of those revisions that exist here. */
const commitsOf = (store: Store, revisions: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(revisions, (one) => commitOf(store, one)),
    (ids) => ids.filter((id) => id !== null)
  )

/** The commits of a branch that were fetched from some remotes. */
const fetchedOf = Effect.fnUntraced(function*(store: Store, branch: BranchName, names: ReadonlyArray<string>) {
  const refs = yield* Effect.forEach(names, (name) => {
    const query = ["config", "--get-all", `remote.${name}.fetch`]
    return Effect.map(theirs(store.repository.gitDirectory, query, { accept: [0, 1] }), ({ out }) => [
      `refs/remotes/${name}/${branch}`,
      ...[...out.matchAll(/^\+?refs\/heads\/(.+):(.+)$/gm)].flatMap(([, from, to = ""]) =>
        from === "*" ? [to.replace("*", () => branch)] : from === branch ? [to] : []
      )
    ])
  })
  return yield* commitsOf(store, refs.flat())
})

/** The present commit of a branch on GitHub, or null if unknown. */
const presentOf = Effect.fnUntraced(function*(root: string, host: string, path: string, branch: BranchName) {
  const endpoint = `repos/${path}/branches/${branch.split("/").map(encodeURIComponent).join("/")}`
  const { code, stdout } = yield* asks(root, "api", "--hostname", host, endpoint, "--jq", ".commit.sha")
  return code === 0 ? /^[0-9a-f]{40,64}$/.exec(stdout.trim())?.[0] ?? null : null
})

/** Fails if HEAD leaves a branch at another commit here than on GitHub. */
const matching = Effect.fnUntraced(function*(store: Store, branch: BranchName, answer: typeof Answer.Type) {
  const { head, top: root } = store.repository
  // Other problems with the name of a base are reported for every target.
  const here = yield* Effect.catchIf(
    localBase(store, branch),
    ({ reason }) => reason._tag === "Refused",
    () => Effect.succeed(noBase)
  )
  if (here.mergeBase === null) return
  const [, url = "origin", host = "", path] = /^(https?:\/\/([^/\s]+)\/([^/\s]+\/[^/\s]+))\/pull\/\d+$/
    .exec(answer.url ?? "") ?? []
  const remotes = yield* urlsOf(store.repository)
  const names = remotes.flatMap((remote) =>
    path !== undefined && pathOf(remote.url) === pathOf(path) ? [remote.name] : []
  )
  // GitHub gives the base of the last push to the pull request. HEAD may have newer commits of it.
  const present = path === undefined ? null : yield* presentOf(root, host, path, branch)
  const current = yield* commitsOf(store, [answer.baseRefOid, present ?? answer.baseRefOid])
  const fetched = yield* fetchedOf(store, branch, names)
  // If the present commit is unknown, a remote may be the repository under an old name, or a fork: both must agree.
  const isUnsure = present === null && fetched.length === 0
  const others = isUnsure ? yield* fetchedOf(store, branch, remotes.map(({ name }) => name)) : []
  const found = yield* Effect.forEach(
    isUnsure ? [[], others] : [fetched],
    (more) => mergeBaseOf(store, head, ...current, ...more)
  )
  if (current.length > 0 && found.every((commit) => commit === here.mergeBase)) return
  const problem = `local ${branch} differs from ${branch} on GitHub, so another change would be reviewed`
  const remote = path === undefined ? url : names[0]
  const base = `${remote ?? path?.split("/")[0]}/${branch}`
  const refspec = remote === undefined ? `${branch}:refs/remotes/${base}` : branch
  const fetch = `git fetch ${shellWord(remote ?? url)} ${shellWord(refspec)}`
  return yield* Effect.fail<GitHubReason>({
    _tag: "UnusableBase",
    problem,
    fetch: `${fetch}, then review with --base ${shellWord(base)}`
  })
})

const baseOf = Effect.fn("GitHub.baseOf")(function*(root: string, number: PrNumber) {
  const viewed = yield* asks(root, "pr", "view", String(number), "--json", "baseRefName,baseRefOid,url")
  const jq = "{baseRefName: .base.ref, baseRefOid: .base.sha, url: .html_url}"
  // An old gh does not know the commit of a base.
  const done = viewed.code !== 0 && viewed.stderr.includes("Unknown JSON field")
    ? yield* asks(root, "api", `repos/{owner}/{repo}/pulls/${number}`, "--jq", jq)
    : viewed
  const failed = (reason: GitHubReason) => new GitHubFailed({ number, reason })
  if (done.code !== 0) return yield* failed(programFault("gh", done))
  const text = done.stdout.trim()
  // A replacement of gh may answer with the name only.
  const answer = Option.getOrNull(decode(text))
  const branch = parseBranch(answer?.baseRefName ?? text)
  if (Result.isFailure(branch)) return yield* failed({ _tag: "UnusableBase", problem: branch.failure })
  if (answer === null) return branch.success
  const name = branch.success
  const matched = Effect.mapError(
    asked(root, (store) => matching(store, name, answer)),
    (error): GitHubReason =>
      error instanceof CodeFailed
        ? { _tag: "ProgramFailed", program: "git", status: null, said: error.message }
        : error
  )
  yield* Effect.mapError(matched, failed)
  return name
})

/** The live layer. Needs the `gh` program, and only for pull requests. */
export const layer = Layer.succeed(GitHub, { baseOf })
