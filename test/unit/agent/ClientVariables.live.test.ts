// ClientVariables.live: which variables reviewers, agents and second models get, and which look like a secret.
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import {
  agentVariables,
  clientVariables,
  looksSecret,
  withoutSecrets
} from "../../../src/agent/ClientVariables.live.ts"
import type { AgentKind } from "../../../src/log/Refs.ts"
import type { Variables } from "../../../src/platform/Environment.ts"

const secret = (
  "GITHUB_TOKEN NPM_TOKEN AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN ANTHROPIC_API_KEY " +
  "PGPASSWORD MYSQL_PWD DATABASE_URL GOOGLE_APPLICATION_CREDENTIALS SSH_AUTH_SOCK SENTRY_DSN my_secret GH_PAT " +
  "STRIPE_KEY SSH_KEY_PASSPHRASE DB_PASS SMTP_PASS DB_PW CI_JOB_JWT SLACK_WEBHOOK_URL " +
  "AZURE_STORAGE_CONNECTION_STRING " +
  "REDISCLI_AUTH SSHPASS VAULT_TOKEN DOCKER_AUTH_CONFIG STRIPE_SK DEPLOY_KEY MONGODB_URI POSTGRES_PRISMA_URL " +
  "POSTGRES_URL_NON_POOLING CLOUDAMQP_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN GCP_SA_KEY TF_VAR_db_password " +
  "BUNDLE_GEMS__EXAMPLE__COM AZURE_DEVOPS_EXT_PAT LDAP_BIND_PW DB_CREDS USER_PIN MNEMONIC SEED_PHRASE authToken " +
  "accessKey dbPassword AZURE_SAS FIREBASE_SERVICE_ACCOUNT npm_config__auth BW_SESSION RAILS_MASTER_KEY " +
  "npm_config_//registry.npmjs.org/:_authToken ORG_GRADLE_PROJECT_signingPassword SESSION_COOKIE APIkey " +
  "CELERY_BROKER_URL SQLALCHEMY_DATABASE_URI CLOUDINARY_URL"
).split(" ")
const harmless = (
  "PATH HOME PWD OLDPWD LANG KEYBOARD MONKEY PATTERN XAUTHORITY TOKENIZER EDITOR PASSES COMPASS HTTPS_PROXY " +
  "CI NODE_ENV NODE_OPTIONS TERM SHELL USER TMPDIR VISUAL PAGER GIT_EDITOR DISPLAY XDG_RUNTIME_DIR XDG_SESSION_ID " +
  "VSCODE_IPC_HOOK_CLI TERM_PROGRAM NVIM JAVA_HOME GOPATH VIRTUAL_ENV npm_config_cache npm_config_user_agent " +
  "GITHUB_SHA GITHUB_ACTOR SSL_CERT_FILE NODE_EXTRA_CA_CERTS PGHOST PGUSER DB_HOST DB_USER REDIS_HOST AWS_REGION " +
  "SESSION_MANAGER DBUS_SESSION_BUS_ADDRESS KEYMAP GIT_AUTHOR_NAME SSH_TTY SSH_CONNECTION PATHEXT COMSPEC " +
  "SPIN SKIP PINNED TASK PYTHONHASHSEED BUNDLE_BUILD__NOKOGIRI"
).split(" ")

describe("a variable", () => {
  it.each(secret)("called %s looks like a secret", (name) => assert.isTrue(looksSecret(name)))
  it.each(harmless)("called %s does not", (name) => assert.isFalse(looksSecret(name)))
})

