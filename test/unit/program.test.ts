// program: whatever a command line amounts to, it ends in one ending: what is printed, and the exit code.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { version } from "../../src/core/Version.ts"
import { main } from "../../src/program.ts"

let scratch = ""
beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "ooda-program-")))
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

const env = () => ({ PATH: process.env["PATH"], HOME: scratch, OODA_STATE_ROOT: join(scratch, "state") })
const ended = (...argv: ReadonlyArray<string>) => main(argv, { cwd: scratch, env: env() })
const repository = () => execFileSync("git", ["init", "-q", "-b", "main", scratch])

describe("what needs no step", () => {
  it("is printed and ends with 0", async () => {
    assert.deepStrictEqual(await ended("--version"), { stdout: `${version}\n`, stderr: "", code: 0 })
    assert.match((await ended("--help")).stdout, /^ooda-codex-review drives [^\n]*\n[^]*\nUsage: /)
    assert.match((await ended("--completions", "bash")).stdout, /ooda-codex-review/)
  })

  it("is a wrong command line, with what is wrong and the usage", async () => {
    const { code, stderr, stdout } = await ended("--uncommitted", "--level", "hihg")
    assert.deepStrictEqual([code, stdout], [64, ""])
    assert.match(stderr, /^UsageError: [^\n]*hihg[^\n]*\nooda-codex-review drives [^]*\nUsage: /)
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

describe("a step", () => {
  it("that only looks says what comes next, and creates nothing", async () => {
    repository()
    assert.deepStrictEqual(await ended("--uncommitted", "--inspect"), {
      stdout: "",
      stderr: "WouldAdvance: RunReviews\n",
      code: 4
    })
    assert.isFalse(existsSync(join(scratch, "state")))
  })

  it("with a mark prints its line, and stands in the log of the state root that it was given", async () => {
    repository()
    const { code, stderr, stdout } = await ended("--uncommitted", "--advance-level")
    assert.deepStrictEqual([code, stderr], [7, "Idle\n"])
    assert.match(stdout, /^[^\n]*medium\n$/)
    assert.isTrue(existsSync(join(scratch, "state")))
  })

  it("is told as a document with --json", async () => {
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
    assert.deepStrictEqual(await main(["runs", "--all"], { cwd: scratch, env }), {
      stdout: "",
      stderr: "BinaryError: internal error: a\\nfault [please report it]\n",
      code: 6
    })
  })
})
