// converge: whole calls with the fake codex, on a real repository with real tests.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

const converge = ({ step }: World, ...args: ReadonlyArray<string>) =>
  step("converge", "--uncommitted", "-n", "1", "--ceiling", "low", ...args)

describe.concurrent("converge", () => {
  it("reports a fixed point only if the tests pass on the proven code", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    const once = `echo x >> ${world.path("ran")}; ! grep -q red a.txt`
    const lines = () => readFileSync(world.path("ran"), "utf8").split("\n").length - 1
    assert.strictEqual((await converge(world, "--test", once)).exit, 0)
    assert.strictEqual(lines(), 1)
    assert.strictEqual((await converge(world, "--test", once)).exit, 0)
    assert.strictEqual(lines(), 1)
    writeFileSync(join(world.repo, "a.txt"), "red\n")
    const red = await converge(world, "--test", once)
    assert.strictEqual(red.exit, 3)
    assert.match(
      red.stderr,
      /\nfixed it yourself: +ooda-codex-review converge [^\n]*\nallow it: .* --allow red-baseline\n/
    )
    assert.strictEqual(lines(), 3)
    assert.strictEqual((await converge(world, "--test", once, "--allow", "red-baseline")).exit, 0)
  })

  it("that ends before its first review is what status shows", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    assert.strictEqual((await converge(world, "--no-test")).exit, 0)
    assert.strictEqual((await converge(world, "--fresh", "--test", "no-such-program")).exit, 3)
    const said = "\nneeds you: no-such-program fails: command not found before any agent has changed anything "
    assert.include((await world.step("status")).stdout, said)
    assert.match((await world.step("findings")).stdout, /0 findings\n$/)
  })

  it("does not commit a person's uncommitted changes", { tags: "slow" }, async ({ world }) => {
    writeFileSync(join(world.repo, "mine.txt"), "mine\n")
    const args = ["converge", "--base", "main", "--test", "true", "--commit-fixes"]
    const refused = await world.step(...args)
    assert.strictEqual(refused.exit, 6)
    assert.include(refused.stderr, "[commit or stash your changes first]")
    assert.strictEqual(world.git("status", "--porcelain").trim(), "?? mine.txt")
    assert.deepStrictEqual(world.calls(), [])
  })
})
