// Whatever is edited, an undo gives every byte and right back, its undo gives the edits back, and git's files stay.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { assert, it } from "vitest"
import { eachInHome, git, inHome, makeRepo } from "../test/support/repositories.ts"
import { aRun, gitPhoto, photo, restore, take } from "../test/support/snapshots.ts"
import { bytes, makeWorktree, walked, worktree, write } from "./worktrees.ts"

eachInHome()

const names = ["a", "b", "a/b", "d/e/f", "d/e", "d/g", "x y", "é\n", "kept.ign", "d/kept.ign", "t.txt", "d/u.txt"]
const texts = ["", "x\n", "x\r\ny\r\n", "x\r\ny\n", "$Id$\n", "\0\xff\r\n", "long ".repeat(5000)]

type Edit =
  | { readonly _tag: "Write"; readonly name: string; readonly text: string }
  | { readonly _tag: "Remove"; readonly name: string }
  | { readonly _tag: "Rights"; readonly name: string }
  | { readonly _tag: "Link"; readonly name: string; readonly to: string }
  | { readonly _tag: "Attributes"; readonly text: string }

const name = fc.constantFrom(...names)
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("Write"), name, text: fc.constantFrom(...texts) }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Remove"), name }) },
  fc.record({ _tag: fc.constant("Rights"), name }),
  fc.record({ _tag: fc.constant("Link"), name, to: fc.constantFrom("a", "nowhere", "d") }),
  fc.record({ _tag: fc.constant("Attributes"), text: fc.constantFrom("* text=auto\n", "*.txt eol=crlf ident\n", "") })
)

const directoriesTo = (path: string): ReadonlyArray<string> =>
  path.split("/").slice(0, -1).map((_, i, all) => all.slice(0, i + 1).join("/"))

/** Where a name lies, once whatever is in its way has been removed. */
const cleared = (repo: string, called: string): string => {
  const path = join(repo, called)
  for (let at = dirname(called); at !== "."; at = dirname(at)) {
    const facts = lstatSync(join(repo, at), { throwIfNoEntry: false })
    if (facts !== undefined && !facts.isDirectory()) rmSync(join(repo, at))
  }
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { recursive: true, force: true })
  return path
}

const carryOut = (repo: string, one: Edit): void => {
  switch (one._tag) {
    case "Write":
      return writeFileSync(cleared(repo, one.name), Buffer.from(one.text, "latin1"))
    case "Remove":
      return rmSync(cleared(repo, one.name), { force: true })
    case "Rights": {
      const path = join(repo, one.name)
      if (existsSync(path) && lstatSync(path).isFile()) chmodSync(path, lstatSync(path).mode ^ 0o111)
      return
    }
    case "Link":
      return symlinkSync(one.to, cleared(repo, one.name))
    case "Attributes":
      return writeFileSync(join(repo, ".gitattributes"), one.text)
  }
}

type Photo = Readonly<Record<string, string>>
const only = (seen: Photo, keep: (called: string) => boolean): Photo =>
  Object.fromEntries(Object.entries(seen).filter(([called]) => !called.endsWith("/") && keep(called)))
const ignored = (called: string): boolean => called.endsWith(".ign")
const held = (seen: Photo): Photo => only(seen, (called) => !ignored(called))

it("an undo gives back every byte, and the undo of the undo too", async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        committed: fc.array(edit, { maxLength: 6 }),
        staged: fc.array(edit, { maxLength: 4 }),
        unstaged: fc.array(edit, { maxLength: 4 }),
        agent: fc.array(edit, { minLength: 1, maxLength: 8 }),
        crlf: fc.constantFrom("true", "input", "false")
      }),
      async ({ agent, committed, crlf, staged, unstaged }) => {
        const repo = makeRepo(`repo${count++}`)
        const ref = aRun(count)
        git(repo, "config", "core.autocrlf", crlf)
        appendFileSync(join(repo, ".git/info/exclude"), "*.ign\n")
        for (const one of committed) carryOut(repo, one)
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "--allow-empty", "-m", "More")
        for (const one of staged) carryOut(repo, one)
        git(repo, "add", "-A")
        for (const one of unstaged) carryOut(repo, one)
        const [before, files] = [photo(repo), gitPhoto(repo)]
        await take(repo, ref)
        assert.deepStrictEqual([photo(repo), gitPhoto(repo)], [before, files])
        for (const one of agent) carryOut(repo, one)
        const edited = photo(repo)
        await take(repo, ref, true, { _tag: "AfterAgent", agent: 1 })
        const { left, saved } = await restore(repo, 1, ref)
        assert.deepStrictEqual(gitPhoto(repo), files)
        assert.deepStrictEqual(only(photo(repo), ignored), only(edited, ignored))
        // An ignored file lies in the place of one that is to come back: that one is named.
        const named = new Set(left.map(({ path }) => path))
        const rest = (seen: Photo) => only(seen, (called) => !ignored(called) && !named.has(called))
        assert.deepStrictEqual(rest(photo(repo)), rest(before))
        assert.isTrue(left.every(({ reason }) => reason === "InTheWay"), JSON.stringify(left))
        if (saved !== null) await restore(repo, saved.number, ref)
        assert.deepStrictEqual(held(photo(repo)), held(edited))
        assert.deepStrictEqual(gitPhoto(repo), files)
      }
    ),
    { numRuns: 4 }
  )
})

