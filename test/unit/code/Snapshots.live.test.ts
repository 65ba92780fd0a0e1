// Snapshots.live: the snapshots of a run: numbered, listed, compared, and taken back by rounds, in repositories of odd kinds.
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer } from "../../../src/code/Snapshots.live.ts"
import { changedParts, finishUndo, leftOutOf, type SnapshotCause } from "../../../src/code/Snapshots.ts"
import { Snapshots, type UndoTo } from "../../../src/code/Snapshots.ts"
import { agentFiles, asideDirectory, codeDirectory, testFiles, undoFile } from "../../../src/run/Layout.live.ts"
import { eachInHome, git, inHome, makeRepo, run } from "../../support/repositories.ts"
import { aRun, asking, beforeAgent, ended, gitPhoto, photo, restore, take, undoes } from "../../support/snapshots.ts"

eachInHome()

const failing = async (tried: Promise<unknown>): Promise<string> => {
  const error: unknown = await tried.then(() => null, (failed: unknown) => failed)
  return error instanceof Error ? error.message : "done"
}

const afterAgent: SnapshotCause = { _tag: "AfterAgent", agent: 1 }

/** A round in which an agent does something. */
const round = async (repo: string, number: number, work: () => void): Promise<void> => {
  await take(repo, aRun(), true, { _tag: "BeforeAgent", agent: number }, number)
  work()
  await take(repo, aRun(), true, { _tag: "AfterAgent", agent: number }, number)
}

/** A file that only the index holds, old enough for that to be believed. */
const staged = (repo: string, name: string): void => {
  writeFileSync(join(repo, name), `${name}\n`)
  execFileSync("touch", ["-d", "1 hour ago", join(repo, name)])
  git(repo, "add", name)
}

/** Loses what only the index held. */
const prune = (repo: string): void => {
  git(repo, "reset", "-q")
  git(repo, "gc", "-q", "--prune=now")
}

const undo = (repo: string, to: UndoTo, options: { readonly force?: boolean; readonly partial?: boolean } = {}) =>
  asking((snapshots) => snapshots.restore(aRun(), repo, to, { force: false, partial: false, ...options }))
const last: UndoTo = { _tag: "LastRound" }
const all: UndoTo = { _tag: "AllRounds" }

describe("snapshots", () => {
  it("are numbered and listed, each run for itself, and leave the user's repository as it is", async () => {
    const repo = makeRepo()
    const untouched = gitPhoto(repo)
    await take(repo)
    writeFileSync(join(repo, "one.txt"), "edited")
    await take(repo)
    await take(repo, aRun(2))
    const list = await asking((snapshots) => snapshots.list(aRun()))
    assert.deepStrictEqual(list.map(({ cause, number }) => [number, cause]), [[1, beforeAgent], [2, beforeAgent]])
    assert.lengthOf(await asking((snapshots) => snapshots.list(aRun(2))), 1)
    assert.deepStrictEqual(gitPhoto(repo), untouched)
    assert.strictEqual(git(repo, "for-each-ref", "refs/ooda"), "")
  })

  it("that were taken before a moment are distinguished from later ones without git", async () => {
    const repo = makeRepo()
    const { at } = await take(repo)
    const before = Date.parse(at) - 1
    const lastAfter = (moment: number) => asking((snapshots) => snapshots.lastAfter(aRun(), moment))
    assert.strictEqual((await lastAfter(before))?.number, 1)
    assert.isNull(await asking((snapshots) => snapshots.lastAfter(aRun(2), before)))
    rmSync(join(codeDirectory(aRun()), "HEAD"))
    mkdirSync(join(codeDirectory(aRun()), "HEAD"))
    assert.isNull(await lastAfter(Date.now() + 60_000))
    assert.notStrictEqual(await failing(lastAfter(before)), "done")
  })

  it("hold what they need themselves before an agent works", async () => {
    const repo = makeRepo()
    await take(repo)
    rmSync(join(repo, ".git/objects"), { recursive: true })
    const gitDir = `--git-dir=${codeDirectory(aRun())}`
    assert.strictEqual(git(inHome(), gitDir, "show", "refs/snapshots/000001:one.txt"), "one.txt")
  })

  it("are whole though the person's repository has lost what an earlier look borrowed", async () => {
    const repo = makeRepo()
    staged(repo, "staged.txt")
    await asking((snapshots) => snapshots.protectedChanges(aRun(), repo, []))
    prune(repo)
    const before = photo(repo)
    await round(repo, 1, () => writeFileSync(join(repo, "staged.txt"), "agent\n"))
    assert.deepStrictEqual((await undo(repo, last)).left, [])
    assert.deepStrictEqual(photo(repo), before)
  })

  it("say what cannot be saved, which needs leave, and nothing is kept without it", async () => {
    const repo = makeRepo()
    const inOne = `mkdir ${"a".repeat(250)} && cd ${"a".repeat(250)}`
    execFileSync("bash", ["-c", `for i in $(seq 17); do ${inOne}; done; : >f`], { cwd: repo })
    try {
      assert.match(await failing(take(repo)), /^an undo could not put back a+.*: 1 path unreadable or too large/)
      assert.lengthOf(await asking((snapshots) => snapshots.list(aRun())), 0)
      assert.lengthOf(leftOutOf(await take(repo, aRun(), true)), 1)
    } finally {
      execFileSync("rm", ["-rf", repo])
    }
  })

  it("say what differs: the files and the diff, as long as it is wanted", async () => {
    const repo = makeRepo()
    await round(repo, 1, () => writeFileSync(join(repo, "one.txt"), "edited\n"))
    const diff = (most: number) => asking((snapshots) => snapshots.diff(aRun(), { before: 1, after: 2 }, most))
    const whole = await diff(1_000)
    assert.deepStrictEqual(whole.files, ["one.txt"])
    assert.match(whole.text, /-one.txt\n\+edited\n$/)
    assert.isTrue(whole.whole)
    assert.deepInclude(await diff(0), { text: "", whole: false })
  })

  it("outside a repository say so in one line", async () => {
    assert.match(await failing(take("/nowhere/at/all")), /there is no directory \/nowhere\/at\/all/)
  })
})

