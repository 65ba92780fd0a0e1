// The package that npm makes, installed once and run by npx and imported under the oldest Node of each supported line.
import { realpathSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { output, pack, project, scratch } from "../process/package/project.ts"
import { binaryOf, lines, onThisKind } from "./support.ts"

const npxBinary = realpathSync(join(dirname(process.execPath), "npx"))

// A build and an installation on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

// Some versions of Node may hang when they exit: https://github.com/nodejs/node/issues/54918.
const whole = { retry: 2 }
const timeout = 60_000

describe.runIf(onThisKind)("the package", () => {
  const { dir, remove } = scratch()
  afterAll(remove)
  let host = ""
  beforeAll(async () => {
    const { tarball } = await pack(dir)
    host = await project(join(dir, "host"), tarball, ["effect", "fast-check", "pure-rand", "smol-toml", "yaml"])
    const entries = ["ooda-codex-review", "ooda-codex-review/testing"]
    const imports = entries.map((entry, i) => `import * as m${i} from "${entry}"`)
    writeFileSync(join(host, "entries.mjs"), `${imports.join("\n")}\nconsole.log("replay" in m0, "Memory" in m1)\n`)
  })

  it.each(lines)("runs and is imported under Node %s", whole, async (line) => {
    const node = binaryOf(line)
    const env = { ...process.env, PATH: [dirname(node), process.env["PATH"] ?? ""].join(delimiter) }
    // npm does not support the oldest Node of each line; what it starts is found by PATH.
    const npx = (...args: ReadonlyArray<string>) =>
      output(process.execPath, [npxBinary, "--no-install", "ooda-codex-review", ...args], { cwd: host, env, timeout })
    assert.match(await npx("--version"), /^\d+\.\d+\.\d+\n$/)
    assert.match(
      await npx("doctor", "--json", "--state-root", join(dir, "state")).catch(String),
      new RegExp(`"v?${line}\\.`)
    )
    assert.strictEqual(await output(node, ["entries.mjs"], { cwd: host, timeout }), "true true\n")
  })
})
