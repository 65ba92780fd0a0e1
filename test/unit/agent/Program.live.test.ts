// Program.live: the job of an attempt: its command, its files, and its variables without the secrets of others.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, statSync, symlinkSync } from "node:fs"
import { assert, describe, it } from "vitest"
import {
  agentVariables,
  commandOf,
  doing,
  isInside,
  jobOf,
  looksSecret,
  orderOf,
  prepare,
  secretProxies
} from "../../../src/agent/Program.live.ts"
import { failureOf } from "../../../src/agent/AgentEnding.ts"
import { agentFiles, agentScratch } from "../../../src/run/Layout.live.ts"
import { textOf, withAgents } from "../../support/agentBench.ts"

describe("the command of a program", () => {
  it("is its path with its arguments", () =>
    withAgents(async ({ task }) => {
      assert.deepStrictEqual(commandOf("/bin/sh", { task: task(), environment: {} }, ["-c", "x"]), [
        "/bin/sh",
        "-c",
        "x"
      ])
      const [found] = commandOf("sh", { task: task(), environment: { PATH: "/nowhere:/bin" } }, [])
      assert.strictEqual(found, "/bin/sh")
    }))

  it("that is missing says in one line what was looked for, and ends as a missing program does", () =>
    withAgents(async ({ task }) => {
      const [program, ...args] = commandOf("no'such", { task: task(), environment: { PATH: "/bin" } }, ["x"])
      const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8" })
      assert.deepStrictEqual([status, stdout], [127, ""])
      assert.strictEqual(stderr, "the program no'such of the agent is missing: not found in PATH (/bin)\n")
      assert.strictEqual(failureOf(stderr, status)._tag, "Missing")
    }))
})

describe("the job of an attempt", () => {
  it("has the attempt's own files", () =>
    withAgents(async ({ ref }) => {
      const attempt = ref(2, 3)
      const { exit, journal, lock, log, out } = agentFiles(attempt)
      assert.deepStrictEqual(jobOf(attempt), { id: attempt.id, files: { journal, lock, log, out, exit } })
      assert.strictEqual(doing("starting", attempt), "starting agent 3, attempt 2")
    }))

  it("is prepared with its prompt, the schema of its answer and a private directory", () =>
    withAgents(async ({ ref, task }) => {
      const attempt = ref()
      const { prompt, schema } = agentFiles(attempt)
      assert.isNull(prepare(attempt, task(), "Ask ünd\n").schema)
      assert.strictEqual(textOf(prompt), "Ask ünd\n")
      assert.strictEqual(statSync(prompt).mode & 0o777, 0o600)
      assert.strictEqual(statSync(agentScratch(attempt)).mode & 0o777, 0o700)
      assert.isFalse(existsSync(schema))
      assert.strictEqual(prepare(attempt, task({ answer: { type: "object" } }), "x").schema, schema)
      assert.strictEqual(textOf(schema), '{"type":"object"}')
    }))

  it("is asked without the secrets of strangers, and with every word of a person", () =>
    withAgents(async ({ ref, task }) => {
      const attempt = ref()
      const asked = (secret: string, own: string) =>
        `Run \`TOKEN=${own} npm test\`\n\n\`\`\`text\n| password: |\n|   ${secret}\n| TOKEN=${secret}\n\`\`\`\n`
      prepare(attempt, task(), asked("hunter2", "swordfish"))
      assert.strictEqual(textOf(agentFiles(attempt).prompt), asked("[redacted]", "swordfish"))
    }))

  it("comes after all attempts before it, whose files stay where they are", () =>
    withAgents(async ({ ref, script, task }) => {
      const attempt = ref(3)
      const prepared = prepare(attempt, task(), "x")
      const asked = task({ limits: { timeout: 7, first: 1, idle: 1, maxTranscript: 9 } })
      const turn = { thread: null, prompt: "x" }
      const order = orderOf(script(":"), { attempt, task: asked, turn, prepared, environment: { PATH: "/bin" } })
      assert.deepStrictEqual(
        order.earlier.map(({ files }) => files.journal),
        [2, 1].map((n) => agentFiles({ ...attempt, attempt: n }).journal)
      )
      assert.isTrue(order.earlier.every(({ id, moves }) => id === "" && moves.length === 0))
      assert.deepStrictEqual([order.cwd, order.deadline, order.maxBytes, order.input], [
        asked.cwd,
        7,
        9,
        prepared.prompt
      ])
    }))
})

describe("a directory", () => {
  it("lies inside itself and what is above it, also through links, and not beside a longer name", () =>
    withAgents(async ({ path, root, work }) => {
      mkdirSync(`${work}/a/b`, { recursive: true })
      mkdirSync(`${work}/ab`)
      symlinkSync(`${work}/a`, path("link"))
      for (const [inner, outer] of [[work, work], [`${work}/a/b`, work], [path("link"), work], [work, "/"]] as const) {
        assert.isTrue(isInside(inner, outer))
      }
      for (const [inner, outer] of [[root, work], [work, `${work}/a`], [`${work}/ab`, `${work}/a`]] as const) {
        assert.isFalse(isInside(inner, outer))
      }
    }))
})

const secret = (
  "GITHUB_TOKEN NPM_TOKEN AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN ANTHROPIC_API_KEY " +
  "PGPASSWORD MYSQL_PWD DATABASE_URL GOOGLE_APPLICATION_CREDENTIALS SSH_AUTH_SOCK SENTRY_DSN my_secret GH_PAT " +
  "STRIPE_KEY SSH_KEY_PASSPHRASE DB_PASS SMTP_PASS DB_PW CI_JOB_JWT SLACK_WEBHOOK_URL " +
  "AZURE_STORAGE_CONNECTION_STRING " +
  "REDISCLI_AUTH SSHPASS VAULT_TOKEN DOCKER_AUTH_CONFIG STRIPE_SK DEPLOY_KEY MONGODB_URI POSTGRES_PRISMA_URL " +
  "POSTGRES_URL_NON_POOLING CLOUDAMQP_URL ACTIONS_ID_TOKEN_REQUEST_TOKEN GCP_SA_KEY TF_VAR_db_password " +
  "BUNDLE_GEMS__EXAMPLE__COM AZURE_DEVOPS_EXT_PAT LDAP_BIND_PW DB_CREDS USER_PIN MNEMONIC SEED_PHRASE authToken " +
  "accessKey dbPassword AZURE_SAS FIREBASE_SERVICE_ACCOUNT npm_config__auth BW_SESSION RAILS_MASTER_KEY " +
  "npm_config_//registry.npmjs.org/:_authToken ORG_GRADLE_PROJECT_signingPassword SESSION_COOKIE APIkey"
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
  it("are its starter's, without secrets that are not its own", () => {
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
