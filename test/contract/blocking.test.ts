// What blocks a strict run: `--block`, dismissals of the run and of the repository, and what marks make of them.
// An issue that does not block is passed over and recorded; an issue without a weight, a list or a dismissal blocks.
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { assert, describe } from "vitest"
import { binaryError, handoff, idle, outcome } from "./expect.ts"
import { issues, says } from "./plans.ts"
import { it, type World } from "./support.ts"

const LOW = ["--uncommitted", "--strict", "-n", "1", "--ceiling", "low"]
const MEDIUM = ["--uncommitted", "--strict", "-n", "1", "--ceiling", "medium"]
const P0 = ["--block", "P0"]

const given = (world: World, plan: string): void => {
  world.plan("default", plan)
  world.write("tracked.txt", "two\n")
}

/** How a hand-off says that it is to be answered. */
const answerTo = (rest: ReadonlyArray<string>): ReadonlyArray<string> =>
  (rest.at(-1) ?? "").slice("Answer with: ".length).split(" ")

const finding = (title: string): string =>
  says(
    ["The patch has a problem.", "", "Review comment:", "", `- ${title} — tracked.txt:1-1`, "  It crashes."].join("\n")
  )

/** A subcommand: a step's state root comes before it, its own behind it. */
const ask = (world: World, ...args: ReadonlyArray<string>) =>
  world.stepFrom({ stateRoot: null }, ...args, "--state-root", world.stateRoot)

interface Findings {
  readonly findings: ReadonlyArray<
    { readonly fingerprint: string; readonly dismissed: { readonly reason: string } | null }
  >
}

const findingsOf = async (world: World): Promise<Findings["findings"]> => {
  const all: Findings = JSON.parse((await ask(world, "findings", "--json")).stdout)
  return all.findings
}

/** Dismisses the one finding of the last batch. */
const dismiss = async (world: World, ...args: ReadonlyArray<string>) => {
  const [one] = await findingsOf(world)
  const ended = await ask(world, "dismiss", one?.fingerprint ?? "", "--reason", "it is meant so", ...args)
  assert.strictEqual(ended.exit, 0, ended.stderr)
  return ended.stdout
}

const sound = async (world: World) => {
  const ended = await ask(world, "audit")
  assert.strictEqual(ended.exit, 0, ended.stdout)
  return ended.stdout
}

describe.concurrent("--block", () => {
  it("passes over what weighs less, at every level, and says so", async ({ world }) => {
    given(world, issues)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    const { rest } = handoff(await world.step(...MEDIUM, ...P0), 5, "Retrospective")
    const line = "retrospective clean at low; advanced to medium"
    idle(await world.step(...MEDIUM, ...P0, "--mark-retro-clean", ...answerTo(rest)), line)
    outcome(await world.step(...MEDIUM, ...P0), 0, "DoneFixedPoint")
    assert.lengthOf(world.calls(), 2)
    const text = await sound(world)
    assert.include(text, "waived")
    // Who asks for more than that has not got it.
    handoff(await world.step(...MEDIUM), 5, "AddressBatch")
    assert.lengthOf(world.calls(), 2)
  })

  it(
    "takes a finding without a priority, or one of several reports without it, for the gravest",
    { tags: "slow" },
    async ({ world }) => {
      given(world, finding("Crashes on an empty list"))
      handoff(await world.step(...LOW, ...P0), 5, "AddressBatch")
    }
  )

  it("does not help where a review lists no finding", { tags: "slow" }, async ({ world }) => {
    given(world, says("The patch crashes when the list is empty: a bug."))
    handoff(await world.step(...LOW, ...P0), 5, "AddressBatch")
  })

  it("is what a mark is judged by too, and a refusal names it", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    const retrospective = handoff(await world.step(...MEDIUM, ...P0), 5, "Retrospective")
    const answer = answerTo(retrospective.rest)
    binaryError(
      await world.step(...MEDIUM, "--mark-retro-clean", ...answer),
      /^BinaryError: mark refused: an answer to AddressBatch of low\/1 \[judged by --block P3\]$/
    )
    const passed = await world.step(...MEDIUM, ...P0, "--mark-address-passed", ...answer)
    binaryError(passed, /^BinaryError: mark refused: an answer to Retrospective of low\/1 \[judged by --block P0\]$/)
    assert.strictEqual((await world.step(...MEDIUM, ...P0, "--mark-retro-clean", ...answer)).exit, 7)
  })

  it("is a usage error without --strict, and with another value than a priority", async ({ world }) => {
    for (const argv of [["--uncommitted", "--block", "P1"], ["--uncommitted", "--trust-from", "main"]]) {
      const ended = await world.step(...argv)
      assert.strictEqual(ended.exit, 64)
      assert.match(ended.header, /^UsageError: --(block|trust-from) needs --strict$/)
    }
    const ended = await world.step(...LOW, "--block", "P4")
    assert.deepStrictEqual([ended.exit, ended.header], [64, 'UsageError: --block "P4": expected P0, P1, P2 or P3'])
  })
})