describe("an undo", () => {
  it("leaves and names a file whose content before is gone, and takes the rest back", async () => {
    const repo = makeRepo()
    staged(repo, "staged.txt")
    staged(repo, "other.txt")
    await take(repo, aRun(), false, { _tag: "BeforeTests" })
    for (const name of ["staged.txt", "other.txt", "one.txt", "new.txt"]) writeFileSync(join(repo, name), "tests\n")
    await take(repo, aRun(), false, { _tag: "AfterTests" })
    prune(repo)
    appendFileSync(join(repo, "other.txt"), "person\n")
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual(files.map(({ path }) => path), ["new.txt", "one.txt"])
    assert.deepStrictEqual(left, ["other.txt", "staged.txt"].map((path) => ({ path, reason: "NotSaved" })))
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "one.txt\n")
    await round(repo, 2, () => undefined)
  })

  it("takes back the last round, then an older one, then all, and its own", async () => {
    const repo = makeRepo()
    const first = photo(repo)
    await round(repo, 1, () => writeFileSync(join(repo, "one.txt"), "1\n"))
    const second = photo(repo)
    await round(repo, 2, () => writeFileSync(join(repo, "new"), "2\n"))
    const third = photo(repo)
    const { rounds, saved } = await undo(repo, last)
    assert.deepStrictEqual([photo(repo), rounds], [second, [2]])
    assert.deepInclude(await undo(repo, last), { saved: null, files: [] })
    await restore(repo, saved?.number ?? 0)
    assert.deepStrictEqual(photo(repo), third)
    assert.deepStrictEqual((await undo(repo, { _tag: "Round", round: 1 })).rounds, [2, 1])
    assert.deepStrictEqual(photo(repo), first)
    await restore(repo, saved?.number ?? 0)
    await undo(repo, all)
    assert.deepStrictEqual(photo(repo), first)
  })

  it("keeps what a person did before, during and after a round", async () => {
    const repo = makeRepo()
    const lines = Array.from({ length: 9 }, (_, i) => `line ${i}`)
    const file = join(repo, "one.txt")
    const write = (change: (all: ReadonlyArray<string>) => ReadonlyArray<string>) =>
      writeFileSync(file, `${change(readFileSync(file, "utf8").trimEnd().split("\n")).join("\n")}\n`)
    writeFileSync(file, `${lines.join("\n")}\n`)
    writeFileSync(join(repo, "mine"), "mine")
    await round(repo, 1, () => write((all) => all.map((one) => one === "line 0" ? "agent" : one)))
    write((all) => [...all, "person"])
    writeFileSync(join(repo, "later"), "mine")
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual(files, [{ path: "one.txt", change: "Written", merged: true }])
    assert.deepStrictEqual(left, [])
    assert.strictEqual(readFileSync(file, "utf8"), `${[...lines, "person"].join("\n")}\n`)
    assert.deepStrictEqual(["mine", "later"].map((name) => existsSync(join(repo, name))), [true, true])
  })

  it("neither misses a file that an agent made git ignore, nor removes one that it no longer ignores", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), ".env\n")
    writeFileSync(join(repo, ".env"), "secret")
    await round(repo, 1, () => {
      writeFileSync(join(repo, ".gitignore"), "evil.js\n")
      writeFileSync(join(repo, "evil.js"), "evil")
    })
    await round(repo, 2, () => appendFileSync(join(repo, "evil.js"), "more"))
    await undo(repo, all)
    assert.deepStrictEqual([existsSync(join(repo, "evil.js")), readFileSync(join(repo, ".env"), "utf8")], [
      false,
      "secret"
    ])
    assert.strictEqual(readFileSync(join(repo, ".gitignore"), "utf8"), ".env\n")
  })

  it("moves aside a git directory that an agent made, and names one that it changed or that changed since", {
    tags: "slow"
  }, async () => {
    const repo = makeRepo()
    makeRepo("repo/inner")
    await round(repo, 1, () => {
      git(join(repo, "deep"), "init", "-q")
      execFileSync("sh", ["-c", "mkdir sub && echo gitdir: ../.git >sub/.git"], { cwd: repo })
      git(join(repo, "inner"), "config", "core.fsmonitor", "x")
      git(repo, "config", "core.pager", "x")
    })
    writeFileSync(join(repo, "sub/.git"), "gitdir: mine\n")
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual(files.map(({ path }) => path), ["deep/.git"])
    assert.deepStrictEqual(left.map(({ path }) => path).toSorted(), [".git", "inner/.git", "sub/.git"])
    assert.isFalse(existsSync(join(repo, "deep/.git")))
    assert.isTrue(existsSync(join(repo, "sub/.git")))
  })

  it("continues beside what cannot be saved, names it, and replaces it with leave", { tags: "slow" }, async () => {
    const repo = makeRepo()
    await round(repo, 1, () => {
      rmSync(join(repo, "one.txt"))
      execFileSync("mkfifo", ["one.txt", ".gitattributes", "pipe"], { cwd: repo })
      writeFileSync(join(repo, "deep/two.txt"), "agent\n")
    })
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual(files.map(({ path }) => path), ["deep/two.txt"])
    assert.deepStrictEqual(left.map(({ path, reason }) => [path, reason]).toSorted(), [
      [".gitattributes", "Special"],
      ["one.txt", "Unsaved"],
      ["pipe", "Special"]
    ])
    await undo(repo, last, { partial: true })
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "one.txt\n")
  })

  it("never touches what could not be saved before an agent worked", { tags: "slow" }, async () => {
    const repo = makeRepo()
    execFileSync("mkfifo", ["pipe"], { cwd: repo })
    await round(repo, 1, () => {
      rmSync(join(repo, "pipe"))
      writeFileSync(join(repo, "pipe"), "agent")
    })
    const { left } = await undo(repo, all, { force: true })
    assert.deepStrictEqual(left, [{ path: "pipe", reason: "NotSaved" }])
    assert.isTrue(existsSync(join(repo, "pipe")))
  })

  it("takes back an agent that was killed, and what tests changed", async () => {
    const repo = makeRepo()
    const before = photo(repo)
    await take(repo, aRun(), false, beforeAgent, 1)
    writeFileSync(join(repo, "one.txt"), "half\n")
    ended(agentFiles({ run: aRun(), agent: 1, attempt: 1 }))
    await undo(repo, last)
    assert.deepStrictEqual(photo(repo), before)
    await round(repo, 2, () => writeFileSync(join(repo, "new"), "x"))
    writeFileSync(join(repo, "by-test"), "x")
    await take(repo, aRun(), false, { _tag: "AfterTests" }, 2)
    await undo(repo, last)
    assert.deepStrictEqual(photo(repo), before)
  })

  it.each(["by the next call", "never"])(
    "leaves and names what changed after the agent had ended, where its end was seen %s, and takes it back by force",
    async (seen) => {
      const repo = makeRepo()
      const before = photo(repo)
      await take(repo, aRun(), false, beforeAgent, 1)
      for (const name of ["one.txt", "new"]) writeFileSync(join(repo, name), "agent\n")
      const { exit } = agentFiles({ run: aRun(), agent: 1, attempt: 2 })
      mkdirSync(dirname(exit), { recursive: true })
      for (const path of [exit.replace("2.exit", "1.exit"), exit]) writeFileSync(path, "0\n")
      // The times of files have steps of milliseconds.
      do writeFileSync(join(repo, "own"), "person\n")
      while (statSync(join(repo, "own")).ctimeMs <= statSync(exit).mtimeMs)
      appendFileSync(join(repo, "one.txt"), "person\n")
      if (seen === "by the next call") {
        await take(repo, aRun(), true, afterAgent, 1)
        writeFileSync(join(repo, "by-test"), "x")
        await take(repo, aRun(), true, { _tag: "AfterTests" }, 1)
      }
      for (const time of ["first", "second"]) {
        const { left } = await undo(repo, last)
        assert.deepStrictEqual(left.map(({ path, reason }) => [path, reason]), [
          ["one.txt", "ChangedLater"],
          ["own", "ChangedLater"]
        ], time)
        assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "agent\nperson\n")
        assert.deepStrictEqual(["new", "own", "by-test"].filter((name) => existsSync(join(repo, name))), ["own"])
      }
      await undo(repo, last, { force: true })
      assert.deepStrictEqual(photo(repo), before)
    }
  )

  const changed = (repo: string, cause: SnapshotCause) =>
    asking((snapshots) => snapshots.takeChanged(aRun(), repo, cause, 1))

  it("takes back the program's own marks, also where nothing had changed before them", async () => {
    const repo = makeRepo()
    const before = photo(repo)
    await round(repo, 1, () => writeFileSync(join(repo, "new"), "agent\n"))
    await changed(repo, { _tag: "BeforeMarks" })
    writeFileSync(join(repo, "one.txt"), "marked\n")
    await changed(repo, { _tag: "AfterMarks" })
    const { left } = await undo(repo, last)
    assert.deepStrictEqual([left, photo(repo)], [[], before])
  })

  it.each(["before the tests", "after the tests", "between two attempts of the agent"])(
    "keeps a file that a person made %s",
    async (when) => {
      const repo = makeRepo()
      await take(repo, aRun(), false, beforeAgent, 1)
      writeFileSync(join(repo, "new"), "agent\n")
      if (when === "between two attempts of the agent") {
        ended(agentFiles({ run: aRun(), agent: 1, attempt: 1 }))
        writeFileSync(join(repo, "mine"), "person\n")
        await changed(repo, afterAgent)
        await take(repo, aRun(), false, beforeAgent, 1)
        writeFileSync(join(repo, "new"), "agent, again\n")
        ended(agentFiles({ run: aRun(), agent: 1, attempt: 2 }))
      }
      await take(repo, aRun(), false, afterAgent, 1)
      if (when === "before the tests") writeFileSync(join(repo, "mine"), "person\n")
      await changed(repo, { _tag: "BeforeTests" })
      writeFileSync(join(repo, "by-test"), "x")
      ended(testFiles({ run: aRun(), test: 1 }))
      if (when === "after the tests") writeFileSync(join(repo, "mine"), "person\n")
      await changed(repo, { _tag: "AfterTests" })
      const { files } = await undo(repo, last)
      assert.deepStrictEqual(files.map(({ path }) => path), ["by-test", "new"])
      assert.strictEqual(readFileSync(join(repo, "mine"), "utf8"), "person\n")
    }
  )

  it("leaves all that changed where nothing shows an end, or that the agent began, and moves it aside by force", async () => {
    const repo = makeRepo()
    const before = photo(repo)
    await take(repo, aRun(), false, beforeAgent, 1)
    writeFileSync(join(repo, "one.txt"), "person\n")
    rmSync(join(repo, "deep/two.txt"))
    writeFileSync(join(repo, "new"), "person\n")
    makeRepo("repo/mine")
    const after = await asking((snapshots) => snapshots.take(aRun(), repo, afterAgent, { partial: true, round: 1 }))
    assert.isTrue(after.unseen)
    const left = ["deep/two.txt", "mine/.git", "mine/deep/two.txt", "mine/one.txt", "new", "one.txt"]
    const first = await undo(repo, last)
    assert.deepStrictEqual([first.files, first.left.map(({ path }) => path).toSorted()], [[], left])
    const { aside, saved } = await undo(repo, last, { force: true })
    assert.deepStrictEqual(photo(repo), before)
    assert.isFalse(existsSync(join(repo, "mine")))
    for (const path of left.slice(1)) assert.isTrue(existsSync(join(aside ?? "", path)), path)
    await restore(repo, saved?.number ?? 0)
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "person\n")
    assert.strictEqual(git(join(repo, "mine"), "rev-parse", "HEAD").length, 40)
    assert.isNull(await asking((snapshots) => snapshots.aside(aRun())))
  })

  it("keeps a directory that a person moved here after the agent had ended, for its own age", async () => {
    const repo = makeRepo()
    mkdirSync(inHome("mine/inner"), { recursive: true })
    writeFileSync(inHome("mine/inner/old"), "person\n")
    await take(repo, aRun(), false, beforeAgent, 1)
    mkdirSync(join(repo, "made"))
    writeFileSync(join(repo, "made/new"), "agent\n")
    ended(agentFiles({ run: aRun(), agent: 1, attempt: 1 }))
    renameSync(inHome("mine"), join(repo, "mine"))
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual([files.map(({ path }) => path), left.map(({ path }) => path)], [
      ["made/new"],
      ["mine/inner/old"]
    ])
  })

  it("keeps a directory that a person moved over one of before, though it changed again", async () => {
    const repo = makeRepo()
    mkdirSync(inHome("mine"))
    for (const name of ["two.txt", "old"]) writeFileSync(inHome("mine", name), "person\n")
    await new Promise((resolve) => setTimeout(resolve, 50))
    await take(repo, aRun(), false, beforeAgent, 1)
    ended(agentFiles({ run: aRun(), agent: 1, attempt: 1 }))
    rmSync(join(repo, "deep"), { recursive: true })
    renameSync(inHome("mine"), join(repo, "deep"))
    writeFileSync(join(repo, "deep/late"), "person\n")
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual([files, left.map(({ path }) => path).toSorted()], [
      [],
      ["deep/late", "deep/old", "deep/two.txt"]
    ])
  })

  it("follows the ignore rules without the edits of agents, with those of a person, over rounds", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "*.log\n")
    await round(repo, 1, () => appendFileSync(join(repo, ".gitignore"), "*.new\n"))
    writeFileSync(join(repo, ".gitignore"), "*.mine\n# logs\n*.log\n*.new\n")
    appendFileSync(join(repo, ".git/info/exclude"), "*.own\n")
    await round(repo, 2, () => {
      for (const name of ["x.new", "x.mine", "x.own", "x.log"]) writeFileSync(join(repo, name), "x")
      appendFileSync(join(repo, ".git/info/exclude"), "*.hidden\n")
    })
    await round(repo, 3, () => writeFileSync(join(repo, "x.hidden"), "x"))
    const { files } = await undo(repo, all)
    assert.deepStrictEqual(files.map(({ path }) => path).toSorted(), [".gitignore", "x.hidden", "x.new"])
    assert.strictEqual(readFileSync(join(repo, ".gitignore"), "utf8"), "*.mine\n# logs\n*.log\n")
    assert.deepStrictEqual(["x.mine", "x.own", "x.log"].filter((name) => !existsSync(join(repo, name))), [])
  })

  it("moves back a git directory that an agent moved, and names one that it changed too", async () => {
    const repo = makeRepo()
    makeRepo("repo/lib")
    await round(repo, 1, () => renameSync(join(repo, "lib"), join(repo, "packages")))
    const { files, left } = await undo(repo, last)
    assert.deepInclude(files, { path: "lib/.git", change: "MovedBack", merged: false })
    assert.deepStrictEqual([left, existsSync(join(repo, "packages"))], [[], false])
    assert.strictEqual(git(join(repo, "lib"), "status", "--porcelain"), "")
  })

  it("moves aside what cannot be saved, and what undoing the undo brings back", { tags: "slow" }, async () => {
    const repo = makeRepo()
    await round(repo, 1, () => {
      rmSync(join(repo, "one.txt"))
      execFileSync("mkfifo", ["one.txt"], { cwd: repo })
    })
    const { aside, saved } = await undo(repo, last, { partial: true })
    assert.isTrue(statSync(join(aside ?? "", "one.txt")).isFIFO())
    await restore(repo, saved?.number ?? 0)
    assert.isTrue(statSync(join(repo, "one.txt")).isFIFO())
  })

  it("moves aside an ignored file that an agent moved to where it counts", async () => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "deep/mine*\n")
    for (const name of ["mine", "mine2"]) writeFileSync(join(repo, "deep", name), `person ${name}\n`)
    // The clock of a file system has steps of some milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await round(repo, 1, () => {
      renameSync(join(repo, "deep/mine2"), join(repo, "one.txt"))
      renameSync(join(repo, "deep"), join(repo, "moved"))
      writeFileSync(join(repo, "moved/new"), "agent\n")
    })
    const { aside, files, left, saved } = await undo(repo, last)
    assert.deepStrictEqual([left, files.length], [[], 5])
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "one.txt\n")
    const kept = ["moved/mine", "one.txt"].map((path) => readFileSync(join(aside ?? "", path), "utf8"))
    assert.deepStrictEqual(kept, ["person mine\n", "person mine2\n"])
    assert.lengthOf((await asking((snapshots) => snapshots.aside(aRun())))?.files ?? [], 2)
    await restore(repo, saved?.number ?? 0)
    assert.strictEqual(readFileSync(join(repo, "moved/mine"), "utf8"), "person mine\n")
    assert.isNull(await asking((snapshots) => snapshots.aside(aRun())))
  })

  it("that would go back to a snapshot that is lost names it, however it was lost", async () => {
    const repo = makeRepo()
    for (const n of [1, 2]) await round(repo, n, () => writeFileSync(join(repo, `new${n}`), "agent\n"))
    const lose = (number: number) => writeFileSync(join(codeDirectory(aRun()), `refs/snapshots/00000${number}`), "x\n")
    const edited = photo(repo)
    rmSync(join(codeDirectory(aRun()), "refs/snapshots/000001"))
    for (const to of [all, { _tag: "Round", round: 1 }, { _tag: "Snapshot", number: 1 }] as const) {
      assert.match(await failing(undo(repo, to)), /^snapshot 1 is missing or damaged: .*undo --to 2 takes back/)
    }
    for (const number of [3, 4]) lose(number)
    const { left } = await undo(repo, { _tag: "Snapshot", number: 2 })
    assert.deepStrictEqual([left, photo(repo)], [[{ path: "new2", reason: "ChangedLater" }], edited])
    lose(2)
    assert.match(await failing(undo(repo, last)), /^snapshot 1 is missing or damaged: .*no later one can be read/)
    assert.strictEqual((await take(repo)).number, 5)
  })

  it("leaves and names what the system does not let it move aside, and takes the rest back", async () => {
    const repo = makeRepo()
    await round(repo, 1, () => {
      git(join(repo, "deep"), "init", "-q")
      writeFileSync(join(repo, "one.txt"), "agent\n")
    })
    writeFileSync(asideDirectory(aRun()), "")
    const { files, left } = await undo(repo, last)
    assert.deepStrictEqual([files.map(({ path }) => path), left], [
      ["one.txt"],
      [{ path: "deep/.git", reason: "Refused", detail: "EEXIST" }]
    ])
    assert.isFalse(existsSync(undoFile(aRun())))
    rmSync(asideDirectory(aRun()))
    assert.deepStrictEqual((await undo(repo, last)).files.map(({ path }) => path), ["deep/.git"])
  })

  it("names a file both as written and as left where it takes back only the newer of two rounds", async () => {
    const repo = makeRepo()
    const edit = (text: string) => () => writeFileSync(join(repo, "one.txt"), text)
    await take(repo, aRun(), false, beforeAgent, 1)
    edit("unseen\n")()
    await asking((snapshots) => snapshots.take(aRun(), repo, afterAgent, { partial: true, round: 1 }))
    await take(repo, aRun(), true, { _tag: "BeforeAgent", agent: 2 }, 2)
    edit("agent\n")()
    await take(repo, aRun(), true, { _tag: "AfterAgent", agent: 2 }, 2)
    const preview = await asking((snapshots) =>
      snapshots.preview(aRun(), repo, all, { force: false, partial: false }, 1_000)
    )
    for (const { files, left } of [preview, await undo(repo, all)]) {
      assert.deepStrictEqual(files, [{ path: "one.txt", change: "Written", merged: false }])
      assert.deepStrictEqual(left, [{ path: "one.txt", reason: "ChangedLater" }])
    }
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "unseen\n")
  })

  it("leaves what changed around a snapshot that is lost", async () => {
    const repo = makeRepo()
    await round(repo, 1, () => writeFileSync(join(repo, "new"), "agent\n"))
    writeFileSync(join(repo, "mine"), "person\n")
    await take(repo, aRun(), true, { _tag: "BeforeAgent", agent: 2 }, 2)
    rmSync(join(codeDirectory(aRun()), "refs/snapshots/000002"))
    const { files, left } = await undo(repo, all)
    assert.deepStrictEqual([files, left.map(({ path }) => path).toSorted()], [[], ["mine", "new"]])
  })

  it("counts nothing to tests that changed nothing", async () => {
    const repo = makeRepo()
    await round(repo, 1, () => writeFileSync(join(repo, "new"), "agent\n"))
    writeFileSync(join(repo, "mine"), "person\n")
    await changed(repo, { _tag: "BeforeTests" })
    assert.isNull(await changed(repo, { _tag: "BeforeTests" }))
    await changed(repo, { _tag: "AfterTests" })
    assert.isNull(await changed(repo, { _tag: "AfterTests" }))
    writeFileSync(join(repo, "later"), "person\n")
    await round(repo, 2, () => writeFileSync(join(repo, "newer"), "agent\n"))
    assert.deepStrictEqual((await undo(repo, all)).files.map(({ path }) => path), ["new", "newer"])
  })

  it("needs no lock of git, which a killed git may have left", async () => {
    const repo = makeRepo()
    await take(repo, aRun(), false, beforeAgent, 1)
    writeFileSync(join(codeDirectory(aRun()), "refs/snapshots/000002.lock"), "")
    assert.strictEqual((await take(repo, aRun(), false, afterAgent, 1)).number, 2)
  })

  it("takes back files whose names git's index refuses", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, ".gitmodules/.GIT"), { recursive: true })
    const path = join(repo, ".gitmodules/.GIT/config")
    writeFileSync(path, "person\n")
    const before = photo(repo)
    await round(repo, 1, () => writeFileSync(path, "agent\n"))
    await undo(repo, last)
    assert.deepStrictEqual(photo(repo), before)
  })

  it("that is taken back itself leaves what a person has changed since", async () => {
    const repo = makeRepo()
    await round(repo, 1, () => writeFileSync(join(repo, "one.txt"), "agent\n"))
    const { saved } = await undo(repo, last)
    writeFileSync(join(repo, "deep/two.txt"), "person\n")
    await restore(repo, saved?.number ?? 0)
    assert.deepStrictEqual(
      ["one.txt", "deep/two.txt"].map((name) => readFileSync(join(repo, name), "utf8")),
      ["agent\n", "person\n"]
    )
  })

  /** A round in which an agent edits `one.txt` and makes `new`, and its undo, cut off once its plan was stored. */
  const cutOff = async (repo: string): Promise<void> => {
    const entry = (name: string) => ({ mode: "100644", id: git(repo, "hash-object", name).trim() })
    const then = entry("one.txt")
    await round(repo, 1, () => {
      for (const name of ["one.txt", "new"]) writeFileSync(join(repo, name), "agent\n")
    })
    const { number } = await asking((snapshots) =>
      snapshots.take(aRun(), repo, { _tag: "BeforeUndo" }, { partial: true, round: null })
    )
    const steps = [
      { path: "one.txt", from: entry("one.txt"), to: then },
      { path: "new", from: entry("new"), to: null }
    ]
    const plan = { schema: 2, to: 1, saved: number, rounds: [1], steps, moves: [], left: [], merged: [] }
    writeFileSync(undoFile(aRun()), JSON.stringify(plan))
  }

  it("that was cut off once its plan was stored is finished before an agent works", async () => {
    const repo = makeRepo()
    const before = photo(repo)
    await cutOff(repo)
    await take(repo, aRun(), true, { _tag: "BeforeAgent", agent: 2 }, 2)
    assert.deepStrictEqual(photo(repo), before)
    assert.isFalse(await asking((snapshots) => snapshots.unfinished(aRun())))
  })

  it("that was cut off and whose contents are gone is finished without them", async () => {
    const repo = makeRepo()
    await cutOff(repo)
    const plan = readFileSync(undoFile(aRun()), "utf8")
    writeFileSync(undoFile(aRun()), plan.replace(git(repo, "rev-parse", "HEAD:one.txt"), "1".repeat(40)))
    const restored = await asking((snapshots) => snapshots.finish(aRun(), repo))
    assert.deepStrictEqual(restored?.left, [{ path: "one.txt", reason: "NotSaved" }])
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "agent\n")
    assert.isFalse(existsSync(join(repo, "new")))
  })

  it("that was cut off fails once for a caller that finishes it, if it leaves what a person wrote meanwhile", async () => {
    const repo = makeRepo()
    await cutOff(repo)
    writeFileSync(join(repo, "one.txt"), "person\n")
    const finished = () => run(Effect.provide(finishUndo(aRun(), repo), layer))
    assert.match(
      await failing(finished()),
      /^an undo that had been interrupted is finished now, but it left one\.txt \[/
    )
    assert.strictEqual(readFileSync(join(repo, "one.txt"), "utf8"), "person\n")
    assert.isFalse(existsSync(join(repo, "new")))
    await finished()
  })

  it("that was cut off and is called again leaves what a person wrote between the two calls", async () => {
    const repo = makeRepo()
    await cutOff(repo)
    for (const name of ["one.txt", "new", "own"]) writeFileSync(join(repo, name), "person\n")
    const edited = photo(repo)
    const { left } = await undo(repo, last)
    assert.deepStrictEqual(left.map(({ path }) => path).sort(), ["new", "one.txt"])
    assert.deepStrictEqual(photo(repo), edited)
  })

  it("shows what it would do, and changes nothing", { tags: "slow" }, async () => {
    const repo = makeRepo()
    await round(repo, 1, () => writeFileSync(join(repo, "one.txt"), "agent\n"))
    const edited = photo(repo)
    const { diff, files } = await asking((snapshots) =>
      snapshots.preview(aRun(), repo, last, { force: false, partial: false }, 1_000)
    )
    assert.deepStrictEqual(files, [{ path: "one.txt", change: "Written", merged: false }])
    assert.match(diff.text, /-agent\n\+one.txt\n$/)
    assert.deepStrictEqual(photo(repo), edited)
    assert.lengthOf(await asking((snapshots) => snapshots.list(aRun())), 2)
  })

  it("that goes nowhere says which rounds and snapshots there are", async () => {
    const repo = makeRepo()
    assert.match(await failing(undo(repo, last)), /^run \S+ has no snapshots/)
    await take(repo)
    assert.match(await failing(restore(repo, 7)), /^there is no snapshot 7; the last one is 1$/)
    assert.match(await failing(undo(repo, { _tag: "Round", round: 3 })), /^no agent worked in round 3$/)
  })

  it("that an earlier version's note began does not hold up later calls", { tags: "slow" }, async () => {
    const repo = makeRepo()
    await take(repo)
    writeFileSync(undoFile(aRun()), '{"to":1,"saved":"abc"}\n')
    assert.isTrue(await asking((snapshots) => snapshots.unfinished(aRun())))
    assert.isNull(await asking((snapshots) => snapshots.finish(aRun(), repo)))
    assert.isFalse(await asking((snapshots) => snapshots.unfinished(aRun())))
  })

  it("of two at once is whole", { tags: "slow" }, async () => {
    const repo = makeRepo()
    const before = photo(repo)
    await round(repo, 1, () => {
      writeFileSync(join(repo, "one.txt"), "edited")
      rmSync(join(repo, "deep"), { recursive: true })
    })
    const one = Snapshots.use((snapshots) => snapshots.restore(aRun(), repo, last, { force: false, partial: false }))
    const done = await run(Effect.provide(Effect.all([one, one], { concurrency: 2 }), layer))
    assert.deepStrictEqual(done.map(({ files }) => files.length).sort(), [0, 2])
    assert.deepStrictEqual(photo(repo), before)
  })
})

