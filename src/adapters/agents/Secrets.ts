// Secrets: the variables that agents do not get, because they look like secrets or would disturb what agents print.
import { type Variables, withoutRepository } from "../../services/Environment.ts"
import { removed } from "../codex/ReviewerJobs.ts"

// Documented in docs/agents.md. A name is split into words at `_`; the letters' case does not matter.
const anywhere = /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATEKEY/i
const words = /(?:^|_)(?:TOKENS?|KEY|KEYS|AUTH|PAT|COOKIES?|DSN)(?:_|$)|_PWD$/i
const places = /^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ)_UR[IL]$/i

/** Whether a variable looks like a secret, by its name. */
export const looksSecret = (name: string): boolean => anywhere.test(name) || words.test(name) || places.test(name)

// Claude Code tells its children by these that they are its children, and where they can reach it.
const ofClaudeSession =
  /^(?:CLAUDECODE|CLAUDE_(?:PID|EFFORT|PROJECT_DIR|PLUGIN_\w+|CODE_(?:SESSION|CHILD|ENTRYPOINT|MESSAGING|SSE)\w*))$/

/**
 * The variables that keep Claude Code from adding to a prompt: above all any file that the prompt names as `@path`,
 * because prompts quote strangers. It would also add the names of tools that it loads on demand: it loads all at once.
 */
export const withoutAttachments = { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1", ENABLE_TOOL_SEARCH: "false" } as const

/** The variable by which our own hook knows that it runs inside an agent, and is silent. */
export const inAgent = "OODA_IN_AGENT"

/**
 * The variables of an agent: those of whoever starts it without secrets, except those that are its `own`, and without
 * what leads git to another repository or makes codex print more than events.
 */
export const agentVariables = (all: Variables, own: (name: string) => boolean): Variables => ({
  ...Object.fromEntries(
    Object.entries(withoutRepository(all)).filter(([name]) =>
      own(name) || !(looksSecret(name) || removed.includes(name) || ofClaudeSession.test(name))
    )
  ),
  [inAgent]: "1"
})
