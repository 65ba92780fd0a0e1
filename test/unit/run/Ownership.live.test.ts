// Ownership: directories with real owners and modes, taken or refused one by one.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { checkOwn, factsOf } from "../../../src/run/StateRoot.live.ts"
import { TrustStateRoot } from "../../../src/run/RunStore.ts"

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

/** What is wrong with the first of some directories that is refused, or null. */
const checked = (paths: ReadonlyArray<string>, trust = false) =>
  Effect.runPromise(
    checkOwn(paths).pipe(
      Effect.match({ onFailure: ({ path, reason }) => ({ path, reason: reason._tag }), onSuccess: () => null }),
      Effect.provideService(TrustStateRoot, trust)
    )
  )

describe("directories of a store", () => {
  it("are taken while nobody else can write them, and while there are none", async () =>
    assert.isNull(await checked([made("a", 0o700), made("b", 0o755), made("c", 0o550), join(dir, "none")])))

  it.each([0o720, 0o702, 0o777, 0o1777])("are refused where others can: %o", async (mode) => {
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

  it("are judged by what a link leads to", async () => {
    symlinkSync(made("open", 0o777), join(dir, "link"))
    assert.deepInclude(await checked([join(dir, "link")]), { reason: "OpenToOthers" })
  })
})

it("nothing is known of a path that leads through a file", () => {
  writeFileSync(join(dir, "file"), "")
  assert.isUndefined(factsOf(join(dir, "file", "below")))
})
