// RunScope: however a clone spells its origin, it is found as the submitted repository.
import { assert, it } from "vitest"
import { repoIdsOf } from "../../../src/fleet/RunScope.ts"
import { repoIdOf } from "../../../src/fleet/Submission.ts"

const url = "https://github.com/owner/name"
const both = [repoIdOf(url), repoIdOf(`${url}.git`)]

it.each([
  url,
  `${url}/`,
  "https://GitHub.com:443/owner/name",
  "https://token@github.com/owner/name",
  "https://name:secret@github.com/owner/name",
  "git@github.com:owner/name",
  "ssh://git@github.com/owner/name",
  "ssh://git@github.com:22/owner/name"
])("a clone of %s may have been submitted with and without .git, as it is written first", (origin) => {
  assert.deepStrictEqual(repoIdsOf(origin), both)
  assert.deepStrictEqual(repoIdsOf(`${origin.replace(/\/$/, "")}.git`), [...both].reverse())
})

it("a clone of a repository on this machine is the one of its file:// URL", () => {
  for (const origin of ["/srv/git/name.git", "file:///srv/git/name.git"]) {
    assert.strictEqual(repoIdsOf(origin)[0], repoIdOf("file:///srv/git/name.git"), origin)
  }
})

it("a clone of what no fleet takes has no id", () => {
  for (const origin of ["", "../name", "http://github.com/o/n", "https://10.0.0.1/o/n"]) {
    assert.deepStrictEqual(repoIdsOf(origin), [], origin)
  }
})
