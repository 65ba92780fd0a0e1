// Remedy: what a person can do about an agent that failed for good.
import { delayAt } from "./Delay.ts"
import { brief } from "../text/Untrusted.ts"
import type { AgentFailure } from "./AgentEnding.ts"
import type { AgentKind } from "../run/AgentKind.ts"

const logIn = {
  codex: "run `codex login`, or set CODEX_API_KEY",
  claude: "run `claude` and log in, or set ANTHROPIC_API_KEY",
  command: "log in with the program of --agent-cmd"
} as const satisfies Record<AgentKind, string>

const install = {
  codex: "install codex, or name it with --codex-bin",
  claude: "install claude, and put its directory on PATH",
  command: "name a program that exists with --agent-cmd"
} as const satisfies Record<AgentKind, string>

const kept = "what it has done so far is kept in the worktree"

const resetOf = (until: string): string =>
  delayAt(until)?.words === until ? `for another ${until}` : `until ${brief(until, 60)}`

/** One line for people. `kind` is the program that failed. */
export const remedyOf = (failure: AgentFailure, kind: AgentKind): string => {
  switch (failure._tag) {
    case "Login":
      return logIn[kind]
    case "Quota":
      return failure.until === null
        ? "the account's usage limit is reached; wait for its reset or buy credits"
        : `the account's usage limit is reached ${resetOf(failure.until)}; ` +
          "call again then, or allow the wait with --wait-quota"
    case "BadArguments":
      return "the agent refused its arguments or the request; read the transcript"
    case "Missing":
      return install[kind]
    case "SandboxDenied":
      return "the sandbox refused what the agent needs; change the task, or do this part yourself"
    case "Interrupted":
      return `the agent was interrupted; ${kept}; call again to go on from there`
    case "Deadline":
      return `the agent ran out of time; ${kept}; raise --agent-timeout`
    case "ContextWindow":
      return "the task does not fit the model's context; divide it, or choose another model"
    case "RateLimited":
      return "the service limits the rate of requests; wait a while and call again"
    case "Overloaded":
      return "the model's service is overloaded; call again later or choose another model"
    case "Stream":
      return "the connection broke off; check the network and call again"
    case "Idle":
      return "the agent showed no progress; call again or raise --idle-timeout"
    case "Crashed":
      return "the agent's program failed; read the end of the transcript"
    case "Empty":
      return "the agent gave no answer; read the transcript, then call again"
  }
}
