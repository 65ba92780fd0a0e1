// ClientVariables.live: the variables of reviewers, agents and second models: one choice for all of them.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Effect } from "effect"
import type { AgentKind } from "../log/Refs.ts"
import { codexNoise, type Variables, withoutRepository } from "../platform/Environment.ts"
import { note } from "../platform/Note.ts"
import { givenVariable, setting } from "../run/Target.ts"
import { isFields } from "../text/Json.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { claudeEnvironment, codexHomeIn, configIn, providerIn } from "./CodexHome.live.ts"

// What looks like a secret. Documented in docs/agents.md.

// A name is split into words at `_` and before capital letters; otherwise case does not matter.
const anywhere = /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATEKEY|MNEMONIC|SSHPASS/i
const words =
  /(?:^|_)(?:TOKENS?|KEYS?|AUTH|PAT|PASS|PW|PIN|CREDS?|SAS|SK|JWT|COOKIES?|DSN|WEBHOOKS?)(?:_|$)|_PWD$|CONNECTION_?STRING/i
const phrases = /SEED_PHRASE|WALLET_SEED|SERVICE_ACCOUNT(?:_JSON)?$|^BW_SESSION$|^BUNDLE_\w+__(?:COM|ORG|NET|IO|DEV)$/i
const places =
  /(?:^|_)(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|(?:CLOUD)?AMQP|RABBITMQ|BROKER|CLOUDINARY)_(?:\w+_)?UR[IL](?:_\w+)?$/i
// A client reaches its model by its proxy, so the address of one stays even with a password.
const proxies = /^(?:https?|ftp|all)_proxy$/i
const address = /^$|[.:/]/
// Without these no program works, whatever their values look like.
const needed = /^(?:PATH|HOME|USER|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|CODEX_HOME|XDG_\w+)$/

// Git reads these as one list, so they stay together: a key without its value, or the other way round, stops every git.
const ofGit = /^GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)$/

// How many tokens a model may use, and how long, is no secret.
const isLimit = (name: string, value: string): boolean => /(?:_TOKENS|_MS)$/.test(name) && /^\d+$/.test(value)

/** Whether a variable looks like a secret, by its name or because its value holds one. */
export const looksSecret = (name: string, value = ""): boolean =>
  !needed.test(name) && !ofGit.test(name) && !isLimit(name, value) &&
  ([anywhere, words, phrases, places].some((one) => one.test(name.replace(/([a-z\d])([A-Z])/g, "$1_$2"))) ||
    anywhere.test(name) || redact(value) !== value || (proxies.test(name) && !address.test(value)))

// What each client needs for itself: the keys of its login and of the providers that its settings name.

/** The variables that codex's configuration names as the keys and the headers of its providers. */
export const providerKeys = (config: string): ReadonlyArray<string> => keysIn(configIn(config))

const keysIn = (part: unknown): ReadonlyArray<string> =>
  Object.entries(isFields(part) ? part : {}).flatMap(([name, value]) =>
    name === "env_key" && typeof value === "string"
      ? [value]
      : name === "env_http_headers" && isFields(value)
      ? Object.values(value).filter((one) => typeof one === "string")
      : keysIn(value)
  )

const ofCodex = (all: Variables) => {
  const path = join(codexHomeIn(all), "config.toml")
  const config = existsSync(path) ? readFileSync(path, "utf8") : ""
  const named = providerKeys(config)
  const isBedrock = providerIn(config) === "amazon-bedrock"
  return (name: string): boolean =>
    /^(?:(?:CODEX|OPENAI)_API_KEY|CODEX_ACCESS_TOKEN|OPENAI_IDENTITY_TOKEN\w*)$/.test(name) || named.includes(name) ||
    (isBedrock && name.startsWith("AWS_"))
}

// The variables of a cloud count if one of the other names says that Claude Code's models are there.
const clouds: ReadonlyArray<readonly [names: RegExp, ...uses: ReadonlyArray<string>]> = [
  [/^AWS_/, "BEDROCK", "MANTLE", "ANTHROPIC_AWS"],
  [/^(?:GOOGLE|GCLOUD|CLOUDSDK)_/, "VERTEX", "ANTHROPIC_GOOGLE_CLOUD"],
  [/^AZURE_/, "FOUNDRY"]
]

const ofClaude = (all: Variables) => {
  const set = { ...claudeEnvironment(all), ...all }
  const used = clouds.flatMap(([names, ...uses]) =>
    uses.some((use) => set[`CLAUDE_CODE_USE_${use}`] !== undefined) ? [names] : []
  )
  return (name: string): boolean =>
    /^ANTHROPIC_|^CLAUDE_CODE_(?:OAUTH_(?:REFRESH_)?TOKEN|GATEWAY_TOKEN|(?:CLIENT|SKIP)_\w+)$/.test(name) ||
    used.some((names) => names.test(name))
}

const own: Readonly<Record<AgentKind, (all: Variables) => (name: string) => boolean>> = {
  codex: ofCodex,
  claude: ofClaude,
  command: () => () => false
}

const isAddressOfProxy = (name: string, value: string): boolean => proxies.test(name) && address.test(value)

/** The variables of a client: those of its starter without secrets, but with what it needs for itself. */
export const clientVariables = (client: AgentKind, all: Variables): Variables => {
  const isOwn = own[client](all)
  const settings = Object.entries(all).filter(([name]) => ofGit.test(name))
  const isKept = settings.every(([, value = ""]) => redact(value) === value)
  return Object.fromEntries(
    Object.entries(all).filter(([name, value = ""]) =>
      !codexNoise.includes(name) && (isKept || !ofGit.test(name)) &&
      (isOwn(name) || isAddressOfProxy(name, value) || !looksSecret(name, value))
    )
  )
}

/** The settings of codex that keep from its commands what it may see itself. */
export const withoutSecrets = (all: Variables): ReadonlyArray<string> => [
  ...setting("shell_environment_policy.ignore_default_excludes", false),
  ...Object.entries(clientVariables("codex", all)).flatMap(([name, value = ""]) =>
    looksSecret(name, value) ? givenVariable(name, "") : []
  )
]

// Claude Code gives its children these variables: that they are its children, and where they reach it.
const ofClaudeSession =
  /^(?:CLAUDECODE|CLAUDE_(?:PID|EFFORT|PROJECT_DIR|PLUGIN_\w+|CODE_(?:SESSION|CHILD|ENTRYPOINT|MESSAGING|SSE)\w*))$/

/** The variable that silences our own hook inside an agent. */
const inAgent = "OODA_IN_AGENT"

/**
 * The variables of an agent: those of a client, without the ones that lead git to another repository or tie it to the
 * Claude Code around it.
 */
export const agentVariables = (client: AgentKind, all: Variables): Variables => ({
  ...Object.fromEntries(
    Object.entries(withoutRepository(clientVariables(client, all))).filter(([name]) => !ofClaudeSession.test(name))
  ),
  [inAgent]: "1"
})

/** Notes which variables of the starter a client did not get. */
export const noteDropped = (all: Variables, given: Variables): Effect.Effect<void> => {
  const names = Object.keys(all).filter((name) => all[name] !== undefined && given[name] === undefined)
  return note("left variables out", { names: names.sort() })
}
