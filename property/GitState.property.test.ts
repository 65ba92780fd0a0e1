// Whatever others do in a repository while an agent works is at most noted; whatever decides in this worktree, or is lost,
// is told.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { assert, it } from "vitest"
import { madeOnce } from "../test/support/madeOnce.ts"
import { eachInHome, git, inHome } from "../test/support/repositories.ts"
import { aRun, asking, take } from "../test/support/snapshots.ts"

eachInHome()

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const commit = (repo: string, name: string): void => {
  write(join(repo, name), `${name}\n`)
  git(repo, "add", ".")
  git(repo, "commit", "-qm", name)
}

/** A worktree `here` on `work`, with a remote, a sibling, other branches, a tag, two stash entries, an inner repository. */
const copy = madeOnce((directory) => {
  const here = join(directory, "here")
  mkdirSync(join(here, "inner"), { recursive: true })
  git(here, "init", "-q", "-b", "main")
  commit(here, "one")
  git(here, "branch", "old")
  commit(here, "two")
  git(here, "branch", "lost")
  git(here, "tag", "v1", "old")
  git(here, "checkout", "-q", "-b", "work")
  for (const text of ["x", "y"]) {
    write(join(here, "one"), text)
    git(here, "stash", "-q")
  }
  write(join(here, ".git/info/exclude"), "inner\n!inner\n")
  git(join(here, "inner"), "init", "-q", "-b", "main")
  commit(join(here, "inner"), "file")
  git(join(here, "inner"), "branch", "side")
})

/** The moment before an agent: the worktree, and what is needed around it. */
const made = () => {
  const at = inHome("all")
  copy(at)
  const here = join(at, "here")
  git(at, "clone", "-q", "--bare", "here", "up.git")
  for (const repo of [here, join(here, "inner")]) git(repo, "remote", "add", "origin", join(at, "up.git"))
  git(here, "fetch", "-q")
  git(here, "worktree", "add", "-q", "-b", "other", join(at, "other"), "main")
  git(at, "clone", "-q", "up.git", "mate")
  return { here, other: join(at, "other"), mate: join(at, "mate"), inner: join(here, "inner") }
}
type Place = ReturnType<typeof made>

let last = 0
const fresh = (): string => `n${last++}`

const noted: Readonly<Record<string, (place: Place) => void>> = {
  "a fetch": ({ here, mate }) => {
    commit(mate, fresh())
    git(mate, "push", "-q", "origin", "HEAD:main")
    git(here, "fetch", "-q")
  },
  "a fetch of the inner repository": ({ inner }) => git(inner, "fetch", "-q"),
  "an update of all remotes": ({ other }) => git(other, "remote", "update"),
  "packed refs": ({ other }) => git(other, "pack-refs", "--all"),
  "a collection": ({ here }) => git(here, "gc", "-q"),
  "maintenance": ({ other }) => git(other, "maintenance", "run", "--task=prefetch", "--task=pack-refs"),
  "scheduled maintenance": ({ other }) => git(other, "config", "maintenance.auto", "false"),
  "a commit elsewhere": ({ other }) => commit(other, fresh()),
  "an amended commit elsewhere": ({ other }) => git(other, "commit", "-q", "--amend", "--allow-empty", "-m", fresh()),
  "another branch elsewhere": ({ other }) => git(other, "checkout", "-q", "-b", fresh()),
  "a new branch": ({ here }) => git(here, "branch", fresh()),
  "a forwarded branch": ({ here }) => git(here, "branch", "-f", "old", "main"),
  "a new tag": ({ here }) => git(here, "tag", fresh()),
  "a stash elsewhere": ({ other }) => {
    writeFileSync(join(other, "one"), fresh())
    git(other, "stash", "-q")
  },
  "a new worktree outside": ({ here }) => git(here, "worktree", "add", "-q", inHome("all", fresh())),
  "a push that sets an upstream": ({ other }) => git(other, "push", "-q", "-u", "origin", "HEAD:up"),
  "a ref of another tool": ({ here }) => git(here, "update-ref", `refs/jj/keep/${fresh()}`, "HEAD"),
  "a look at the state": ({ here }) => git(here, "status")
}

