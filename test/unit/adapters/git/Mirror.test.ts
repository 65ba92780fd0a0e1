// The mirror of a repository: made as a whole, and a commit counts as there behind its ref alone.
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { fetchInto, filesAt, madeWhole, unfinished } from "../../../../src/adapters/git/Mirror.ts"
import { failedAt } from "../../../../src/adapters/git/Stranger.ts"
import { eachInHome, git, inHome, run } from "./repositories.ts"
import { makeServer, submissionOf } from "./strangers.ts"

eachInHome()

it("a fetch keeps both commits behind refs, in packs, and nothing else of the server", async () => {
  const server = makeServer()
  const mirror = inHome("mirrors/name")
  const fetched = () => run(fetchInto(mirror, submissionOf(server), null))
  await fetched()
  const refs = git(mirror, "for-each-ref", "--format=%(refname)").split("\n")
  assert.sameMembers(refs, [server.base, server.head].map((sha) => `refs/ooda/commits/${sha}`))
  const packs = readdirSync(join(mirror, "objects/pack"))
  assert.isNotEmpty(packs)
  await fetched()
  assert.deepEqual(readdirSync(join(mirror, "objects/pack")), packs)
})

it("what fails in the making is not there", async () => {
  const path = inHome("deep/whole")
  const half = madeWhole(path, (at) =>
    Effect.andThen(
      filesAt(at, () => writeFileSync(join(at, "half"), "")),
      Effect.fail(failedAt(at)({ _tag: "CommitMissing", what: "head" }))
    ))
  await run(Effect.flip(half))
  assert.isFalse(existsSync(path))
  await run(madeWhole(path, (at) => filesAt(at, () => writeFileSync(join(at, "all"), ""))))
  assert.deepEqual(readdirSync(path), ["all"])
  assert.isFalse(existsSync(unfinished(path)))
  assert.strictEqual(dirname(unfinished(path)), dirname(path))
})
