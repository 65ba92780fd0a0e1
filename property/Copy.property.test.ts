// Copy: whatever changes in a worktree, git shows in a copy each changed line that it shows in the worktree. A copy
// that is updated equals a new one, and the files that instruct reviewers keep their trusted version.
import { spawnSync } from "node:child_process"
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import { type Copy, copyChanges, type CopyOptions, makeCopy, updateCopy } from "../src/code/Copy.live.ts"
import { isInstruction } from "../src/code/Instructions.ts"
import { asked, filesIn, frozenNow, plain } from "../test/support/copies.ts"
import { eachInHome, git, inHome, run } from "../test/support/repositories.ts"

eachInHome()

const names = fc.constantFrom(
  ..."a b a/b d/e/f d/e d/g x.js d/y.js AGENTS.md d/AGENTS.md .codex .codex/c .claude/s.md d/CLAUDE.md kept.ign".split(
    " "
  ),
  "x y"
)
const texts = fc.constantFrom(
  "",
  "x\n",
  "one\ntwo\nthree\n",
  "one\nTWO\nthree\n",
  "one\r\ntwo\r\nthree\r\n",
  "one\r\ntwo\r\n3",
  "a\n$Id$\n",
  "a\n$Id: b $\n",
  "\0\xff\r\n"
)
const lines = fc.constantFrom(
  "* text=auto",
  "* text",
  "*.js eol=crlf",
  "*.js -text",
  "*.js ident",
  "*.js -diff",
  "*.js binary",
  "[attr]m -diff -text\n*.js m",
  "*.js working-tree-encoding=NOPE",
  "*.js working-tree-encoding",
  "*.js filter=evil diff=evil merge=evil"
)

type Edit =
  | { readonly _tag: "Write"; readonly name: string; readonly text: string }
  | { readonly _tag: "Remove" | "Mode" | "Stage" | "Intend" | "Untrack" | "Force"; readonly name: string }
  | { readonly _tag: "Link"; readonly name: string; readonly to: string }
  | { readonly _tag: "Attributes"; readonly text: string }
  | { readonly _tag: "Commit" | "StageAll" }

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ _tag: fc.constant("Write" as const), name: names, text: texts }) },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constantFrom("Remove", "Mode", "Stage", "Intend", "Untrack", "Force"),
      name: names
    })
  },
  fc.record({
    _tag: fc.constant("Link" as const),
    name: names,
    to: fc.constantFrom("a", "d", "../d/e", "/etc", "x.js", ".codex")
  }),
  fc.record({ _tag: fc.constant("Attributes" as const), text: lines }),
  fc.record({ _tag: fc.constantFrom("Commit" as const, "StageAll" as const) })
)
const edits = fc.array(edit, { minLength: 1, maxLength: 8 })
const history = fc.record({
  autocrlf: fc.constantFrom("false", "true", "input"),
  fileMode: fc.constantFrom("true", "true", "false"),
  first: edits,
  then: fc.array(edits, { minLength: 1, maxLength: 3 })
})

/** What is at a path; undefined also if one of its parents is a file. */
const kindOf = (path: string) => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** The path of a name in a repository, with whatever is there or in its way removed. */
const cleared = (repo: string, name: string): string => {
  for (let at = dirname(name); at !== "."; at = dirname(at)) {
    if (kindOf(join(repo, at))?.isDirectory() === false) rmSync(join(repo, at))
  }
  mkdirSync(dirname(join(repo, name)), { recursive: true })
  rmSync(join(repo, name), { recursive: true, force: true })
  return join(repo, name)
}

/** Calls git. A refusal is fine: it changes nothing, such as adding a missing file. */
const tried = (repo: string, ...args: ReadonlyArray<string>): void => {
  spawnSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.safecrlf=false", ...args], {
    cwd: repo
  })
}

const commitAll = (repo: string): void => {
  tried(repo, "add", "-A")
  tried(repo, "commit", "-q", "--allow-empty", "-m", "More")
}

const carryOut = (repo: string, one: Edit): void => {
  switch (one._tag) {
    case "Write":
      return writeFileSync(cleared(repo, one.name), one.text, "latin1")
    case "Link":
      return symlinkSync(one.to, cleared(repo, one.name))
    case "Remove":
      return void cleared(repo, one.name)
    case "Mode":
      if (kindOf(join(repo, one.name))?.isFile() === true) chmodSync(join(repo, one.name), 0o755)
      return
    case "Attributes":
      return writeFileSync(join(repo, ".gitattributes"), `${one.text}\n`)
    case "Stage":
      return tried(repo, "add", "--", one.name)
    case "Force":
      return tried(repo, "add", "-f", "--", one.name)
    case "Intend":
      return tried(repo, "add", "-N", "--", one.name)
    case "Untrack":
      return tried(repo, "rm", "-r", "-q", "--cached", "--", one.name)
    case "StageAll":
      return tried(repo, "add", "-A")
    case "Commit":
      return commitAll(repo)
  }
}

/** Whether a diff changes line ends only: whether git shows such a diff depends on timestamps. */
const isOfLineEnds = (part: string): boolean => {
  const lines = (sign: string) =>
    part.split("\n").filter((line) => line.startsWith(sign) && !/^(?:---|\+\+\+) /.test(line))
      .map((line) => line.slice(1).replace(/\r$/, ""))
  const [before, after] = [lines("-"), lines("+")]
  return before.length > 0 && JSON.stringify(before) === JSON.stringify(after)
}

