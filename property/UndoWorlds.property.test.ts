// Undo in worlds of persons and agents who write, remove, move, nest and ignore things over several rounds, whose drivers
// are killed, and whose undos are cut off: no byte of a person's is lost, and an agent's bytes are gone or named.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { assert, it } from "vitest"
import type { RunRef } from "../src/log/Refs.ts"
import { agentFiles, asideDirectory } from "../src/run/Layout.live.ts"
import { eachInHome, git, inHome, makeRepo } from "../test/support/repositories.ts"
import { aRun, asking, ended } from "../test/support/snapshots.ts"

eachInHome()

const names = ["a", "b", "d/a", "d/e/b", "lib/x", "x.new", "d/x.new", "one.txt"] as const
const places = ["d", "lib", "moved", "d/e"] as const

type Act =
  | { readonly _tag: "Write"; readonly name: string }
  | { readonly _tag: "Remove"; readonly name: string }
  | { readonly _tag: "MoveDirectory"; readonly from: string; readonly to: string }
  | { readonly _tag: "Nest"; readonly at: string }
  | { readonly _tag: "Ignore"; readonly rule: string }
  | { readonly _tag: "Bring"; readonly to: string }

const write: fc.Arbitrary<Act> = fc.record({ _tag: fc.constant("Write" as const), name: fc.constantFrom(...names) })
const place = fc.constantFrom(...places)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: write },
  fc.record({ _tag: fc.constant("Remove" as const), name: fc.constantFrom(...names) }),
  fc.record({ _tag: fc.constant("MoveDirectory" as const), from: place, to: place }),
  fc.record({ _tag: fc.constant("Nest" as const), at: place }),
  fc.record({ _tag: fc.constant("Ignore" as const), rule: fc.constantFrom("*.new", "d/", "lib/", "!*.new") })
)
/** A person moves no file of an agent's, which would then be the person's. */
const personAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: write },
  fc.record({ _tag: fc.constant("Bring" as const), to: fc.constantFrom("brought", "lib/brought", "d/brought") }),
  fc.record({ _tag: fc.constant("Nest" as const), at: fc.constantFrom("mine", "lib/mine") }),
  fc.record({ _tag: fc.constant("Ignore" as const), rule: fc.constantFrom("*.own", "brought/") })
)

const round = fc.record({
  before: fc.array(personAct, { maxLength: 2 }),
  agent: fc.array(act, { minLength: 1, maxLength: 4 }),
  /** `Seen`: by a driver that was there; `Later`: by the next call; `Unseen`: by nobody; `Never`: no agent began. */
  end: fc.constantFrom("Seen", "Seen", "Later", "Unseen", "Never"),
  after: fc.array(personAct, { maxLength: 2 })
})
const history = fc.record({
  rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  force: fc.boolean(),
  /** After how many calls that change files the undo is cut off. */
  cutOff: fc.option(fc.nat({ max: 30 }))
})
type History = typeof history extends fc.Arbitrary<infer A> ? A : never

/** A worktree, and the contents that persons and agents wrote into it. */
class World {
  count = 0
  readonly contents = { person: new Set<string>(), agent: new Set<string>() }
  readonly commits = new Set<string>()
  readonly repo: string
  constructor(repo: string) {
    this.repo = repo
  }

  private fresh(who: "agent" | "person"): string {
    const text = `${who} ${++this.count} ${"x".repeat(40)}\n`
    this.contents[who].add(text)
    return text
  }

  private clear(name: string): string {
    const path = join(this.repo, name)
    for (let at = dirname(name); at !== "."; at = dirname(at)) {
      const facts = fs.lstatSync(join(this.repo, at), { throwIfNoEntry: false })
      if (facts !== undefined && !facts.isDirectory()) return ""
    }
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return ""
    fs.mkdirSync(dirname(path), { recursive: true })
    return path
  }

  private repository(path: string, who: "agent" | "person"): void {
    fs.mkdirSync(path, { recursive: true })
    git(path, "init", "-q", "-b", "main")
    fs.writeFileSync(join(path, "inner"), this.fresh(who))
    git(path, "add", ".")
    git(path, "commit", "-qm", String(this.count))
    if (who === "person") this.commits.add(git(path, "rev-parse", "HEAD"))
  }

