// Commits.live: everything that is not ignored is committed, with the hooks of the repository; refusals are answers.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { layer } from "../../../src/drive/Commits.live.ts"
import { Commits } from "../../../src/drive/Commits.ts"
import { Environment, UsersUmask } from "../../../src/platform/Environment.ts"
import { eventually, living } from "../platform/guard/processes.ts"
import { eachInHome, git, makeRepo } from "../../support/repositories.ts"

eachInHome()

/** A repository whose commits have an author. */
const committing = (name?: string): string => {
  const repo = makeRepo(name)
  git(repo, "config", "user.name", "A Person")
  git(repo, "config", "user.email", "person@example.org")
  return repo
}

/** A hook of a repository. */
const hook = (repo: string, name: string, script: string, mode = 0o755) => {
  const hooks = join(repo, ".git", "hooks")
  mkdirSync(hooks, { recursive: true })
  writeFileSync(join(hooks, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(hooks, name), mode)
}

// As in a hook of a git that is traced itself.
const hooked = () => ({ ...process.env, GIT_TRACE2_PARENT_SID: "20260101T000000.000000Z-P1" })
const commit = (repo: string, message = "Fix the bound", before: string | null = null) =>
  Effect.runPromise(
    Commits.use((commits) => commits.commitAll(repo, message, before)).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, hooked())
    )
  )

it("new, changed and removed files are committed, ignored ones are not", async () => {
  const repo = committing()
  writeFileSync(join(repo, ".gitignore"), "*.log\n")
  writeFileSync(join(repo, "new file"), "new")
  writeFileSync(join(repo, "a.log"), "ignored")
  const done = await commit(repo)
  assert.strictEqual(done.commit, git(repo, "rev-parse", "HEAD").trim())
  const files = git(repo, "ls-files").split("\n")
  assert.includeMembers(files, [".gitignore", "new file"])
  assert.notInclude(files, "a.log")
  assert.strictEqual(git(repo, "log", "-1", "--format=%s").trim(), "Fix the bound")
})

it("another worktree of the repository is not committed, a repository of its own is", async () => {
  const repo = committing()
  git(repo, "worktree", "add", "-q", "*/[x]/mate", "-b", "mate")
  git(repo, "init", "-q", "inner")
  git(join(repo, "inner"), "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--allow-empty", "-qm", "One")
  writeFileSync(join(repo, "new.txt"), "new")
  const { commit: made } = await commit(repo)
  assert.strictEqual(made, git(repo, "rev-parse", "HEAD").trim())
  assert.strictEqual(git(repo, "show", "--format=", "--name-only").trim(), "inner\nnew.txt")
})

it("if nothing changed, the answer is the present commit", async () => {
  const repo = committing()
  git(repo, "add", "--all")
  git(repo, "commit", "--allow-empty", "-qm", "all")
  const head = git(repo, "rev-parse", "HEAD").trim()
  const done = await commit(repo)
  assert.deepStrictEqual([done.commit, done.made], [head, false])
  assert.strictEqual(git(repo, "rev-parse", "HEAD").trim(), head)
})

it("the next call makes the commit of a killed call, but not one of an older call", async () => {
  const repo = committing()
  const before = git(repo, "rev-parse", "HEAD").trim()
  writeFileSync(join(repo, "new.txt"), "new")
  const { commit: first } = await commit(repo, "Fix\n\n- one\n", before)
  assert.deepStrictEqual(await commit(repo, "Fix\n\n- one\n", before), { commit: first, output: "nothing has changed" })
  assert.isFalse((await commit(repo, "Fix\n\n- one\n", first)).made)
  git(repo, "commit", "--allow-empty", "-qm", "A person's")
  assert.isFalse((await commit(repo, "Fix\n\n- one\n", before)).made)
})

it("files that a hook writes get the user's own mode", async () => {
  const repo = committing()
  const hooks = join(repo, ".git", "hooks")
  mkdirSync(hooks, { recursive: true })
  writeFileSync(join(hooks, "pre-commit"), "#!/bin/sh\necho formatted >formatted.txt\n")
  chmodSync(join(hooks, "pre-commit"), 0o755)
  writeFileSync(join(repo, "new.txt"), "new")
  const before = process.umask(0o077)
  try {
    const commits = Commits.use((them) => them.commitAll(repo, "All", null)).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, process.env),
      Effect.provideService(UsersUmask, "22")
    )
    assert.isNotNull((await Effect.runPromise(commits)).commit)
  } finally {
    process.umask(before)
  }
  assert.strictEqual(statSync(join(repo, "formatted.txt")).mode & 0o777, 0o644)
})

