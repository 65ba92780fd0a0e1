// Command: the git program, asked without side effects.
// The one rule: optional locks, hooks and monitors are off, so that no question writes into `.git`.
import { Effect } from "effect"
import { exec, type ExecOptions, type Executed } from "../process/Exec.ts"

// A split index would be written beside the real one, in `.git`; and what line endings would become is no error here.
const settings = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.safecrlf=false"
]
const quiet = settings.flatMap((setting) => ["-c", setting])

/** Runs git in a directory, with `env` on top of the step's environment. Never fails; `code` tells. */
export const git = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  streams: Pick<ExecOptions, "input" | "encoding"> = {}
): Effect.Effect<Executed> =>
  exec("git", [...quiet, ...args], { cwd, env: { GIT_OPTIONAL_LOCKS: "0", ...env }, ...streams })

/** The id of the commit that a revision names, or null when it names none. */
export const commitId = (cwd: string, revision: string): Effect.Effect<string | null> =>
  Effect.map(
    git(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]),
    ({ code, stdout }) => code === 0 ? stdout.trim() : null
  )
