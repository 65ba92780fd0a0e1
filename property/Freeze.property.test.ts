// Freeze: each path of a random worktree is in the frozen tree with its bytes, skipped, or ignored; and freezing again
// sees each change, reading nothing else.
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as fc from "fast-check"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { freeze, type FreezeOptions } from "../src/code/Freeze.live.ts"
import { skipText } from "../src/code/Frozen.ts"
import { repositoryAt } from "../src/code/Repository.live.ts"
import { loadCache } from "../src/code/StatCache.live.ts"
import { contentsOf, entriesOf, openStore } from "../src/code/Store.live.ts"
import { Environment } from "../src/platform/Environment.ts"
import { makeHostile } from "./hostileRepository.ts"
import { blobId, bytes, gitIn, makeWorktree, walked, type Worktree, worktree, write } from "./worktrees.ts"

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 8)
const timeout = 240_000 + numRuns * 2_000

let home = ""
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "ooda-freeze-")))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, Environment, { PATH: process.env["PATH"], HOME: home }))

/** Freezes into a private repository in the home. */
const frozenIn = (store: string, repo: string, options: FreezeOptions = {}) =>
  run(Effect.gen(function*() {
    const opened = yield* openStore(join(home, store), yield* repositoryAt(repo))
    const frozen = yield* freeze(opened, options)
    const entries = yield* entriesOf(opened, frozen.tree)
    return { opened, frozen, entries }
  }))

const sorted = (texts: Iterable<string>): ReadonlyArray<string> => [...texts].sort()

/** Freezes a worktree and compares with what a plain walk finds. */
const agrees = async (made: Worktree, store: string, options: FreezeOptions = {}) => {
  const { entries, frozen, opened } = await frozenIn(store, made.repo, options)
  const { counted, special, untracked } = walked(made, options.also)
  const line = (path: string, mode: string, id: string) => `${mode} ${id} ${path}`
  assert.deepStrictEqual(
    sorted([...entries].map(([path, { id, mode }]) => line(path, mode, id))),
    sorted([...counted].map(([path, { content, mode }]) => line(path, mode, blobId(made.plan.format, content))))
  )
  assert.deepStrictEqual(
    sorted(frozen.skipped.map(({ path, reason }) => `${path} ${reason._tag}`)),
    sorted(special.map((path) => `${path} Special`))
  )
  assert.strictEqual(frozen.untracked, untracked)
  const kept = await run(contentsOf(opened, [...entries.values()].map(({ id }) => id)))
  const lost = [...entries.keys()].filter((path, i) =>
    kept[i]?.equals(counted.get(path)?.content ?? Buffer.of(0)) !== true
  )
  assert.deepStrictEqual(lost, [])
  return frozen
}

const law = (holds: (made: Worktree) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(worktree, async (plan) => {
      for (const part of ["repo", "store"]) rmSync(join(home, part), { recursive: true, force: true })
      await holds(makeWorktree(home, plan))
    }),
    { numRuns }
  )

/** Has files that were written just now count as old ones, so that a stat is enough to know them again. */
const letTimePass = () => {
  const now = Date.now() + 3_600_000
  vi.spyOn(Date, "now").mockReturnValue(now)
}
afterEach(() => void vi.restoreAllMocks())

/** Bytes that this thread has read so far: others may read beside it. */
const bytesRead = (): number => Number(/rchar: (\d+)/.exec(readFileSync("/proc/thread-self/io", "utf8"))?.[1])

/** A time that every file system can keep, so that it can be set again exactly. */
const longAgo = 1_000_000_000

/** What may become of a file between two freezes. */
const edits: Readonly<Record<string, (path: Buffer, other: Buffer) => void>> = {
  "written in place, with its length and time kept": (path) => {
    writeFileSync(path, readFileSync(path).map((byte) => byte ^ 1))
    utimesSync(path, longAgo, longAgo)
  },
  "replaced by a file of the same length, time and mode": (path) => {
    const beside = Buffer.concat([path, Buffer.from("~")])
    writeFileSync(beside, readFileSync(path).map((byte) => byte ^ 1), { mode: lstatSync(path).mode })
    utimesSync(beside, longAgo, longAgo)
    renameSync(beside, path)
  },
  "removed": (path) => rmSync(path),
  "made a program, or none": (path) => chmodSync(path, lstatSync(path).mode ^ 0o111),
  "replaced by a link": (path) => {
    rmSync(path)
    symlinkSync("a", path)
  },
  "moved onto another": (path, other) => renameSync(path, other),
  "copied": (path) => copyFileSync(path, Buffer.concat([path, Buffer.from("-copy")]))
}