describe("a variable with a harmless name", () => {
  it.each([
    ["QUEUE", "amqp://me:hunter2x@h//"],
    ["SENTRY_URL", "https://0123456789abcdef0123456789abcdef@o1.ingest.example/1"],
    ["STORAGE", "AccountName=x;AccountKey=aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5xY2z=="],
    ["JDBC", "jdbc:postgresql://h/d?user=me&password=hunter2x"],
    ["CONFIG", '{"password":"hunter2x"}'],
    ["JVM_OPTS", "-Dfoo=1 -Ddb.password=hunter2x"],
    ["PIP_INDEX_URL", "https://me:hunter2x@h/simple"],
    ["ENCODED", "postgres%3A%2F%2Fme%3Ahunter2x%40h"],
    ["CURL_ARGS", "-u me:hunter2x h"],
    ["GIT_CONFIG_PARAMETERS", "'http.extraheader=Authorization: Basic bWU6c3dvcmRmaXNo'"],
    ["NOTE", "ghp_0123456789abcdefABCDEF0123456789abcd"]
  ])("%s looks like a secret when its value holds one", (name, value) => {
    assert.isTrue(looksSecret(name, value))
    assert.isFalse(looksSecret(name, "https://example.org/path"))
  })

  it("is a proxy: a client keeps its address with its password, and codex's commands do not get it", () => {
    const given = { HTTPS_PROXY: "http://me:hunter2x@proxy:3128", http_proxy: "proxy:3128", all_proxy: "" }
    for (const client of ["codex", "claude", "command"] as const) {
      assert.deepStrictEqual(clientVariables(client, { ...given, FTP_PROXY: "leak" }), given)
    }
    assert.deepStrictEqual(withoutSecrets(given).slice(2), ["-c", 'shell_environment_policy.set.HTTPS_PROXY=""'])
  })
})

describe("a variable without which no program works", () => {
  it.each(["PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR", "CODEX_HOME", "XDG_STATE_HOME"])(
    "%s stays, whatever its value looks like",
    (name) => {
      const given = { [name]: "/opt/ghp_0123456789abcdefABCDEF0123456789abcd/bin:/bin" }
      assert.deepStrictEqual(clientVariables("command", given), given)
    }
  )
})

describe("the variables that a client needs for itself", () => {
  const home = (config: string): string => {
    const path = mkdtempSync(join(tmpdir(), "ooda-client-"))
    writeFileSync(join(path, "config.toml"), config)
    return path
  }
  const kept = (client: AgentKind, all: Variables) => Object.keys(clientVariables(client, all)).sort()

  it("are codex's keys, and those that its configuration names in whatever form", () => {
    const config = '[a]\nenv_key = \'A_KEY\'\nb = { env_key="B_KEY" }\nenv_keys = "C_KEY"\n' +
      'env_http_headers = { "X-One" = "D_KEY", two = "E_KEY" }\n'
    const all = {
      CODEX_API_KEY: "",
      OPENAI_API_KEY: "",
      A_KEY: "",
      B_KEY: "",
      C_KEY: "",
      D_KEY: "",
      E_KEY: "",
      F_KEY: ""
    }
    const own = ["A_KEY", "B_KEY", "CODEX_API_KEY", "CODEX_HOME", "D_KEY", "E_KEY", "OPENAI_API_KEY"]
    const given = { ...all, CODEX_HOME: home(config) }
    assert.deepStrictEqual(kept("codex", given), own)
    // Its commands get none of them, whatever they are called.
    assert.deepStrictEqual(
      withoutSecrets(given).filter((one) => one.includes(".set.")),
      ["CODEX_API_KEY", "OPENAI_API_KEY", "A_KEY", "B_KEY", "D_KEY", "E_KEY"].map((name) =>
        `shell_environment_policy.set.${name}=""`
      )
    )
  })

  it.each<[string, AgentKind, Variables, ReadonlyArray<string>]>([
    ["codex on Bedrock", "codex", { CODEX_HOME: home('model_provider = "amazon-bedrock"\n') }, [
      "AWS_SECRET_ACCESS_KEY"
    ]],
    ["Claude Code on Bedrock", "claude", { CLAUDE_CODE_USE_BEDROCK: "1" }, ["AWS_SECRET_ACCESS_KEY"]],
    ["Claude Code on Vertex", "claude", { CLAUDE_CODE_USE_VERTEX: "1" }, ["GOOGLE_APPLICATION_CREDENTIALS"]],
    ["Claude Code on Foundry", "claude", { CLAUDE_CODE_USE_FOUNDRY: "1" }, ["AZURE_CLIENT_SECRET"]],
    ["any other program", "command", {}, []]
  ])("are those of the cloud of %s alone", (_, client, said, own) => {
    const clouds = { AWS_SECRET_ACCESS_KEY: "x", GOOGLE_APPLICATION_CREDENTIALS: "x", AZURE_CLIENT_SECRET: "x" }
    assert.deepStrictEqual(kept(client, { ...clouds, ...said }), [...own, ...Object.keys(said)].sort())
  })

  it("are Claude Code's login and its certificate", () => {
    const own = {
      ANTHROPIC_API_KEY: "x",
      CLAUDE_CODE_OAUTH_TOKEN: "x",
      CLAUDE_CODE_CLIENT_CERT: "x",
      CLAUDE_CODE_CLIENT_KEY: "x",
      CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "x"
    }
    assert.deepStrictEqual(clientVariables("claude", { ...own, OPENAI_API_KEY: "x" }), own)
  })
})

