// main: an argv's texts are written whole, standard output first, and the process ends with its code.
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { version } from "../../src/platform/Version.ts"

// What main writes to a descriptor itself: only where this fails it takes the stream.
const direct = vi.hoisted(() => ({ write: (_: number, bytes: Uint8Array): number => bytes.length }))
vi.mock("node:fs", async (original) => ({
  ...await original<typeof import("node:fs")>(),
  writeSync: (fd: number, bytes: Uint8Array) => direct.write(fd, bytes)
}))

const argv = process.argv
let written: Array<readonly [stream: string, text: string]> = []

beforeEach(() => {
  written = []
  vi.resetModules()
  direct.write = (fd, bytes) => {
    written.push([fd === 1 ? "stdout" : "stderr", Buffer.from(bytes).toString()])
    return bytes.length
  }
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text, encoding, done) => {
      written.push([name, String(text)])
      const ended = typeof encoding === "function" ? encoding : done
      ended?.()
      return true
    })
  }
})
afterEach(() => {
  process.argv = argv
  vi.restoreAllMocks()
})

/** Runs the entry with these arguments; gives the code that it ends the process with. */
const code = (...args: ReadonlyArray<string>): Promise<unknown> => {
  process.argv = ["node", "ooda-codex-review", ...args]
  return new Promise((resolve) => {
    vi.spyOn(process, "exit").mockImplementation((code): never => {
      resolve(code)
      // The entry does nothing after it.
      return undefined as never
    })
    void import("../../src/main.ts")
  })
}
const text = (stream: string): string => written.filter(([one]) => one === stream).map(([, text]) => text).join("")

describe("the entry", () => {
  it("answers --version on standard output alone", async () => {
    assert.strictEqual(await code("--version"), 0)
    assert.strictEqual(text("stdout"), `${version}\n`)
    assert.strictEqual(text("stderr"), "")
  })

  it("says on standard error what is wrong with a command line, and ends with 64", async () => {
    assert.strictEqual(await code("--base"), 64)
    assert.strictEqual(text("stdout"), "")
    assert.match(text("stderr"), /^UsageError: [^\n]+\n/)
  })

  it("has written everything before the process ends, standard output first", async () => {
    assert.strictEqual(await code("runs", "--state-root", "/nowhere/at/all", "--all"), 0)
    assert.deepStrictEqual(written.filter(([, text]) => text !== ""), [["stdout", "no runs\n"]])
  })

  it("writes the rest through the stream where a slow reader took only a part", async () => {
    let room = 3
    direct.write = (_, bytes) => {
      if (room === 0) throw Object.assign(new Error("EAGAIN"), { code: "EAGAIN" })
      const taken = Math.min(room, bytes.length)
      room -= taken
      written.push(["stdout", Buffer.from(bytes.subarray(0, taken)).toString()])
      return taken
    }
    assert.strictEqual(await code("--version"), 0)
    assert.strictEqual(text("stdout"), `${version}\n`)
  })

  it("does what it did although no process reads it any more", async () => {
    direct.write = () => {
      throw Object.assign(new Error("EPIPE"), { code: "EPIPE" })
    }
    vi.spyOn(process.stdout, "write").mockImplementation(() => {
      setImmediate(() => process.stdout.emit("error", Object.assign(new Error("EPIPE"), { code: "EPIPE" })))
      return false
    })
    assert.strictEqual(await code("--help"), 0)
    assert.strictEqual(text("stderr"), "")
  })

  it("says that a document was not read", async () => {
    const gone = Object.assign(new Error("EPIPE"), { code: "EPIPE" })
    direct.write = (fd, bytes) => {
      if (fd === 1) throw gone
      written.push(["stderr", Buffer.from(bytes).toString()])
      return bytes.length
    }
    vi.spyOn(process.stdout, "write").mockImplementation((_, encoding, done) => {
      const ended = typeof encoding === "function" ? encoding : done
      ended?.(gone)
      setImmediate(() => process.stdout.emit("error", gone))
      return false
    })
    assert.strictEqual(await code("runs", "--nope", "--json"), 6)
    assert.match(text("stderr"), /^error: [^]*\nooda-codex-review: standard output cannot be written \(EPIPE\)\n$/)
  })

  it("fails where the document of a subcommand was not read, and a list of lines is read as far as it was", async () => {
    const gone = Object.assign(new Error("EPIPE"), { code: "EPIPE", errno: -32, syscall: "write" })
    vi.spyOn(process.stdout, "write").mockImplementation((_, encoding, done) => {
      const ended = typeof encoding === "function" ? encoding : done
      ended?.(gone)
      return false
    })
    assert.strictEqual(await code("runs", "--json", "--state-root", "/nowhere/at/all", "--all"), 6)
    assert.strictEqual(text("stderr"), "error: standard output: broken pipe\n")
    vi.resetModules()
    assert.strictEqual(await code("runs", "--state-root", "/nowhere/at/all", "--all"), 0)
  })

  it("says that a text it was asked for could not be written", async () => {
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" })
    direct.write = (fd, bytes) => {
      if (fd === 1) throw full
      written.push(["stderr", Buffer.from(bytes).toString()])
      return bytes.length
    }
    vi.spyOn(process.stdout, "write").mockImplementation(() => {
      setImmediate(() => process.stdout.emit("error", full))
      return false
    })
    assert.strictEqual(await code("--help"), 6)
    assert.strictEqual(text("stderr"), "ooda-codex-review: standard output cannot be written (ENOSPC)\n")
  })
})
