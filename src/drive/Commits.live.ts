// Commits.live: commits by the git of the caller, with its hooks, its signing and its identity.
import { accessSync, constants } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { latin1Of, listIndex, namesIn, otherWorktrees } from "../code/Nested.live.ts"
import { utf8 } from "../code/SafeGit.live.ts"
import type { Store } from "../code/Store.live.ts"
import { CallersPath, Environment, UsersUmask, type Variables } from "../platform/Environment.ts"
import { Commits, refusalReason } from "./Commits.ts"
import { exec, type ExecResult, whyNot } from "../platform/Exec.ts"
import { underUmask } from "../platform/guard/Wrapper.ts"
import { commitId } from "../platform/GitCommand.ts"
import { asked } from "../code/Asked.live.ts"
import { freeze } from "../code/Freeze.live.ts"
import { shownName } from "../code/Names.ts"
import { uncommittedIn } from "../code/Present.live.ts"
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

const commitAll = Effect.fn("Commits.commitAll")(function*(worktree: string, message: string, before: string | null) {
  const refused = (done: ExecResult) => ({ commit: null, output: said(done) || whyNot("git", done) })
  const added = yield* git(worktree, ["add", "--all", ...(yield* asked(worktree, apart))])
  if (added.code !== 0) return refused(added)
  const staged = yield* git(worktree, ["diff", "--cached", "--quiet"])
  if (staged.code === 0) return yield* present(worktree, message, before)
  const done = yield* git(worktree, ["commit", "--quiet", "--message", message], yield* ofHooks)
  return done.code === 0 ? { commit: yield* commitId(worktree, "HEAD"), output: said(done) } : refused(done)
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

const authorProblem = Effect.fn("Commits.authorProblem")(function*(worktree: string) {
  for (const who of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]) {
    const done = yield* git(worktree, ["var", who])
    if (done.code !== 0) return refusalReason(said(done))
  }
  return null
})

export const layer: Layer.Layer<Commits> = Layer.succeed(Commits, { authorProblem, commitAll, left, programs })
