// run: the git program, asked without side effects.
// The one rule: optional locks, hooks and monitors are off, so that no question writes into `.git`.
import { Effect } from "effect"
import { exec, type Executed } from "../exec.ts"

const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false"]

/** Runs git in a directory. Never fails; `code` tells. */
export const git = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<Executed> => exec("git", [...quiet, ...args], { cwd, env: { GIT_OPTIONAL_LOCKS: "0", ...env } })

/** The id of the commit that a revision names, or null when it names none. */
export const commitId = (cwd: string, revision: string): Effect.Effect<string | null> =>
  Effect.map(
    git(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]),
    ({ code, stdout }) => code === 0 ? stdout.trim() : null
  )