  does(who: "agent" | "person", one: Act): void {
    const at = (name: string) => join(this.repo, name)
    const isFree = (name: string) =>
      !fs.existsSync(at(name)) && (dirname(name) === "." || fs.existsSync(at(dirname(name))))
    switch (one._tag) {
      case "Write": {
        const path = this.clear(one.name)
        if (path !== "") fs.writeFileSync(path, this.fresh(who))
        return
      }
      case "Remove":
        if (fs.lstatSync(at(one.name), { throwIfNoEntry: false })?.isFile() === true) fs.rmSync(at(one.name))
        return
      case "MoveDirectory":
        if (!`${one.to}/`.startsWith(`${one.from}/`) && fs.existsSync(at(one.from)) && isFree(one.to)) {
          fs.renameSync(at(one.from), at(one.to))
        }
        return
      case "Nest":
        if (isFree(one.at)) this.repository(at(one.at), who)
        return
      case "Ignore": {
        const path = this.clear(".gitignore")
        if (path !== "") fs.appendFileSync(path, `${one.rule}\n`)
        return
      }
      case "Bring": {
        if (!isFree(one.to)) return
        const outside = inHome(`outside${++this.count}`)
        fs.mkdirSync(join(outside, "deep"), { recursive: true })
        fs.writeFileSync(join(outside, "deep/file"), this.fresh(who))
        fs.renameSync(outside, at(one.to))
        return
      }
    }
  }
}

const walk = (root: string, below = ""): ReadonlyArray<string> =>
  fs.readdirSync(join(root, below), { withFileTypes: true }).flatMap((one) => {
    const path = below === "" ? one.name : `${below}/${one.name}`
    if (one.name === ".git") return []
    return one.isDirectory() ? walk(root, path) : [path]
  })

/** The files below some directories by their contents. */
const byContent = (roots: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const root of roots.filter((one) => fs.existsSync(one))) {
    for (const path of walk(root)) {
      const text = fs.readFileSync(join(root, path), "utf8")
      found.set(text, [...found.get(text) ?? [], path])
    }
  }
  return found
}

/** The git directories below some directories. */
const gitDirectories = (roots: ReadonlyArray<string>): ReadonlyArray<string> =>
  roots.filter((one) => fs.existsSync(one)).flatMap((root) =>
    execFileSync("find", ["-H", root, "-name", ".git", "-prune"], { encoding: "utf8" }).split("\n").filter(Boolean)
  )

const holds = (directories: ReadonlyArray<string>, commit: string): boolean =>
  directories.some((one) => {
    try {
      execFileSync("git", [`--git-dir=${one}`, "cat-file", "-e", commit], { stdio: "ignore" })
      return true
    } catch {
      return false
    }
  })

class Kill extends Error {}

/** Runs an undo that is killed after some calls that change files: from then on every such call fails. */
const killedAfter = async <A>(most: number, undo: () => Promise<A>): Promise<A | null> => {
  const real: typeof fs = createRequire(import.meta.url)("node:fs")
  const calls = [
    "renameSync",
    "unlinkSync",
    "linkSync",
    "rmdirSync",
    "mkdirSync",
    "symlinkSync",
    "rmSync",
    "writeFileSync"
  ] as const
  const before = calls.map((name) => [name, real[name]] as const)
  let left = most
  for (const [name, call] of before) {
    Object.assign(real, {
      [name]: (...args: ReadonlyArray<unknown>) => {
        if (left-- <= 0) throw new Kill()
        return Reflect.apply(call, real, args)
      }
    })
  }
  syncBuiltinESMExports()
  try {
    return await undo().then((done) => done, () => null)
  } finally {
    Object.assign(real, Object.fromEntries(before))
    syncBuiltinESMExports()
  }
}

