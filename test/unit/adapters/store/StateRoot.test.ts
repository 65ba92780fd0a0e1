// StateRoot: the state root of a step: what is asked for, else what the environment names, else the checked default.
// The one rule: every case brings its whole environment; nothing of this process counts.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { open } from "../../../../src/adapters/store/StateRoot.ts"
import { Environment, type Variables } from "../../../../src/services/Environment.ts"

let dir = ""
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-root-")))
  vi.stubEnv("OODA_STATE_ROOT", join(dir, "of-the-process"))
  vi.stubEnv("TMPDIR", join(dir, "tmp-of-the-process"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true, force: true })
})

const root = (configured: string | null, env: Variables): Promise<string> =>
  Effect.runPromise(
    open(configured, "/work").pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (path) => path }),
      Effect.provideService(Environment, env)
    )
  )

describe("the state root", () => {
  it("is what is asked for, else OODA_STATE_ROOT, else lies in TMPDIR or /tmp", async () => {
    const env = { OODA_STATE_ROOT: "/named", TMPDIR: dir }
    assert.strictEqual(await root("/asked", env), "/asked")
    assert.strictEqual(await root(null, env), "/named")
    assert.strictEqual(await root(null, { OODA_STATE_ROOT: "", TMPDIR: dir }), join(dir, "ooda-codex-review"))
    // Whatever else lies in this machine's /tmp: that is where it was looked for.
    for (const TMPDIR of ["", undefined]) assert.match(await root(null, { TMPDIR }), /^\/tmp\/ooda-codex-review(: |$)/)
  })

  it("is relative to the step's directory", async () => {
    assert.strictEqual(await root("state", {}), "/work/state")
    assert.strictEqual(await root(null, { OODA_STATE_ROOT: "../state" }), "/state")
    assert.strictEqual(await root(null, { TMPDIR: "tmp" }), "/work/tmp/ooda-codex-review")
  })

  it("by default is trusted only as a private directory of this user; a named one is the user's own affair", async () => {
    const path = join(dir, "ooda-codex-review")
    const both = async () => [await root(null, { TMPDIR: dir }), await root(null, { OODA_STATE_ROOT: path })]
    mkdirSync(path)
    chmodSync(path, 0o770)
    assert.match((await both()).join(), /others can write into the default state root; make it private.*,\S+review$/)
    chmodSync(path, 0o700)
    assert.deepEqual(await both(), [path, path])
    rmSync(path, { recursive: true })
    symlinkSync(dir, path)
    assert.match((await both()).join(), /the default state root is a link; .*,\S+review$/)
  })
})