describe("protected files", () => {
  const changes = (repo: string, ...patterns: ReadonlyArray<string>) =>
    asking((snapshots) => snapshots.protectedChanges(aRun(), repo, patterns))

  it("are all of `.ooda`, what engines obey and what patterns match, at any depth, ignored or not", async () => {
    const repo = makeRepo()
    const inner = makeRepo("repo/inner")
    writeFileSync(join(repo, ".gitignore"), "ignored.txt\n")
    assert.deepStrictEqual(await changes(repo, "secret.txt", "ignored.txt"), [])
    mkdirSync(join(repo, ".ooda/.git"), { recursive: true })
    writeFileSync(join(repo, ".ooda/.git/config"), "x")
    writeFileSync(join(repo, ".gitignore"), "*\n")
    for (const path of ["AGENTS.md", "ignored.txt", ".ooda/config.toml"]) writeFileSync(join(repo, path), "x")
    writeFileSync(join(inner, "deep/secret.txt"), "x")
    assert.deepStrictEqual(await changes(repo, "secret.txt", "ignored.txt"), [
      ".ooda/.git/config",
      ".ooda/config.toml",
      "AGENTS.md",
      "ignored.txt",
      "inner/deep/secret.txt"
    ])
  })

  it(
    "count from when a pattern is first asked for, and are fine again once they are put back",
    { tags: "slow" },
    async () => {
      const repo = makeRepo()
      await changes(repo)
      writeFileSync(join(repo, "one.txt"), "x")
      assert.deepStrictEqual(await changes(repo, "one.txt"), [])
      chmodSync(join(repo, "one.txt"), 0o755)
      assert.deepStrictEqual(await changes(repo, "one.txt"), ["one.txt"])
      chmodSync(join(repo, "one.txt"), 0o644)
      assert.deepStrictEqual(await changes(repo, "one.txt"), [])
    }
  )

  it("are what instructions import, and what that imports, there or not, ignored or not", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "docs"))
    writeFileSync(join(repo, ".gitignore"), "CLAUDE.local.md\nmine.md\n")
    writeFileSync(join(repo, "CLAUDE.md"), "See @docs/guide.md, @later.md and `@code.md`.\n")
    writeFileSync(join(repo, "CLAUDE.local.md"), "@./mine.md\n")
    writeFileSync(join(repo, "docs/guide.md"), "@more.md @../CLAUDE.md\n")
    for (const path of ["docs/more.md", "mine.md", "code.md", "other.md"]) writeFileSync(join(repo, path), "x")
    assert.deepStrictEqual(await changes(repo), [])
    for (const path of ["docs/guide.md", "docs/more.md", "mine.md", "code.md", "other.md", "later.md"]) {
      appendFileSync(join(repo, path), "y")
    }
    assert.deepStrictEqual(await changes(repo), ["docs/guide.md", "docs/more.md", "later.md", "mine.md"])
  })

  it("are accepted where a person changed them by this program", { tags: "slow" }, async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, ".ooda"))
    await changes(repo)
    for (const name of ["a", "b"]) writeFileSync(join(repo, ".ooda", name), "x")
    await asking((snapshots) => snapshots.acceptProtected(aRun(), repo, ".ooda/a"))
    assert.deepStrictEqual(await changes(repo), [".ooda/b"])
  })
})

