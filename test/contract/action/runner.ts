// runner: the steps of action.yml, run as a runner of GitHub Actions runs them: its files and variables, its shell.
// The steps come from the file itself; nothing here knows the program.
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert } from "vitest"
import { parse } from "yaml"
import type { World } from "../../process/world.ts"

const root = resolve(import.meta.dirname, "../../..")
/** The action, as it is published. */
export const action = parse(readFileSync(join(root, "action.yml"), "utf8"))

/** What a job came to: whether it succeeded, its step outputs, and what people and programs see. */
export interface Job {
  readonly success: boolean
  readonly exits: ReadonlyArray<number | null>
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  readonly log: string
  readonly temp: string
  /** What was called with sudo. */
  readonly sudo: string
  /** The arguments of each call of gh, and the comments that it was given. */
  readonly gh: ReadonlyArray<ReadonlyArray<string>>
  readonly comments: ReadonlyArray<string>
}

/** A gh that records: it lists the comments of a file, and keeps each that it is given; `fails` says which call fails. */
const fakeGh = (dir: string, listed: string, fails: string): string => {
  mkdirSync(join(dir, "posted"), { recursive: true })
  writeFileSync(join(dir, "listed"), listed)
  const path = join(dir, "gh")
  writeFileSync(
    path,
    [
      "#!/bin/sh",
      `printf '%s\\n' "$*" >> ${dir}/calls`,
      `case "$*" in ${fails === "" ? "no-call" : fails}) echo 'HTTP 403: Resource not accessible' >&2; exit 1 ;; esac`,
      `case "$*" in *--paginate*) cat ${dir}/listed ;; esac`,
      `for one; do case "$one" in body=@*) n=$(ls ${dir}/posted | wc -l); cp "\${one#body=@}" ${dir}/posted/$n ;; esac; done`,
      `[ -n "$GH_TOKEN" ] || exit 4`,
      ""
    ].join("\n")
  )
  chmodSync(path, 0o755)
  // A machine whose setting forbids the sandbox, and on which it must not be changed.
  writeFileSync(join(dir, "sysctl"), "#!/bin/sh\necho 1\n", { mode: 0o755 })
  writeFileSync(join(dir, "sudo"), `#!/bin/sh\necho "$*" >> ${dir}/sudo-calls\n`, { mode: 0o755 })
  return dir
}

const sh = (command: string, cwd: string, env: Readonly<Record<string, string | undefined>>) =>
  new Promise<{ readonly code: number | null; readonly text: string }>((done) => {
    // As the runner calls it for `shell: bash`.
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", command], { cwd, env })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part))
    child.stderr.setEncoding("utf8").on("data", (part: string) => (text += part))
    child.on("close", (code) => done({ code, text }))
  })

/** What a job is started with. */
export interface Started {
  readonly inputs?: Readonly<Record<string, string>>
  readonly event: unknown
  readonly eventName?: string
  readonly listed?: string
  readonly fails?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A branch with one change, and the event of a pull request for it. */
export const pullRequest = (world: Pick<World, "git" | "repo">, from = "owner/project") => {
  world.git("update-ref", "refs/remotes/origin/main", "main")
  world.git("checkout", "-qb", "feature")
  writeFileSync(join(world.repo, "a.txt"), "two\n")
  world.git("add", "-A")
  world.git("commit", "-qm", "Two")
  const sha = world.git("rev-parse", "main").trim()
  const base = { ref: "main", sha, repo: { full_name: "owner/project" } }
  return { pull_request: { number: 7, head: { repo: { full_name: from } }, base } }
}

/** Runs all steps of the action. */
export const job = async (
  world: Pick<World, "dir" | "env" | "repo" | "stateRoot">,
  { env: more = {}, event, eventName = "pull_request", ...given }: Started
): Promise<Job> => {
  const temp = join(world.dir, "runner")
  mkdirSync(temp, { recursive: true })
  const bin = fakeGh(join(world.dir, "fake-gh"), given.listed ?? "", given.fails ?? "")
  writeFileSync(join(temp, "event.json"), JSON.stringify(event))
  const inputs: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, { default: text }]: any) => [name, text])),
    program: join(root, "dist/ooda-codex-review.cjs"),
    "codex-version": "",
    "github-token": "job-token",
    ...given.inputs
  }
  const steps: Record<string, Record<string, string>> = {}
  let isFailed = false
  const valueOf = (expression: string): string => {
    const [kind, name = "", , key = ""] = expression.trim().split(".")
    if (kind === "inputs") return inputs[name] ?? assert.fail(expression)
    if (kind === "steps") return steps[name]?.[key] ?? ""
    const places: Readonly<Record<string, string>> = { "runner.temp": temp, "github.action_path": root }
    return places[expression.trim()] ?? assert.fail(`no such expression: ${expression}`)
  }
  const filled = (text: unknown): string => String(text).replace(/\$\{\{(.*?)\}\}/g, (_, one: string) => valueOf(one))
  const holds = (condition: string | undefined): boolean => {
    const parts = (condition ?? "success()").split("&&").map((part) => part.trim())
    const always = parts.includes("always()")
    return (always || !isFailed) && parts.filter((part) => !/^(always|success)\(\)$/.test(part)).every((part) => {
      const [, left = "", operator, right] = /^(\S+) (==|!=) '(.*)'$/.exec(part) ?? assert.fail(part)
      return (valueOf(left) === right) === (operator === "==")
    })
  }
  const exits: Array<number | null> = []
  let log = ""
  for (const [index, step] of action.runs.steps.entries()) {
    if (!holds(step.if)) continue
    const output = join(temp, `output-${index}`)
    writeFileSync(output, "")
    const { code, text } = await sh(filled(step.run), filled(step["working-directory"] ?? world.repo), {
      ...world.env,
      PATH: `${bin}:${world.env["PATH"] ?? ""}`,
      RUNNER_TEMP: temp,
      OODA_STATE_ROOT: world.stateRoot,
      GITHUB_ACTIONS: "true",
      GITHUB_EVENT_NAME: eventName,
      GITHUB_EVENT_PATH: join(temp, "event.json"),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: join(temp, "summary"),
      ...more,
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]))
    })
    log += text
    exits.push(code)
    isFailed ||= code !== 0
    const lines = readFileSync(output, "utf8").split("\n").slice(0, -1)
    steps[step.id ?? index] = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
  }
  const calls = existsSync(join(bin, "calls")) ? readFileSync(join(bin, "calls"), "utf8").trimEnd().split("\n") : []
  const posted = join(bin, "posted")
  const comments = readdirSync(posted).map((name) => readFileSync(join(posted, name), "utf8"))
  return {
    success: !isFailed,
    exits,
    outputs: Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]: any) => [name, filled(value)])),
    summary: existsSync(join(temp, "summary")) ? readFileSync(join(temp, "summary"), "utf8") : "",
    log,
    temp,
    sudo: existsSync(join(bin, "sudo-calls")) ? readFileSync(join(bin, "sudo-calls"), "utf8") : "",
    gh: calls.map((call) => call.split(" ")),
    comments
  }
}
