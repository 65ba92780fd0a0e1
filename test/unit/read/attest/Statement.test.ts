// Statement: the bytes of an attestation, and the names that git has for what was reviewed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { statementOf, statementText, subjectsOf } from "../../../../src/read/attest/Attest.ts"
import { CommitSha } from "../../../../src/run/Target.ts"
import { attested, commit, tree } from "./facts.ts"

const uncommitted = { _tag: "Uncommitted" } as const
const known = (headTree: string | null, change = {}) =>
  ({ _tag: "Known", head: commit, tree, base: null, headTree, ...change }) as const

describe("an attestation", () => {
  const golden = new URL("../../../../fixtures/attestations/fixed-point.v1.json", import.meta.url)
  const text = statementText(statementOf(attested()))

  it("has the bytes that it always had", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") {
      mkdirSync(new URL(".", golden), { recursive: true })
      writeFileSync(golden, text)
    }
    assert.strictEqual(text, readFileSync(golden, "utf8"))
  })

  it("is one line of visible characters, whatever reviewers wrote, and holds no secret of a known form", () => {
    assert.match(text, /^[ -~]+\n$/)
    assert.notInclude(text, "hunter2")
    assert.notInclude(text, "ghp_")
  })

  it("does not depend on the order of what it is made of", () => {
    const { fixedPoint, ...rest } = attested()
    assert.strictEqual(statementText(statementOf({ ...rest, fixedPoint })), text)
  })

  it("claims every level only where all saw the same code", () => {
    const claim = (complete: boolean) => statementOf(attested({ complete })).predicate.claim
    assert.deepStrictEqual([claim(true), claim(false)], ["every-level", "ceiling"])
  })
})

describe("subjects", () => {
  it("are the tree, and the commit where nothing was changed in it", () => {
    const one = { name: "tree", digest: { gitTree: tree } } as const
    const two = { name: "commit", digest: { gitCommit: commit } } as const
    assert.deepEqual(subjectsOf(uncommitted, known("8".repeat(40))), [one])
    assert.deepEqual(subjectsOf(uncommitted, known(tree)), [one, two])
    assert.deepEqual(subjectsOf(uncommitted, known(null, { head: null })), [one])
  })

  it("of a commit are that commit", () =>
    assert.deepEqual(
      subjectsOf({ _tag: "Commit", sha: CommitSha.make(commit) }, {
        _tag: "Known",
        head: commit,
        tree: null,
        base: null
      }),
      [{ name: "commit", digest: { gitCommit: commit } }]
    ))

  it("are none where git has no name for the files", () => {
    assert.deepEqual(subjectsOf(uncommitted, known(null, { tree: `contents-${tree}` })), [])
    assert.deepEqual(subjectsOf(uncommitted, { _tag: "Unknown", why: "slow" }), [])
  })
})