describe("engines' files that git ignores", () => {
  const changes = (repo: string) => asking((snapshots) => snapshots.protectedChanges(aRun(), repo, []))
  const ignored = (...rules: ReadonlyArray<string>): string => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), rules.join("\n"))
    return repo
  }
  const write = (repo: string, ...paths: ReadonlyArray<string>) => {
    for (const path of paths) {
      mkdirSync(dirname(join(repo, path)), { recursive: true })
      appendFileSync(join(repo, path), "x")
    }
  }

  it("are protected: those outside of ignored directories, and those in an engine's own directory", async () => {
    const repo = ignored("CLAUDE.local.md", "settings.local.json", "/.codex/", "/deep/.claude/*", "/.github/", "/old/")
    write(repo, "CLAUDE.local.md", "deep/.claude/rules/a.md", ".codex/config.toml", "old/.claude/settings.json")
    assert.deepStrictEqual(await changes(repo), [])
    write(repo, "CLAUDE.local.md", "deep/CLAUDE.local.md", ".claude/settings.local.json", ".codex/config.toml")
    write(repo, "deep/.claude/rules/a.md", "deep/.claude/agents/b.md", ".github/agents/c.md")
    // Neither engines' files, nor outside of other ignored directories.
    write(repo, ".github/workflows/ci.yml", "settings.local.json", "old/.claude/settings.json", "old/CLAUDE.local.md")
    assert.deepStrictEqual(await changes(repo), [
      ".claude/settings.local.json",
      ".codex/config.toml",
      ".github/agents/c.md",
      "CLAUDE.local.md",
      "deep/.claude/agents/b.md",
      "deep/.claude/rules/a.md",
      "deep/CLAUDE.local.md"
    ])
  })

  it("are protected where a file beside them is tracked", async () => {
    const repo = ignored("/.claude/", "/packages/")
    write(repo, ".claude/settings.json", "packages/a/index.js")
    git(repo, "add", "--force", ".claude/settings.json", "packages/a/index.js")
    await changes(repo)
    write(repo, ".claude/settings.local.json", "packages/a/CLAUDE.md")
    assert.deepStrictEqual(await changes(repo), [".claude/settings.local.json"])
  })

  it("are not what clients write there by themselves, nor worktrees of other sessions", async () => {
    const repo = ignored("/.claude/", "/.codex/")
    git(repo, "worktree", "add", "-q", ".claude/worktrees/mate", "-b", "mate")
    git(repo, "worktree", "add", "-q", ".codex/mate", "-b", "other")
    await changes(repo)
    write(repo, ".claude/worktrees/mate/CLAUDE.md", ".claude/worktrees/next/.claude/settings.json", ".codex/mate/b.md")
    write(repo, ".claude/todos/1.json", ".codex/log/codex.log", ".codex/sessions/2026/a.jsonl", ".codex/history.jsonl")
    assert.deepStrictEqual(await changes(repo), [])
    write(repo, ".codex/log.md", "deep/.codex/log/a.md")
    assert.deepStrictEqual(await changes(repo), [".codex/log.md", "deep/.codex/log/a.md"])
  })

  it("are compared by patterns outside of other worktrees alone", async () => {
    const repo = makeRepo()
    git(repo, "worktree", "add", "-q", "mate", "-b", "mate")
    const matching = () => asking((snapshots) => snapshots.protectedChanges(aRun(), repo, ["one.txt"]))
    await matching()
    write(repo, "mate/one.txt")
    assert.deepStrictEqual(await matching(), [])
  })
})

