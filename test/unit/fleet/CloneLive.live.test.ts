// CloneLive: a clone is known by its origin, whatever its directory is called.
import { assert, it } from "vitest"
import { cloneAt } from "../../../src/fleet/PinnedCode.live.ts"
import { repoIdOf } from "../../../src/fleet/Submission.ts"
import { eachInHome, git, makeRepo, run } from "../code/repositories.ts"

eachInHome()

it("is known by where it was cloned from, and without a remote by its own name", async () => {
  const repo = makeRepo("called otherwise")
  assert.deepStrictEqual(await run(cloneAt(repo)), { root: repo, ids: ["called otherwise-noremote"] })
  git(repo, "remote", "add", "origin", "git@github.com:owner/name.git")
  const url = "https://github.com/owner/name"
  assert.deepStrictEqual(await run(cloneAt(repo)), { root: repo, ids: [repoIdOf(`${url}.git`), repoIdOf(url)] })
})