describe("settings of git in variables", () => {
  const git = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" }

  it("stay together, or go together where one holds a secret", () => {
    assert.deepStrictEqual(clientVariables("codex", git), git)
    const value = "https://user:hunter2hunter2@example.org/"
    assert.deepStrictEqual(clientVariables("codex", { ...git, GIT_CONFIG_VALUE_0: value, A: "b" }), { A: "b" })
  })
})

it("a limit of tokens or milliseconds is no secret, but any other number may be", () => {
  assert.isFalse(looksSecret("MAX_THINKING_TOKENS", "8000"))
  assert.isTrue(looksSecret("MAX_THINKING_TOKENS", "eyJh"))
  assert.isTrue(looksSecret("DB_PASSWORD", "12345678"))
})

it("the keys of a provider are found in each form of TOML, and Claude Code's cloud in the user's settings", () => {
  const home = mkdtempSync(join(tmpdir(), "ooda-client-"))
  const lines = [
    "[model_providers.gw]",
    '"env_key" = "GW_KEY"',
    "[model_providers.gw.env_http_headers]",
    'X = "X_TOKEN"'
  ]
  writeFileSync(join(home, "config.toml"), lines.join("\n"))
  writeFileSync(join(home, "settings.json"), '{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}')
  const all = { CODEX_HOME: home, CLAUDE_CONFIG_DIR: home, GW_KEY: "1k", X_TOKEN: "2k", AWS_SECRET_ACCESS_KEY: "3k" }
  const given = (client: AgentKind) =>
    Object.keys(clientVariables(client, all)).filter((name) => !/_HOME|_DIR/.test(name))
  assert.deepStrictEqual([given("codex"), given("claude")], [["GW_KEY", "X_TOKEN"], ["AWS_SECRET_ACCESS_KEY"]])
})

describe("the variables of an agent", () => {
  it("are its starter's, without secrets", () =>
    assert.deepStrictEqual(agentVariables("command", { PATH: "/bin", GITHUB_TOKEN: "1" }), {
      PATH: "/bin",
      OODA_IN_AGENT: "1"
    }))

  it("do not lead git elsewhere, colour what it prints, or tie it to another agent", () => {
    const others = [
      "GIT_DIR",
      "GIT_INDEX_FILE",
      "FORCE_COLOR",
      "RUST_LOG",
      "CLAUDECODE",
      "CLAUDE_CODE_SESSION_ID",
      "CLAUDE_CODE_CHILD_SESSION",
      "CLAUDE_PLUGIN_ROOT"
    ]
    const given = { CLAUDE_CONFIG_DIR: "/c", ...Object.fromEntries(others.map((name) => [name, "x"])) }
    assert.deepStrictEqual(agentVariables("claude", given), { CLAUDE_CONFIG_DIR: "/c", OODA_IN_AGENT: "1" })
  })
})
