// What a step of a workflow writes and how it ends, on a machine in memory.
import { assert, describe, it } from "vitest"
import { type Request, ciRun, files } from "../../../../src/cli/commands/ci.ts"
import { Scripted } from "../../../../src/testing.ts"
import type { Script } from "../../../../src/testing/World.ts"
import { type Around, inJob } from "./ciBench.ts"

const plain: Request = {
  action: "run",
  mode: "review",
  levels: ["low"],
  failOn: "findings",
  forkTests: false,
  author: "x",
  out: null,
  texts: new Map([["-n", ["1"]], ["--retries", ["0"]], ["--base", ["main"]]])
}

const stepped = (change: Partial<Request>, script: Script, refuses?: Around["refuses"]) =>
  inJob(ciRun({ ...plain, ...change }, null, "/repo", "1"), { script, ...(refuses === undefined ? {} : { refuses }) })

describe("a step", () => {
  it("writes its files where the runner keeps them, then its outputs", async () => {
    const { code, stderr, told } = await stepped({}, () => Scripted.clean())
    assert.deepStrictEqual([code, stderr], [0, "DoneFixedPoint\n"])
    assert.sameMembers([...told.keys()], [
      `/temp/${files.sarif}`,
      `/temp/${files.comment}`,
      "/temp/ooda-codex-review-low.html",
      "summary",
      "output",
      "stdout"
    ])
    assert.match(
      told.get("output") ?? "",
      /^mode=review\noutcome=DoneFixedPoint\nexit-code=0\nfindings=0\nverdict=pass\n/
    )
    assert.match(told.get("output") ?? "", /\ncomment=\n$/)
    assert.strictEqual(told.get("stdout"), "")
  })

  it("fails for findings, and could not where a review is missing", async () => {
    const found = await stepped({}, () => Scripted.issues())
    assert.deepStrictEqual([found.code, found.stderr], [1, "HandoffAgent: AddressBatch\n"])
    assert.match(found.told.get("stdout") ?? "", /^::error file=/)
    assert.strictEqual((await stepped({ failOn: "P0" }, () => Scripted.issues())).code, 0)
    assert.strictEqual((await stepped({ failOn: "error" }, () => Scripted.failure())).code, 6)
  })

  it("goes on past a level with findings, and tells the worst outcome", async () => {
    const script: Script = ({ level }) => level === "low" ? Scripted.issues() : Scripted.clean()
    const { told } = await stepped({ levels: ["low", "medium"] }, script)
    assert.match(told.get("output") ?? "", /\noutcome=HandoffAgent\n/)
    const failing: Script = ({ level }) => level === "low" ? Scripted.issues() : Scripted.failure()
    const failed = await stepped({ levels: ["low", "medium"] }, failing)
    assert.match(failed.told.get("output") ?? "", /\noutcome=BinaryError\nexit-code=6\nfindings=1\nverdict=fail\n/)
  })

  it("never passes where it could not tell what came of it", async () => {
    for (const refuses of ["files", "runner"] as const) {
      const { code, stderr } = await stepped({ failOn: "never" }, () => Scripted.clean(), refuses)
      assert.strictEqual(code, 6, stderr)
    }
  })

  it("converges where it is asked to, and what is told meanwhile is no command", async () => {
    const texts = new Map([...plain.texts, ["--test", ["npm test"]]])
    const { code, stderr, told } = await stepped({ mode: "converge", texts }, () => Scripted.clean())
    assert.deepStrictEqual([code, stderr], [0, "DoneFixedPoint\n"])
    assert.match(told.get("output") ?? "", /^mode=converge\n/)
    assert.isNotEmpty(told.get("narrator"))
  })

  it("trusts no code that its agents work on, with a pull request or without", async () => {
    const texts = new Map([...plain.texts, ["--test", ["npm test"]], ["--max-rounds", ["1"]]])
    const { tasks } = await stepped({ mode: "converge", texts }, () => Scripted.issues())
    assert.deepStrictEqual(new Set(tasks.map(({ untrusted }) => untrusted)), new Set([true]))
  })

  it("needs something to compare with", async () => {
    const { code, stderr } = await stepped({ texts: new Map() }, () => Scripted.clean())
    assert.strictEqual(code, 6)
    assert.match(stderr, /\[name what to compare with: --base BRANCH\]\n$/)
  })
})
