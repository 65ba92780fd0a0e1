// program: whatever a command line amounts to, it ends in one ending: what is printed, and the exit code.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { assert, describe, it, vi } from "vitest"
import { version } from "../../src/platform/Version.ts"
import { main } from "../../src/program.ts"
import { eachInDirectory } from "../support/directories.ts"

const scratch = eachInDirectory()

const env = () => ({ PATH: process.env["PATH"], HOME: scratch(), OODA_STATE_ROOT: scratch("state") })
const ended = (...argv: ReadonlyArray<string>) => main(argv, { cwd: scratch(), env: env() })
const repository = () => execFileSync("git", ["init", "-q", "-b", "main", scratch()])

describe("what needs no step", () => {
  it("is printed and ends with 0", async () => {
    assert.deepStrictEqual(await ended("--version"), { stdout: `${version}\n`, stderr: "", code: 0 })
    assert.match((await ended("--help")).stdout, /^ooda-codex-review drives [^\n]*\n[^]*\nUsage: /)
    assert.match((await ended("--completions", "bash")).stdout, /ooda-codex-review/)
  })

  it("is a wrong command line, with what is wrong and the usage", async () => {
    const { code, stderr, stdout } = await ended("--uncommitted", "--level", "hihg")
    assert.deepStrictEqual([code, stdout], [64, ""])
    assert.match(stderr, /^UsageError: [^\n]*hihg[^\n]*\nUsage: /)
  })

  it("is a subcommand, on standard output", async () => {
    const write = vi.spyOn(process.stdout, "write").mockImplementation((_, encoding, done) => {
      const written = typeof encoding === "function" ? encoding : done
      written?.()
      return true
    })
    const { code, stderr } = await ended("runs", "--all")
    const said = write.mock.calls.map(([text]) => text)
    write.mockRestore()
    assert.deepStrictEqual([code, stderr, said], [0, "", ["no runs\n"]])
  })
})

describe("a store in a database", () => {
  const url = "postgres://annabel:s3cret@localhost/x?host=/nowhere"
  const stored = (...argv: ReadonlyArray<string>) => main(argv, { cwd: scratch(), env: { ...env(), OODA_STORE: url } })

  it("that is away ends a step and a subcommand in one line without its address", async () => {
    const [step, subcommand] = [await stored("--pr", "7", "--strict"), await stored("replay", "--pr", "7")]
    assert.deepStrictEqual([step.code, subcommand.code], [6, 6])
    assert.match(step.stderr, /^BinaryError: [^\n]*database[^\n]*\n$/)
    assert.match(subcommand.stderr, /^error: [^\n]*database[^\n]*\n$/)
    for (const { stderr, stdout } of [step, subcommand]) assert.notMatch(stderr + stdout, /annabel|s3cret|nowhere/)
    const { code, stdout } = await stored("--pr", "7", "--json")
    assert.deepInclude(JSON.parse(stdout), { outcome: "BinaryError", exitCode: code, run: null })
  })

  it("refuses a step that names a codex, before it looks there", async () => {
    for (const argv of [["--pr", "7"], ["--pr", "7", "--json"]]) {
      const { code, stderr } = await stored(...argv, "--codex-bin", "./codex")
      assert.strictEqual(code, 64)
      assert.match(stderr, /^UsageError: --codex-bin names a program of this machine[^\n]*\n/)
    }
  })

  it("is not looked at where a state root is named, and is one that can be read", async () => {
    repository()
    assert.strictEqual((await stored("--uncommitted", "--inspect", "--state-root", scratch("other"))).code, 4)
    const bad = await main(["--uncommitted"], { cwd: scratch(), env: { ...env(), OODA_STORE: "annabel" } })
    assert.match(bad.stderr, /^BinaryError: \$OODA_STORE: expected the URL of a PostgreSQL database[^\n]*\n$/)
  })

  it.each([[["--pr", "7"]], [["replay"]]])("is named alone and without a password by %j", async (argv) => {
    const both = await ended(...argv, "--store", "postgres://h/x", "--state-root", "/x")
    const secret = await ended(...argv, "--store", url)
    assert.deepStrictEqual([both.code, secret.code], [64, 64])
    assert.match(both.stderr, /^(UsageError|error): --store and --state-root exclude each other\n/)
    assert.match(secret.stderr, /^(UsageError|error): --store: others can read a password/)
    assert.notMatch(secret.stderr, /annabel|s3cret/)
  })
})

describe("a step", () => {
  it("that only looks says what comes next, and creates nothing", async () => {
    repository()
    assert.deepStrictEqual(await ended("--uncommitted", "--inspect"), {
      stdout: "",
      stderr: "WouldAdvance: RunReviews\n",
      code: 4
    })
    assert.isFalse(existsSync(scratch("state")))
  })

  it("with a mark prints its line, and records it in the given state root", async () => {
    repository()
    const { code, stderr, stdout } = await ended("--uncommitted", "--advance-level")
    assert.deepStrictEqual([code, stderr], [7, "Idle\n"])
    assert.match(stdout, /^[^\n]*medium\n$/)
    assert.isTrue(existsSync(scratch("state")))
  })

  it("is printed as a document with --json", async () => {
    repository()
    const { code, stdout } = await ended("--uncommitted", "--inspect", "--json")
    assert.strictEqual(code, 4)
    assert.match(stdout, /^[^\n]+\n$/)
    assert.strictEqual(JSON.parse(stdout).outcome, "WouldAdvance")
  })

  it("that fails says why", async () => {
    const { code, stderr, stdout } = await ended("--uncommitted")
    assert.deepStrictEqual([code, stdout], [6, ""])
    assert.match(stderr, /^BinaryError: git: /)
  })

  it("in a directory that is gone fails, where a subcommand that needs none does not", async () => {
    const gone = { cwd: null, env: env() }
    assert.match((await main(["--uncommitted"], gone)).stderr, /^BinaryError: [^\n]*directory/)
    assert.strictEqual((await main(["--version"], gone)).code, 0)
  })
})

describe("a defect", () => {
  it("is an ending too, on one line", async () => {
    const env = new Proxy({}, {
      ownKeys: () => {
        throw new Error("a\nfault")
      }
    })
    assert.deepStrictEqual(await main(["runs", "--all"], { cwd: scratch(), env }), {
      stdout: "",
      stderr: "BinaryError: internal error: a\\nfault [please report it]\n",
      code: 6
    })
  })
})
