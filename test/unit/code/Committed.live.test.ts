// Committed.live: a commit of exactly what was reviewed changes nothing, whatever form of the files git commits.
import { createHash } from "node:crypto"
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { Git } from "../../../src/code/Git.ts"
import { layer } from "../../../src/code/Git.live.ts"
import { sameInput } from "../../../src/run/Identity.ts"
import { BranchName, type Target } from "../../../src/run/Target.ts"
import { eachInHome, git, makeRepo, run } from "../../support/repositories.ts"

eachInHome()

const main: Target = { _tag: "Base", branch: BranchName.make("main") }

const asked = <A, E>(question: (git: Git["Service"]) => Effect.Effect<A, E>) =>
  run(Effect.provide(Git.use(question), layer))
const identity = (repo: string) => asked((git) => git.identity(repo, main, null))
const uncommitted = (repo: string) => asked((git) => git.targetProblem(repo, { _tag: "Uncommitted" }, null))

const pointerOf = (content: string): string => {
  const id = createHash("sha256").update(content).digest("hex")
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`
}

/** Commits what lies in the worktree; in place of `files` that git has no filter for, what LFS would commit. */
const commit = (repo: string, pointers: Readonly<Record<string, string>> = {}): void => {
  git(repo, "add", ".")
  for (const [name, text] of Object.entries(pointers)) {
    const at = join(repo, `../${name}.pointer`)
    writeFileSync(at, text)
    const id = git(repo, "hash-object", "-w", "--no-filters", at)
    git(repo, "update-index", "--add", "--cacheinfo", `100644,${id},${name}`)
  }
  git(repo, "commit", "-qm", "More")
}

interface Form {
  readonly name: string
  readonly attributes: string
  readonly setting?: string
  readonly content: string | Buffer
  readonly other: string | Buffer
  readonly pointer?: string
}

const forms: ReadonlyArray<Form> = [
  { name: "its own bytes", attributes: "", content: "a\nb\n", other: "a\nc\n" },
  {
    name: "line ends by attributes",
    attributes: "* text=auto eol=crlf\n",
    content: "a\r\nb\r\n",
    other: "a\r\nc\r\n"
  },
  { name: "line ends by a setting", attributes: "", setting: "true", content: "a\r\nb\r\n", other: "a\r\nc\r\n" },
  {
    name: "UTF-8",
    attributes: "file working-tree-encoding=UTF-16LE\n",
    content: Buffer.from("é\nx\n", "utf16le"),
    other: Buffer.from("é\ny\n", "utf16le")
  },
  {
    name: "a pointer of LFS",
    attributes: "file filter=lfs -text\n",
    content: "large\n",
    other: "large!\n",
    pointer: pointerOf("large\n")
  }
]

describe("a commit of what was reviewed changes nothing where git commits", () => {
  const slow = new Set(["line ends by a setting", "line ends by attributes", "a pointer of LFS"])
  for (const { attributes, content, name, other, pointer, setting } of forms) {
    it(name, { tags: slow.has(name) ? "slow" : [] }, async () => {
      const repo = makeRepo()
      git(repo, "checkout", "-qb", "topic")
      if (setting !== undefined) {
        git(repo, "config", "core.autocrlf", setting)
      }
      writeFileSync(join(repo, ".gitattributes"), attributes)
      commit(repo)
      writeFileSync(join(repo, "file"), content)
      git(repo, "add", ".gitattributes", ...(pointer === undefined ? ["file"] : []))
      const before = await identity(repo)
      commit(repo, pointer === undefined ? {} : { file: pointer })
      const after = await identity(repo)
      if (before._tag !== "Known" || after._tag !== "Known") return assert.fail(JSON.stringify([before, after]))
      assert.strictEqual(after.indexTree, after.tree, "nothing is uncommitted")
      // A file that git did not track was not a part of the difference.
      if (pointer === undefined) assert.strictEqual(sameInput(before, after), "Same")
      assert.deepStrictEqual(await uncommitted(repo), { _tag: "NothingUncommitted" })

      writeFileSync(join(repo, "file"), other)
      assert.isNull(await uncommitted(repo))
      assert.strictEqual(sameInput(after, await identity(repo)), "Different")
    })
  }

  it("but for a file with other line ends than git would commit", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, "file"), "a\nb\n")
    commit(repo)
    writeFileSync(join(repo, "file"), "a\r\nb\r\n")
    assert.isNull(await uncommitted(repo))
    writeFileSync(join(repo, "file"), "a\nb\n")
    writeFileSync(join(repo, ".gitattributes"), "")
    commit(repo)
    appendFileSync(join(repo, ".gitattributes"), "file -text\n")
    assert.isNull(await uncommitted(repo))
  })
})
