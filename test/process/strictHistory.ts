// strictHistory: a working copy with everything in it that git knows, two orchestrators on it, and what they may do.
// Whichever orchestrator gets a fixed point, the witnesses' words alone decide whether it is true.
import type { ChildProcess } from "node:child_process"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as fc from "fast-check"
import { assert } from "vitest"
import type { Bench, Ended } from "../crash/cli/bench.ts"
import { eventsOf, latestRun, runsIn } from "../crash/cli/disk.ts"
import { notBorneOut, seenNow, testimonies, witness } from "../crash/cli/testimony.ts"

const texts = ["one", "two", "three"] as const

/** One change of what is reviewed. */
const changes = [
  "write",
  "hidden",
  "skipped",
  "untracked",
  "untracked gone",
  "stage",
  "unstage",
  "executable",
  "commit",
  "commit staged",
  "undo commit",
  "nested",
  "nested commit",
  "submodule",
  "submodule commit",
  "stage submodule",
  "base",
  "upstream",
  "no upstream"
] as const

export type Command =
  | { readonly _tag: "Change"; readonly what: (typeof changes)[number]; readonly text: string }
  /** A step, whose reviewers say so: to its end, until they look, or killed after so many milliseconds. */
  | {
    readonly _tag: "Call"
    readonly party: 0 | 1
    readonly clean: boolean
    readonly isolated: boolean
    readonly how: "whole" | "held" | number
  }
  | { readonly _tag: "Release" }
  /** The answer to a party's hand-off, the good one or the other. */
  | { readonly _tag: "Answer"; readonly party: 0 | 1; readonly good: boolean; readonly death: number | null }
  | { readonly _tag: "Again"; readonly party: 0 | 1 }
  | { readonly _tag: "Move"; readonly flag: string }

const party = fc.constantFrom<0 | 1>(0, 1)
const death = fc.integer({ min: 50, max: 900 })
const change: fc.Arbitrary<Command> = fc.record({
  _tag: fc.constant("Change"),
  what: fc.constantFrom(...changes),
  text: fc.constantFrom(...texts)
})
const call: fc.Arbitrary<Command> = fc.record({
  _tag: fc.constant("Call"),
  party,
  clean: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  isolated: fc.boolean(),
  how: fc.oneof(
    { weight: 4, arbitrary: fc.constant("whole" as const) },
    fc.constant("held" as const),
    death
  )
})
const answer: fc.Arbitrary<Command> = fc.record({
  _tag: fc.constant("Answer"),
  party,
  good: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  death: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, death)
})

/** Anything that may happen. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: call },
  { weight: 5, arbitrary: answer },
  { weight: 5, arbitrary: change },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Again"), party }) },
  { weight: 1, arbitrary: fc.constant<Command>({ _tag: "Release" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Move"),
      flag: fc.constantFrom("--advance-level", "--drop-level", "--restart-from-floor")
    })
  }
)

/** What a party was asked or has answered last. */
interface Party {
  asked: ReadonlyArray<string> | null
  given: ReadonlyArray<string> | null
  /** What the given mark came to; null where it was killed before it said so. */
  said: Ended | null
}

/** Whether a call was refused because of what it found; the recipe knows how to continue from there. */
const isRefusal = ({ header }: Ended): boolean => /^BinaryError: (mark refused: |.*nothing to review)/.test(header)