it("a hook that refuses is an answer, with its output", async () => {
  const repo = committing()
  const hooks = join(repo, ".git", "hooks")
  mkdirSync(hooks, { recursive: true })
  writeFileSync(join(hooks, "pre-commit"), "#!/bin/sh\necho 'no tabs, please' >&2\nexit 1\n")
  chmodSync(join(hooks, "pre-commit"), 0o755)
  writeFileSync(join(repo, "new.txt"), "\tnew")
  const { commit: id, output } = await commit(repo)
  assert.isNull(id)
  assert.include(output, "no tabs, please")
})

it("which hook refused is read from git's own trace, whatever a hook prints or runs", async () => {
  const words = "echo \"'user.name' is undefined; removes index.lock; protected branch; gpg failed to sign\" >&2"
  for (const name of ["pre-commit", "prepare-commit-msg", "commit-msg", "reference-transaction"] as const) {
    const repo = committing(name)
    hook(repo, name, `${words}; git commit --bad-option 2>/dev/null; exit 3`)
    if (name !== "pre-commit") hook(repo, "pre-commit", "git hook run no-such-hook 2>/dev/null; git bad; exit 0")
    writeFileSync(join(repo, "new.txt"), "new")
    const done = await commit(repo)
    assert.deepInclude(done, { commit: null, refusedBy: name })
    assert.include(done.output, "gpg failed to sign")
  }
})

it("author, signature and lock are asked of git itself", async () => {
  const repo = committing()
  writeFileSync(join(repo, "new.txt"), "new")
  git(repo, "config", "commit.gpgsign", "true")
  git(repo, "config", "gpg.program", "/no/such/program")
  assert.deepInclude(await commit(repo), { commit: null, refusedBy: "signature" })
  git(repo, "config", "commit.gpgsign", "false")
  writeFileSync(join(repo, ".git/HEAD.lock"), "")
  assert.deepInclude(await commit(repo), { commit: null, refusedBy: "lock" })
  rmSync(join(repo, ".git/HEAD.lock"))
  git(repo, "config", "user.useConfigOnly", "true")
  git(repo, "config", "--unset", "user.email")
  git(repo, "config", "filter.bad.clean", "false")
  git(repo, "config", "filter.bad.required", "true")
  assert.deepInclude(await commit(repo), { commit: null, refusedBy: "author" })
  git(repo, "config", "user.email", "person@example.org")
  writeFileSync(join(repo, ".gitattributes"), "* filter=bad\n")
  assert.deepInclude(await commit(repo), { commit: null, refusedBy: "git" })
})

it("files that a hook changed are staged and named as changed, whether it refused or not", async () => {
  const format = "grep -q ' $' new.txt || exit 0; sed -i 's/ *$//' new.txt; echo more >more.txt;"
  for (const code of [1, 0]) {
    const repo = committing(`hook-${code}`)
    hook(repo, "pre-commit", `${format} exit ${code}`)
    writeFileSync(join(repo, "new.txt"), "new ")
    const first = await commit(repo)
    assert.isTrue(first.changed)
    assert.strictEqual(first.commit === null, code === 1)
    assert.strictEqual(git(repo, "show", ":new.txt"), "new")
    assert.strictEqual(git(repo, "show", ":more.txt"), "more")
    const second = await commit(repo)
    assert.isNotNull(second.commit)
    assert.isUndefined(second.changed)
    assert.strictEqual(git(repo, "status", "--porcelain"), "")
  }
  // A hook that stages what it formatted has nothing left.
  const repo = committing()
  hook(repo, "pre-commit", "sed -i 's/ *$//' new.txt; git add new.txt")
  writeFileSync(join(repo, "new.txt"), "new ")
  assert.isUndefined((await commit(repo)).changed)
})

it("an interruption ends git and everything that its hook started, and leaves no lock behind", async () => {
  const repo = committing()
  const pids = join(repo, ".git", "pids")
  hook(repo, "pre-commit", `sleep 60 & echo "$$ $PPID $!" >'${pids}'; wait`)
  writeFileSync(join(repo, "new.txt"), "new")
  const head = git(repo, "rev-parse", "HEAD")
  await Effect.runPromise(
    Commits.use((commits) => commits.commitAll(repo, "All", null)).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, process.env),
      Effect.raceFirst(Effect.promise(() => eventually("the hook", () => existsSync(pids) && statSync(pids).size > 0)))
    )
  )
  for (const pid of readFileSync(pids, "utf8").trim().split(" ")) {
    await eventually("its end", () => !living(Number(pid)))
  }
  assert.strictEqual(git(repo, "rev-parse", "HEAD"), head)
  assert.isFalse(existsSync(join(repo, ".git", "index.lock")))
})

