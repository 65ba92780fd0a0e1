// Dismissals.live: the file of dismissals in the worktree and in commits, and what is not such a file.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../../src/review/findings/Dismissals.live.ts"
import { BranchName } from "../../../../src/run/Target.ts"
import { Dismissals, type DismissalsFrom } from "../../../../src/review/findings/Dismissals.ts"
import { eachInHome, git, makeRepo, run } from "../../../support/repositories.ts"

eachInHome()

const here: DismissalsFrom = { _tag: "Worktree" }
const main: DismissalsFrom = { _tag: "Base", branch: BranchName.make("main") }
const at = (revision: string): DismissalsFrom => ({ _tag: "Revision", revision })
const read = (repo: string, from: DismissalsFrom) =>
  run(Effect.provide(Dismissals.use((port) => port.read(repo, from)), layer))
const add = (repo: string, line: string) => run(Effect.provide(Dismissals.use((port) => port.add(repo, line)), layer))
const why = (repo: string, from: DismissalsFrom) =>
  run(Effect.provide(Effect.flip(Dismissals.use((port) => port.read(repo, from))), layer))
    .then(({ reason }) => reason._tag)
const fileOf = (repo: string) => join(repo, ".ooda/dismissals.jsonl")

describe("the dismissals of a worktree", () => {
  it("are empty at first, and then the added ones, each on its own line", async () => {
    const repo = makeRepo()
    assert.strictEqual(await read(repo, here), "")
    await add(repo, "one")
    await add(repo, "two")
    assert.strictEqual(await read(repo, here), "one\ntwo\n")
    writeFileSync(fileOf(repo), "by hand")
    await add(repo, "three")
    assert.strictEqual(readFileSync(fileOf(repo), "utf8"), "by hand\nthree\n")
  })

  it("are not read or written through a link", async () => {
    for (const link of [".ooda", ".ooda/dismissals.jsonl"]) {
      const elsewhere = mkdtempSync(join(tmpdir(), "ooda-elsewhere-"))
      writeFileSync(join(elsewhere, "dismissals.jsonl"), "theirs\n")
      const repo = makeRepo(`repo-${link.length}`)
      if (link !== ".ooda") mkdirSync(join(repo, ".ooda"))
      symlinkSync(link === ".ooda" ? elsewhere : join(elsewhere, "dismissals.jsonl"), join(repo, link))
      assert.strictEqual(await why(repo, here), "NoPlainFile")
      await run(Effect.provide(Effect.flip(Dismissals.use((port) => port.add(repo, "x"))), layer))
      assert.strictEqual(readFileSync(join(elsewhere, "dismissals.jsonl"), "utf8"), "theirs\n")
      rmSync(elsewhere, { recursive: true })
    }
  })

  it("are not a directory, or a file that is too large", async () => {
    const repo = makeRepo()
    mkdirSync(fileOf(repo), { recursive: true })
    assert.strictEqual(await why(repo, here), "NoPlainFile")
    rmSync(fileOf(repo), { recursive: true })
    writeFileSync(fileOf(repo), Buffer.alloc(1024 * 1024 + 1))
    assert.strictEqual(await why(repo, here), "TooLarge")
  })
})

describe("dismissals that git ignores", () => {
  it("are neither read nor written, since no review would use them", async () => {
    for (const [name, exclude] of [["one", ".gitignore"], ["two", ".git/info/exclude"]] as const) {
      const repo = makeRepo(name)
      writeFileSync(join(repo, exclude), ".ooda/\n")
      assert.strictEqual(await read(repo, here), "", "there are none")
      const refused = await run(Effect.provide(Effect.flip(Dismissals.use((port) => port.add(repo, "x"))), layer))
      assert.strictEqual(refused.reason._tag, "Ignored")
      assert.isFalse(existsSync(join(repo, ".ooda")))
      mkdirSync(join(repo, ".ooda"))
      writeFileSync(fileOf(repo), "smuggled\n")
      assert.strictEqual(await why(repo, here), "Ignored")
      git(repo, "add", "-f", ".ooda")
      assert.strictEqual(await read(repo, here), "smuggled\n", "what is tracked is code")
    }
  })
})

describe("the dismissals of a commit", () => {
  it("are the content of the commit, whatever is in the worktree", async () => {
    const repo = makeRepo()
    assert.strictEqual(await read(repo, main), "")
    await add(repo, "kept")
    git(repo, "add", ".ooda")
    git(repo, "commit", "-qm", "Kept")
    git(repo, "checkout", "-qb", "change")
    appendFileSync(fileOf(repo), "smuggled\n")
    git(repo, "commit", "-qam", "Smuggled")
    assert.deepStrictEqual(
      await Promise.all([here, main, at("change"), at("main"), at("main~1")].map((from) => read(repo, from))),
      ["kept\nsmuggled\n", "kept\n", "kept\nsmuggled\n", "kept\n", ""]
    )
  })

  it("are not in a link, or in a missing commit", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, ".ooda"))
    symlinkSync("/etc/passwd", fileOf(repo))
    git(repo, "add", ".ooda")
    git(repo, "commit", "-qm", "Link")
    assert.strictEqual(await why(repo, main), "NoPlainFile")
    for (const from of [at("nowhere"), at("--help"), { ...main, branch: BranchName.make("gone") } as const]) {
      assert.strictEqual(await why(repo, from), "NoCommit")
    }
  })
})
