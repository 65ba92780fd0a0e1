// strangers: whether anything that a fleet keeps, says or hands out of one repository holds what is another's, or what
// no repository may get to know.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { gunzipSync } from "node:zlib"
import type { RealFleet } from "./realFleets.ts"

/** The repositories by their names, each with a word of its content, and what belongs to none of them. */
export interface Apart {
  readonly words: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
}

/** A text and its owner; null if it belongs to no repository. */
interface Found {
  readonly at: string
  readonly owner: string | null
  readonly text: string
}

/** The files below a directory, as they are there now: some of them may be gone when they are read. */
const filesBelow = (directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    : []

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

/** Looks for what is where it must not be, and counts what it has looked at. */
export const strangers = (fleet: RealFleet, { secrets, words }: Apart) => {
  const names = Object.keys(words)
  const problems = new Set<string>()
  const own = new Map(names.map((name) => [name, 0]))
  let looked = 0

  const ownerIn = (text: string): string | null => names.find((name) => text.includes(`${name}-`)) ?? null

  const check = ({ at, owner, text }: Found): void => {
    looked++
    // A path is checked together with its text.
    const all = `${at}\n${text}`
    for (const secret of secrets) if (all.includes(secret)) problems.add(`${at} holds a secret`)
    for (const name of names) {
      const [word = "", its] = [words[name], text.includes(words[name] ?? "")]
      if (owner === name && its) own.set(name, (own.get(name) ?? 0) + 1)
      if (owner !== null && owner !== name && (all.includes(name) || its)) problems.add(`${at} holds ${name}: ${word}`)
      if (owner === null && its) problems.add(`${at}, which is of no repository, holds ${word}`)
    }
  }
  const checkFiles = (directory: string, ownerOf: (path: string) => string | null): void => {
    for (const file of filesBelow(directory)) {
      const path = relative(fleet.dir, file)
      check({ at: path, owner: ownerOf(path), text: textOf(file) })
    }
  }

  /** What workers have of the reviews that they run, or ran when they were killed. */
  const ofDeliveries = (): void => {
    for (const worker of filesBelow(join(fleet.dir, "work/workers")).filter((file) => /delivery\.json$/.test(file))) {
      const owner = ownerIn(textOf(worker))
      if (owner !== null) checkFiles(join(worker, ".."), () => owner)
    }
  }
  /** Mirrors and clones, also what their packed objects hold. */
  const ofClones = (): void => {
    for (const place of ["mirrors", "trees", "pulls"]) checkFiles(join(fleet.dir, "work", place), ownerIn)
    for (const mirror of readdirSync(join(fleet.dir, "work/mirrors"))) {
      const git = join(fleet.dir, "work/mirrors", mirror)
      if (!existsSync(join(git, "objects"))) continue
      const words = ["--git-dir", git, "cat-file", "--batch", "--batch-all-objects"]
      const text = execFileSync("git", words, { env: fleet.env, encoding: "latin1", maxBuffer: 1 << 28 })
      check({ at: `objects of ${mirror}`, owner: ownerIn(mirror), text })
    }
  }
  /** The prompts of reviewers. */
  const ofCalls = (): void => {
    const calls = join(fleet.control, "calls")
    for (const call of readdirSync(calls)) {
      const owner = ownerIn(textOf(join(calls, call, "cwd")))
      // One that was killed at once has left nothing.
      if (owner !== null) checkFiles(join(calls, call), () => owner)
    }
  }
  /** Each row of each table, and what lines and files of runs hold. */
  const ofDatabase = async (): Promise<void> => {
    const tables = await fleet.ask<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'"
    )
    for (const { name } of tables) {
      const rows = await fleet.ask<{ text: string }>(`select t::text as text from "${name}" t`)
      for (const { text } of rows) check({ at: `a row of ${name}`, owner: ownerIn(text), text })
    }
    const kept = await fleet.ask<{ bytes: Uint8Array; packed: boolean; path: string; repo: string }>(`
      select l.bytes, false as packed, 'a line' as path, t.repo_id as repo
      from ooda_line l join ooda_run r on r.id = l.run join ooda_target t on t.id = r.target
      union all select f.bytes, f.packed, f.path, t.repo_id from ooda_file f join ooda_target t on t.id = f.target`)
    for (const { bytes, packed, path, repo } of kept) {
      const text = Buffer.from(packed ? gunzipSync(bytes) : bytes).toString("latin1")
      check({ at: `${path} of ${repo}`, owner: ownerIn(repo), text })
    }
  }

  return {
    ofDeliveries,
    /** All that is there in the end. `runs` gives the place and the owner of each exported run. */
    ofAll: async (runs: ReadonlyArray<{ readonly at: string; readonly repo: string }>): Promise<void> => {
      ofDeliveries()
      ofClones()
      ofCalls()
      await ofDatabase()
      for (const { at, repo } of runs) checkFiles(at, () => ownerIn(repo))
      for (const place of ["home", "tmp"]) checkFiles(join(fleet.dir, place), () => null)
      check({ at: "what workers said", owner: null, text: fleet.said() })
    },
    found: () => ({ problems: [...problems], looked, own: Object.fromEntries(own) })
  }
}