const factsOf = (path: Buffer) => lstatSync(path, { throwIfNoEntry: false })

const replaceBy = (path: Buffer, make: () => void): void => {
  if (factsOf(path) === undefined) return
  rmSync(path, { recursive: true, force: true })
  make()
}

/** What an agent may do to a file, whatever it is called. */
const changes: Readonly<Record<string, (path: Buffer, other: Buffer) => void>> = {
  "write it": (path) => replaceBy(path, () => writeFileSync(path, "by an agent\n")),
  "remove it": (path) => rmSync(path, { recursive: true, force: true }),
  "make it a program, or none": (path) => {
    const facts = factsOf(path)
    if (facts?.isFile() === true) chmodSync(path, facts.mode ^ 0o111)
  },
  "make it a link": (path) => replaceBy(path, () => symlinkSync("a", path)),
  "make it a directory": (path) =>
    replaceBy(path, () => {
      mkdirSync(path)
      writeFileSync(Buffer.concat([path, Buffer.from("/inside")]), "by an agent\n")
    }),
  "move it onto another": (path, other) => {
    if (factsOf(path)?.isDirectory() === false && factsOf(other)?.isDirectory() === false) renameSync(path, other)
  }
}

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 8)

/** A worktree, what an agent changes in it and makes in it, what it then hides from git, and what a person does. */
const history = fc.record({
  plan: worktree,
  edits: fc.array(fc.tuple(fc.constantFrom(...Object.values(changes)), fc.nat(), fc.nat()), {
    minLength: 1,
    maxLength: 6
  }),
  made: fc.uniqueArray(fc.constantFrom("new", "a/new", "build/new.o", "A/b/new.log", "caf\xe9/new"), { maxLength: 4 }),
  hides: fc.constantFrom("", "*\n", "!*\n"),
  person: fc.constantFrom("does nothing", "writes a file that is there", "writes a new file")
})

it("an undo in any worktree gives back what counted, also where the agent then hid it from git", async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(history, async ({ edits, hides, made, person, plan }) => {
      const home = inHome(`worktree${count++}`)
      mkdirSync(home)
      const tree = makeWorktree(home, plan)
      const at = (path: string) => Buffer.concat([Buffer.from(`${tree.repo}/`), bytes(path)])
      const ref = aRun(count)
      const [before, first] = [photo(tree.repo), walked(tree)]
      await take(tree.repo, ref, true)

      const files = [...first.counted.keys()].filter((path) => !/(?:^|\/)\.gitignore$/.test(path))
      const pick = (n: number) => at(files[n % files.length] ?? "nothing")
      for (const [change, one, other] of edits) change(pick(one), pick(other))
      for (const path of made) {
        const isReached = directoriesTo(path).every((one) => factsOf(at(one))?.isDirectory() !== false)
        if (isReached && factsOf(at(path)) === undefined) write(tree.repo, path, "by an agent\n")
      }
      // Whether its own rules ignore a file is not the agent's to say.
      const isHiding = hides !== "" && factsOf(at(".gitignore")) === undefined
      if (isHiding) write(tree.repo, ".gitignore", "")
      const second = walked(tree, [...first.counted.keys()])
      if (isHiding) write(tree.repo, ".gitignore", hides)
      const edited = photo(tree.repo)
      await take(tree.repo, ref, true, { _tag: "AfterAgent", agent: 1 })

      const untouched = files.find((path) => edited[path] === before[path] && edited[path]?.startsWith("file "))
      const theirs = person === "writes a new file" ? "of a person" : person === "does nothing" ? undefined : untouched
      if (theirs !== undefined) writeFileSync(at(theirs), "by a person\n")

      const { left } = await restore(tree.repo, 1, ref)
      const now = photo(tree.repo)
      const named = new Set(left.map(({ path }) => path))
      if (theirs !== undefined) assert.strictEqual(now[theirs], "file by a person\n", theirs)
      for (const path of new Set([...Object.keys(before), ...Object.keys(edited)])) {
        if (path === theirs || named.has(path)) continue
        const isIgnored = first.ignored.has(path) || second.ignored.has(path)
        assert.strictEqual(now[path], isIgnored ? edited[path] : before[path], path)
      }
    }),
    { numRuns, endOnFailure: numRuns < 20 }
  )
}, 60_000 + numRuns * 10_000)
