// GitPinned: who drives a run without git hears the same bytes as who asks the live git on a clone, and no other target.
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer as live } from "../../../../src/adapters/git/GitLive.ts"
import { layer, pin, type Pinned } from "../../../../src/adapters/git/GitPinned.ts"
import { pinnedIdentity } from "../../../../src/core/fleet/Pinned.ts"
import { sameInput } from "../../../../src/core/run/Identity.ts"
import { BranchName, PrNumber, type Target } from "../../../../src/core/run/Target.ts"
import { Git } from "../../../../src/services/Git.ts"
import { eachInHome, run } from "./repositories.ts"
import { makeServer, submissionOf, treesDo } from "./strangers.ts"

eachInHome()

const made = async () => {
  const one = submissionOf(makeServer())
  const tree = await treesDo((trees) => trees.open(one))
  const target: Target = { _tag: "PullRequest", number: one.pr }
  const asking = <A, E>(use: (git: Git["Service"]) => Effect.Effect<A, E>, pinned?: Pinned): Promise<A> =>
    run(Effect.provide(Git.use(use), pinned === undefined ? live : layer(pinned)))
  const pinned = () => run(Effect.provide(pin(one, tree), live))
  return { one, tree, target, asking, pinned }
}

describe("what is pinned", () => {
  it("is what the live git tells of another clone of the same commits, byte by byte", async () => {
    const { asking, one, pinned, target, tree } = await made()
    const row: Pinned = JSON.parse(JSON.stringify(await pinned()))
    await treesDo((trees) => Effect.andThen(trees.remove(one), trees.open(one)))
    assert.strictEqual(JSON.stringify(await pinned()), JSON.stringify(row))
    const both = [undefined, row]
    const [seen, told] = await Promise.all(
      both.map((by) => asking((git) => git.identity(tree, target, one.branch), by))
    )
    if (seen === undefined || told === undefined) throw new Error("no identity")
    assert.strictEqual(sameInput(seen, told), "Same")
    assert.strictEqual(sameInput(told, seen), "Same")
    assert.deepEqual(pinnedIdentity(seen, one), pinnedIdentity(told, one))
    for (const name of ["HEAD", one.branch, one.head, one.base, "nothing"]) {
      const [a, b] = await Promise.all(both.map((by) => asking((git) => git.commit(tree, name), by)))
      assert.strictEqual(a, b, name)
    }
    const [a, b] = await Promise.all(both.map((by) => asking((git) => git.repository(tree), by)))
    assert.deepStrictEqual(a, b)
    assert.isNull(await asking((git) => git.targetProblem(tree, target, one.branch), row))
  })

  it("is nothing where the clone shows anything else", async () => {
    const { pinned, tree } = await made()
    appendFileSync(join(tree, "one.txt"), "x")
    const error = await pinned().then(() => null, (why: unknown) => String(why))
    assert.match(`${error}`, /shows more or less than its head/)
  })

  it("answers for its own target alone", async () => {
    const { asking, one, pinned, target, tree } = await made()
    const row = await pinned()
    const other: Target = { _tag: "PullRequest", number: PrNumber.make(8) }
    const identity = (root: string, which: Target, base: BranchName | null) =>
      asking((git) => git.identity(root, which, base), row)
    assert.strictEqual((await identity(tree, target, one.branch))._tag, "Known")
    for (
      const asked of [
        identity(tree, other, one.branch),
        identity("/else", target, one.branch),
        identity(tree, target, null),
        identity(tree, target, BranchName.make("other")),
        identity(tree, { _tag: "Uncommitted" }, null)
      ]
    ) assert.strictEqual((await asked)._tag, "Unknown")
    assert.strictEqual((await asking((git) => Effect.flip(git.repository("/else")), row))._tag, "GitFailed")
    assert.isFalse(await asking((git) => git.exists("/else"), row))
  })
})
