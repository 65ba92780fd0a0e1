// scene: the world that a block of commands is run in: a repository with a branch, programs, and codex played.
// A command runs word for word as on its page, in one `sh` a block, and nothing leaves the machine.
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { CLI, eventually, type World } from "../world.ts"
import { root } from "./pages.ts"

/** How a command ended, and what it said. */
export interface Ran {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export interface Scene {
  readonly world: World
  /** Runs a line of a page in the shell of the block. */
  readonly run: (line: string) => Promise<Ran>
  /** Runs what has to have happened before; the line must end with one of the codes (0 unless given). */
  readonly had: (line: string, ...codes: ReadonlyArray<number>) => Promise<void>
  /** Writes a file of the repository. */
  readonly write: (name: string, text: string) => void
  /** The text of a file of the repository; empty if it is missing. */
  readonly read: (name: string) => string
  /** What has been given to the programs that are played. */
  readonly recorded: () => string
}

/** Code in which the reviewers find something until an agent has fixed it. */
export const flawed = "flaw\n"

const codex = `#!/bin/sh
case "$*" in 'review --help') echo 'Usage: codex review --uncommitted --base --commit'; exit ;; esac
case $1 in
  --version) echo codex-cli 0.169.0; exit ;;
  login) echo Logged in using ChatGPT; exit ;;
  review) if grep -qs flaw a.txt; then FAKE_CODEX='issues 1'; else FAKE_CODEX=clean; fi
    export FAKE_CODEX; exec "${join(root, "fixtures/fake-codex/codex")}" "$@" ;;
esac
for word; do answer=$last; last=$word; done
prompt=$(cat)
from() { printf '%s\\n' "$prompt" | sed -n "s/^$1//p" | head -n 1; }
case " $* " in *' --ephemeral '*) printf 'FAIL\\n- the limit is off by one\\n' >"$answer"; exit ;; esac
role=$(from 'role: ') task=$(from 'task_id: ') says=
case $task in
  */address | */implement) sed -i 's/flaw/right/' a.txt; echo "$task" >>work.txt ;;
esac
for one in $(from 'The fingerprints are: ' | tr -d ',.'); do says="$says\\\\nfinding $one: fixed - checked"; done
for one in $(from 'The indexes are: ' | sed 's/\\..*//' | tr -d ','); do says="$says\\\\nDONE: $one"; done
if [ -z "$role" ]; then text='{\\"issues\\":[],\\"verdict\\":\\"ACCEPTABLE\\"}'
else text="role: $role\\\\ntask_id: $task\\\\nstatus: pass\\\\ngit_range: HEAD..HEAD\\\\n\\\\nDone.$says"; fi
printf '%s\\n' '{"type":"thread.started","thread_id":"01a20478-91e4-7c91-b40a-67484acd3da7"}' '{"type":"turn.started"}'
printf '%s\\n' '{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"git diff HEAD","exit_code":0}}'
printf '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"%s"}}\\n' "$text"
printf '%s\\n' '{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":0,"output_tokens":80}}'
`
/** A program that only writes down what it is given, and prints what is given here. */
const recorder = (says: string) =>
  `#!/bin/sh
echo "\${0##*/} $*" >>"$RECORDED"
${says}
`
const programs: Readonly<Record<string, string>> = {
  codex,
  "ooda-codex-review": `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`,
  gh: recorder(`case $1 in pr) echo main ;; esac`),
  mail: recorder(`cat >>"$RECORDED"`),
  // Its keys come from a network service, and there is no login here.
  cosign: recorder("")
}

const files: Readonly<Record<string, string>> = {
  "a.txt": "one\n",
  "src/total.ts": "export const total = 1\n",
  ".gitignore": "node_modules/\n",
  "package.json": '{ "scripts": { "test": "true", "lint": "true" } }\n',
  "message.txt": "role: worker\ntask_id: 7\nstatus: pass\ngit_range: 1a2b3c4..5d6e7f8\n\nDone.\n",
  "prompt.txt": "The task.\n"
}

/** The repository with `main` and a branch checked out that changes something. */
const settle = (world: World, write: Scene["write"]): void => {
  for (const [name, text] of Object.entries(files)) write(name, text)
  write("node_modules/one/index.js", "")
  world.git("add", ".")
  world.git("commit", "-qm", "Files")
  world.git("checkout", "-qb", "feature")
  write("b.txt", "new\n")
  world.git("add", ".")
  world.git("commit", "-qm", "Feature")
}

/** A shell that is given one line after the other, and says how each ended. */
const shell = (dir: string, cwd: string, env: NodeJS.ProcessEnv) => {
  mkdirSync(dir)
  const child = spawn("sh", [], { cwd, env, stdio: ["pipe", "ignore", "ignore"] })
  let count = 0
  const run = async (line: string): Promise<Ran> => {
    const at = join(dir, String(count += 1))
    child.stdin.write(
      `{ ${line}\n} </dev/null >'${at}.out' 2>'${at}.err'; echo $? >'${at}.new'; mv '${at}.new' '${at}'\n`
    )
    await eventually(`the end of: ${line}`, () => existsSync(at) || child.exitCode !== null, 240_000)
    const text = (name: string) => existsSync(name) ? readFileSync(name, "utf8") : ""
    return { exit: Number(text(at) || 2), stdout: text(`${at}.out`), stderr: text(`${at}.err`) }
  }
  return { run, end: () => child.stdin.end() }
}

/** Plays a block of commands in a world. */
export const inScene = async (world: World, play: (scene: Scene) => Promise<void>): Promise<void> => {
  const [bin, recorded] = [world.path("bin"), world.path("recorded")]
  mkdirSync(bin)
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  const write: Scene["write"] = (name, text) => {
    mkdirSync(dirname(join(world.repo, name)), { recursive: true })
    writeFileSync(join(world.repo, name), text)
  }
  settle(world, write)
  mkdirSync(world.path("home/.codex/sessions"), { recursive: true })
  const config = world.path("home/.config/ooda-codex-review")
  mkdirSync(config, { recursive: true })
  // A user's own settings, which every page allows: a short ladder, so that this takes seconds.
  writeFileSync(join(config, "config.toml"), 'n = 1\nceiling = "medium"\n')
  const env = {
    ...world.env,
    PATH: `${bin}:${process.env["PATH"]}`,
    OODA_STATE_ROOT: world.stateRoot,
    CLAUDE_CONFIG_DIR: world.path("home/.claude"),
    CLAUDE_CODE_SESSION_ID: "s",
    GITHUB_EVENT_PATH: world.path("event.json"),
    GITHUB_OUTPUT: world.path("output"),
    GITHUB_STEP_SUMMARY: world.path("summary.md"),
    RUNNER_TEMP: world.path("tmp"),
    RECORDED: recorded
  }
  const page = shell(world.path("page"), world.repo, env)
  const before = shell(world.path("before"), world.repo, env)
  const had: Scene["had"] = async (line, ...codes) => {
    const { exit, stderr, stdout } = await before.run(line)
    if (!(codes.length === 0 ? [0] : codes).includes(exit)) throw new Error(`${line}: ${exit}\n${stdout}${stderr}`)
  }
  const read: Scene["read"] = (name) => {
    const path = join(world.repo, name)
    return existsSync(path) ? readFileSync(path, "utf8") : ""
  }
  try {
    const record = () => existsSync(recorded) ? readFileSync(recorded, "utf8") : ""
    await play({ world, run: page.run, had, write, read, recorded: record })
  } finally {
    page.end()
    before.end()
  }
}
