// The mirror of a repository: made as a whole, and a commit counts as there behind its ref alone.
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { failedAt, fetchInto, filesAt, madeWhole, mostHeld, unfinished } from "../../../src/fleet/Mirror.live.ts"
import { eachInHome, git, inHome, run } from "../code/repositories.ts"
import { makeServer, pushed, submissionOf } from "../code/strangers.ts"

eachInHome()

it("a fetch keeps both commits behind refs, in packs, and nothing else of the server", async () => {
  const server = makeServer()
  const mirror = inHome("mirrors/name")
  const fetched = () => run(fetchInto(mirror, submissionOf(server), { access: null, most: mostHeld }))
  await fetched()
  const refs = git(mirror, "for-each-ref", "--format=%(refname)").split("\n")
  const kept = refs.map((ref) => ref.replace(/(?<=bases\/)[0-9a-f]{12}/, "BRANCH"))
  const base = [`refs/ooda/bases/BRANCH/${server.base}`, "refs/ooda/through/base"]
  assert.sameMembers(kept, [...base, `refs/ooda/commits/${server.head}`])
  const packs = readdirSync(join(mirror, "objects/pack"))
  assert.isNotEmpty(packs)
  await fetched()
  assert.deepEqual(readdirSync(join(mirror, "objects/pack")), packs)
})

it("a base counts only where it is on its branch, as it is or as it once was seen to be", async () => {
  const server = makeServer()
  const { bare, base, repo } = server
  const next = pushed(server, (at) => writeFileSync(join(at, "next.txt"), "next\n"))
  const why = (one: ReturnType<typeof submissionOf>) =>
    run(Effect.match(fetchInto(inHome("mirrors/name"), one, { access: null, most: mostHeld }), {
      onFailure: ({ reason }) => reason._tag,
      onSuccess: () => "fetched"
    }))
  const at = (commit: string, branch = "main") => submissionOf({ ...server, base: commit, head: next }, { branch })
  // An earlier commit of the same pull request, which the mirror may hold already, and one that nobody has.
  assert.strictEqual(await why(at(server.head)), "BaseElsewhere")
  assert.strictEqual(await why(at(base)), "fetched")
  assert.strictEqual(await why(at(server.head)), "BaseElsewhere")
  assert.strictEqual(await why(at("1".repeat(40))), "BaseElsewhere")
  // What is on one branch is not on each.
  git(repo, "push", "-q", bare, `${server.head}:refs/heads/next`)
  assert.strictEqual(await why(at(server.head, "next")), "fetched")
  assert.strictEqual(await why(at(server.head)), "BaseElsewhere")
  assert.strictEqual(await why(at(base, "none")), "BranchMissing")
  // A branch that is rewritten takes nothing back from those who were there before.
  const other = git(repo, "commit-tree", "-m", "Other", `${base}^{tree}`)
  git(repo, "push", "-q", "--force", bare, `${other}:refs/heads/main`)
  assert.strictEqual(await why(at(base)), "fetched")
  rmSync(inHome("mirrors"), { recursive: true })
  assert.strictEqual(await why(at(base)), "BaseElsewhere")
  assert.strictEqual(await why(at(other)), "fetched")
})

it("what fails in the making is not there", async () => {
  const path = inHome("deep/whole")
  const half = madeWhole(path, (at) =>
    Effect.andThen(
      filesAt(at, () => writeFileSync(join(at, "half"), "")),
      Effect.fail(failedAt(at)({ _tag: "CommitMissing" }))
    ))
  await run(Effect.flip(half))
  assert.isFalse(existsSync(path))
  await run(madeWhole(path, (at) => filesAt(at, () => writeFileSync(join(at, "all"), ""))))
  assert.deepEqual(readdirSync(path), ["all"])
  assert.isFalse(existsSync(unfinished(path)))
  assert.strictEqual(dirname(unfinished(path)), dirname(path))
})