describe("a random worktree", () => {
  it("is frozen path by path and byte by byte, with its index", () =>
    law(async (made) => {
      const frozen = await agrees(made, "store")
      const index = gitIn(made.repo, ["ls-files", "--stage", "-v", "-z"]).split("\0").filter((line) => line !== "")
      assert.deepStrictEqual(frozen.index, index)
    }), timeout)

  it("that is unchanged has the same tree again, and no file is read", () =>
    law(async ({ repo }) => {
      letTimePass()
      write(repo, "large", "x".repeat(2 << 20))
      const { frozen } = await frozenIn("store", repo, { also: ["large"] })
      const before = bytesRead()
      const again = await frozenIn("store", repo, { also: ["large"] })
      assert.isBelow(bytesRead() - before, 1 << 20)
      assert.deepStrictEqual(again.frozen, frozen)
    }), timeout)

  it("is seen as it is after each kind of edit", () =>
    fc.assert(
      fc.asyncProperty(
        worktree,
        fc.array(fc.record({ pick: fc.nat(), kind: fc.constantFrom(...Object.keys(edits)) }), { maxLength: 4 }),
        async (plan, chosen) => {
          for (const part of ["repo", "store"]) rmSync(join(home, part), { recursive: true, force: true })
          const made = makeWorktree(home, plan)
          letTimePass()
          const filesOf = () =>
            [...walked(made).counted].filter(([, { mode }]) => mode !== "120000").map(([path]) => path)
          const at = (path: string) => Buffer.concat([Buffer.from(`${made.repo}/`), bytes(path)])
          for (const path of filesOf()) utimesSync(at(path), longAgo, longAgo)
          await frozenIn("store", made.repo)
          for (const { kind, pick } of chosen) {
            const files = filesOf()
            const [path, other] = [files[pick % files.length], files[(pick + 1) % files.length]]
            if (path !== undefined && other !== undefined) edits[kind]?.(at(path), at(other))
          }
          await agrees(made, "store")
        }
      ),
      { numRuns }
    ), timeout)

  it("keeps what was counted when the ignore rules change", () =>
    law(async (made) => {
      const first = await frozenIn("store", made.repo)
      rmSync(join(made.repo, ".gitignore"), { recursive: true, force: true })
      write(made.repo, ".gitignore", "*\n")
      write(made.repo, "new", "new")
      await agrees(made, "store", { also: [...first.entries.keys()] })

      const { entries } = await frozenIn("store", made.repo, {
        earlier: { rules: first.frozen.rules, byAgents: true }
      })
      const others = (paths: Iterable<string>) =>
        sorted(paths).filter((path) => !/^(?:\.gitignore|new)(?:\/|$)/.test(path))
      assert.deepStrictEqual(others(entries.keys()), others(first.entries.keys()))
    }), timeout)
})

describe("a worktree", () => {
  const repository = () => {
    const repo = join(home, "repo")
    mkdirSync(repo)
    gitIn(repo, ["init", "-q", "-b", "main"])
    return repo
  }

  it("in which a repository appears around files of its index keeps them, ignored ones too", async () => {
    const repo = repository()
    for (const path of ["src/a.log", "src/b.log", "src/c"]) write(repo, path, path)
    gitIn(repo, ["add", "src/a.log"])
    write(repo, ".gitignore", "*.log\n")
    gitIn(repo, ["init", "-q", "src"])
    const { entries, frozen } = await frozenIn("store", repo)
    assert.deepStrictEqual(sorted(entries.keys()), [".gitignore", "src/a.log", "src/c"])
    assert.deepStrictEqual(frozen.gitDirectories, ["src/.git"])
  })

  it("with a socket and a FIFO in place of its ignore file is frozen at once, and both are named", async () => {
    const repo = repository()
    write(repo, "a", "a")
    execFileSync("mkfifo", [join(repo, ".gitignore")])
    const server = createServer()
    await new Promise<void>((done) => server.listen(join(repo, "socket"), done))
    const { entries, frozen } = await frozenIn("store", repo)
    await new Promise((done) => server.close(done))
    assert.deepStrictEqual([...entries.keys()], ["a"])
    assert.deepStrictEqual(
      frozen.skipped.map(({ path, reason }) => `${path}: ${skipText(reason)}`).sort(),
      [".gitignore: it is a FIFO", "socket: it is a socket"]
    )
  })

  it("has no file that is known by its stat if it was written just before it was read", async () => {
    const repo = repository()
    write(repo, "a", "one")
    const stat = lstatSync(join(repo, "a"))
    const early = await frozenIn("store", repo)
    const idOf = (store: typeof early.opened) => {
      const cache = loadCache(store)
      const row = cache.rowOf("a")
      return row === undefined ? undefined : cache.idIn(row, stat)
    }
    assert.isUndefined(idOf(early.opened))
    letTimePass()
    const late = await frozenIn("store", repo)
    assert.isDefined(idOf(late.opened))
  })
})

describe("a worktree that names programs wherever git looks for them", () => {
  /** The files of its git directories with their times. */
  const gitFiles = (repo: string) =>
    readdirSync(repo, { recursive: true, encoding: "utf8" }).filter((path) => /(?:^|\/)\.git\//.test(path)).sort()
      .map((path) => `${path} ${lstatSync(join(repo, path)).mtimeMs} ${lstatSync(join(repo, path)).size}`)

  it("runs none of them while it is frozen, and nothing is written there", async () => {
    const { marks, repo } = makeHostile(home)
    const before = gitFiles(repo)
    const first = await frozenIn("store", repo)
    write(repo, "changed.txt", "changed")
    const second = await frozenIn("store", repo)
    assert.deepStrictEqual(marks(), [])
    assert.deepStrictEqual(gitFiles(repo), before)
    assert.includeMembers([...first.entries.keys()], ["a.txt", "nested/a.txt", "sub/a.txt", "bin/git"])
    assert.notStrictEqual(second.frozen.tree, first.frozen.tree)
  })

  it("can be frozen without the commit of its HEAD, too", async () => {
    const { marks, repo } = makeHostile(home)
    const head = gitIn(repo, ["rev-parse", "HEAD"]).trim()
    rmSync(join(repo, ".git/objects", head.slice(0, 2), head.slice(2)))
    const { entries } = await frozenIn("store", repo)
    assert.deepStrictEqual(marks(), [])
    assert.isTrue(entries.has("a.txt"))
  })

  it("runs several if git is asked there", () => {
    const { marks, repo } = makeHostile(home)
    for (const args of [["status"], ["diff"], ["add", "--all"]]) {
      spawnSync("git", args, {
        cwd: repo,
        env: { PATH: process.env["PATH"], HOME: home },
        stdio: "ignore",
        timeout: 20_000
      })
    }
    assert.includeMembers([...marks()], ["fsmonitor", "clean", "process", "uploadpack"])
  })
})
