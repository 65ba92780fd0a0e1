// page: the five commands of docs/fleet.md, unchanged, set up a fleet and take a pull request to its fixed point.
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { CLI } from "../process/world.ts"
import { committer } from "./committer.ts"
import { type Server, startServer } from "./postgres.ts"

const page = readFileSync(resolve(import.meta.dirname, "../../docs/fleet.md"), "utf8")
const fake = resolve(import.meta.dirname, "../../fixtures/fake-codex")
const commands = [
  'export OODA_STORE="$DATABASE"',
  'ooda-codex-review fleet init --work "$WORK" --account team=8',
  "ooda-codex-review fleet worker --account team --retro clean &",
  'ooda-codex-review fleet submit --repo "$REPO" --pr 7 --head "$HEAD" --base "$BASE" --ceiling low',
  'ooda-codex-review fleet wait "$REPO#7" --head "$HEAD"'
]

describe.runIf(inject("postgres") !== null)("docs/fleet.md", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-page-")))
  let server: Server
  beforeAll(async () => (server = await startServer(true)))
  afterAll(async () => {
    await server.remove()
    rmSync(dir, { recursive: true, force: true })
  })

  it("sets up a fleet in five commands", () => {
    assert.strictEqual(/```sh\n([^]*?)```/.exec(page)?.[1], `${commands.join("\n")}\n`)
    for (const name of ["home", "tmp", "bin", "author"]) mkdirSync(join(dir, name))
    writeFileSync(join(dir, "bin/ooda-codex-review"), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
    chmodSync(join(dir, "bin/ooda-codex-review"), 0o755)
    const bare = join(dir, "name.git")
    const env = {
      PATH: [join(dir, "bin"), fake, process.env["PATH"] ?? ""].join(delimiter),
      HOME: join(dir, "home"),
      TMPDIR: join(dir, "tmp"),
      ...committer,
      DATABASE: server.database("page"),
      WORK: join(dir, "work"),
      REPO: `file://${bare}`
    }
    const git = (...args: ReadonlyArray<string>): string =>
      execFileSync("git", args, { cwd: join(dir, "author"), env, encoding: "utf8", stdio: "pipe" }).trim()
    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "One")
    execFileSync("git", ["clone", "-q", "--bare", join(dir, "author"), bare], { env })
    writeFileSync(join(dir, "author/a.txt"), "two\n")
    git("add", ".")
    git("commit", "-qm", "Two")
    git("push", "-q", bare, "HEAD:refs/pull/7/head")
    const commits = { HEAD: git("rev-parse", "HEAD"), BASE: git("rev-parse", "HEAD~1") }
    // Repositories of this machine replace the remote ones.
    const local = ["fleet", "init", "--work", env.WORK, "--local"]
    execFileSync(process.execPath, [CLI, ...local], { env: { ...env, OODA_STORE: env.DATABASE }, stdio: "pipe" })
    const script = `trap 'kill $!; wait' EXIT\n${commands.join("\n")}\n`
    const ran = spawnSync("bash", ["-c", script], {
      cwd: dir,
      env: { ...env, ...commits },
      encoding: "utf8",
      timeout: 60_000
    })
    assert.strictEqual(ran.status, 0, `${ran.stdout}${ran.stderr}`)
    assert.match(ran.stdout, /^set up already: store pg:\w+,/m)
    assert.match(ran.stdout, /^submitted name-\w+ pr\/7, number 1$/m)
    assert.match(ran.stderr, /DoneFixedPoint\n$/)
  })
})
