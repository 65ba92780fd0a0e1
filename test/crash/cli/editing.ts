// editing: changes of a working copy of every kind, and its state at any moment.
// All edits go through here one after the other, so that the history of states is complete.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { seenNow } from "./testimony.ts"

/** A state of the working copy, with its earliest beginning and its latest end. */
interface State {
  readonly seen: string
  readonly since: number
  until: number
}

/** Kinds of edits. */
export const edits = ["write", "write", "hidden", "untracked", "stage", "commit", "nested", "nested commit"] as const
export type Edit = (typeof edits)[number]

/** The working copy of a repository with one commit, prepared to be edited. */
export const editing = (repo: string, env: NodeJS.ProcessEnv) => {
  const git = (args: ReadonlyArray<string>, cwd = repo) => execFileSync("git", args, { cwd, env, stdio: "pipe" })
  const write = (name: string, text: string) => fs.writeFileSync(path.join(repo, name), text)
  // Something is always there to review, and one file is hidden from git.
  write("hidden.txt", "0\n")
  git(["add", "hidden.txt"])
  git(["commit", "-qm", "Hidden", "hidden.txt"])
  git(["update-index", "--assume-unchanged", "hidden.txt"])
  write("always.txt", "there\n")
  fs.mkdirSync(path.join(repo, "inner"))
  git(["init", "-q", "-b", "main", "inner"])
  const states: Array<State> = [{ seen: seenNow(repo, env), since: 0, until: Number.POSITIVE_INFINITY }]
  let made = 0
  const change = (edit: Edit, text: string): void => {
    switch (edit) {
      case "write":
        return write("a.txt", text)
      case "hidden":
        return write("hidden.txt", text)
      case "untracked":
        return write("new.txt", text)
      case "stage":
        write("a.txt", `staged ${made}\n`)
        git(["add", "a.txt"])
        return write("a.txt", text)
      case "commit":
        git(["commit", "-q", "--allow-empty", "-m", text])
        return
      case "nested":
        return write("inner/f", text)
      case "nested commit":
        git(["add", "."], path.join(repo, "inner"))
        git(["commit", "-q", "--allow-empty", "-m", text], path.join(repo, "inner"))
    }
  }
  /** Edits; `text` is what is written, one of few, so that states come back. */
  const edit = (what: Edit, text: string): void => {
    const since = Date.now()
    made++
    change(what, `${text}\n`)
    const last = states.at(-1)
    if (last !== undefined) last.until = Date.now()
    states.push({ seen: seenNow(repo, env), since, until: Number.POSITIVE_INFINITY })
  }
  /** Changes a file for a moment. */
  const flicker = async (): Promise<void> => {
    const text = fs.readFileSync(path.join(repo, "a.txt"), "utf8").trim()
    edit("write", "for a moment")
    await new Promise((resolve) => setTimeout(resolve, 50))
    edit("write", text)
  }
  /** All states that the working copy may have had within a time. */
  const during = (from: number, to: number): ReadonlyArray<string> =>
    states.filter(({ since, until }) => since <= to && until >= from).map(({ seen }) => seen)
  return { edit, flicker, during }
}
