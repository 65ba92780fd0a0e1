// Commits.live: commits by the git of the caller, with its hooks, its signing and its identity.
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Layer, Option, Schema } from "effect"
import { latin1Of, listIndex, namesIn, otherWorktrees } from "../code/Nested.live.ts"
import { utf8 } from "../code/SafeGit.live.ts"
import type { Store } from "../code/Store.live.ts"
import { CallersPath, Environment, UsersUmask, type Variables } from "../platform/Environment.ts"
import { Commits, refusalReason } from "./Commits.ts"
import { RefusedBy } from "./State.ts"
import { exec, type ExecResult, whyNot } from "../platform/Exec.ts"
import { underUmask } from "../platform/guard/Wrapper.ts"
import { commitId } from "../platform/GitCommand.ts"
import { asked } from "../code/Asked.live.ts"
import { freeze } from "../code/Freeze.live.ts"
import { shownName } from "../code/Names.ts"
import { uncommittedIn } from "../code/Present.live.ts"
import { isFields, listOf, parseJson, textOf } from "../text/Json.ts"
import { shellWord } from "../text/Phrases.ts"
import { someNames } from "../text/Untrusted.ts"

// Milliseconds. A hook may run the whole tests.
const patience = 60 * 60_000

// The files that git and hooks write here are the user's, so they get the user's umask.
const git = (cwd: string, args: ReadonlyArray<string>, env: Variables = {}) =>
  Effect.flatMap(
    UsersUmask,
    (umask) => exec("/bin/sh", underUmask(umask, "git", args), { cwd, env, timeout: patience, leash: true })
  )

// Hooks may need programs of the worktree. Programs that are installed elsewhere too, such as gpg, come from there.
const ofHooks = Effect.zipWith(
  Environment,
  CallersPath,
  ({ PATH }, callers = PATH) => PATH === callers || PATH === undefined ? {} : { PATH: `${PATH}:${callers}` }
)

/** Git with its hooks, and its own trace of what it ran. */
const traced = (worktree: string, args: ReadonlyArray<string>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ooda-commit-"))),
    (directory) => {
      const file = join(directory, "trace")
      return Effect.flatMap(ofHooks, (env) =>
        git(worktree, args, { ...env, GIT_TRACE2_EVENT: file, GIT_TRACE2_PARENT_SID: "" })).pipe(
          Effect.map((done) => ({ done, trace: existsSync(file) ? readFileSync(file, "utf8") : "" }))
        )
    },
    (directory) =>
      Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

const said = (done: ExecResult): string => [done.stdout, done.stderr].filter((text) => text !== "").join("\n")

/** The present commit: of this call if one that was killed made it, else not made. */
const present = Effect.fnUntraced(function*(worktree: string, message: string, before: string | null) {
  const commit = yield* commitId(worktree, "HEAD")
  const { stdout } = yield* git(worktree, ["log", "-1", "--format=%B"])
  // Hooks may add lines to a message.
  const made = commit !== before && stdout.startsWith(message.trim()) ? {} : { made: false } as const
  return { commit, output: "nothing has changed", ...made }
})

/** Arguments that leave out other worktrees of the repository, which `git add` would add as commits of submodules. */
const apart = Effect.fnUntraced(function*(store: Store) {
  const index = yield* listIndex(store, latin1Of(store.repository.index))
  const others = [...yield* otherWorktrees(store, () => namesIn(index), [store.repository.head])]
  return others.length === 0 ? [] : ["--", ".", ...others.map((path) => `:(exclude,literal)${utf8(path)}`)]
})

const asRefusal = Schema.decodeUnknownOption(RefusedBy)

/** What failed of what git itself started, by its trace: a hook, or the program that signs; null for neither. */
const failedIn = (trace: string): RefusedBy | null => {
  // A git that a hook runs has a longer id, with a slash.
  const rows = trace.split("\n").filter((row) => row.includes('"child_')).map(parseJson).filter(isFields)
    .filter(({ sid }) => !textOf(sid).includes("/"))
  const failed = rows.filter(({ code, event }) => event === "child_exit" && code !== 0).map((row) => row["child_id"])
  return rows.filter((row) => row["event"] === "child_start" && failed.includes(row["child_id"]))
    .map(({ argv, hook_name }) => {
      const signs = listOf(argv).some((word) => word === "-bsau" || word === "sign")
      return Option.getOrNull(asRefusal(hook_name ?? (signs ? "signature" : null)))
    })
    .find((by) => by !== null) ?? null
}

const authorProblem = Effect.fn("Commits.authorProblem")(function*(worktree: string) {
  for (const who of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]) {
    const done = yield* git(worktree, ["var", who])
    if (done.code !== 0) return refusalReason("author", said(done))
  }
  return null
})

