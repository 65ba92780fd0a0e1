// Undo.live: what becomes of the files, wherever an undo is cut off.
import * as fs from "node:fs"
import { join } from "node:path"
import { isMainThread } from "node:worker_threads"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { CodeFailed } from "../../../src/code/CodeFailed.ts"
import type { Store } from "../../../src/code/Store.live.ts"
import { type Calls, carryOut, carryOutSteps, mergeBy, placeOf, withContents } from "../../../src/code/Undo.live.ts"
import { type Left, type LeftReason, planUndo, type UndoPlan } from "../../../src/code/Undo.ts"
import { UsersUmask } from "../../../src/platform/Environment.ts"
import { eachInHome, inHome, run } from "../../support/repositories.ts"
import { edit, emptyRepo, type Files, filesIn, saved, setFiles, storeOf } from "../../support/undoing.ts"

eachInHome()

interface Case {
  readonly before: Files
  readonly agent: Readonly<Record<string, string | null>>
  readonly person?: Readonly<Record<string, string | null>>
  /** What the files are at the end; those before the agent by default. */
  readonly end?: Files
  readonly left?: Readonly<Record<string, LeftReason>>
  readonly merged?: ReadonlyArray<string>
}

const lines = (...each: ReadonlyArray<string>): string => each.map((line) => `${line}\n`).join("")
const long = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`)
const withLine = (at: number, text: string, of: ReadonlyArray<string> = long) =>
  of.map((one, i) => i === at ? text : one)

const cases: Readonly<Record<string, Case>> = {
  "a changed file": { before: { a: "1" }, agent: { a: "2" } },
  "a removed file": { before: { a: "1", b: "" }, agent: { a: null } },
  "a new file": { before: {}, agent: { a: "1" } },
  "a new file in new directories, which go too": { before: { x: "1" }, agent: { "d/e/f": "1" } },
  "a removed directory": { before: { "d/e/f": "1", "d/g": "2" }, agent: { d: null } },
  "an empty file": { before: { a: "" }, agent: { a: "1" } },
  "a file made a program": { before: { a: "1" }, agent: { a: "*1" } },
  "a program made a file, and changed": { before: { a: "*1" }, agent: { a: "2" } },
  "a link that leads elsewhere": { before: { a: ">x" }, agent: { a: ">y" } },
  "a file in place of a link": { before: { a: ">x" }, agent: { a: "x" } },
  "a link in place of a file": { before: { a: "x" }, agent: { a: ">x" } },
  "a directory in place of a file": { before: { a: "1" }, agent: { "a/b/c": "1", "a/d": ">x" } },
  "a file in place of a directory": { before: { "a/b/c": "1", "a/d": ">x" }, agent: { a: "1" } },
  "a link in place of a directory": { before: { "a/b": "1", "c/b": "2" }, agent: { a: ">c" } },
  "a renamed file": { before: { a: "1" }, agent: { a: null, b: "1" } },
  "names of bytes, line breaks and dashes": {
    before: { "caf\xe9": "1", "a\nb": "2", "-rf": "3", " ": "4" },
    agent: { "caf\xe9": null, "a\nb": "x", "-rf": null, " ": null, "n\xf6u": "5" }
  },
  "bytes that are no text": { before: { a: "\0\xff\r\n" }, agent: { a: "\xfe" } },
  "a file that a person removed": {
    before: { a: "1", b: "1" },
    agent: { a: "2", b: "2" },
    person: { a: null },
    end: { b: "1" },
    left: { a: "Removed" }
  },
  "a new file that a person changed": {
    before: {},
    agent: { a: "1", b: "1" },
    person: { a: "2" },
    end: { a: "2" },
    left: { a: "NewFileEdited" }
  },
  "a removed file that a person made anew": {
    before: { a: "1" },
    agent: { a: null },
    person: { a: "2" },
    end: { a: "2" },
    left: { a: "MadeAnew" }
  },
  "a changed file that a person made a link": {
    before: { a: "1" },
    agent: { a: "2" },
    person: { a: ">x" },
    end: { a: ">x" },
    left: { a: "OtherType" }
  },
  "a person's new file beside the agent's": {
    before: {},
    agent: { "d/a": "1" },
    person: { "d/b": "2" },
    end: { "d/b": "2" }
  },
  "changes of both that do not touch": {
    before: { a: lines(...long) },
    agent: { a: lines(...withLine(0, "agent")) },
    person: { a: lines(...withLine(8, "person", withLine(0, "agent"))) },
    end: { a: lines(...withLine(8, "person")) },
    merged: ["a"]
  },
  "changes of both in CRLF and latin1, without a last line end": {
    before: { a: `${long.join("\r\n")}caf\xe9` },
    agent: { a: `${withLine(0, "agent").join("\r\n")}caf\xe9` },
    person: { a: `*${withLine(0, "agent").join("\r\n")}caf\xe9!` },
    end: { a: `*${long.join("\r\n")}caf\xe9!` },
    merged: ["a"]
  },
  "changes of both that touch": {
    before: { a: "1\n", b: "1\n" },
    agent: { a: "2\n", b: "2\n" },
    person: { a: "3\n" },
    end: { a: "3\n", b: "1\n" },
    left: { a: "Conflict" }
  },
  "changes of both in a binary file": {
    before: { a: "\0\x01" },
    agent: { a: "\0\x02" },
    person: { a: "\0\x03" },
    end: { a: "\0\x03" },
    left: { a: "Binary" }
  },
  "an agent's program whose contents a person changed": {
    before: { a: "1\n" },
    agent: { a: "*1\n" },
    person: { a: "*2\n" },
    end: { a: "2\n" }
  }
}

const planned = async (store: Store, worktree: string, { agent, before, person = {} }: Case): Promise<UndoPlan> => {
  edit(worktree, before)
  const first = await saved(store, filesIn(worktree))
  edit(worktree, agent)
  const after = await saved(store, filesIn(worktree))
  edit(worktree, person)
  const now = await saved(store, filesIn(worktree))
  return run(
    planUndo(now, [{ before: first, after, notSaved: [], later: new Set() }], mergeBy(store), {
      force: false,
      partial: false,
      unsaved: [],
      isOld: () => false
    })
  )
}

class Crash extends Error {}

// Nothing is made durable: a file system takes its time for that.
const quick: Calls = { ...fs, fsyncSync: () => undefined }

const counting: ReadonlyArray<string | symbol> = [
  "fsyncSync",
  "linkSync",
  "mkdirSync",
  "openSync",
  "renameSync",
  "rmdirSync",
  "symlinkSync",
  "unlinkSync",
  "writeSync"
]

/** The calls of an undo, which count and end it before call number `most`. */
const counted = (most: number): { readonly calls: Calls; readonly count: () => number } => {
  let count = 0
  const calls = new Proxy(quick, {
    get: (target, name, receiver) => {
      if (counting.includes(name) && count++ >= most) throw new Crash()
      return Reflect.get(target, name, receiver)
    }
  })
  return { calls, count: () => count }
}

const reasons = (all: ReadonlyArray<Left>) => Object.fromEntries(all.map(({ path, reason }) => [path, reason]))

describe("undo", () => {
  const title = "takes back %s, wherever it is cut off"
  const isTakenBack = async (_: string, one: Case): Promise<void> => {
    const repo = emptyRepo("repo")
    const store = await storeOf(repo)
    const { left, merged, steps } = await planned(store, repo, one)
    assert.deepStrictEqual(reasons(left), one.left ?? {})
    assert.deepStrictEqual(merged, one.merged ?? [])
    const start = filesIn(repo)
    const whole = counted(Infinity)
    const carriedOut = (calls: Calls = fs) =>
      withContents(store, steps, (contents) => carryOutSteps(placeOf(store), contents, steps, [], calls))
    assert.deepStrictEqual(await run(carriedOut(whole.calls)), [])
    const end = filesIn(repo)
    assert.deepStrictEqual(end, Object.fromEntries(Object.entries(one.end ?? one.before).sort()))
    await run(withContents(store, steps, (contents) => {
      for (let most = 0; most < whole.count(); most++) {
        setFiles(repo, start)
        assert.throws(() => carryOutSteps(placeOf(store), contents, steps, [], counted(most).calls), Crash)
        assert.deepStrictEqual(carryOutSteps(placeOf(store), contents, steps, [], quick), [], `after ${most} calls`)
        assert.deepStrictEqual(filesIn(repo), end, `after ${most} calls`)
      }
    }))
  }
  it.each(Object.entries(cases).filter((_, i) => i % 4 === 0))(title, isTakenBack)
  it.each(Object.entries(cases).filter((_, i) => i % 4 !== 0))(title, { tags: "slow" }, isTakenBack)
})

/** An undo of one new file and one changed one, before which `meanwhile` changes the worktree. */
const undoneBeside = async (meanwhile: (repo: string) => void, calls?: (repo: string) => Calls) => {
  const repo = emptyRepo("repo")
  const store = await storeOf(repo)
  const { steps } = await planned(store, repo, {
    before: { "d/a": "1", gone: "1" },
    agent: { "d/a": "2", gone: null, new: "2" }
  })
  meanwhile(repo)
  const left = await run(
    withContents(store, steps, (contents) => carryOutSteps(placeOf(store), contents, steps, [], calls?.(repo)))
  )
  return { repo, left: reasons(left), files: filesIn(repo) }
}

describe("what changes between the plan and its carrying out", () => {
  const whole = { "d/a": "1", gone: "1" }

  it("stays: a changed file, and one that a person wrote where one was to come back", async () => {
    const { files, left } = await undoneBeside((repo) => edit(repo, { "d/a": "mine", gone: "mine", new: "mine" }))
    assert.deepStrictEqual(files, { "d/a": "mine", gone: "mine", new: "mine" })
    assert.deepStrictEqual(left, { "d/a": "ChangedMeanwhile", gone: "InTheWay", new: "ChangedMeanwhile" })
  })

  it("stays: a removed file, a directory with an ignored file, a link on the way", async () => {
    const { files, left } = await undoneBeside((repo) => {
      edit(repo, { "e/a": "2", "gone/ignored": "mine", new: null })
      edit(repo, { d: ">e" })
    })
    assert.deepStrictEqual(files, { d: ">e", "e/a": "2", "gone/ignored": "mine" })
    assert.deepStrictEqual(left, { "d/a": "ChangedMeanwhile", gone: "InTheWay" })
  })

  it("stays: what is behind a link where the directory of a removed file was", async () => {
    const repo = emptyRepo("repo")
    const store = await storeOf(repo)
    const { steps } = await planned(store, repo, { before: { "d/a": "1", "e/x": "1" }, agent: { d: null } })
    edit(repo, { d: ">e" })
    assert.deepStrictEqual(reasons(await run(carryOut(store, steps))), { "d/a": "InTheWay" })
    assert.deepStrictEqual(filesIn(repo), { d: ">e", "e/x": "1" })
  })

  it("stays: a git directory that an agent made, and in which a person has worked since", async () => {
    const repo = emptyRepo("repo")
    const store = await storeOf(repo)
    for (const name of ["same", "other"]) fs.mkdirSync(join(repo, name, ".git"), { recursive: true })
    const gone = inHome("aside")
    const moves = ["same/.git", "other/.git"].map((path) => ({
      path,
      from: join(repo, path),
      to: join(gone, path),
      place: null,
      isBack: false,
      isExpected: () => path === "same/.git"
    }))
    assert.deepStrictEqual(reasons(await run(carryOut(store, [], moves))), { "other/.git": "ChangedMeanwhile" })
    assert.deepStrictEqual(["same/.git", "other/.git"].map((name) => fs.existsSync(join(repo, name))), [false, true])
    assert.isTrue(fs.existsSync(join(gone, "same/.git")))
  })

  it("makes way if it is an empty directory", async () => {
    const { files, left } = await undoneBeside((repo) => fs.mkdirSync(join(repo, "gone/x/y"), { recursive: true }))
    assert.deepStrictEqual([files, left], [whole, {}])
  })

  it("is put back where it was written just before the file was moved aside", async () => {
    const rename = (repo: string): Calls => ({
      ...fs,
      renameSync: (from, to) => {
        if (String(from) === join(repo, "new")) fs.writeFileSync(from, "mine")
        fs.renameSync(from, to)
      }
    })
    const { files, left } = await undoneBeside(() => undefined, rename)
    assert.deepStrictEqual([files, left], [{ ...whole, new: "mine" }, { new: "ChangedMeanwhile" }])
  })

  it("is never written over where it was written just before the file came back", async () => {
    const link = (repo: string): Calls => ({
      ...fs,
      linkSync: (from, to) => {
        if (String(to) === join(repo, "gone")) fs.writeFileSync(to, "mine")
        fs.linkSync(from, to)
      }
    })
    const { files, left } = await undoneBeside(() => undefined, link)
    assert.deepInclude(files, { "d/a": "1", gone: "mine" })
    assert.deepStrictEqual(left, { gone: "InTheWay" })
  })
})

describe("what the system refuses", () => {
  const refusal = (call: string, code: string) => Object.assign(new Error(code), { code, syscall: call })

  it("leaves a file unchanged when the new one cannot be written", async () => {
    const open = (repo: string): Calls => ({
      ...fs,
      openSync: (path, ...rest) => {
        if (String(path).startsWith(join(repo, "d/"))) throw refusal("open", "EACCES")
        return fs.openSync(path, ...rest)
      }
    })
    const { files, left } = await undoneBeside(() => undefined, open)
    assert.deepStrictEqual([files, left], [{ "d/a": "2", gone: "1" }, { "d/a": "Refused" }])
  })

  it("does without links where the file system has none", async () => {
    const none = (): Calls => ({
      ...fs,
      linkSync: () => {
        throw refusal("link", "EPERM")
      }
    })
    const { files, left } = await undoneBeside(() => undefined, none)
    assert.deepStrictEqual([files, left], [{ "d/a": "1", gone: "1" }, {}])
  })

  it("ends the undo when the disk is full, and the next one continues", async () => {
    const repo = emptyRepo("repo")
    const store = await storeOf(repo)
    const { steps } = await planned(store, repo, { before: { a: "1", b: "1" }, agent: { a: "2", b: "2" } })
    let writes = 0
    const full: Calls = {
      ...fs,
      fsyncSync: (fd) => {
        if (++writes === 2) throw refusal("fsync", "ENOSPC")
        fs.fsyncSync(fd)
      }
    }
    const first = run(
      withContents(store, steps, (contents) => carryOutSteps(placeOf(store), contents, steps, [], full))
    )
    const error = await first.then(() => null, (reason: unknown) => reason)
    assert.instanceOf(error, CodeFailed)
    assert.deepStrictEqual(filesIn(repo), { a: "1", b: "2" })
    assert.deepStrictEqual(await run(carryOut(store, steps)), [])
    assert.deepStrictEqual(filesIn(repo), { a: "1", b: "1" })
  })

  it("leaves a file unchanged when the old content, on its way, has become shorter", async () => {
    const repo = emptyRepo("repo")
    const store = await storeOf(repo)
    const { steps } = await planned(store, repo, { before: { a: "12345", l: ">12345" }, agent: { a: "2", l: ">2" } })
    const undone = run(withContents(store, steps, (contents) => {
      fs.truncateSync(contents.path, 1)
      return carryOutSteps(placeOf(store), contents, steps)
    }))
    assert.instanceOf(await undone.then(() => null, (error: unknown) => error), CodeFailed)
    assert.deepStrictEqual(filesIn(repo), { a: "2", l: ">2" })
  })

  it("leaves a file whose old content is gone from the snapshot", async () => {
    const repo = emptyRepo("repo")
    const store = await storeOf(repo)
    edit(repo, { a: "2" })
    const [from] = (await saved(store, filesIn(repo))).values()
    const step = { path: "a", from: from ?? null, to: { mode: "100644", id: "1".repeat(40) } }
    assert.deepStrictEqual(reasons(await run(carryOut(store, [step]))), { a: "NotSaved" })
    assert.deepStrictEqual(filesIn(repo), { a: "2" })
  })
})

it("a file that comes back has no more rights than the one it replaces, and can be written", async () => {
  const repo = emptyRepo("repo")
  const store = await storeOf(repo)
  const { steps } = await planned(store, repo, { before: { a: "1", b: "*1" }, agent: { a: "2", b: "2" } })
  fs.chmodSync(join(repo, "a"), 0o600)
  fs.chmodSync(join(repo, "b"), 0o440)
  await run(carryOut(store, steps))
  const rights = ["a", "b"].map((name) => fs.statSync(join(repo, name)).mode & 0o777)
  assert.deepStrictEqual(rights, [0o600, 0o750])
})

// A thread cannot set the umask of its process.
it.runIf(isMainThread)("what comes back is as private as the user's files are, and no more", async () => {
  const repo = emptyRepo("repo")
  const store = await storeOf(repo)
  const { steps } = await planned(store, repo, { before: { a: "1", "d/b": "*1" }, agent: { a: "2", d: null } })
  fs.chmodSync(join(repo, "a"), 0o644)
  // The program keeps what is its own for its user alone.
  const before = process.umask(0o077)
  try {
    await run(Effect.provideService(carryOut(store, steps), UsersUmask, "22"))
    assert.strictEqual(process.umask(), 0o077)
  } finally {
    process.umask(before)
  }
  const rights = ["a", "d", "d/b"].map((name) => fs.statSync(join(repo, name)).mode & 0o777)
  assert.deepStrictEqual(rights, [0o644, 0o755, 0o755])
})