it("hooks that can run and programs in settings are listed, wherever they are", async () => {
  const programs = (repo: string) =>
    Effect.runPromise(
      Commits.use((commits) => commits.programs(repo)).pipe(
        Effect.provide(layer),
        Effect.provideService(Environment, process.env)
      )
    )
  const repo = committing()
  hook(repo, "pre-push", "")
  hook(repo, "commit-msg", "", 0o644)
  git(repo, "config", "filter.lfs.process", "git-lfs filter-process")
  assert.deepStrictEqual(await programs(repo), [])
  hook(repo, "pre-commit", "")
  git(repo, "config", "filter.own.clean", "./tools/clean.sh")
  assert.deepStrictEqual(await programs(repo), ["pre-commit", "filter.own.clean"])
  mkdirSync(join(repo, ".husky"))
  writeFileSync(join(repo, ".husky", "post-commit"), "")
  chmodSync(join(repo, ".husky", "post-commit"), 0o755)
  git(repo, "config", "core.hooksPath", ".husky")
  assert.deepStrictEqual(await programs(repo), ["post-commit", "filter.own.clean"])
})

/** A repository with everything committed and a submodule `sub`, of which `sub/f` is a file. */
const withSubmodule = (): string => {
  const repo = committing()
  const other = makeRepo("other")
  writeFileSync(join(other, "f"), "one\n")
  git(other, "add", "f")
  git(other, "commit", "-qm", "f")
  git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub")
  git(repo, "add", "--all")
  git(repo, "commit", "-qm", "sub")
  return repo
}

const left = (repo: string) =>
  Effect.runPromise(
    Commits.use((commits) => commits.left(repo)).pipe(
      Effect.provide(layer),
      Effect.provideService(Environment, process.env)
    )
  )

it("an edit in a submodule is left until it is committed there, staged or not, also if git is to ignore it", async () => {
  const repo = withSubmodule()
  assert.isNull(await left(repo))
  git(repo, "config", "submodule.sub.ignore", "all")
  writeFileSync(join(repo, "sub/f"), "two\n")
  const text = "sub/f [git -C sub add --all && git -C sub commit, then call again]"
  assert.strictEqual((await commit(repo)).made, false)
  assert.strictEqual(await left(repo), text)
  git(join(repo, "sub"), "add", "--all")
  assert.strictEqual(await left(repo), text)
  git(join(repo, "sub"), "-c", "user.name=t", "-c", "user.email=t", "commit", "-qm", "two")
  // The commit of the submodule is not in HEAD yet.
  assert.match(await left(repo) ?? "", /^sub \[/)
  git(repo, "config", "--unset", "submodule.sub.ignore")
  await commit(repo)
  assert.isNull(await left(repo))
})

it("a change that git was told not to see, and a file that no commit took, are left", async () => {
  const repo = withSubmodule()
  writeFileSync(join(repo, "seen.txt"), "1")
  await commit(repo)
  git(repo, "update-index", "--assume-unchanged", "seen.txt")
  writeFileSync(join(repo, "seen.txt"), "of another size")
  await commit(repo)
  assert.match(await left(repo) ?? "", /^seen\.txt \[git add --all && git commit.*git ls-files -v/)
  git(repo, "update-index", "--no-assume-unchanged", "seen.txt")
  await commit(repo)
  assert.isNull(await left(repo))
  writeFileSync(join(repo, "new.txt"), "1")
  git(repo, "add", "--intent-to-add", "new.txt")
  assert.match(await left(repo) ?? "", /^new\.txt \[/)
})

it("a file whose committed form differs by line ends, here or in a submodule, is not left", async () => {
  const repo = withSubmodule()
  for (const place of [join(repo, "sub"), repo]) {
    git(place, "config", "core.autocrlf", "true")
    writeFileSync(join(place, "crlf.txt"), "a\r\nb\r\n")
    git(place, "add", "crlf.txt")
    git(place, "-c", "user.name=t", "-c", "user.email=t", "commit", "-qm", "crlf")
  }
  await commit(repo)
  assert.isNull(await left(repo))
})
