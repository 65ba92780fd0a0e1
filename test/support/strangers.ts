// strangers: a bare repository with a pull request, as a server holds it, and submissions of it.
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { layer, type WorkPaths } from "../../src/fleet/WorkingTrees.live.ts"
import { decode, type Submission } from "../../src/fleet/Submission.ts"
import { WorkingTrees } from "../../src/fleet/WorkingTrees.ts"
import { git, inHome, makeRepo, run } from "./repositories.ts"

/** A server's repository, and where its authors work. */
export interface Server {
  readonly bare: string
  readonly repo: string
  readonly base: string
  readonly head: string
}

/** Commits what `change` does to the worktree as pull request 7, and returns its head. */
export const pushed = ({ bare, repo }: Pick<Server, "bare" | "repo">, change: (repo: string) => void): string => {
  change(repo)
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", "Change")
  git(repo, "push", "-q", "--force", bare, "HEAD:refs/pull/7/head")
  return git(repo, "rev-parse", "HEAD")
}

/** A bare repository `name.git` whose branch main has one commit, and a pull request 7 with one more. */
export const makeServer = (name = "name", change = (repo: string) => writeFileSync(join(repo, "new.txt"), "new\n")) => {
  const repo = makeRepo(`${name}-author`)
  const bare = inHome(`${name}.git`)
  execFileSync("git", ["clone", "-q", "--bare", repo, bare])
  const base = git(repo, "rev-parse", "HEAD")
  return { bare, repo, base, head: pushed({ bare, repo }, change) } satisfies Server
}

/** The submission of the pull request. */
export const submissionOf = ({ bare, base, head }: Server, other: object = {}): Submission =>
  Result.getOrThrow(decode({ repo: `file://${bare}`, pr: 7, head, base, branch: "main", ...other }, { local: true }))

/** Checks the tree of a submission as after a review that began just now. */
export const checked = (trees: WorkingTrees["Service"], one: Submission) =>
  Effect.flatMap(trees.which(one), (which) => trees.check(one, which))

const works = (): WorkPaths => ({ work: inHome("work"), recorded: inHome("work"), access: null })

/** Runs an effect on the working trees below `work` of the present test's home. */
export const treesDo = <A, E>(
  use: (trees: WorkingTrees["Service"]) => Effect.Effect<A, E>,
  other: Partial<WorkPaths> = {}
): Promise<A> => run(Effect.provide(WorkingTrees.use(use), layer({ ...works(), ...other })))
