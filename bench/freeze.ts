// freeze: what freezing 100,000 files costs beside `git status`: the first time, again with nothing changed, again with
// a search for git directories in 300,000 ignored files, and again after ten files changed; and its memory. Each freeze
// is a process of its own, and all are taken in turn.
//
// The limits hold for a machine on which one plain loop reads and hashes all these files in 930 ms, and another asks for
// their stats in 240 ms. Both loops run here too, and the limits grow or shrink with them.
import { execFileSync, spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { appendFileSync, closeSync, fstatSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync } from "node:fs"
import { readSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { freeze } from "../src/code/Freeze.live.ts"
import { repositoryAt } from "../src/code/Repository.live.ts"
import { openStore } from "../src/code/Store.live.ts"
import { Environment } from "../src/platform/Environment.ts"

/** Freezes a worktree into a private repository; prints the tree and the memory of the process in MB. */
const freezeOnce = (repo: string, store: string, deep: boolean): Promise<void> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const { gitDirectories, tree } = yield* freeze(yield* openStore(store, yield* repositoryAt(repo)), { deep })
      if (gitDirectories.length !== (deep ? 1 : 0)) throw new Error("the git directory is not found")
      process.stdout.write(`${tree} ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`)
    }).pipe(Effect.provideService(Environment, { PATH: process.env["PATH"], HOME: process.env["HOME"] }))
  )

/** Reads and hashes every file of a worktree, or only asks for its stat; prints the milliseconds that this took. */
const walkPlainly = (repo: string, what: "read" | "look"): void => {
  const buffer = Buffer.allocUnsafe(1 << 20)
  const began = performance.now()
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true, encoding: "latin1" })) {
      const path = `${directory}/${entry.name}`
      if (entry.name === ".git" || entry.name === "node_modules") continue
      if (entry.isDirectory()) walk(path)
      else if (what === "look") lstatSync(path)
      else {
        const file = openSync(path, "r")
        const size = readSync(file, buffer, 0, fstatSync(file).size + 1, null)
        hash("sha1", buffer.subarray(0, size), "binary")
        closeSync(file)
      }
    }
  }
  walk(repo)
  process.stdout.write(`${performance.now() - began}\n`)
}

const directories = 5_000
const filesEach = 20

/** A repository of 100,000 committed files, packed, and old enough to be known by their stats; and 300,000 ignored ones. */
const makeRepository = (repo: string): void => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: repo, stdio: "pipe" })
  mkdirSync(repo)
  git("init", "--quiet")
  for (let directory = 0; directory < directories; directory++) {
    const path = join(repo, `part${directory % 50}`, `package${directory}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < filesEach; file++) {
      writeFileSync(join(path, `file${file}.txt`), `${directory} ${file}\n`.repeat(1 + (directory * file) % 600))
    }
  }
  for (let directory = 0; directory < 30_000; directory++) {
    const path = join(repo, "node_modules", `package${directory % 1_000}`, "lib", `part${directory}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < 10; file++) writeFileSync(join(path, `file${file}.js`), "")
  }
  mkdirSync(join(repo, "node_modules/package1/lib/.git"))
  writeFileSync(join(repo, ".gitignore"), "*.log\nnode_modules/\n/dist\n")
  git("add", "--all")
  git("commit", "--quiet", "--message", "One")
  git("repack", "-a", "-d", "--quiet")
  spawnSync("sleep", ["3"])
  git("status")
}

/** Limits in milliseconds over `git status` where the loops take `read` and `look`, and in MB. */
const limits = { first: 1_500, next: 750, deep: 500, memory: 250, read: 930, look: 240 }

const measure = (rounds: number): void => {
  const scratch = mkdtempSync(join(tmpdir(), "ooda-bench-freeze-"))
  try {
    const repo = join(scratch, "repo")
    makeRepository(repo)
    const program = fileURLToPath(import.meta.url)
    const status = { times: new Array<number>(), memory: 0 }
    const kinds = { first: { times: new Array<number>(), memory: 0 }, next: { times: new Array<number>(), memory: 0 } }
    const changed = { times: new Array<number>(), memory: 0 }
    const deep = { times: new Array<number>(), memory: 0 }
    const plain = { read: new Array<number>(), look: new Array<number>() }
    const timed = (into: typeof status, argv: ReadonlyArray<string>): string => {
      const [name = "", ...args] = argv
      const began = performance.now()
      const { status, stderr, stdout } = spawnSync(name, args, { cwd: repo, encoding: "utf8" })
      into.times.push(performance.now() - began)
      if (status !== 0) throw new Error(`${argv.join(" ")}: ${stderr}`)
      into.memory = Math.max(into.memory, Number(stdout.split(" ")[1] ?? 0))
      return stdout.split(" ")[0] ?? ""
    }
    for (let round = 0; round < rounds; round++) {
      const store = join(scratch, `store${round}`)
      const frozen = (into: typeof status, kind = "freeze") =>
        timed(into, [process.execPath, program, kind, repo, store])
      timed(status, ["git", "status", "--short"])
      for (const what of ["read", "look"] as const) {
        plain[what].push(Number(spawnSync(process.execPath, [program, what, repo], { encoding: "utf8" }).stdout))
      }
      const trees = [frozen(kinds.first), frozen(kinds.next), frozen(deep, "deep")]
      for (let file = 0; file < 10; file++) {
        appendFileSync(join(repo, `part${file}`, `package${file}`, "file0.txt"), `${round}\n`)
      }
      const other = frozen(changed)
      if (new Set(trees).size > 1 || other === trees[0]) throw new Error("a tree does not match its files")
    }
    const least = ({ times }: typeof status) => Math.min(...times)
    const speed = { read: Math.min(...plain.read) / limits.read, look: Math.min(...plain.look) / limits.look }
    const line = (title: string, one: typeof status, most: number) => {
      const over = least(one) - least(status)
      const limit = Math.round(most)
      const judged = over <= limit && one.memory <= limits.memory ? "" : "   ABOVE THE LIMIT"
      console.log(
        `${title.padEnd(24)}${least(one).toFixed(0).padStart(6)} ms   ${
          over.toFixed(0).padStart(6)
        } ms over git status ` +
          `(limit ${limit})   ${one.memory} MB (limit ${limits.memory})${judged}`
      )
    }
    console.log(`freeze, ${directories * filesEach} files, ${rounds} interleaved rounds, least of each`)
    console.log(`${"git status".padEnd(24)}${least(status).toFixed(0).padStart(6)} ms`)
    console.log(`${"a loop that reads".padEnd(24)}${Math.min(...plain.read).toFixed(0).padStart(6)} ms`)
    console.log(`${"a loop that looks".padEnd(24)}${Math.min(...plain.look).toFixed(0).padStart(6)} ms`)
    line("first freeze", kinds.first, limits.first * speed.read)
    line("next, nothing changed", kinds.next, limits.next * speed.look)
    line("next, in ignored ones too", deep, (limits.next + limits.deep) * speed.look)
    line("next, ten files changed", changed, limits.next * speed.look)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const [kind, repo, store] = process.argv.slice(2)
if ((kind === "read" || kind === "look") && repo !== undefined) walkPlainly(repo, kind)
else if ((kind === "freeze" || kind === "deep") && repo !== undefined && store !== undefined) {
  await freezeOnce(repo, store, kind === "deep")
} else measure(Number(kind ?? 5))