describe("git directories within the worktree", () => {
  /** The git directories that differ after some work, as snapshots and as a look around a test have them. */
  const changed = async (repo: string, work: () => void): Promise<ReadonlyArray<string>> => {
    const look = () => asking((snapshots) => snapshots.gitDirectories(aRun(), repo))
    const before = [await take(repo), await look()] as const
    work()
    const after = [await take(repo, aRun(), false, afterAgent), await look()] as const
    const parts = changedParts(before[1], after[1])
    assert.deepStrictEqual(changedParts(before[0].git, after[0].git).filter((part) => part.endsWith(".git")), parts)
    return [...parts].sort()
  }
  const withVendor = (): string => {
    const repo = makeRepo()
    writeFileSync(join(repo, ".gitignore"), "vendor/\n")
    makeRepo("repo/vendor/lib")
    return repo
  }

  it("count in ignored directories too, by what git runs there", async () => {
    const repo = withVendor()
    const hook = join(repo, "vendor/lib/.git/hooks/pre-commit")
    assert.deepStrictEqual(await changed(repo, () => writeFileSync(hook, "")), ["vendor/lib/.git"])
    const setting = () => git(join(repo, "vendor/lib"), "config", "core.fsmonitor", "x")
    assert.deepStrictEqual(await changed(repo, setting), ["vendor/lib/.git"])
    assert.deepStrictEqual(await changed(repo, () => appendFileSync(join(repo, "vendor/lib/one.txt"), "x")), [])
  })

  it("are named where they appear or go, at any depth, and not through links", async () => {
    const repo = withVendor()
    symlinkSync(inHome("elsewhere"), join(repo, "vendor/link"))
    const appear = () => {
      git(repo, "init", "-q", "vendor/a/b/c")
      git(repo, "init", "-q", "deep")
      mkdirSync(inHome("elsewhere/.git"), { recursive: true })
      rmSync(join(repo, "vendor/lib/.git"), { recursive: true })
    }
    assert.deepStrictEqual(await changed(repo, appear), ["deep/.git", "vendor/a/b/c/.git", "vendor/lib/.git"])
  })

  it("are worktrees that appear or go, but for those of other sessions of Claude Code", async () => {
    const repo = withVendor()
    const add = (place: string) => git(repo, "worktree", "add", "-q", "--detach", place)
    assert.deepStrictEqual(await changed(repo, () => add("src/x")), ["src/x/.git"])
    assert.deepStrictEqual(await changed(repo, () => add("vendor/y")), ["vendor/y/.git"])
    assert.deepStrictEqual(await changed(repo, () => add(".claude/worktrees/mate")), [])
    assert.deepStrictEqual(await changed(repo, () => add("deep/.claude/worktrees/mate")), [
      "deep/.claude/worktrees/mate/.git"
    ])
    const work = () => {
      for (const place of ["src/x", "vendor/y", ".claude/worktrees/mate"]) {
        writeFileSync(join(repo, place, "new.txt"), "new")
        git(join(repo, place), "reset", "-q", "--soft", "HEAD")
      }
      git(repo, "worktree", "remove", "--force", ".claude/worktrees/mate")
    }
    assert.deepStrictEqual(await changed(repo, work), [])
    assert.deepStrictEqual(await changed(repo, () => git(repo, "worktree", "remove", "--force", "src/x")), [
      "src/x/.git"
    ])
  })

  it("are no worktrees below `.claude/worktrees` that only say so", async () => {
    const repo = withVendor()
    git(repo, "worktree", "add", "-q", ".claude/worktrees/mate", "-b", "mate")
    const copy = () => {
      mkdirSync(join(repo, ".claude/worktrees/copy"))
      const text = readFileSync(join(repo, ".claude/worktrees/mate/.git"))
      writeFileSync(join(repo, ".claude/worktrees/copy/.git"), text)
    }
    assert.deepStrictEqual(await changed(repo, copy), [".claude/worktrees/copy/.git"])
  })

  it("are left by an undo, and named, if an agent added a worktree", async () => {
    const repo = makeRepo()
    await round(repo, 1, () => git(repo, "worktree", "add", "-q", "src/x", "-b", "x"))
    const { left } = await undo(repo, last)
    assert.include(left.map(({ path }) => path), "src/x/.git")
    assert.isTrue(existsSync(join(repo, "src/x/.git")))
  })
})

