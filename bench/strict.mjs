// strict: what a step with --strict costs beside one without, on this repository and on 100,000 tracked files.
// Reviewers take no time here, so that the steps themselves are compared.
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { interleaved } from "./measure.mjs"

const root = resolve(import.meta.dirname, "..")
const rounds = Number(process.argv[2] ?? 7)
const cli = join(root, "dist/ooda-codex-review.cjs")
const codex = join(root, "fixtures/fake-codex/codex")
const scratch = mkdtempSync(join(tmpdir(), "ooda-bench-"))
const settings = ["user.name=A", "user.email=a@example.org", "gc.auto=0"].flatMap((setting) => ["-c", setting])
/**
 * @param {string} cwd
 * @param {ReadonlyArray<string>} args
 */
const git = (cwd, ...args) => execFileSync("git", [...settings, ...args], { cwd, stdio: "ignore" })

/** This repository with one file changed. */
const own = () => {
  const repo = join(scratch, "own")
  git(root, "clone", "--quiet", root, repo)
  appendFileSync(join(repo, "README.md"), "changed\n")
  return repo
}

/** A repository of 100,000 files in 200 directories, one of them changed. */
const large = () => {
  const repo = join(scratch, "large")
  mkdirSync(repo)
  git(repo, "init", "--quiet")
  for (let directory = 0; directory < 200; directory++) {
    const path = join(repo, `part${directory % 20}`, `package${directory}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < 500; file++) writeFileSync(join(path, `file${file}.txt`), `${directory} ${file}\n`)
  }
  git(repo, "add", ".")
  git(repo, "commit", "--quiet", "--message", "One")
  appendFileSync(join(repo, "part0/package0/file0.txt"), "changed\n")
  return repo
}

/**
 * @param {string} title
 * @param {string} cwd
 */
const measured = (title, cwd) => {
  const options = { cwd, env: { ...process.env, FAKE_CODEX: "clean" } }
  const common = ["--uncommitted", "--ceiling", "low", "-n", "1", "--codex-bin", codex]
  /**
   * @param {string} state
   * @param {ReadonlyArray<string>} more
   */
  const step = (state, ...more) => {
    const stateRoot = ["--state-root", join(scratch, title, state)]
    return { argv: ["node", cli, ...common, ...stateRoot, ...more], options }
  }
  mkdirSync(join(scratch, title))
  const figures = interleaved({
    "git status": { argv: ["git", "status", "--short"], options },
    "a first step": step("plain", "--fresh"),
    "a first step, strict": step("strict", "--fresh", "--strict"),
    "the fixed point again": step("plain"),
    "the fixed point again, strict": step("strict", "--strict")
  }, rounds)
  const heading = `${title}, ${rounds} interleaved runs`.padEnd(36)
  console.log(`${heading}    least      median         cpu   strict to not: of cpu, of least wall`)
  let plain = { least: 1, cpu: 1 }
  for (const [name, { cpu, least, median }] of Object.entries(figures)) {
    const times = [least, median, cpu].map((ms) => `${ms.toFixed(0).padStart(6)} ms`).join("   ")
    const ratios = `   ${(cpu / plain.cpu).toFixed(2)}   ${(least / plain.least).toFixed(2)}`
    console.log(`${name.padEnd(36)}${times}${name.endsWith("strict") ? ratios : ""}`)
    plain = { least, cpu }
  }
}

try {
  measured("this repository", own())
  measured("100,000 files", large())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