describe.concurrent("a dismissal", () => {
  /** A finding whose place is given as reviewers give it: absolute, in the copy that they work in. */
  const at = (place: string): string =>
    `review "The patch has a problem.\n\nReview comment:\n\n- [P1] Guard against a null user${place}\n  It crashes."`
  const placed = at(" — $PWD/tracked.txt:1-1")

  it("counts for a finding that names a place in the reviewers' copy", { tags: "slow" }, async ({ world }) => {
    given(world, placed)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    await dismiss(world)
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    handoff(await world.step(...LOW, "--fresh"), 5, "AddressBatch")
    await dismiss(world, "--scope", "repo")
    outcome(await world.step(...LOW, "--fresh"), 0, "DoneFixedPoint")
  })

  it("of a finding without a place waives none that has one", { tags: "slow" }, async ({ world }) => {
    given(world, at(""))
    handoff(await world.step(...LOW), 5, "AddressBatch")
    await dismiss(world, "--scope", "repo")
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    world.plan("default", placed)
    world.write("tracked.txt", "three\n")
    handoff(await world.step(...LOW), 5, "AddressBatch")
  })

  it(
    "of the run keeps a finding from blocking, in other words too, and is shown",
    { tags: "slow" },
    async ({ world }) => {
      given(world, issues)
      world.plan("medium", finding("[P1] Guard against a null user object"))
      handoff(await world.step(...MEDIUM), 5, "AddressBatch")
      assert.match(
        await dismiss(world),
        /^dismissed for the run: [0-9a-f]{16} P1 tracked\.txt:1 Guard against a null user\ntake it back: ooda-codex-review dismiss --undo [0-9a-f]{16}[^\n]*\n$/
      )
      const { rest } = handoff(await world.step(...MEDIUM), 5, "Retrospective")
      assert.strictEqual((await world.step(...MEDIUM, "--mark-retro-clean", ...answerTo(rest))).exit, 7)
      outcome(await world.step(...MEDIUM), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      assert.deepStrictEqual((await findingsOf(world)).map(({ dismissed }) => dismissed?.reason), ["it is meant so"])
      assert.include((await ask(world, "findings")).stdout, "new, dismissed")
      assert.include((await ask(world, "findings", "--markdown")).stdout, ": it is meant so")
      const sarif = JSON.parse((await ask(world, "findings", "--sarif")).stdout)
      assert.include(sarif.runs[0].results[0].suppressions[0].justification, "it is meant so")
      assert.include(await sound(world), "it is meant so")
    }
  )

  it("does not hide failing tests", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    const answer = answerTo(handoff(await world.step(...LOW), 5, "AddressBatch").rest)
    await dismiss(world)
    handoff(await world.step(...LOW, "--mark-address-failed", "red", ...answer), 3, "TestsFailedTriage")
    outcome(await world.step(...LOW), 0, "DoneFixedPoint")
    handoff(await world.step(...LOW, "--mark-address-failed", "red", ...answer), 3, "TestsFailedTriage")
    assert.strictEqual((await ask(world, "audit")).exit, 0)
  })

  it("leaves another finding beside it blocking", { tags: "slow" }, async ({ world }) => {
    given(
      world,
      says([
        "Two problems.",
        "",
        "Full review comments:",
        "",
        "- [P2] Leaks a handle — tracked.txt:1-1",
        "  A.",
        "",
        "- [P2] Sorts wrongly — tracked.txt:30-31",
        "  B."
      ].join("\n"))
    )
    handoff(await world.step(...LOW), 5, "AddressBatch")
    await dismiss(world)
    const { rest } = handoff(await world.step(...LOW), 5, "AddressBatch")
    const file = rest.find((line) => line.startsWith("Findings: "))?.slice("Findings: ".length) ?? ""
    assert.strictEqual([...readFileSync(file, "utf8").matchAll(/, dismissed, reported/g)].length, 1)
  })

  it(
    "of the repository is code: what was reviewed before is reviewed again, and passed over",
    { tags: "slow" },
    async ({ world }) => {
      given(world, issues)
      handoff(await world.step(...LOW), 5, "AddressBatch")
      await dismiss(world, "--scope", "repo")
      assert.strictEqual(readFileSync(`${world.repo}/.ooda/dismissals.jsonl`, "utf8").split("\n").length, 2)
      outcome(await world.step(...LOW), 0, "DoneFixedPoint")
      assert.lengthOf(world.calls(), 2)
      assert.include(await sound(world), "for the run")
      // The same once more changes nothing.
      await dismiss(world, "--scope", "repo")
      assert.strictEqual(readFileSync(`${world.repo}/.ooda/dismissals.jsonl`, "utf8").split("\n").length, 2)
    }
  )

  it(
    "in another's change counts for nothing: it is read from the base, or from where one trusts",
    { tags: "slow" },
    async ({ world }) => {
      given(world, issues)
      handoff(await world.step(...LOW), 5, "AddressBatch")
      await dismiss(world, "--scope", "repo")
      world.git("add", ".ooda")
      world.git("checkout", "-qb", "change")
      world.git("commit", "-qm", "A change that dismisses its own defects", "-a")
      world.ghSays("main\n")
      const pr = ["--pr", "7", "--strict", "-n", "1", "--ceiling", "low"]
      handoff(await world.step(...pr), 5, "AddressBatch")
      const settings = (argv: ReadonlyArray<string>) => argv.filter((_, i) => argv[i - 1] === "-c").slice(2, 5)
      const ofCopies = [
        "skills.include_instructions=false",
        "project_doc_fallback_filenames=[]",
        "shell_environment_policy.inherit=core"
      ]
      assert.deepStrictEqual(world.calls().map(({ argv }) => settings(argv)), [
        ofCopies,
        ofCopies
      ])
      const base = ["--base", "main", "--strict", "-n", "1", "--ceiling", "low"]
      handoff(await world.step(...base, "--trust-from", "main"), 5, "AddressBatch")
      // Nor does it later: whose word counts is settled when the run begins.
      for (const argv of [[], ["--trust-from", "change"], ["--mark-retro-clean", "--batch", "low/1"]]) {
        binaryError(
          await world.step(...base, ...argv),
          /this run trusts main: repeat --trust-from main, or open another run with --fresh$/
        )
      }
      handoff(await world.step(...base, "--inspect"), 5, "AddressBatch")
      outcome(await world.step(...base, "--fresh"), 0, "DoneFixedPoint")
      binaryError(
        await world.step(...base, "--trust-from", "main"),
        /this run was begun without --trust-from: --fresh opens one that trusts main$/
      )
      // Who takes the file over into the base means it.
      world.git("checkout", "-q", "main")
      world.git("checkout", "-q", "change", "--", ".ooda")
      world.git("commit", "-qm", "Taken over")
      world.git("checkout", "-q", "change")
      world.git("rebase", "-q", "main")
      outcome(await world.step(...pr), 0, "DoneFixedPoint")
    }
  )

  it(
    "from a trusted ref come from one commit, which is settled when the run begins",
    { tags: "slow" },
    async ({ world }) => {
      world.git("branch", "trusted")
      world.git("checkout", "-qb", "change")
      given(world, issues)
      handoff(await world.step(...LOW), 5, "AddressBatch")
      await dismiss(world, "--scope", "repo")
      world.git("add", ".ooda")
      world.git("commit", "-qm", "A change that dismisses its own defects", "-a")
      const base = ["--base", "main", "--strict", "-n", "1", "--ceiling", "low"]
      for (const none of ["nowhere", "main..change", ":/dis", "main^{tree}"]) {
        const ended = await world.step(...base, "--trust-from", none)
        binaryError(ended, /--trust-from .* names no commit here: /)
      }
      for (const own of ["HEAD", "change"]) {
        binaryError(await world.step(...base, "--trust-from", own), /--trust-from .* is the change under review itself/)
      }
      handoff(await world.step(...base, "--trust-from", "trusted"), 5, "AddressBatch")
      world.git("branch", "-qf", "trusted", "change")
      handoff(await world.step(...base, "--trust-from", "trusted"), 5, "AddressBatch")
    }
  )

  it("counts for later runs too, unless git ignores its file", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    await dismiss(world, "--scope", "repo")
    outcome(await world.step(...LOW, "--fresh"), 0, "DoneFixedPoint")
    assert.include(await sound(world), "for the repo")
    world.write(".git/info/exclude", ".ooda/\n")
    handoff(await world.step(...LOW, "--fresh"), 5, "AddressBatch")
    const [one] = await findingsOf(world)
    const ended = await ask(world, "dismiss", one?.fingerprint ?? "", "--reason", "so", "--scope", "repo")
    assert.strictEqual(ended.exit, 6)
    assert.match(ended.stderr, /\.ooda\/dismissals\.jsonl: git ignores it.*--scope run/)
  })

  it("written into its file while a run is open counts for the next one", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    await dismiss(world, "--scope", "repo")
    const line = readFileSync(`${world.repo}/.ooda/dismissals.jsonl`, "utf8")
    rmSync(`${world.repo}/.ooda`, { recursive: true })
    handoff(await world.step(...LOW, "--fresh"), 5, "AddressBatch")
    mkdirSync(`${world.repo}/.ooda`)
    world.write(".ooda/dismissals.jsonl", line)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    assert.strictEqual((await world.step(...LOW, "--mark-address-passed", "--batch", "low/1")).exit, 7)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    outcome(await world.step(...LOW, "--fresh"), 0, "DoneFixedPoint")
  })

  it("that is broken ends the step in one line, and changes nothing", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    mkdirSync(`${world.repo}/.ooda`)
    world.write(".ooda/dismissals.jsonl", "<<<<<<< HEAD\n")
    binaryError(
      await world.step(...LOW, "--fresh"),
      /\.ooda\/dismissals\.jsonl: line 1 is not a valid dismissal; correct or remove that line/
    )
    const ended = await ask(world, "dismiss", "0123456789abcdef", "--reason", "so", "--scope", "repo")
    assert.strictEqual(ended.exit, 6)
    assert.strictEqual(ended.stderr.split("\n").length, 2)
    assert.strictEqual(readFileSync(`${world.repo}/.ooda/dismissals.jsonl`, "utf8"), "<<<<<<< HEAD\n")
  })

  it("of what is not there, with a past day or a bad name writes nothing", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    handoff(await world.step(...LOW), 5, "AddressBatch")
    const [one] = await findingsOf(world)
    const name = one?.fingerprint ?? ""
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
      [["0000000000000000", "--reason", "so"], 6, /no finding of run \S+ is called 0000000000000000/],
      [[name, "--reason", "so", "--until", "2020-01-01"], 6, /--until 2020-01-01 is past/],
      [[name, "--reason", "so", "--until", "2027-02-29"], 64, /--until "2027-02-29": expected a day such as/],
      [["xyz", "--reason", "so"], 64, /FINDING "xyz": expected the number of a finding/],
      [[name], 64, /--reason is needed/],
      [[name, "--reason", " "], 64, /--reason " ": expected 1 to 2000 characters/],
      [["--reason", "so"], 64, /name a finding: its number/],
      [[name, "--reason", "so", "--scope", "all"], 64, /--scope "all": expected run or repo/]
    ]
    const before = (await ask(world, "replay", "--json")).stdout
    for (const [args, exit, why] of wrong) {
      const ended = await ask(world, "dismiss", ...args)
      assert.strictEqual(ended.exit, exit, args.join(" "))
      assert.match(ended.stderr, why)
    }
    assert.strictEqual((await ask(world, "replay", "--json")).stdout, before)
  })

  it("on a run that is not strict is shown, and the hand-off stays", { tags: "slow" }, async ({ world }) => {
    given(world, issues)
    const plain = LOW.filter((arg) => arg !== "--strict")
    handoff(await world.step(...plain), 5, "AddressBatch")
    assert.match(await dismiss(world), /; its run is not strict and hands it off all the same\ntake it back: /)
    handoff(await world.step(...plain), 5, "AddressBatch")
    assert.lengthOf((await findingsOf(world)).filter(({ dismissed }) => dismissed !== null), 1)
  })
})
