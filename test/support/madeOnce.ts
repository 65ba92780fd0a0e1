// madeOnce: directories that are made once for each process and then written again, which costs less than git's processes.
import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Entry {
  readonly path: string
  /** Null for a directory. */
  readonly content: Buffer | null
  readonly mode: number
}

const entriesOf = (directory: string, within = ""): ReadonlyArray<Entry> =>
  readdirSync(join(directory, within)).flatMap((name) => {
    const path = join(within, name)
    const facts = lstatSync(join(directory, path))
    return facts.isDirectory()
      ? [{ path, content: null, mode: facts.mode }, ...entriesOf(directory, path)]
      : [{ path, content: readFileSync(join(directory, path)), mode: facts.mode }]
  })

const entriesMadeBy = (make: (directory: string) => void): ReadonlyArray<Entry> => {
  const directory = mkdtempSync(join(tmpdir(), "ooda-made-"))
  try {
    make(directory)
    return entriesOf(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Gives a function that writes to a path what `make` puts into an empty directory: files and directories alone. */
export const madeOnce = (make: (directory: string) => void): (to: string) => void => {
  let entries: ReadonlyArray<Entry> | null = null
  return (to) => {
    mkdirSync(to, { recursive: true })
    entries ??= entriesMadeBy(make)
    for (const { content, mode, path } of entries) {
      if (content === null) mkdirSync(join(to, path))
      else writeFileSync(join(to, path), content, { mode })
    }
  }
}

/** Who commits in a test, whatever the settings of the machine. */
export const person = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org"
}

/** Gives a function that writes to a path a repository with one commit of one file. */
export const repositoryWith = (file: string): (to: string) => void =>
  madeOnce((directory) => {
    const env = { ...process.env, ...person, GIT_CONFIG_GLOBAL: "/dev/null" }
    writeFileSync(join(directory, file), "one\n")
    for (const args of [["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "One"]]) {
      execFileSync("git", args, { cwd: directory, env, stdio: "pipe" })
    }
  })