/** A history that begins on a new working copy. `base` names the base branch; "" reviews what is not committed. */
export const beginHistory = (bench: Bench, base: string) => {
  const place = bench.place()
  const at = path.dirname(place.state)
  const [repo, seen, hold] = [path.join(at, "repo"), path.join(at, "seen"), path.join(at, "hold")]
  const { env } = bench
  const git = (args: ReadonlyArray<string>, cwd = repo): void => {
    execFileSync("git", ["-c", "protocol.file.allow=always", ...args], { cwd, env, stdio: "pipe" })
  }
  /** Git may find nothing to do. */
  const tryGit = (args: ReadonlyArray<string>, cwd = repo): void => {
    try {
      git(args, cwd)
    } catch {
      // A commit without changes, a reset without a commit before it.
    }
  }
  const write = (name: string, text: string) => fs.writeFileSync(path.join(repo, name), `${text}\n`)
  bench.makeRepo(path.join(at, "library"))
  bench.makeRepo(repo)
  git(["checkout", "-q", "a.txt"])
  for (const name of ["hidden.txt", "skipped.txt"]) write(name, "")
  git(["submodule", "add", "-q", path.join(at, "library"), "lib"])
  git(["add", "."])
  git(["commit", "-qm", "Two"])
  git(["branch", "old", "HEAD~1"])
  git(["checkout", "-qb", "feature"])
  write("always.txt", "there")
  git(["add", "always.txt"])
  git(["commit", "-qm", "Three"])
  git(["remote", "add", "origin", "https://example.org/o.git"])
  git(["update-index", "--assume-unchanged", "hidden.txt"])
  git(["update-index", "--skip-worktree", "skipped.txt"])
  git(["init", "-q", "-b", "main", "inner"])
  write("untracked.txt", "there")
  fs.mkdirSync(seen)

  const inner = path.join(repo, "inner")
  const lib = path.join(repo, "lib")
  const commitAll = (cwd: string, text: string): void => {
    tryGit(["add", "."], cwd)
    tryGit(["commit", "-qm", text], cwd)
  }
  const change = (what: (typeof changes)[number], text: string): void => {
    switch (what) {
      case "write":
        return write("a.txt", text)
      case "hidden":
        return write("hidden.txt", text)
      case "skipped":
        return write("skipped.txt", text)
      case "untracked":
        return write("new.txt", text)
      case "untracked gone":
        return fs.rmSync(path.join(repo, "new.txt"), { force: true })
      case "stage": {
        const kept = fs.readFileSync(path.join(repo, "a.txt"))
        write("a.txt", text)
        git(["add", "a.txt"])
        return fs.writeFileSync(path.join(repo, "a.txt"), kept)
      }
      case "unstage":
        return git(["reset", "-q"])
      case "executable":
        return fs.chmodSync(path.join(repo, "a.txt"), text === "one" ? 0o644 : 0o755)
      case "commit":
        return tryGit(["commit", "-qam", text])
      case "commit staged":
        return tryGit(["commit", "-qm", text])
      case "undo commit":
        return tryGit(["reset", "-q", "--soft", "HEAD~1"])
      case "nested":
        return write("inner/f", text)
      case "nested commit":
        return commitAll(inner, text)
      case "submodule":
        return write("lib/a.txt", text)
      case "submodule commit":
        return commitAll(lib, text)
      case "stage submodule":
        return git(["add", "lib"])
      case "base":
        return git(["branch", "-f", "main", text === "one" ? "old" : text === "two" ? "feature" : "main"])
      case "upstream":
        git(["update-ref", "refs/remotes/origin/main", text === "one" ? "old" : text === "two" ? "feature" : "main"])
        return git(["branch", "-q", "--set-upstream-to=origin/main", "main"])
      case "no upstream":
        return tryGit(["branch", "-q", "--unset-upstream", "main"])
    }
  }

  const plan = (clean: boolean, held: boolean): void => {
    if (held) fs.writeFileSync(hold, "")
    const lines = [`issues=${clean ? 0 : 256}`, `holds=${hold}`, `base=${base}`]
    fs.writeFileSync(path.join(seen, "plan"), `${lines.join("\n")}\n`)
  }
  const release = (): void => fs.rmSync(hold, { force: true })
  const flags = [
    "--state-root",
    place.state,
    "--codex-bin",
    witness,
    ...(base === "" ? ["--uncommitted"] : ["--base", base]),
    "--strict",
    "-n",
    "1",
    "--ceiling",
    "medium"
  ]
  const counts = { fixedPoints: 0, deaths: 0 }
  const call = async (args: ReadonlyArray<string>, dies: number | null = null): Promise<Ended> => {
    let timer: NodeJS.Timeout | undefined
    const onStart = (child: ChildProcess): void => {
      if (dies !== null) timer = setTimeout(() => child.kill("SIGKILL"), dies)
    }
    const ended = await bench.run(place, [...flags, ...args], { cwd: repo, env: { WITNESS: seen }, onStart })
    clearTimeout(timer)
    if (ended.signal !== null) counts.deaths++
    if (ended.exit === 0) {
      counts.fixedPoints++
      const { lines } = latestRun(place.state) ?? assert.fail("no run")
      const asked = { floor: "low", ceiling: "medium", base } as const
      const doubt = notBorneOut(lines, asked, testimonies(seen), seenNow(repo, env, base))
      assert.isNull(doubt, `${args.join(" ")}: ${ended.header}`)
    }
    return ended
  }
  const parties: ReadonlyArray<Party> = [0, 1].map(() => ({ asked: null, given: null, said: null }))
  const partyOf = (which: 0 | 1): Party => parties[which] ?? assert.fail()

  const step = async (which: 0 | 1, how: "whole" | "held" | number, isolated: boolean): Promise<Ended> => {
    const who = partyOf(which)
    const args = [...(how === "held" ? ["--step-timeout", "700ms"] : []), ...(isolated ? ["--isolate"] : [])]
    const ended = await call(args, typeof how === "number" ? how : null)
    who.asked = null
    if (ended.exit === 5) {
      const batch = / {4}Answer with: (--batch) (\S+)$/m.exec(ended.stderr)?.slice(1) ?? assert.fail(ended.stderr)
      who.asked = [ended.header.endsWith("AddressBatch") ? "address" : "retro", ...batch]
    } else if (ended.signal === null && !isRefusal(ended)) assert.include([0, 1, 7], ended.exit, ended.stderr)
    return ended
  }
  const give = async (who: Party, mark: ReadonlyArray<string>, dies: number | null): Promise<void> => {
    const ended = await call(mark, dies)
    if (ended.signal === null && mark[0] === "--mark-address-failed") assert.strictEqual(ended.exit, 3, ended.stderr)
    else if (ended.signal === null && !isRefusal(ended)) assert.include([0, 7], ended.exit, ended.stderr)
    Object.assign(who, { asked: null, given: mark, said: ended.signal === null && ended.exit !== 6 ? ended : null })
  }
  /** The same mark once more gives the same or is refused, and adds no line unless the first was lost. */
  const again = async ({ given, said }: Party): Promise<void> => {
    if (given === null) return
    const before = runsIn(place.state).map(({ raw }) => raw.length)
    const ended = await call(given)
    if (given[0] === "--mark-address-failed") return assert.strictEqual(ended.exit, 3, ended.stderr)
    if (said === null) return assert.isTrue(isRefusal(ended) || ended.exit === 7 || ended.exit === 0, ended.stderr)
    assert.deepStrictEqual(runsIn(place.state).map(({ raw }) => raw.length), before)
    if (!isRefusal(ended)) assert.strictEqual(ended.header, said.header)
  }

  const play = async (command: Command): Promise<void> => {
    switch (command._tag) {
      case "Change":
        return change(command.what, command.text)
      case "Release":
        return release()
      case "Call":
        // Held reviewers would keep a waiting step forever.
        if (command.how === "whole") release()
        plan(command.clean, command.how === "held")
        await step(command.party, command.how, command.isolated)
        return
      case "Answer": {
        const who = partyOf(command.party)
        if (who.asked === null) return
        const [kind, ...batch] = who.asked
        const mark = kind === "address"
          ? command.good ? ["--mark-address-passed"] : ["--mark-address-failed", "red"]
          : command.good
          ? ["--mark-retro-clean"]
          : ["--mark-retro-changes", "a pattern"]
        return give(who, [...mark, ...batch], command.death)
      }
      case "Again":
        return again(partyOf(command.party))
      case "Move": {
        const ended = await call([command.flag])
        return assert.isTrue(ended.exit === 7 || /no run to answer/.test(ended.header), ended.stderr)
      }
    }
  }

  /** One party alone, on code that does not change, with clean reviews: it comes to the fixed point in levels + 1 batches. */
  const finish = async (isolated: boolean): Promise<void> => {
    release()
    change("write", "at last")
    git(["branch", "-f", "main", "old"])
    tryGit(["branch", "-q", "--unset-upstream", "main"])
    plan(true, false)
    const batches = () => runsIn(place.state).reduce((sum, run) => sum + eventsOf(run, "BatchStarted").length, 0)
    const before = batches()
    for (let turn = 0; turn < 12; turn++) {
      const { exit, stderr } = await step(0, "whole", isolated)
      if (exit === 0) {
        assert.isAtMost(batches() - before, 3)
        const audit = await bench.run(place, ["audit", "--state-root", place.state], { cwd: repo })
        return assert.strictEqual(audit.exit, 0, audit.stdout + audit.stderr)
      }
      assert.include([1, 5], exit, stderr)
      await play({ _tag: "Answer", party: 0, good: true, death: null })
    }
    assert.fail("never came to a fixed point")
  }
  return { play, finish, counts, place }
}