/** Plays a history, and gives what the undo of all rounds left. */
const played = async ({ cutOff, force, rounds }: History, count: number) => {
  const world = new World(makeRepo(`repo${count}`))
  const { repo } = world
  const run: RunRef = aRun(count % 10)
  fs.rmSync(join(inHome("state"), "repo-noremote/uncommitted/runs", run.runId), { recursive: true, force: true })
  aRun(count % 10)
  const take = (tag: "AfterAgent" | "BeforeAgent", agent: number) =>
    asking((snapshots) => snapshots.take(run, repo, { _tag: tag, agent }, { partial: true, round: agent }))
  for (const [i, { after, agent: acts, before, end }] of rounds.entries()) {
    const agent = i + 1
    for (const one of before) world.does("person", one)
    await take("BeforeAgent", agent)
    if (end !== "Never") { for (const one of acts) world.does("agent", one) }
    if (end === "Seen" || end === "Later") ended(agentFiles({ run, agent, attempt: 1 }))
    if (end === "Seen") await take("AfterAgent", agent)
    for (const one of after) world.does("person", one)
    if (end === "Later") await take("AfterAgent", agent)
  }
  const aside = asideDirectory(run)
  const kept = byContent([repo])
  const people = [...world.contents.person].filter((text) => kept.has(text))
  const commits = [...world.commits].filter((id) => holds(gitDirectories([repo]), id))
  const undo = () =>
    asking((snapshots) => snapshots.restore(run, repo, { _tag: "AllRounds" }, { force, partial: false }))
  const first = cutOff === null ? await undo() : await killedAfter(cutOff, undo)
  const finished = first === null ? await asking((snapshots) => snapshots.finish(run, repo)) : null
  const last = first ?? await undo()
  const left = [...(finished?.left ?? []), ...last.left].map(({ path }) => path)
  return { world, run, repo, aside, people, commits, left, saved: last.saved ?? finished?.saved ?? null }
}

const numRuns = Math.ceil(Number(process.env["OODA_HISTORIES"] ?? "1") * 6)

it("an undo loses no byte of a person's, and an agent's bytes are gone or named", async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(history, async (one) => {
      const { aside, commits, left, people, repo, saved, run, world } = await played(one, count++)
      const now = byContent([repo])
      const asides = byContent([aside])
      const isNamed = (path: string) => left.some((name) => name === path || path.startsWith(`${dirname(name)}/.git/`))
      for (const text of people) {
        // What was forced is in the snapshot that was taken first.
        const isKept = now.has(text) || asides.has(text) || (one.force && saved !== null)
        assert.isTrue(isKept, `${text}is lost; left: ${left.join(", ")}`)
      }
      const directories = gitDirectories([repo, aside])
      for (const id of commits) assert.isTrue(holds(directories, id), `commit ${id} of a person is lost`)
      if (!one.force) {
        for (const text of world.contents.agent) {
          for (const path of now.get(text) ?? []) {
            assert.isTrue(isNamed(path), `${path} of an agent is neither gone nor named`)
          }
        }
      }
      if (saved !== null) {
        await asking((snapshots) =>
          snapshots.restore(run, repo, { _tag: "Snapshot", number: saved.number }, { force: false, partial: false })
        )
        const back = byContent([repo, aside])
        for (const text of people) assert.isTrue(back.has(text), `${text}does not come back`)
        for (const id of commits) {
          assert.isTrue(holds(gitDirectories([repo, aside]), id), `commit ${id} does not come back`)
        }
      }
    }),
    { numRuns, endOnFailure: numRuns < 20 }
  )
}, 120_000 + numRuns * 30_000)

it("an undo of agents alone, whose ends were seen, gives every byte back", async () => {
  let count = 0
  const alone = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(alone, async (rounds) => {
      const { left, repo, world } = await played(
        {
          rounds: rounds.map((agent) => ({ before: [], agent, end: "Seen", after: [] })),
          force: false,
          cutOff: null
        },
        count++
      )
      const now = byContent([repo])
      assert.deepStrictEqual(left, [])
      assert.deepStrictEqual([...world.contents.agent].filter((text) => now.has(text)), [])
      assert.deepStrictEqual(walk(repo).toSorted(), ["deep/two.txt", "one.txt"])
    }),
    { numRuns, endOnFailure: numRuns < 20 }
  )
}, 120_000 + numRuns * 30_000)
