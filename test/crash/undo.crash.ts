// An undo that is killed, or refused by the system, at any of its file calls and programs is finished by the next call.
// Whatever was there before it can be had again, and git's own files are untouched.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runDirectory } from "../../src/log/LogFile.live.ts"
import { agentFiles } from "../../src/run/Layout.live.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { gitPhoto, photo } from "../support/snapshots.ts"
import {
  type Ending,
  endingAt,
  type FileCall,
  listedCalls,
  listingCalls,
  prepareProgram,
  runFreely,
  runWith
} from "./program.ts"
import { oneIn, tried } from "./tried.ts"

const state = { root: "", program: "" }
beforeAll(async () => {
  const { program, root } = await prepareProgram("undoing.ts")
  Object.assign(state, { root, program })
  process.env["GIT_CONFIG_GLOBAL"] = "/dev/null"
  process.env["GIT_CONFIG_NOSYSTEM"] = "1"
})
afterAll(() => fs.rmSync(state.root, { recursive: true, force: true }))

const watched = () => path.join(state.root, "watched")
const repo = () => path.join(watched(), "repo")
const asking = (...words: ReadonlyArray<string>) => [state.program, path.join(watched(), "state"), repo(), ...words]

const git = (...args: ReadonlyArray<string>): void => {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
  assert.strictEqual(spawnSync("git", [...identity, ...args], { cwd: repo() }).status, 0)
}

/** A repository with a snapshot, and what an agent has done to its files since. */
const prepare = (): void => {
  fs.mkdirSync(path.join(repo(), "deep"), { recursive: true })
  fs.mkdirSync(runDirectory(onlyRun(path.join(watched(), "state"))), { recursive: true })
  git("init", "-q")
  for (const name of ["changed", "deleted", "deep/one", "kind"]) fs.writeFileSync(path.join(repo(), name), `${name}\n`)
  git("add", ".")
  git("commit", "-qm", "One")
  fs.writeFileSync(path.join(repo(), "untracked"), "mine\n")
  fs.symlinkSync("changed", path.join(repo(), "link"))
  assert.strictEqual(runFreely(asking("take")).status, 0)
}

const edit = (): void => {
  fs.writeFileSync(path.join(repo(), "changed"), "by an agent\n".repeat(1000))
  fs.rmSync(path.join(repo(), "deleted"))
  fs.rmSync(path.join(repo(), "deep"), { recursive: true })
  fs.rmSync(path.join(repo(), "link"))
  fs.rmSync(path.join(repo(), "kind"))
  fs.mkdirSync(path.join(repo(), "kind/of"), { recursive: true })
  fs.writeFileSync(path.join(repo(), "kind/of/other"), "new\n")
  fs.writeFileSync(path.join(repo(), "untracked"), "agent's\n")
  fs.writeFileSync(path.join(repo(), "added"), "new\n")
  const { exit } = agentFiles({ run: onlyRun(path.join(watched(), "state")), agent: 1, attempt: 1 })
  fs.mkdirSync(path.dirname(exit), { recursive: true })
  fs.writeFileSync(exit, "0\n")
}

const copy = (from: string, to: string): void => {
  fs.rmSync(to, { recursive: true, force: true })
  assert.strictEqual(spawnSync("cp", ["-a", from, to]).status, 0)
}

describe("an undo that ends", () => {
  let before: ReturnType<typeof photo> = {}
  let edited: ReturnType<typeof photo> = {}
  let untouched: ReturnType<typeof gitPhoto> = {}
  let calls: ReadonlyArray<FileCall> = []
  const template = () => path.join(state.root, "template")
  beforeAll(() => {
    prepare()
    before = photo(repo())
    edit()
    edited = photo(repo())
    untouched = gitPhoto(repo())
    assert.strictEqual(runFreely(asking("take-after")).status, 0)
    copy(watched(), template())
    const log = path.join(state.root, "calls")
    const said = runWith(process.execPath, asking("undo"), { ...listingCalls(watched(), log), CRASH_SPAWNS: "1" })
    assert.strictEqual(said.status, 0, said.stderr)
    assert.deepStrictEqual(photo(repo()), before)
    calls = listedCalls(log)
  })

  const endings: ReadonlyArray<Ending> = ["kill", "half", "ENOSPC"]
  it.each(endings)("by %s at any of its calls is finished by the next one", (how) => {
    let midway = 0
    const places = [...calls.entries()].filter(([, { changes, name }]) =>
      changes && (how === "kill" || (how === "half" ? name.startsWith("write") : !name.startsWith("spawn")))
    )
    for (const [i, { name, path: place }] of tried(places)) {
      copy(template(), watched())
      const where = `${how} at call ${i + 1} (${name} ${place})`
      runWith(process.execPath, asking("undo"), { ...endingAt(watched(), i + 1, how), CRASH_SPAWNS: "1" })
      const cut = photo(repo())
      const finished = runFreely(asking("finish"))
      assert.strictEqual(finished.status, 0, `${where}: ${finished.stderr}`)
      const now = photo(repo())
      // Either it had not begun, or it is whole.
      assert.include([JSON.stringify(before), JSON.stringify(edited)], JSON.stringify(now), where)
      assert.deepStrictEqual(gitPhoto(repo()), untouched, where)
      if (JSON.stringify(cut) === JSON.stringify(before) || JSON.stringify(cut) === JSON.stringify(edited)) continue
      midway++
      const back = runFreely(asking("undo", "3"))
      assert.strictEqual(back.status, 0, `${where}: ${back.stderr}`)
      assert.deepStrictEqual(photo(repo()), edited, `${where}: what was there is lost`)
    }
    if (oneIn === 1) assert.isAbove(midway, how === "half" ? 0 : 5)
  }, 900_000)
})
