// SelectRun.stored: runs chosen among those that lie on a disk, from a real worktree.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { bench } from "../read/audit/writtenRuns.ts"

const b = bench()

const id = (n: number): string => `20300101T0000${String(n).padStart(2, "0")}Z-000000001-p1`

describe("a run is chosen", () => {
  const chosen = async (selector: Parameters<typeof b.replay>[0], cwd?: string) => {
    const { code, out, stderr } = await b.ask(b.replay(selector), cwd === undefined ? {} : { cwd })
    return code === 0 ? out.split("\n")[0]?.slice(8).split(" ")[0] : stderr
  }

  it("as the newest of this worktree", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    b.write([[b.born({ runId: id(3), worktree: "/elsewhere" })]], { id: id(3) })
    assert.strictEqual(await chosen({}), id(2))
  })

  it("never as another checkout's, which must be named", async () => {
    b.write([[b.born({ runId: id(1), worktree: "/elsewhere" })]], { id: id(1) })
    fs.mkdirSync(b.dir({ id: id(4) }), { recursive: true })
    assert.match((await chosen({})) ?? "", new RegExp(`no such run of ${b.cwd()}; .* --run ${id(1)}\n$`))
    assert.strictEqual(await chosen({ selector: { _tag: "Named", prefix: id(1) } }), id(1))
  })

  it("as the newest also where its first line is damaged", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    fs.writeFileSync(path.join(b.dir({ id: id(2) }), "manifest.jsonl"), "damage\n")
    const { code } = await b.ask(b.audit())
    assert.strictEqual(code, 1)
  })

  it("from anywhere in the worktree", async () => {
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    const below = path.join(b.cwd(), "a/b")
    fs.mkdirSync(below, { recursive: true })
    assert.strictEqual(await chosen({}, below), id(1))
  })

  it("by its id or the beginning of it", async () => {
    b.write([[b.born({ runId: id(11) })]], { id: id(11) })
    b.write([[b.born({ runId: id(12) })]], { id: id(12) })
    assert.strictEqual(await chosen({ selector: { _tag: "Named", prefix: id(11) } }), id(11))
    assert.strictEqual(await chosen({ selector: { _tag: "Named", prefix: id(12).slice(0, 16) } }), id(12))
    const several = (await chosen({ selector: { _tag: "Named", prefix: "20300101" } })) ?? ""
    assert.include(several, "error: 20300101 is the beginning of several runs: ")
    assert.include(
      several,
      `${id(12)} (repo-noremote/uncommitted), ${id(11)} (repo-noremote/uncommitted); name more of one\n`
    )
    assert.match((await chosen({ selector: { _tag: "Named", prefix: "2031" } })) ?? "", /no run begins with 2031/)
  })

  it("by its id in this repository first, then everywhere, also outside of any repository", async () => {
    b.write([[b.born({ runId: id(1), repoId: "other-noremote" })]], { id: id(1), repo: "other-noremote" })
    const selector = { _tag: "Named", prefix: "2030" } as const
    assert.strictEqual(await chosen({ selector }), id(1))
    assert.strictEqual(await chosen({ selector }, "/"), id(1))
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    assert.strictEqual(await chosen({ selector }), id(2))
  })

  it("as the latest of a target", async () => {
    const selector = { _tag: "Latest", target: { _tag: "Uncommitted" } } as const
    assert.match((await chosen({ selector })) ?? "", /no run of uncommitted under /)
    b.write([[b.born({ runId: id(1) })]], { id: id(1) })
    b.write([[b.born({ runId: id(2) })]], { id: id(2) })
    fs.writeFileSync(path.join(b.root(), "repo-noremote/uncommitted/latest"), id(1))
    assert.strictEqual(await chosen({ selector }), id(1))
    fs.writeFileSync(path.join(b.root(), "repo-noremote/uncommitted/latest"), "")
    assert.strictEqual(await chosen({ selector }), id(2))
  })

  it("never, where there is none", async () => {
    assert.match((await chosen({})) ?? "", /no run of this repository \(repo-noremote\) under /)
  })

  it("by a remote's name of the repository", async () => {
    execFileSync("git", ["remote", "add", "origin", "https://example.org/x.git"], { cwd: b.cwd() })
    b.write(b.climb())
    assert.match((await chosen({})) ?? "", /no run of this repository \(repo-[0-9a-f]{12}\)/)
  })
})
