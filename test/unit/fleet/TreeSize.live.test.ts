// TreeSize: what a commit would lay out is counted before it is, also where a few objects stand for more than any disk.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { checkSize } from "../../../src/fleet/WorkingTrees.live.ts"
import { execFileSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { placesOf } from "../../../src/fleet/Mirror.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../code/repositories.ts"
import { makeServer, submissionOf, treesDo } from "../code/strangers.ts"

eachInHome()

/** A tree of ten names for each level, which all stand for the level below. */
const bomb = (repo: string, levels: number): string => {
  const made = (input: string) => execFileSync("git", ["mktree"], { cwd: repo, input, encoding: "utf8" }).trim()
  let [type, mode, id] = ["blob", "100644", git(repo, "hash-object", "-w", "one.txt")]
  for (let level = 0; level < levels; level++) {
    const line = (name: number) => `${mode} ${type} ${id}\t${name}`
    ;[type, mode, id] = ["tree", "040000", made(`${Array.from({ length: 10 }, (_, i) => line(i)).join("\n")}\n`)]
  }
  return git(repo, "commit-tree", "-m", "Bomb", "-p", "HEAD", id)
}

it("counts each file where it stands, also those that are one object", async () => {
  const repo = makeRepo()
  writeFileSync(join(repo, "same.txt"), "one.txt\n")
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", "Same")
  assert.deepStrictEqual(await run(checkSize(repo, git(repo, "rev-parse", "HEAD"))), { files: 3, bytes: 29 })
  assert.deepStrictEqual(await run(checkSize(repo, bomb(repo, 3))), { files: 1000, bytes: 8000 })
  const id = Buffer.from(git(repo, "rev-parse", `${bomb(repo, 2)}^{tree}`), "hex")
  const input = Buffer.concat([Buffer.from("040000 padded\0"), id])
  const padded = execFileSync("git", ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], {
    cwd: repo,
    input
  })
  const commit = git(repo, "commit-tree", "-m", "Padded", `${padded}`.trim())
  assert.deepStrictEqual(await run(checkSize(repo, commit)), { files: 100, bytes: 800 })
})

it("refuses in one line what no disk holds, and lays out nothing of it", async () => {
  const server = makeServer()
  const head = bomb(server.repo, 12)
  git(server.repo, "push", "-q", server.bare, `${head}:refs/pull/8/head`)
  const one = submissionOf({ ...server, head }, { pr: 8 })
  const failed = await treesDo((trees) => Effect.flip(trees.open(one)))
  assert.strictEqual(failed.reason._tag, "TreeTooLarge")
  assert.match(failed.message, /lays out more than .* \[[^\n]*\]$/)
  assert.isFalse(existsSync(dirname(inHome("work", placesOf(one).tree))))
})
