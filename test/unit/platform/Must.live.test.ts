// A git command that has to succeed gives its answer or one line why not.
import { assert, it } from "vitest"
import { Effect } from "effect"
import { gitOutput, tryFiles } from "../../../src/platform/GitCommand.ts"
import { eachInHome, makeRepo, run } from "../code/repositories.ts"

eachInHome()

it("gives the answer, as text or byte by byte", async () => {
  const repo = makeRepo()
  const bytes = { encoding: "latin1" } as const
  assert.strictEqual(await run(gitOutput(repo, ["rev-parse", "--abbrev-ref", "HEAD"])), "main")
  const id = await run(gitOutput(repo, ["hash-object", "-w", "--stdin"], {}, { ...bytes, input: "\u00ff\n" }))
  assert.strictEqual(await run(gitOutput(repo, ["cat-file", "blob", id], {}, bytes)), "\u00ff")
  const text = await run(gitOutput(repo, ["hash-object", "-w", "--stdin"], {}, { input: "\u00ff\n" }))
  assert.strictEqual(await run(gitOutput(repo, ["cat-file", "blob", text])), "\u00ff")
})

it("fails with one line", async () => {
  assert.match(await run(Effect.flip(gitOutput(makeRepo(), ["rev-parse", "--verify", "nothing"]))), /^fatal: /)
  assert.strictEqual(
    await run(Effect.flip(tryFiles(() => {
      throw new Error("so")
    }))),
    "so"
  )
})
