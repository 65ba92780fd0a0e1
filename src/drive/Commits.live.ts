// Commits.live: commits by the caller's own git.
import { Effect, Layer } from "effect"
import { CallersPath, Environment, UsersUmask, type Variables } from "../platform/Environment.ts"
import { Commits } from "./Commits.ts"
import { exec, type ExecResult, whyNot } from "../platform/Exec.ts"
import { underUmask } from "../platform/guard/Wrapper.ts"
import { commitId } from "../platform/GitCommand.ts"

// Commits a worktree by the git of the caller, with its hooks, its signing and its identity.

// Milliseconds. A hook may run the whole tests.
const patience = 60 * 60_000

// The files that git and hooks write here are the user's, so they get the user's umask.
const asked = (cwd: string, args: ReadonlyArray<string>, env: Variables = {}) =>
  Effect.flatMap(
    UsersUmask,
    (umask) => exec("/bin/sh", underUmask(umask, "git", args), { cwd, env, timeout: patience, group: true })
  )

// Hooks may need programs of the worktree. What is installed elsewhere too, such as gpg, is taken from there.
const ofHooks = Effect.zipWith(
  Environment,
  CallersPath,
  ({ PATH }, callers = PATH) => PATH === callers || PATH === undefined ? {} : { PATH: `${PATH}:${callers}` }
)

const said = (done: ExecResult): string => [done.stdout, done.stderr].filter((text) => text !== "").join("\n")

const commitAll = Effect.fn("Commits.commitAll")(function*(worktree: string, message: string) {
  const refused = (done: ExecResult) => ({ commit: null, output: said(done) || whyNot("git", done) })
  const added = yield* asked(worktree, ["add", "--all"])
  if (added.code !== 0) return refused(added)
  const staged = yield* asked(worktree, ["diff", "--cached", "--quiet"])
  if (staged.code === 0) return { commit: yield* commitId(worktree, "HEAD"), output: "nothing has changed" }
  const done = yield* asked(worktree, ["commit", "--quiet", "--message", message], yield* ofHooks)
  return done.code === 0 ? { commit: yield* commitId(worktree, "HEAD"), output: said(done) } : refused(done)
})

export const layer: Layer.Layer<Commits> = Layer.succeed(Commits, { commitAll })