/** A diff by file. Where a link replaces a file, git prints two parts for one path; they are joined. */
const differences = (cwd: string, who: "person" | "reviewer", ...args: ReadonlyArray<string>) => {
  const shown = new Map<string, string>()
  for (const part of asked(cwd, who, "diff", "--no-renames", ...args).split(/^(?=diff --git )/m)) {
    const file = part.slice(0, part.indexOf("\n"))
    if (part !== "") shown.set(file, (shown.get(file) ?? "") + part)
  }
  return shown
}

/**
 * A diff by file, without line ends, ids of contents, and files of which only the line ends changed: whether git shows
 * those depends on timestamps.
 */
const shownBy = (cwd: string, who: "person" | "reviewer", ...args: ReadonlyArray<string>) => {
  // `--text`: binary files have lines too.
  const asText = differences(cwd, who, "--text", ...args)
  return new Map(
    [...differences(cwd, who, ...args)].filter(([file]) => !isOfLineEnds(asText.get(file) ?? ""))
      .map(([file, part]) => [file, part.replace(/\r$/gm, "").replace(/^index \S+/gm, "index")])
  )
}

/** What git shows, without what depends on timestamps. */
const seen = (cwd: string, who: "person" | "reviewer", base: string) => {
  const unstaged = shownBy(cwd, who)
  const differs = (path: string) => unstaged.has(`diff --git a/${path} b/${path}`)
  const status = asked(cwd, who, "status", "--porcelain", "-uall", "-b", "--no-renames", "-z")
    .split("\0").map((line) => line[1] === "M" && !differs(line.slice(3)) ? `${line[0]} ${line.slice(2)}` : line)
    .filter((line) => !line.startsWith("  "))
  const staged = shownBy(cwd, who, "--staged")
  return {
    status,
    unstaged,
    staged,
    head: shownBy(cwd, who, "HEAD"),
    base: shownBy(cwd, who, base),
    log: asked(cwd, who, "log", "--format=%H %s")
  }
}

/** The files of a copy, its index and its git directory, without objects and timestamps. */
const whole = ({ place }: Copy) => ({
  files: filesIn(place),
  index: asked(place, "reviewer", "ls-files", "--stage", "-v", "-z"),
  gits: readdirSync(join(place, ".git"), { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith("objects/")).sort(),
  texts: Object.fromEntries(
    Object.entries(filesIn(join(place, ".git"))).filter(([name]) => !/^(?:index$|laid$|objects)/.test(name))
      .map(([name, text]) => [name, text.replaceAll(place, "")])
  )
})

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 6)
const shown = "* !filter !ident !working-tree-encoding !diff !merge\n"

it(
  "a copy shows what its worktree shows, equals a new copy when updated, and keeps trusted instructions",
  () =>
    fc.assert(
      fc.asyncProperty(history, async ({ autocrlf, fileMode, first, then }) => {
        for (const part of ["repo", "store", "plain", "follower", "fresh"]) {
          rmSync(inHome(part), { recursive: true, force: true })
        }
        const repo = inHome("repo")
        mkdirSync(repo)
        git(repo, "init", "-q", "-b", "main")
        git(repo, "config", "core.autocrlf", autocrlf)
        git(repo, "config", "core.fileMode", fileMode)
        writeFileSync(join(repo, ".git/info/exclude"), "*.ign\n")
        writeFileSync(join(repo, ".git/info/attributes"), "")
        for (const one of first) carryOut(repo, one)
        commitAll(repo)
        const base = git(repo, "rev-parse", "HEAD")
        const beginning = await frozenNow(repo)
        const options: CopyOptions = { ...plain, trusted: beginning.frozen.tree }
        const trusted = filesIn(repo)
        let follower = await run(makeCopy(beginning.store, beginning.frozen, inHome("follower"), options))
        for (const phase of then) {
          for (const one of phase) carryOut(repo, one)
          const { frozen, store } = await frozenNow(repo)

          const copy = await run(makeCopy(store, frozen, inHome("plain"), plain))
          follower = await run(updateCopy(store, follower, frozen, follower.place, options))
          const fresh = await run(makeCopy(store, frozen, inHome("fresh"), options))
          // Attributes of the person could hide a diff, so none counts while git is asked.
          writeFileSync(join(repo, ".git/info/attributes"), shown)
          assert.deepStrictEqual(seen(copy.place, "reviewer", base), seen(repo, "person", base))
          for (const commit of ["HEAD", base]) {
            const reviewer = shownBy(follower.place, "reviewer", commit)
            const untracked = new Set(asked(repo, "person", "ls-files", "--others", "-z").split("\0"))
            for (const [file, part] of shownBy(repo, "person", commit)) {
              const path = file.slice("diff --git a/".length, file.indexOf(" b/"))
              // For the reviewer, an instruction that is no longer tracked has changed and is not removed.
              if (untracked.has(path) && isInstruction(path, false)) {
                assert.isTrue(differences(follower.place, "reviewer", commit).has(file), file)
              } else assert.include(reviewer.get(file) ?? "", part)
            }
          }
          writeFileSync(join(repo, ".git/info/attributes"), "")

          assert.deepStrictEqual(whole(follower), whole(fresh))
          for (const one of [copy, follower, fresh]) assert.deepStrictEqual(await run(copyChanges(store, one)), [])
          for (const [path, text] of Object.entries(filesIn(follower.place))) {
            if (!isInstruction(path, false) || text === trusted[path]) continue
            // A trusted link to a directory is laid out as the files of that directory.
            const ways = path.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"))
            assert.isTrue(ways.some((way) => trusted[way]?.startsWith("->") === true), path)
            assert.include(Object.values(trusted), text, path)
          }
        }
      }),
      { numRuns }
    ),
  60_000 + numRuns * 10_000
)
