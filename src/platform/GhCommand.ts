// GhCommand: runs the `gh` program so that its answers can be read by a program, whatever the person's settings.
import { Effect } from "effect"
import { Environment, type Variables } from "./Environment.ts"
import { exec } from "./Exec.ts"

// A variable that forces colours or a terminal wins over one that forbids them.
const plain = { GH_PROMPT_DISABLED: "1", NO_COLOR: "1", CLICOLOR_FORCE: "0", GH_FORCE_TTY: "" }

/** The host of the GitHub that runs the job: gh does not find it by itself. The token is for that host only. */
const jobsHost = ({ GH_HOST, GH_ENTERPRISE_TOKEN, GH_TOKEN, GITHUB_SERVER_URL }: Variables): Variables => {
  const [, host] = /^https?:\/\/([^/\s]+)\/?$/.exec(GITHUB_SERVER_URL ?? "") ?? []
  if (host === undefined || host === "github.com" || GH_HOST !== undefined) return {}
  const token = GH_ENTERPRISE_TOKEN ?? GH_TOKEN
  return { GH_HOST: host, ...(token === undefined ? {} : { GH_ENTERPRISE_TOKEN: token }) }
}

/**
 * Runs gh in a directory, for `timeout` milliseconds at most. `isJob`: for the repository of a job of GitHub Actions.
 */
export const gh = (
  args: ReadonlyArray<string>,
  { cwd, isJob = false, timeout }: { readonly cwd: string; readonly isJob?: boolean; readonly timeout: number }
) =>
  Effect.flatMap(
    Environment,
    (variables) => exec("gh", args, { cwd, timeout, env: { ...plain, ...(isJob ? jobsHost(variables) : {}) } })
  )
