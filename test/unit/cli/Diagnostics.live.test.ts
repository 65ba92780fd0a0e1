// Diagnostics.live: where the program's own log goes, what is in it, and that nothing in a line is hidden or long.
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Logger, type LogLevel } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { diagnosticLine, layer, logging, type LogTarget } from "../../../src/cli/Diagnostics.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { note, trace } from "../../../src/platform/Note.ts"

let dir = ""
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-diagnostics-")))
})
afterEach(() => rmSync(dir, { recursive: true }))
const at = (name: string) => join(dir, name)

/** Logs into a file; the message of the failure where that cannot be used. */
const logged = (
  file: string,
  effect: Effect.Effect<unknown> = note("x"),
  level: LogLevel.LogLevel = "Debug",
  cwd = dir
) =>
  Effect.runPromise(
    Effect.provide(effect, layer(file, level, cwd)).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null }),
      Effect.provideService(Environment, process.env)
    )
  )
const entries = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))

describe("a log file", () => {
  it("is made for its user alone, and added to by every call", async () => {
    assert.isNull(await logged("a.log", note("one")))
    assert.isNull(await logged(at("a.log"), note("two")))
    assert.deepStrictEqual(entries(at("a.log")).map(({ message }) => message), ["one", "two"])
    assert.strictEqual(statSync(at("a.log")).mode & 0o777, 0o600)
  })

  it("has the entries from its level on, and at the lowest also every span", async () => {
    const work = Effect.withSpan(Effect.andThen(trace("look"), note("found")), "Git.identity")
    await logged(at("debug.log"), work)
    await logged(at("trace.log"), work, "Trace")
    assert.deepStrictEqual(entries(at("debug.log")).map(({ message }) => message), ["found"])
    assert.deepStrictEqual(entries(at("trace.log")).map(({ message }) => message), ["look", "found", "a span ended"])
  })

  it("that has no reader, a named pipe, is refused and does not block", async () => {
    execFileSync("mkfifo", [at("pipe")])
    assert.match((await logged("pipe")) ?? "", /^the log file pipe cannot be written: no process reads it/)
  })
})

describe("a log file in a worktree", () => {
  const repository = () => {
    execFileSync("git", ["init", "-q", dir])
    writeFileSync(at(".gitignore"), "*.log\n")
    mkdirSync(at("sub"))
  }

  it("is refused where git would take it for code, also by another path and from a subdirectory", async () => {
    repository()
    symlinkSync(at("sub"), at("link"))
    for (
      const [file, cwd] of [["a.txt", dir], ["sub/a.txt", dir], ["link/a.txt", dir], ["../a.txt", at("sub")]] as const
    ) {
      assert.match((await logged(file, note("x"), "Debug", cwd)) ?? "", /would change the code under review/)
      assert.isFalse(existsSync(join(cwd, file)))
    }
  })

  it("is taken where git ignores it, in `.git`, and in another repository", async () => {
    repository()
    execFileSync("git", ["init", "-q", at("sub")])
    for (const file of ["a.log", ".git/a.txt", "sub/a.txt"]) assert.isNull(await logged(file), file)
  })

  it("is refused where git tracks it, although it is ignored", async () => {
    repository()
    writeFileSync(at("a.log"), "")
    execFileSync("git", ["add", "-f", "a.log"], { cwd: dir })
    assert.match((await logged("a.log")) ?? "", /would change the code under review/)
  })
})

it("a directory that cannot be written is refused", async () => {
  if (process.getuid?.() === 0) return
  mkdirSync(at("closed"))
  chmodSync(at("closed"), 0o500)
  assert.match((await logged("closed/a.log")) ?? "", /no permission/)
})

describe("the flags and the environment", () => {
  let dir = ""
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "ooda-logging-"))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  const work = Effect.all([Effect.logInfo("info"), Effect.logDebug("debug"), Effect.logTrace("trace")])
  const levelsIn = async (wanted: Partial<LogTarget>): Promise<string> => {
    const file = join(dir, "a.log")
    const layer = logging({ level: null, named: null, file, ...wanted }, dir)
    const failure = await Effect.runPromise(
      Effect.match(Effect.provide(work, layer), { onFailure: ({ message }) => message, onSuccess: () => null })
    )
    if (failure !== null || !existsSync(file)) return failure ?? "no file"
    return readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line).message).join(" ")
  }

  it("a file alone is written from debug on", async () => assert.strictEqual(await levelsIn({}), "info debug"))
  it("the environment names the level where no flag does", async () =>
    assert.strictEqual(await levelsIn({ named: "info" }), "info"))
  it("a flag wins over the environment", async () =>
    assert.strictEqual(await levelsIn({ level: "Trace", named: "loud" }), "info debug trace"))
  it("none is no log and no file", async () => assert.strictEqual(await levelsIn({ named: "none" }), "no file"))
  it("an unknown level is refused", async () =>
    assert.strictEqual(
      await levelsIn({ named: "loud" }),
      'OODA_LOG_LEVEL "loud": expected trace, debug, info, warn, error or none'
    ))
})

describe("one entry", () => {
  const line = (effect: Effect.Effect<void>): string => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>((options) => void lines.push(diagnosticLine(options, 7)))
    Effect.runSync(Effect.provide(effect, Logger.layer([logger])))
    assert.lengthOf(lines, 1)
    return lines[0] ?? ""
  }
  const entry = (effect: Effect.Effect<void>) => JSON.parse(line(effect))

  describe("a line", () => {
    it("has the time, the level, the process, the span, the message and what was annotated, in this order", () => {
      const logs = Effect.logWarning("two", "parts").pipe(
        Effect.annotateLogs({ slot: 1, kept: true, batch: null, events: ["A", "B"] }),
        Effect.withSpan("Git.identity")
      )
      const { time, ...rest } = entry(logs)
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(rest, {
        level: "WARN",
        pid: 7,
        span: "Git.identity",
        message: "two parts",
        slot: 1,
        kept: true,
        batch: null,
        events: ["A", "B"]
      })
      assert.match(line(logs), /^\{"time":"[^"]*","level":"WARN","pid":7,"span":"Git.identity","message":"two parts",/)
      assert.match(line(logs), /\}\n$/)
    })

    it("hides nothing, in a text, in a name and in a list", () => {
      const bytes = line(
        Effect.annotateLogs(Effect.logInfo("a\u001b[2Jb\nc"), { "na\u202eme": ["\u200b"], other: { deep: "\u0007" } })
      )
      assert.notMatch(bytes.slice(0, -1), /[\p{Cc}\p{Cf}]/u)
      const { message, other } = JSON.parse(bytes)
      assert.strictEqual(message, "a\\u001b[2Jb\\nc")
      assert.strictEqual(other, '{"deep":"\\u0007"}')
    })

    it("cuts what is long", () => {
      const { said } = entry(Effect.annotateLogs(Effect.logInfo("x"), { said: "y".repeat(10_000) }))
      assert.strictEqual(said, `${"y".repeat(497)}...`)
    })

    it("keeps its own fields from annotations of the same name", () => {
      const { level, message, pid } = entry(
        Effect.annotateLogs(Effect.logInfo("x"), { level: "FAKE", pid: 1, message: "z" })
      )
      assert.deepStrictEqual({ level, message, pid }, { level: "INFO", message: "x", pid: 7 })
    })

    it("has the cause of a failure by its message", () => {
      const failing = Effect.logError("ended", Cause.fail(new Error("no room")))
      assert.strictEqual(entry(failing).cause, "no room")
    })
  })
})
