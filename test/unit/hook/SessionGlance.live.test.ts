// A session's file is read without Effect only where nothing about its place has to be weighed.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { sessionFiles } from "../../../src/run/Layout.live.ts"
import { glance } from "../../../src/hook/SessionGlance.live.ts"
import { sha256 } from "../../../src/text/Sha256.ts"

let [dir, root, state] = ["", "", ""]
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-glance-")))
  root = join(dir, "ooda-codex-review")
  state = sessionFiles(root, sha256("s")).state
  mkdirSync(join(root, "sessions"), { recursive: true, mode: 0o700 })
  writeFileSync(state, "kept", { mode: 0o600 })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const read = (stateRoot: string | null, env: Readonly<Record<string, string>> = {}) =>
  glance({ session: "s", stateRoot, cwd: dir, env })?.text ?? null

const linked = (path: string): void => {
  renameSync(path, `${path}.moved`)
  symlinkSync(`${path}.moved`, path)
}

describe("a session's file", () => {
  it("is found below the root that is named, by a flag, a variable, or the place for temporary files", () => {
    assert.deepStrictEqual([read(root), read("ooda-codex-review")], ["kept", "kept"])
    assert.deepStrictEqual([read(null, { OODA_STATE_ROOT: root }), read(null, { TMPDIR: dir })], ["kept", "kept"])
    assert.isNull(read(join(dir, "none"), { OODA_STATE_ROOT: root }))
  })

  it("of another session is another one", () =>
    assert.isNull(glance({ session: "t", stateRoot: root, cwd: dir, env: {} })))

  it.each<readonly [string, () => void]>([
    ["the root is a link", () => linked(root)],
    ["its directory is a link", () => linked(join(root, "sessions"))],
    ["it is a link", () => linked(state)],
    ["it is a directory", () => {
      rmSync(state)
      mkdirSync(state)
    }],
    ["others can write into the root", () => chmodSync(root, 0o777)],
    ["others can write into its directory", () => chmodSync(join(root, "sessions"), 0o770)],
    ["a repository is around it", () => mkdirSync(join(dir, ".git"))],
    ["it is too long", () => writeFileSync(state, "x".repeat(4 * 1024 * 1024 + 1))]
  ])("is left to others where %s", (_, put) => {
    put()
    assert.isNull(read(root))
  })
})
