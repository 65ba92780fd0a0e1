// Freeze: each path of a random worktree is in the frozen tree with its bytes, skipped, or ignored; and freezing again
// sees each change, reading nothing else.
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as fc from "fast-check"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { freeze, type FreezeOptions } from "../src/code/Freeze.live.ts"
import { repositoryAt } from "../src/code/Repository.live.ts"
import { contentsOf, entriesOf, openStore } from "../src/code/Store.live.ts"
import { Environment } from "../src/platform/Environment.ts"
import { blobId, gitIn, makeWorktree, walked, type Worktree, worktree } from "./worktrees.ts"

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 20)
const timeout = 60_000 + numRuns * 2_000

let home = ""
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "ooda-freeze-")))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Environment, { PATH: process.env["PATH"], HOME: home }))

/** Freezes into a private repository in the home. */
const frozenIn = (store: string, repo: string, options: FreezeOptions = {}) =>
  run(Effect.gen(function*() {
    const opened = yield* openStore(join(home, store), yield* repositoryAt(repo))
    const frozen = yield* freeze(opened, options)
    const entries = yield* entriesOf(opened, frozen.tree)
    return { opened, frozen, entries }
  }))

const sorted = (texts: Iterable<string>): ReadonlyArray<string> => [...texts].sort()

/** Freezes a worktree and compares with what a plain walk finds. */
const agrees = async (made: Worktree, store: string, options: FreezeOptions = {}) => {
  const { entries, frozen, opened } = await frozenIn(store, made.repo, options)
  const { counted, special, untracked } = walked(made, options.also)
  const line = (path: string, mode: string, id: string) => `${mode} ${id} ${path}`
  assert.deepStrictEqual(
    sorted([...entries].map(([path, { id, mode }]) => line(path, mode, id))),
    sorted([...counted].map(([path, { content, mode }]) => line(path, mode, blobId(made.plan.format, content))))
  )
  assert.deepStrictEqual(
    sorted(frozen.skipped.map(({ path, reason }) => `${path} ${reason._tag}`)),
    sorted(special.map((path) => `${path} Special`))
  )
  assert.strictEqual(frozen.untracked, untracked)
  const kept = await run(contentsOf(opened, [...entries.values()].map(({ id }) => id)))
  const lost = [...entries.keys()].filter((path, i) =>
    kept[i]?.equals(counted.get(path)?.content ?? Buffer.of(0)) !== true
  )
  assert.deepStrictEqual(lost, [])
  return frozen
}

const law = (holds: (made: Worktree) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(worktree, async (plan) => {
      for (const part of ["repo", "store", "other"]) rmSync(join(home, part), { recursive: true, force: true })
      await holds(makeWorktree(home, plan))
    }),
    { numRuns }
  )

describe("a random worktree", () => {
  it("is frozen path by path and byte by byte, with its index", () =>
    law(async (made) => {
      const frozen = await agrees(made, "store")
      const index = gitIn(made.repo, ["ls-files", "--stage", "-v", "-z"]).split("\0").filter((line) => line !== "")
      assert.deepStrictEqual(frozen.index, index)
    }), timeout)
})
