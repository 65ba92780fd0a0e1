// Each part of git's own state has a digest that changes with that part alone, and not with our refs or with files.
import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { listIndex } from "../../../src/code/Index.live.ts"
import { scratchOf } from "../../../src/code/Scratch.live.ts"
import { stateOf } from "../../../src/code/SnapshotTree.live.ts"
import { changedParts } from "../../../src/code/Snapshots.ts"
import { eachInHome, git, inHome, makeRepo, run } from "./repositories.ts"

eachInHome()

const state = (repo: string) =>
  run(Effect.scoped(Effect.gen(function*() {
    const scratch = yield* scratchOf(repo)
    return yield* stateOf(repo, scratch, yield* listIndex(repo, scratch))
  })))

const hook = (directory: string): void => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, "pre-commit"), "#!/bin/sh\n")
}

const changes: ReadonlyArray<readonly [string, (repo: string) => void, ReadonlyArray<string>]> = [
  ["nothing", () => {}, []],
  ["a file", (repo) => appendFileSync(join(repo, "one.txt"), "x"), []],
  ["a ref of ours", (repo) => git(repo, "update-ref", "refs/ooda/run/1", "HEAD"), []],
  ["a commit", (repo) => git(repo, "commit", "-q", "--allow-empty", "-m", "x"), ["HEAD", "refs"]],
  ["another branch", (repo) => git(repo, "symbolic-ref", "HEAD", "refs/heads/other"), ["HEAD"]],
  ["a tag", (repo) => git(repo, "tag", "v1"), ["refs"]],
  ["a staged change", (repo) => {
    appendFileSync(join(repo, "one.txt"), "x")
    git(repo, "add", ".")
  }, ["index"]],
  ["a flag that hides a file", (repo) => git(repo, "update-index", "--assume-unchanged", "one.txt"), ["index"]],
  ["a stash", (repo) => {
    appendFileSync(join(repo, "one.txt"), "x")
    git(repo, "stash")
  }, ["refs"]],
  ["a setting", (repo) => git(repo, "config", "user.name", "Eve"), ["configuration"]],
  ["what is excluded", (repo) => appendFileSync(join(repo, ".git/info/exclude"), "*.txt\n"), ["configuration"]],
  ["a hook", (repo) => hook(join(repo, ".git/hooks")), ["hooks"]],
  ["a hook elsewhere", (repo) => {
    hook(inHome("hooks"))
    git(repo, "config", "core.hooksPath", inHome("hooks"))
  }, ["configuration", "hooks"]],
  ["the right to run a hook", (repo) => chmodSync(join(repo, ".git/hooks/pre-push.sample"), 0o600), ["hooks"]]
]

it.each(changes)("%s", async (_, change, parts) => {
  const repo = makeRepo()
  const before = await state(repo)
  change(repo)
  assert.deepStrictEqual(changedParts(before, await state(repo)), parts)
})
