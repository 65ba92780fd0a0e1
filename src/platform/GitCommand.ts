// GitCommand: the git program, run without side effects.
// Optional locks, hooks and monitors are off, so that no command writes into `.git`.
import { Context, Effect } from "effect"
import { exec, type ExecOptions, type ExecResult, programFault } from "./Exec.ts"
import { complaintText, type GitQuestion } from "./GitComplaint.ts"
import { defaultIdentityTimeout } from "./GitTimeout.ts"
import type { ProgramFault } from "./SystemFault.ts"

// A split index would be written beside the real one, in `.git`; and conversions of line endings are no error here.
const quiet = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.safecrlf=false"
].flatMap((setting) => ["-c", setting])

/** The longest time for computing an identity in milliseconds; an invocation may set another. */
export const IdentityTimeout = Context.Reference<number>("ooda-codex-review/services/IdentityTimeout", {
  defaultValue: () => defaultIdentityTimeout
})

// Milliseconds. If the whole question has a longer limit, one command may use all of it.
const patience = 120_000

/** Runs git in a directory, with `env` on top of the step's environment. Never fails; see `code`. */
export const git = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  streams: Pick<ExecOptions, "input" | "encoding" | "leash" | "into" | "instant" | "timeout"> = {}
): Effect.Effect<ExecResult> =>
  Effect.flatMap(IdentityTimeout, (limit) =>
    exec("git", [...quiet, ...args], {
      cwd,
      env: { GIT_OPTIONAL_LOCKS: "0", ...env },
      timeout: Math.max(patience, limit),
      // Its filters, and the git that it runs in a submodule, end with it.
      group: true,
      ...streams
    }))

/** Why git gave no answer to a question; if its complaint is known, with the cause and what to do. */
export const gitFault = (done: ExecResult, question: GitQuestion): ProgramFault => {
  const fault = programFault("git", done)
  return fault._tag === "ProgramFailed" ? { ...fault, said: complaintText(done.stderr, question) } : fault
}

/** The id of the commit that a revision names, or null when it names none. */
export const commitId = (cwd: string, revision: string): Effect.Effect<string | null> =>
  Effect.map(
    git(cwd, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]),
    ({ code, stdout }) => code === 0 ? stdout.trim() : null
  )

/** Synchronous file calls; an error becomes one line. */
export const tryFiles = <A>(run: () => A): Effect.Effect<A, string> =>
  Effect.try({ try: run, catch: (error) => error instanceof Error ? error.message : String(error) })
