// The variables of agents: what looks like a secret is kept from them, and what they need is not.
import { assert, describe, it } from "vitest"
import { agentVariables, looksSecret, secretProxies } from "../../../src/agent/Program.live.ts"

const secret = [
  "GITHUB_TOKEN",
  "NPM_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SESSION_TOKEN",
  "ANTHROPIC_API_KEY",
  "PGPASSWORD",
  "MYSQL_PWD",
  "DATABASE_URL",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "SSH_AUTH_SOCK",
  "SENTRY_DSN",
  "my_secret",
  "GH_PAT",
  "STRIPE_KEY",
  "SSH_KEY_PASSPHRASE",
  "DB_PASS",
  "SMTP_PASS",
  "DB_PW",
  "CI_JOB_JWT",
  "SLACK_WEBHOOK_URL",
  "AZURE_STORAGE_CONNECTION_STRING",
  ...("REDISCLI_AUTH SSHPASS VAULT_TOKEN DOCKER_AUTH_CONFIG STRIPE_SK DEPLOY_KEY MONGODB_URI POSTGRES_PRISMA_URL " +
    "POSTGRES_URL_NON_POOLING CLOUDAMQP_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN GCP_SA_KEY TF_VAR_db_password " +
    "BUNDLE_GEMS__EXAMPLE__COM AZURE_DEVOPS_EXT_PAT LDAP_BIND_PW DB_CREDS USER_PIN MNEMONIC SEED_PHRASE authToken " +
    "accessKey dbPassword AZURE_SAS FIREBASE_SERVICE_ACCOUNT npm_config__auth BW_SESSION RAILS_MASTER_KEY " +
    "npm_config_//registry.npmjs.org/:_authToken ORG_GRADLE_PROJECT_signingPassword SESSION_COOKIE APIkey").split(" ")
]
const harmless = [
  "PATH",
  "HOME",
  "PWD",
  "OLDPWD",
  "LANG",
  "KEYBOARD",
  "MONKEY",
  "PATTERN",
  "XAUTHORITY",
  "TOKENIZER",
  "EDITOR",
  "PASSES",
  "COMPASS",
  "HTTPS_PROXY",
  ...("CI NODE_ENV NODE_OPTIONS TERM SHELL USER TMPDIR VISUAL PAGER GIT_EDITOR DISPLAY XDG_RUNTIME_DIR XDG_SESSION_ID " +
    "VSCODE_IPC_HOOK_CLI TERM_PROGRAM NVIM JAVA_HOME GOPATH VIRTUAL_ENV npm_config_cache npm_config_user_agent " +
    "GITHUB_SHA GITHUB_ACTOR SSL_CERT_FILE NODE_EXTRA_CA_CERTS PGHOST PGUSER DB_HOST DB_USER REDIS_HOST AWS_REGION " +
    "SESSION_MANAGER DBUS_SESSION_BUS_ADDRESS KEYMAP GIT_AUTHOR_NAME SSH_TTY SSH_CONNECTION PATHEXT COMSPEC " +
    "SPIN SKIP PINNED TASK PYTHONHASHSEED BUNDLE_BUILD__NOKOGIRI").split(" ")
]

describe("a variable", () => {
  it.each(secret)("called %s looks like a secret", (name) => assert.isTrue(looksSecret(name)))
  it.each(harmless)("called %s does not", (name) => assert.isFalse(looksSecret(name)))
})

describe("a variable with a harmless name", () => {
  it.each([
    ["CELERY_BROKER_URL", "amqp://me:hunter2x@h//"],
    ["SQLALCHEMY_DATABASE_URI", "postgresql://me:hunter2x@h/d"],
    ["CLOUDINARY_URL", "cloudinary://123456789012345:aB3dE5gH7jK9mN1pQ3sT5v@x"],
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

  it("is a proxy: an agent keeps it with its password, and codex's commands do not get it", () => {
    const given = { HTTPS_PROXY: "http://me:hunter2x@proxy:3128", http_proxy: "http://proxy:3128" }
    assert.include(agentVariables(given, () => false), given)
    assert.deepStrictEqual(secretProxies(given), ["HTTPS_PROXY"])
  })
})

describe("the variables of an agent", () => {
  it("are those of whoever starts it, without secrets but its own", () => {
    const given = { PATH: "/bin", GITHUB_TOKEN: "1", MINE_TOKEN: "2" }
    assert.deepStrictEqual(agentVariables(given, (name) => name === "MINE_TOKEN"), {
      PATH: "/bin",
      MINE_TOKEN: "2",
      OODA_IN_AGENT: "1"
    })
  })

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
    assert.deepStrictEqual(agentVariables(given, () => false), { CLAUDE_CONFIG_DIR: "/c", OODA_IN_AGENT: "1" })
  })
})
