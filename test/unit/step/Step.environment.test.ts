// A step's environment on this machine's layers: git, gh, flock and codex get exactly what the step was given.
// All variables of this process are planted: each of them would show, or would break the step.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { make } from "../../../src/run/Invocation.ts"
import { PrNumber, Target } from "../../../src/run/Target.ts"
import { Live } from "../../../src/layers.ts"
import { outcomeOf, step } from "../../../src/step/Step.ts"
import { runs } from "../../../src/read/Look.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { examine as doctor } from "../../../src/read/doctor/Doctor.ts"
import { pruneRuns } from "../../../src/read/Prune.ts"
import { eachInDirectory } from "../../support/directories.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const session = "01a1f82b-a11c-7bc3-ae02-8032555061a0"
const secret = "planted in the process"
const system = process.env["PATH"] ?? ""
const dir = eachInDirectory()
const at = (...names: ReadonlyArray<string>) => dir(...names)

const script = (path: string, ...lines: ReadonlyArray<string>) =>
  writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o700 })
/** A line that saves the environment of a program in a file of its own. */
const dump = (program: string) => `/usr/bin/env -0 >"${at("dumps")}/${program}.$$"`
const found = (program: string) => execFileSync("/bin/sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim()

beforeEach(() => {
  for (const name of ["repo", "dumps", "bin", "other", "host"]) mkdirSync(at(name))
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: at("repo"), stdio: "ignore" })
  git("init", "-q", "-b", "main")
  writeFileSync(at("repo", "a.txt"), "one\n")
  git("add", ".")
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "One")
  writeFileSync(at("repo", "a.txt"), "two\n")
  for (const program of ["git", "flock"]) script(at("bin", program), dump(program), `exec ${found(program)} "$@"`)
  script(at("bin", "gh"), dump("gh"), "echo main")
  for (const bin of ["bin", "other"]) {
    script(
      at(bin, "codex"),
      dump("codex"),
      `printf 'OpenAI Codex v0.169.0\\n--------\\nsession id: ${session}\\n--------\\n' >&2`,
      "echo 'No issues found.'"
    )
  }
  const host = { OODA_STATE_ROOT: at("host", "state"), TMPDIR: at("host"), CODEX_HOME: at("host"), HOME: at("host") }
  const broken = { GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere", OODA_AWAIT_SECS: "never", PATH: "/nowhere" }
  for (const [name, value] of Object.entries({ ...host, ...broken, SECRET: secret })) vi.stubEnv(name, value)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

/** The environment of one tenant, with directories of its own. */
const tenant = (name: string, others: Variables = {}) => {
  for (const part of ["tmp", "codex"]) mkdirSync(at(name, part), { recursive: true })
  return {
    PATH: `${at("bin")}:${system}`,
    HOME: at(name),
    CODEX_HOME: at(name, "codex"),
    TMPDIR: at(name, "tmp"),
    OODA_STATE_ROOT: at(name, "state"),
    TENANT: name,
    ...others
  }
}

/** What a reviewer of a tenant left in its session file: a finding, or none. */
const recorded = (name: string, findings: ReadonlyArray<object>) => {
  const day = at(name, "codex", "sessions", "2026", "11", "20")
  mkdirSync(day, { recursive: true })
  const review_output = { findings, overall_correctness: "patch is correct", overall_explanation: "Read." }
  const payload = { type: "item_completed", item: { type: "ExitedReviewMode", review_output } }
  const line = JSON.stringify({ type: "event_msg", payload })
  writeFileSync(join(day, `rollout-2026-11-20T10-00-00-${session}.jsonl`), `${line}\n`)
}
const finding = {
  title: "[P1] Wrong",
  body: "It is.",
  priority: 1,
  code_location: { absolute_file_path: "/a.txt", line_range: { start: 1, end: 1 } }
}

const uncommitted = Target.make({ _tag: "Uncommitted" })
const review = (env: Variables, given: Partial<Parameters<typeof make>[0]> = {}) =>
  step(make({ target: uncommitted, ceiling: "low", batchSize: 1, ...given }), at("repo"), env).pipe(
    Effect.map(({ outcome }) => outcome),
    Effect.catch((failure) => Effect.succeed(outcomeOf(failure))),
    Effect.provide(Live.layer)
  )

/** The environments that programs got, each with the program's name. */
const dumps = () =>
  readdirSync(at("dumps")).map((file) => ({
    program: file.split(".")[0] ?? "",
    env: Object.fromEntries(
      readFileSync(at("dumps", file), "utf8").split("\0").filter((entry) => entry !== "").map((entry) => {
        const sign = entry.indexOf("=")
        return [entry.slice(0, sign), entry.slice(sign + 1)]
      })
    )
  }))

// Variables that the shell of such a script adds by itself.
const ofTheShell = ["PWD", "OLDPWD", "SHLVL", "_"]
const added: Readonly<Record<string, ReadonlyArray<string>>> = {
  git: [
    "LC_ALL",
    "GIT_ALLOW_PROTOCOL",
    "GIT_ASKPASS",
    "GIT_ATTR_NOSYSTEM",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_INDEX_FILE",
    "GIT_NO_LAZY_FETCH",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PAGER",
    "GIT_TERMINAL_PROMPT",
    "SSH_ASKPASS"
  ],
  gh: ["LC_ALL", "GH_PROMPT_DISABLED", "NO_COLOR", "CLICOLOR_FORCE", "GH_FORCE_TTY"],
  flock: [],
  codex: ["OODA_ATTEMPT"]
}

describe("the environment of a step", () => {
  it("is all that git, gh, flock, codex and the state get", async () => {
    const env = tenant("a")
    const target = Target.make({ _tag: "PullRequest", number: PrNumber.make(7) })
    assert.deepStrictEqual(await Effect.runPromise(review(env, { target })), { _tag: "DoneFixedPoint" })
    const seen = dumps()
    assert.sameMembers([...new Set(seen.map(({ program }) => program))], Object.keys(added))
    for (const { env: got, program } of seen) {
      const extra = Object.keys(got).filter((name) => !(name in env) && !ofTheShell.includes(name))
      assert.isEmpty(extra.filter((name) => !added[program]?.includes(name)), program)
      // Git gets only what it needs to find the user's settings.
      for (const [name, value] of Object.entries(env)) {
        if (program !== "git" || name in got) assert.strictEqual(got[name], value, `${program}: ${name}`)
      }
      assert.notInclude(JSON.stringify(got), secret)
    }
    const scratch = seen.flatMap(({ env: { GIT_INDEX_FILE } }) => GIT_INDEX_FILE ?? [])
    assert.isNotEmpty(scratch)
    for (const path of scratch) assert.isTrue(path.startsWith(`${at("a", "state")}/`), path)
    assert.isTrue(existsSync(at("a", "state", "repo-noremote", "pr", "7", "latest")))
    assert.deepStrictEqual(readdirSync(at("host")), [])
  })

  it("is all that a strict step with an isolated review gets, and commands that read its run or check the machine", async () => {
    const env = tenant("a")
    const reviewed = review(env, { strict: true, isolate: true })
    assert.deepStrictEqual(await Effect.runPromise(reviewed), { _tag: "DoneFixedPoint" })
    const where = { stateRoot: null, cwd: at("repo") }
    const read = Effect.gen(function*() {
      const [checks, [run]] = [yield* doctor({ ...where, codexBin: "codex" }), yield* runs(where)]
      const old = yield* pruneRuns({ all: true, age: 0, dryRun: true }, where)
      return { root: checks.find(({ name }) => name === "state root"), reason: run?.status.reason, old: old.length }
    })
    const provided = Effect.provideService(Effect.provide(read, Live.layer), Environment, env)
    const { old, reason, root } = await Effect.runPromise(provided)
    assert.deepStrictEqual([reason, old], ["FixedPoint", 1])
    assert.include(root?.found, at("a", "state"))
    for (const { env: got, program } of dumps()) {
      assert.notInclude(JSON.stringify(got), secret, program)
      assert.strictEqual(got["HOME"], env.HOME, program)
    }
    assert.deepStrictEqual(readdirSync(at("host")), [])
  })

  it("is separate for two steps in one process", async () => {
    const [a, b] = [tenant("a"), tenant("b", { PATH: `${at("other")}:${at("bin")}:${system}`, OODA_AWAIT_SECS: "0" })]
    recorded("a", [finding])
    recorded("b", [])
    const outcomes = await Effect.runPromise(Effect.all([review(a), review(b)], { concurrency: "unbounded" }))
    assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag), ["HandoffAgent", "DoneFixedPoint"])
    for (const { env: got, program } of dumps()) {
      const own = got["HOME"] === a.HOME ? a : b
      for (const [name, value] of Object.entries(own)) {
        if (program !== "git" || name in got) assert.strictEqual(got[name], value, `${program}: ${name}`)
      }
      if (program !== "git") assert.strictEqual(got["OODA_AWAIT_SECS"], own === a ? undefined : "0")
    }
    for (const name of ["a", "b"]) {
      assert.lengthOf(dumps().filter(({ env, program }) => program === "codex" && env["TENANT"] === name), 1)
      assert.isTrue(existsSync(at(name, "state", "repo-noremote", "uncommitted", "latest")))
    }
    assert.deepStrictEqual(readdirSync(at("host")), [])
  })

  it("without PATH finds the system's programs and no codex", async () => {
    const bare = { stateRoot: at("state"), codexBin: "codex" }
    const outcome = await Effect.runPromise(review({}, bare))
    assert.deepStrictEqual(outcome, {
      _tag: "BinaryError",
      message: "codex binary codex: PATH is empty [install codex, or name it with --codex-bin]"
    })
    const done = await Effect.runPromise(review({}, { ...bare, codexBin: at("bin", "codex") }))
    assert.deepStrictEqual(done, { _tag: "DoneFixedPoint" })
    assert.sameMembers(dumps().map(({ program }) => program), ["codex"])
  })

  it("with a PATH of missing directories says what is missing on it", async () => {
    const outcome = await Effect.runPromise(review({ PATH: "/nowhere" }, { stateRoot: at("state") }))
    assert.deepStrictEqual(outcome, {
      _tag: "BinaryError",
      message: "git: finding the repository: git is not installed or not on PATH [install git, or put it on PATH]"
    })
  })
})
