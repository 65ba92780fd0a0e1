// Sessions of the real Claude Code with hooks: a scripted model behind it, and a recorder where hooks look for the program.
// Nothing is left out of what came back: every line, every request, every event that a hook was given.
import { execFileSync, spawn } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { type Script, scripted, uses } from "../../fixtures/stand-in-claude/script.mjs"
import { type ModelRequest, type Policy, startStandIn } from "../../fixtures/stand-in-claude/server.mjs"
import { plainEnvironment } from "../../fixtures/stand-in-model/environment.mjs"
import { pinnedClaude } from "./install.mjs"
import { CLI, ROOT } from "./support.ts"

export const PLUGIN = join(ROOT, "plugin")

type Json = Readonly<Record<string, unknown>>

/** One event that reached the program: the arguments, and what it was given. */
export interface Recorded {
  readonly argv: string
  readonly event: string
  readonly tool: string | null
  readonly input: Json
}

/** A session that has ended. */
export interface Session {
  readonly exit: number | null
  /** The lines of the stream. */
  readonly lines: ReadonlyArray<Json>
  readonly requests: ReadonlyArray<ModelRequest>
  /** What the client says of hooks that ended: `hook_name`, `exit_code`, `outcome`, `stdout`, `stderr`. */
  readonly responses: ReadonlyArray<Json>
  readonly recorded: ReadonlyArray<Recorded>
}

/** How a session is run. */
export interface Run extends Script {
  readonly prompt?: string
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** A model that decides from its prompt, instead of the script. */
  readonly policy?: Policy
  /** Shell code of the recorder, by the name of an event: what the program does there. */
  readonly answers?: Readonly<Record<string, string>>
}

export interface Stage {
  readonly home: string
  readonly repo: string
  readonly env: Readonly<Record<string, string>>
  /** Takes the program away from PATH. */
  readonly withoutProgram: () => void
  /** Runs the client with arguments of its own, such as `plugin install`. */
  readonly claude: (...args: ReadonlyArray<string>) => string
  /** Runs a line of a page in a directory, where `npm root -g` holds this package. */
  readonly sh: (line: string, cwd: string) => string
  /** Runs one session to its end. */
  readonly claudeRun: (run: Run) => Promise<Session>
}

const recorder = `#!/bin/sh
n=1
until mkdir "$RECORDS/$n" 2>/dev/null; do n=$((n + 1)); done
printf '%s ' "$@" >"$RECORDS/$n/argv"
cat >"$RECORDS/$n/stdin"
event=$(sed -n 's/.*"hook_event_name":"\\([A-Za-z]*\\)".*/\\1/p' "$RECORDS/$n/stdin")
touch "$RECORDS/$n/done"
if [ -e "$RECORDS/answers/$event" ]; then . "$RECORDS/answers/$event"; fi
`

/** The program itself, with a record of each event and of what it answered to it. */
const recorded = `#!/bin/sh
case "$1 $2" in "hook --"*) ;; *) exec "$NODE" "$CLI" "$@" ;; esac
n=1
until mkdir "$RECORDS/$n" 2>/dev/null; do n=$((n + 1)); done
printf '%s ' "$@" >"$RECORDS/$n/argv"
cat >"$RECORDS/$n/stdin"
"$NODE" "$CLI" "$@" <"$RECORDS/$n/stdin" >"$RECORDS/$n/stdout" 2>"$RECORDS/$n/stderr"
code=$?
cat "$RECORDS/$n/stdout"
cat "$RECORDS/$n/stderr" >&2
touch "$RECORDS/$n/done"
exit $code
`

/** Who answers the hooks: a recorder that says what a test wrote for each event, or the built program. */
export type Program = "recorder" | "built"

/**
 * A turn in which the session waits until so many events have reached the program: what runs in the background is ended
 * with the session.
 */
export const settled = (events: number) =>
  uses("Bash", {
    command: `until [ "$(for one in "$RECORDS"/*/done; do ` +
      `[ -e "$one" ] && ! grep -q -- --version "\${one%done}argv" && echo; done | wc -l)" -ge ${events} ]; do sleep 0.05; done`,
    description: "waits for the hooks"
  })

const recordedIn = (records: string): ReadonlyArray<Recorded> =>
  readdirSync(records).filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(a) - Number(b)).map((name) => {
    const text = (file: string) => readFileSync(join(records, name, file), "utf8")
    const input: Json = JSON.parse(text("stdin"))
    const tool = input["tool_name"]
    return {
      argv: text("argv").trim(),
      event: String(input["hook_event_name"]),
      tool: tool === undefined ? null : String(tool),
      input
    }
  })

const printed = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv): string =>
  execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const ended = (command: string, args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  new Promise<{ readonly exit: number | null; readonly stdout: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 90_000 })
    let stdout = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.resume()
    child.on("error", reject)
    child.on("close", (exit) => resolve({ exit, stdout }))
  })

/** A home, a repository and a program for one test; all of it is gone afterwards. */
export const onStage = async (use: (stage: Stage) => Promise<void>, kind: Program = "recorder"): Promise<void> => {
  const { claude } = pinnedClaude(ROOT)
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-session-")))
  const at = (name: string) => join(directory, name)
  const [repo, bin, records, modules] = [at("repo"), at("bin"), at("records"), at("lib/node_modules")]
  for (const path of [repo, bin, modules, join(records, "answers")]) mkdirSync(path, { recursive: true })
  const program = join(bin, "ooda-codex-review")
  writeFileSync(program, kind === "built" ? recorded : recorder, { mode: 0o755 })
  symlinkSync(claude, join(bin, "claude"))
  symlinkSync(ROOT, join(modules, "ooda-codex-review"))
  const plain = plainEnvironment(directory)
  const env: Readonly<Record<string, string>> = {
    ...plain,
    PATH: [bin, plain["PATH"] ?? ""].join(delimiter),
    npm_config_prefix: directory,
    RECORDS: records,
    NODE: process.execPath,
    CLI,
    OODA_STATE_ROOT: join(directory, "state"),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    CLAUDE_CODE_TMPDIR: directory
  }
  const tools = "Bash,Write,Edit,Read,Agent,Skill,ExitPlanMode,mcp__stand-in"
  try {
    execFileSync("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: repo, env, stdio: "pipe" })
    await use({
      home: env["HOME"] ?? "",
      repo,
      env,
      withoutProgram: () => rmSync(program),
      claude: (...args) => printed(claude, args, repo, env),
      sh: (line, cwd) => printed("sh", ["-c", line], cwd, env),
      claudeRun: async ({ answers = {}, args = [], env: added = {}, policy, prompt = "Please do it.", ...script }) => {
        for (const name of readdirSync(records)) {
          rmSync(join(records, name), { recursive: true })
        }
        mkdirSync(join(records, "answers"))
        for (const [event, code] of Object.entries(answers)) writeFileSync(join(records, "answers", event), code)
        const standIn = await startStandIn(policy ?? scripted(script))
        try {
          const output = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
          const { exit, stdout } = await ended(
            claude,
            ["-p", prompt, ...output, "--allowedTools", tools, ...args],
            repo,
            {
              ...env,
              ANTHROPIC_BASE_URL: standIn.url,
              ANTHROPIC_API_KEY: "placeholder",
              ...added
            }
          )
          const lines: ReadonlyArray<Json> = stdout.split("\n").filter((line) => line.startsWith("{"))
            .map((line) => JSON.parse(line))
          const responses = lines.filter(({ subtype }) => subtype === "hook_response")
          return { exit, lines, requests: standIn.requests, responses, recorded: recordedIn(records) }
        } finally {
          await standIn.close()
        }
      }
    })
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
