// copies: copies of frozen worktrees, and what git shows in either.
import { execFileSync } from "node:child_process"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert } from "vitest"
import { type Copy, type CopyOptions, makeCopy } from "../../src/code/Copy.live.ts"
import { freeze } from "../../src/code/Freeze.live.ts"
import type { Frozen } from "../../src/code/Frozen.ts"
import { repositoryAt } from "../../src/code/Repository.live.ts"
import { ownVariables } from "../../src/run/Target.ts"
import { openStore, type Store } from "../../src/code/Store.live.ts"
import { inHome, run } from "./repositories.ts"

export const plain: CopyOptions = { base: null, trusted: null, link: [] }

/** The store of the present test's home, and what a worktree is now. */
export const frozenNow = (repo: string): Promise<{ readonly store: Store; readonly frozen: Frozen }> =>
  run(Effect.gen(function*() {
    const store = yield* openStore(inHome("store"), yield* repositoryAt(repo))
    return { store, frozen: yield* freeze(store) }
  }))

export interface Made {
  readonly store: Store
  readonly frozen: Frozen
  readonly copy: Copy
}

/** A copy of what a worktree is now. */
export const copied = async (repo: string, options: Partial<CopyOptions> = {}, name = "copy"): Promise<Made> => {
  const { frozen, store } = await frozenNow(repo)
  return { store, frozen, copy: await run(makeCopy(store, frozen, inHome(name), { ...plain, ...options })) }
}

/** What git says in a directory, as a reviewer of a copy calls it, or as the person does in the worktree. */
export const asked = (cwd: string, who: "person" | "reviewer", ...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...args], {
    cwd,
    encoding: "latin1",
    env: { ...process.env, LC_ALL: "C", ...(who === "reviewer" ? ownVariables : {}) },
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"]
  })

const questions = (base: string | null): Readonly<Record<string, ReadonlyArray<string>>> => ({
  status: ["status", "--porcelain", "--branch", "--untracked-files=all"],
  unstaged: ["diff"],
  staged: ["diff", "--staged"],
  ...(base === null ? {} : { log: ["log", "--format=%H %s"], head: ["diff", "HEAD"], base: ["diff", base] })
})

/** What git shows: the answers by question. `base` is a commit, null before the first one. */
export const seenIn = (
  cwd: string,
  who: "person" | "reviewer",
  base: string | null
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(questions(base)).map(([name, args]) => [name, asked(cwd, who, ...args)]))

/** Makes a copy of a worktree, in which git shows the same. */
export const showsTheSame = async (repo: string, base: string | null = "HEAD", name = "copy"): Promise<Made> => {
  const commit = base === null ? null : asked(repo, "person", "rev-parse", base).trim()
  const before = seenIn(repo, "person", commit)
  const made = await copied(repo, {}, name)
  assert.deepStrictEqual(seenIn(made.copy.place, "reviewer", commit), before)
  return made
}

/** The files below a directory with their kinds and bytes (latin1), without git's. */
export const filesIn = (root: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  const walk = (directory: string) => {
    for (const name of readdirSync(directory, { encoding: "buffer" })) {
      const path = Buffer.concat([Buffer.from(`${directory}/`, "latin1"), name])
      const shown = path.toString("latin1").slice(root.length + 1)
      const stat = lstatSync(path)
      if (name.toString() === ".git") continue
      if (stat.isDirectory()) walk(path.toString("latin1"))
      else if (stat.isSymbolicLink()) found[shown] = `-> ${readlinkSync(path, "latin1")}`
      else found[shown] = `${stat.mode & 0o100 ? "x" : "-"} ${readFileSync(path, "latin1")}`
    }
  }
  walk(join(root))
  return found
}
