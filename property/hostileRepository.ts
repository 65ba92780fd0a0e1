// hostileRepository: a repository whose settings name a program wherever git looks for one; each leaves a mark if it runs.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gitIn, write } from "./worktrees.ts"

/** The repository, and the names of the programs that have run. */
export interface Hostile {
  readonly repo: string
  readonly marks: () => ReadonlyArray<string>
}

/** A program that leaves its mark. */
const program = (home: string, name: string): string => {
  const path = join(home, "programs", name)
  mkdirSync(join(home, "programs"), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n: > "${home}/marks/${name}"\n`)
  chmodSync(path, 0o755)
  return path
}

/** Settings in which each key runs its own program. */
const settings = (home: string): string => {
  const at = (name: string) => program(home, name)
  return `[core]
\tfsmonitor = ${at("fsmonitor")}
\thooksPath = ${join(home, "hooks")}
\tsshCommand = ${at("ssh")}
\tgitProxy = ${at("proxy")}
\taskPass = ${at("askpass")}
\tpager = ${at("pager")}
\teditor = ${at("editor")}
\talternateRefsCommand = ${at("alternates")}
\tuntrackedCache = true
[pager]
\trev-parse = ${at("pager-of-command")}
\tconfig = ${at("pager-of-config")}
[filter "x"]
\tclean = ${at("clean")}
\tsmudge = ${at("smudge")}
\trequired = true
[filter "p"]
\tprocess = ${at("process")}
\trequired = true
[filter "a=b"]
\tclean = ${at("clean-a=b")}
[diff]
\texternal = ${at("external")}
[diff "x"]
\ttextconv = ${at("textconv")}
\tcommand = ${at("diff-command")}
[merge "x"]
\tdriver = ${at("merge")}
[credential]
\thelper = ${at("credential")}
[gpg]
\tprogram = ${at("gpg")}
[log]
\tshowSignature = true
[alias]
\tls-tree-all = !${at("alias")}
\trev-parse = !${at("alias-of-builtin")}
[remote "origin"]
\turl = ext::${at("transport")}
\tpromisor = true
\tpartialclonefilter = blob:none
\tuploadpack = ${at("uploadpack")}
[remote "other"]
\turl = ${home}/elsewhere
\tpromisor = true
\tuploadpack = ${at("uploadpack")}
[protocol "ext"]
\tallow = always
[uploadpack]
\tpackObjectsHook = ${at("pack-objects")}
[submodule]
\trecurse = true
[include]
\tpath = ../settings-of-the-worktree
[includeIf "gitdir:**"]
\tpath = ../settings-of-the-worktree
`
}

const hooks = ["post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "fsmonitor-watchman"]

/** Gives a git directory such settings and hooks; the extension makes it fetch what it lacks. */
const poison = (home: string, gitDirectory: string): void => {
  const extension = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
  writeFileSync(join(gitDirectory, "config"), extension + settings(home), { flag: "a" })
  writeFileSync(join(gitDirectory, "info/attributes"), "*.txt filter=x diff=x merge=x\n*.p filter=p\n*.ab filter=a=b\n")
  for (const directory of [join(gitDirectory, "hooks"), join(home, "hooks")]) {
    mkdirSync(directory, { recursive: true })
    for (const name of hooks) {
      writeFileSync(join(directory, name), `#!/bin/sh\n: > "${home}/marks/hook-${name}"\n`, { mode: 0o755 })
    }
  }
}

const made = (repo: string): void => {
  mkdirSync(repo, { recursive: true })
  gitIn(repo, ["init", "-q", "-b", "main"])
  for (const name of ["a.txt", "b.p", "c.ab", "gone.bin"]) write(repo, name, `${name}\n`)
  gitIn(repo, ["add", "--all"])
  gitIn(repo, ["commit", "-q", "-m", "One"])
  for (const name of ["a.txt", "b.p", "c.ab", "gone.bin"]) write(repo, name, `${name} edited\n`)
}

/** Makes such a repository in `home`, with a nested repository and a submodule of the same kind in it. */
export const makeHostile = (home: string): Hostile => {
  const repo = join(home, "hostile")
  const marks = join(home, "marks")
  mkdirSync(marks, { recursive: true })
  made(repo)
  made(join(repo, "sub"))
  gitIn(repo, ["add", "sub"])
  gitIn(repo, ["commit", "-q", "-m", "Sub"])
  mkdirSync(join(repo, ".git/modules"))
  renameSync(join(repo, "sub/.git"), join(repo, ".git/modules/sub"))
  write(repo, "sub/.git", "gitdir: ../.git/modules/sub\n")
  made(join(repo, "nested"))
  write(repo, "bin/git", `#!/bin/sh\n: > "${marks}/planted-git"\n`, true)
  write(repo, "settings-of-the-worktree", `[core]\n\tfsmonitor = ${program(home, "included")}\n`)
  // A promised object that is missing: asking for it runs a transport.
  const id = gitIn(repo, ["rev-parse", "HEAD:gone.bin"]).trim()
  for (const directory of [".git", ".git/modules/sub", "nested/.git"]) {
    rmSync(join(repo, directory, "objects", id.slice(0, 2), id.slice(2)))
  }
  for (const directory of [".git", ".git/modules/sub", "nested/.git"]) poison(home, join(repo, directory))
  writeFileSync(join(repo, ".git/config"), `[core]\n\tfsmonitor = ${program(home, "fsmonitor")}\n`, { flag: "a" })
  return { repo, marks: () => existsSync(marks) ? readdirSync(marks).sort() : [] }
}