it("an agent's snapshot after its work is compared with the one before", async () => {
  const repo = makeRepo()
  const before = await take(repo)
  git(repo, "config", "a.b", "c")
  const after = await take(repo, aRun(), false, afterAgent)
  const parts = (all: typeof before) => new Map(all.git.map(({ digest, part }) => [part, digest]))
  const changed = [...parts(before)].filter(([part, digest]) => parts(after).get(part) !== digest)
  assert.deepStrictEqual(changed.map(([part]) => part), ["config"])
})

/** What an agent may do to the files of `makeRepo`. */
const edit = (repo: string) => (): void => {
  appendFileSync(join(repo, "one.txt"), "edited\n")
  rmSync(join(repo, "deep"), { recursive: true })
  mkdirSync(join(repo, "new/er"), { recursive: true })
  writeFileSync(join(repo, "new/er/file"), "new\n")
}

describe("an undo in an odd repository gives back", { tags: "slow" }, () => {
  it("files behind filters, those that git cannot run too, without running any", async () => {
    const repo = makeRepo()
    git(repo, "config", "filter.upper.clean", `tee -a ${inHome("ran")} | tr a-z A-Z`)
    git(repo, "config", "filter.upper.smudge", `tee -a ${inHome("ran")} | tr A-Z a-z`)
    git(repo, "config", "filter.none.clean", "no-such-program")
    git(repo, "config", "filter.none.required", "true")
    writeFileSync(join(repo, ".gitattributes"), "*.up filter=upper\n*.no filter=none\n")
    writeFileSync(join(repo, "mixed.up"), "Mixed Case\n")
    git(repo, "add", "mixed.up")
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-qm", "Filtered")
    git(repo, "status")
    writeFileSync(join(repo, "a.no"), "bytes\n")
    rmSync(inHome("ran"), { force: true })
    await undoes(repo, () => {
      writeFileSync(join(repo, "mixed.up"), "OTHER case\n")
      writeFileSync(join(repo, "a.no"), "other bytes\n")
      writeFileSync(join(repo, ".gitattributes"), "* filter=upper\n")
    })
    assert.isFalse(existsSync(inHome("ran")))
  })

  it("a merge in progress with its conflict, and the merge continues", async () => {
    const repo = makeRepo()
    git(repo, "checkout", "-qb", "topic")
    writeFileSync(join(repo, "one.txt"), "topic\n")
    git(repo, "commit", "-qam", "Topic")
    git(repo, "checkout", "-q", "main")
    writeFileSync(join(repo, "one.txt"), "main\n")
    git(repo, "commit", "-qam", "Main")
    assert.throws(() => git(repo, "merge", "topic"))
    await undoes(repo, edit(repo))
    assert.include(git(repo, "status", "--porcelain"), "UU one.txt")
  })

  it("a linked worktree, and leaves the others alone", async () => {
    const repo = makeRepo('a:b "c"')
    git(repo, "worktree", "add", "-q", "-b", "topic", inHome("linked"))
    const others = photo(repo)
    await undoes(inHome("linked"), edit(inHome("linked")))
    assert.deepStrictEqual(photo(repo), others)
  })

  it("files that the index hides, and those whose rights git is set to ignore", async () => {
    const repo = makeRepo()
    git(repo, "update-index", "--assume-unchanged", "one.txt")
    git(repo, "config", "core.fileMode", "false")
    appendFileSync(join(repo, "one.txt"), "hidden\n")
    await undoes(repo, () => {
      writeFileSync(join(repo, "one.txt"), "edited\n")
      chmodSync(join(repo, "deep/two.txt"), 0o755)
    })
  })
})