/** Why git refused, asked of git itself. */
const refusedBy = Effect.fnUntraced(function*(worktree: string, trace: string) {
  const failed = failedIn(trace)
  if (failed !== null) return failed
  if ((yield* authorProblem(worktree)) !== null) return "author"
  for (const name of ["index.lock", "HEAD.lock"]) {
    const { stdout } = yield* git(worktree, ["rev-parse", "--git-path", name])
    if (existsSync(resolve(worktree, stdout.trim()))) return "lock"
  }
  const tree = yield* git(worktree, ["write-tree"])
  const probe = yield* git(worktree, ["commit-tree", "-m", "probe", tree.stdout.trim()])
  return tree.code === 0 && probe.code !== 0 ? "storage" : "git"
})

const commitAll = Effect.fn("Commits.commitAll")(function*(worktree: string, message: string, before: string | null) {
  const stage = Effect.flatMap(asked(worktree, apart), (but) => git(worktree, ["add", "--all", ...but]))
  const staged = Effect.map(git(worktree, ["write-tree"]), ({ stdout }) => stdout)
  const refused = (done: ExecResult, trace = "") =>
    Effect.map(refusedBy(worktree, trace), (by) => ({
      commit: null,
      output: said(done) || whyNot("git", done),
      refusedBy: by
    }))
  const added = yield* stage
  if (added.code !== 0) return yield* refused(added)
  if ((yield* git(worktree, ["diff", "--cached", "--quiet"])).code === 0) {
    return yield* present(worktree, message, before)
  }
  const first = yield* staged
  const { done, trace } = yield* traced(worktree, ["commit", "--quiet", "--message", message])
  yield* stage
  const last = yield* staged
  const committed = done.code === 0 ? yield* git(worktree, ["rev-parse", "HEAD^{tree}"]) : null
  const changed = last === (committed?.stdout ?? first) ? {} : { changed: true } as const
  return committed === null
    ? { ...yield* refused(done, trace), ...changed }
    : { commit: yield* commitId(worktree, "HEAD"), output: said(done), ...changed }
}, Effect.catch(({ message }) => Effect.succeed({ commit: null, output: message })))

const left = Effect.fn("Commits.left")(
  function*(worktree: string) {
    const { left, within } = yield* asked(
      worktree,
      (store) => Effect.flatMap(freeze(store, { treesOnly: true }), (frozen) => uncommittedIn(store, frozen))
    )
    if (left.length === 0) return null
    const [submodule] = within
    const call = submodule === undefined ? "git" : `git -C ${shellWord(shownName(submodule))}`
    const hidden = submodule === undefined ? "; `git ls-files -v` shows in lower case what git was told to ignore" : ""
    return `${someNames(left.map(shownName))} [${call} add --all && ${call} commit, then call again${hidden}]`
  },
  Effect.catch(({ message }) => Effect.succeed(`what is unknown, since it could not be read: ${message}`))
)

// The hooks that `git add` and `git commit` run.
const hooks: ReadonlyArray<string> = [
  ...["commit-msg", "post-commit", "post-index-change", "pre-auto-gc", "pre-commit", "prepare-commit-msg"],
  "reference-transaction"
]
const settings = String.raw`^(filter\..*\.(clean|process)|hook\..*\.command)$`

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The hooks that git would run, and its settings that name a program. Empty if git does not answer. */
const programs = Effect.fn("Commits.programs")(function*(worktree: string) {
  const directory = yield* git(worktree, ["rev-parse", "--git-path", "hooks"])
  const from = resolve(worktree, directory.stdout.replace(/\n$/, ""))
  const named = yield* git(worktree, ["config", "--null", "--get-regexp", settings])
  const values = named.stdout.split("\0").map((entry) => entry.split("\n"))
  return [
    ...(directory.code === 0 ? hooks.filter((name) => canRun(join(from, name))) : []),
    // Git LFS is set up on nearly every machine, and runs no file of a worktree.
    ...values.flatMap(([name = "", value = ""]) => value === "" || value.startsWith("git-lfs ") ? [] : [name])
  ]
})

export const layer: Layer.Layer<Commits> = Layer.succeed(Commits, { authorProblem, commitAll, left, programs })