const told: Readonly<Record<string, (place: Place) => void>> = {
  "a branch that is gone": ({ here }) => git(here, "branch", "-D", "lost"),
  "a rewound branch": ({ here }) => git(here, "branch", "-f", "lost", "old"),
  "a tag that is gone": ({ here }) => git(here, "tag", "-d", "v1"),
  "a moved tag": ({ here }) => git(here, "tag", "-f", "v1", "main"),
  "a stash entry that is gone": ({ here }) => git(here, "stash", "drop", "-q", "stash@{1}"),
  "a hook": ({ here }) => write(join(here, ".git/hooks/pre-commit"), "exit 1\n"),
  "a setting": ({ here }) => git(here, "config", "core.editor", "vim"),
  "a setting of this worktree alone": ({ here }) => write(join(here, ".git/config.worktree"), "[a]\n\tb = c\n"),
  "another directory of hooks": ({ here }) => git(here, "config", "core.hooksPath", "one"),
  "included settings": ({ here }) => git(here, "config", "include.path", "one"),
  "a section in disguise": ({ here }) =>
    appendFileSync(join(here, ".git/config"), "[gc]\n\tauto = 1 # \\\n[core]\n\tfsmonitor = x\n"),
  "a setting behind a continued line": ({ here }) =>
    appendFileSync(join(here, ".git/config"), "[core]\n\teditor = x \\\n[gc]\n\tfsmonitor = x\n"),
  "attributes": ({ here }) => write(join(here, ".git/info/attributes"), "* -diff\n"),
  "a replaced object": ({ here }) => git(here, "replace", "main", "old"),
  "a shallow file": ({ here }) => write(join(here, ".git/shallow"), git(here, "rev-parse", "HEAD")),
  "alternates": ({ here }) => write(join(here, ".git/objects/info/alternates"), "/nowhere\n"),
  "a graft": ({ here }) => write(join(here, ".git/info/grafts"), git(here, "rev-parse", "HEAD")),
  "another HEAD": ({ here }) => git(here, "symbolic-ref", "HEAD", "refs/heads/main"),
  "a detached HEAD": ({ here }) => git(here, "checkout", "-q", "--detach"),
  "a commit": ({ here }) => git(here, "commit", "-q", "--allow-empty", "-m", "x"),
  "a commit that was taken back": ({ here }) => {
    git(here, "commit", "-q", "--allow-empty", "-m", "x")
    git(here, "reset", "-q", "HEAD^")
  },
  "a flag in the index": ({ here }) => git(here, "update-index", "--assume-unchanged", "one"),
  "an unfinished merge": ({ here }) => write(join(here, ".git/MERGE_HEAD"), "x\n"),
  "a lock": ({ here }) => write(join(here, ".git/index.lock"), ""),
  "a lock of the branch": ({ here }) => write(join(here, ".git/refs/heads/work.lock"), ""),
  "no reflogs": ({ here }) => rmSync(join(here, ".git/logs"), { recursive: true }),
  "another tool's ref that is gone": ({ here }) => git(here, "update-ref", "-d", "refs/notes/kept"),
  "a branch of the inner repository that is gone": ({ inner }) => git(inner, "branch", "-D", "side"),
  "a commit in the inner repository": ({ inner }) => git(inner, "commit", "-q", "--allow-empty", "-m", "x")
}

const changesAround = async (place: Place, work: (place: Place) => void) => {
  const ref = aRun()
  const before = await take(place.here, ref)
  work(place)
  const after = await take(place.here, ref, false, { _tag: "AfterAgent", agent: 1 })
  return asking((snapshots) => snapshots.gitChanges(ref, before, after))
}

it("acts of others end no round, in any order", { timeout: 600_000 }, async () => {
  const acts = fc.array(fc.constantFrom(...Object.keys(noted)), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(acts, async (names) => {
      const { changed } = await changesAround(made(), (place) => names.forEach((name) => noted[name]?.(place)))
      assert.deepStrictEqual(changed, [])
      rmSync(inHome("all"), { recursive: true })
      rmSync(inHome("state"), { recursive: true })
    }),
    { numRuns: 8, examples: [[Object.keys(noted)]] }
  )
})

it.each(Object.keys(told))("%s is told", async (name) => {
  const place = made()
  git(place.here, "update-ref", "refs/notes/kept", "HEAD")
  const { changed } = await changesAround(place, (there) => told[name]?.(there))
  assert.isNotEmpty(changed)
})

it("what is gone is told with its old id", async () => {
  const place = made()
  const ids = ["lost", "v1", "stash@{1}"].map((name) => git(place.here, "rev-parse", name))
  const { changed, noted: notes } = await changesAround(place, ({ here }) => {
    git(here, "branch", "-D", "lost")
    git(here, "tag", "-d", "v1")
    git(here, "stash", "drop", "-q", "stash@{1}")
    git(here, "branch", "new")
  })
  for (const id of ids) assert.include(changed.join("\n"), id)
  assert.deepStrictEqual(notes, ["new is new"])
})