describe("an undo in an odd repository leaves alone", { tags: "slow" }, () => {
  it("what git kept in repositories that are gone, and says so; those that came since go", async () => {
    const repo = makeRepo()
    mkdirSync(join(repo, "fresh"))
    git(join(repo, "fresh"), "init", "-q")
    git(join(repo, "fresh"), "commit", "-q", "--allow-empty", "-m", "Mine")
    writeFileSync(join(repo, "fresh/file"), "x\n")
    await take(repo)
    rmSync(join(repo, "fresh"), { recursive: true })
    mkdirSync(join(repo, "cloned"))
    git(join(repo, "cloned"), "init", "-q")
    writeFileSync(join(repo, "cloned/file"), "x\n")
    ended(agentFiles({ run: aRun(), agent: 1, attempt: 1 }))
    const { left } = await restore(repo, 1)
    assert.deepStrictEqual(left, [{ path: "fresh/.git", reason: "GitDirectory" }])
    assert.isFalse(existsSync(join(repo, "cloned")))
    assert.strictEqual(readFileSync(join(repo, "fresh/file"), "utf8"), "x\n")
  })
})

describe("snapshots that version 0.1.0 left in the user's repository", () => {
  /** A ref of such a snapshot in a repository; `within` are the nested repositories that it names. */
  const earlier = (repo: string, within: ReadonlyArray<string> = []): void => {
    const { repoId, root, runId, targetKey } = aRun()
    const body = JSON.stringify({
      schema: 1,
      run: { root, repoId, targetKey, runId },
      number: 1,
      at: "2026-01-01T00:00:00.000Z",
      cause: { _tag: "BeforeAgent", agent: 1 },
      repositories: within.map((name) => ({ name }))
    })
    const tree = git(repo, "write-tree").trim()
    const commit = git(repo, "commit-tree", tree, "-m", "Snapshot", "-m", body).trim()
    git(repo, "update-ref", `refs/ooda/${runId}/1`, commit)
  }
  const refs = (repo: string) => git(repo, "for-each-ref", "refs/ooda")

  it("are named with the git commands that put them back", async () => {
    const repo = makeRepo()
    earlier(repo)
    const ref = `refs/ooda/${aRun().runId}/1`
    assert.include(
      await failing(undo(repo, last)),
      `git diff --stat ${ref}; git restore --source=${ref} --worktree -- :/`
    )
    const known = await asking((snapshots) => snapshots.snapshotted(repo))
    assert.deepStrictEqual(known.map(({ run }) => run), [aRun()])
  })

  it("are removed with their run, within nested repositories too, wherever their names lead", async () => {
    const repo = makeRepo()
    const nested = makeRepo("repo/nested")
    symlinkSync(".", join(repo, "link"))
    earlier(nested)
    earlier(repo, ["", ".", "link", "gone", "nested", "nested/.."])
    await asking((snapshots) => snapshots.forget(aRun(2), repo))
    assert.notStrictEqual(refs(repo), "")
    await asking((snapshots) => snapshots.forget(aRun(), repo))
    assert.deepStrictEqual([refs(repo), refs(nested)], ["", ""])
  })
})
