// StateRoot: the given path, then the environment, then the default; all of them are checked.
// Every case brings its whole environment; nothing of this process counts.
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { TrustStateRoot } from "../../../src/run/RunStore.ts"
import { checkOwn, factsOf, ignoreEverything, open } from "../../../src/run/StateRoot.live.ts"

describe("a state root", () => {
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

  const root = (configured: string | null, env: Variables, trust = false): Promise<string> =>
    Effect.runPromise(
      open(configured, "/work").pipe(
        Effect.match({ onFailure: ({ message }) => message, onSuccess: (path) => path }),
        Effect.provideService(TrustStateRoot, trust),
        Effect.provideService(Environment, env)
      )
    )

  describe("the state root", () => {
    it("is the given path, then OODA_STATE_ROOT, then a directory in TMPDIR or /tmp", async () => {
      const env = { OODA_STATE_ROOT: "/named", TMPDIR: dir }
      assert.strictEqual(await root("/asked", env), "/asked")
      assert.strictEqual(await root(null, env), "/named")
      assert.strictEqual(await root(null, { OODA_STATE_ROOT: "", TMPDIR: dir }), join(dir, "ooda-codex-review"))
      // Other files in this machine's /tmp do not matter: the error names the place.
      for (const TMPDIR of ["", undefined]) {
        assert.match(await root(null, { TMPDIR }), /^\/tmp\/ooda-codex-review(: |$)/)
      }
    })

    it("is relative to the step's directory", async () => {
      assert.strictEqual(await root("state", {}), "/work/state")
      assert.strictEqual(await root(null, { OODA_STATE_ROOT: "../state" }), "/state")
      assert.strictEqual(await root(null, { TMPDIR: "tmp" }), "/work/tmp/ooda-codex-review")
    })

    it("must be a private directory of this user, however it was named, unless the user trusts it", async () => {
      const path = join(dir, "ooda-codex-review")
      const all = async (trust = false) => [
        await root(null, { TMPDIR: dir }, trust),
        await root(null, { OODA_STATE_ROOT: path }, trust),
        await root(path, {}, trust)
      ]
      mkdirSync(path)
      chmodSync(path, 0o770)
      for (const said of await all()) {
        assert.match(said, /review: others can write into it; make it private.*--trust-state-root$/)
      }
      assert.deepEqual(await all(true), [path, path, path])
      chmodSync(path, 0o755)
      assert.deepEqual(await all(), [path, path, path])
    })

    it("may be a link of the user if it is named; the default must not, since others could have created it", async () => {
      symlinkSync(dir, join(dir, "ooda-codex-review"))
      assert.strictEqual(await root(join(dir, "ooda-codex-review"), {}), join(dir, "ooda-codex-review"))
      assert.match(await root(null, { TMPDIR: dir }, true), /the default state root is a link/)
    })

    it("is a directory, and never one named .ooda", async () => {
      writeFileSync(join(dir, "file"), "")
      assert.match(await root(join(dir, "file"), {}), /not a directory/)
      mkdirSync(join(dir, ".ooda"))
      symlinkSync(".ooda", join(dir, "link"))
      for (const name of [".ooda", ".ooda/", "link"]) {
        assert.match(await root(join(dir, name), {}, true), /\.ooda is never/)
      }
      assert.strictEqual(await root(join(dir, ".ooda/state"), {}), join(dir, ".ooda/state"))
    })
  })

  describe("a directory that git must ignore", () => {
    it("has a rule for all of it, unless the user has rules there already", () => {
      assert.deepStrictEqual([ignoreEverything(dir), ignoreEverything(dir)], [true, true])
      writeFileSync(join(dir, ".gitignore"), "a\n")
      assert.isFalse(ignoreEverything(dir))
    })

    it("is not blocked by rules in a pipe", () => {
      execFileSync("mkfifo", [join(dir, ".gitignore")])
      assert.isFalse(ignoreEverything(dir))
    })
  })
})

describe("ownership", () => {
  let dir = ""
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), "ooda-own-")))
  })

  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const made = (name: string, mode: number): string => {
    mkdirSync(join(dir, name))
    chmodSync(join(dir, name), mode)
    return join(dir, name)
  }

  /** What is wrong with the first of these directories that is refused, or null. */
  const checked = (paths: ReadonlyArray<string>, trust = false) =>
    Effect.runPromise(
      checkOwn(paths).pipe(
        Effect.match({ onFailure: ({ path, reason }) => ({ path, reason: reason._tag }), onSuccess: () => null }),
        Effect.provideService(TrustStateRoot, trust)
      )
    )

  describe("directories of a store", () => {
    it("are accepted if nobody else can write to them, and if they are missing", async () =>
      assert.isNull(await checked([made("a", 0o700), made("b", 0o755), made("c", 0o550), join(dir, "none")])))

    it.each([0o720, 0o702, 0o777, 0o1777])("are refused if others can write to them: %o", async (mode) => {
      const open = made("open", mode)
      assert.deepStrictEqual(await checked([dir, open]), { path: open, reason: "OpenToOthers" })
      assert.isNull(await checked([dir, open], true))
    })

    it.skipIf(process.getuid?.() !== 0)(
      "are refused where they are another user's (needs root for a real one)",
      async () => {
        const foreign = made("foreign", 0o700)
        chownSync(foreign, 12345, 12345)
        assert.deepStrictEqual(await checked([dir, foreign]), { path: foreign, reason: "OfAnotherUser" })
        assert.isNull(await checked([dir, foreign], true))
      }
    )

    it("are judged by the target of a link", async () => {
      symlinkSync(made("open", 0o777), join(dir, "link"))
      assert.deepInclude(await checked([join(dir, "link")]), { reason: "OpenToOthers" })
    })
  })

  it("a path through a file has no owner", () => {
    writeFileSync(join(dir, "file"), "")
    assert.isUndefined(factsOf(join(dir, "file", "below")))
  })
})
