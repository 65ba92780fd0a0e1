// What a person sees of a mistake in a command line: the error first, and nothing that pushes it off the screen.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { it, type World } from "./world.ts"

describe.concurrent("a wrong command line", () => {
  it("is at most three lines, the error first, of every kind of subcommand", async ({ world }) => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["converge --uncomitted", "UsageError: unknown flag --uncomitted\ndid you mean --uncommitted?\n"],
      ["converge --uncommitted", "UsageError: "],
      [
        "implement",
        "UsageError: PLAN is required [ooda-codex-review implement --init plan.md writes one to fill in]\n"
      ],
      ["findings --jsno", "error: unknown flag --jsno\ndid you mean --json?\n"],
      ["hook instal", 'error: unknown subcommand "instal"\ndid you mean install?\n'],
      ["dismiss abc", "error: "]
    ]
    for (const [line, begin] of cases) {
      const { exit, stderr, stdout } = await world.step(...line.split(" "))
      assert.deepEqual([exit, stdout], [64, ""], line)
      assert.isTrue(stderr.startsWith(begin), stderr)
      assert.isAtMost(stderr.trimEnd().split("\n").length, 3, stderr)
      assert.match(stderr, /\nsee 'ooda-codex-review [a-z ]+ --help'\n$/)
    }
  })

  it("without a plan names the call that writes one, which overwrites nothing", async ({ world }) => {
    const first = await world.step("implement", "--init", "plan.md")
    assert.deepEqual([first.exit, first.stderr], [0, ""])
    assert.strictEqual(first.stdout, "wrote plan.md\nfill it in, then: ooda-codex-review implement plan.md\n")
    assert.strictEqual((await world.step("implement", "plan.md", "--no-test", "--inspect")).exit, 4)
    const again = await world.step("implement", "--init", "plan.md")
    assert.strictEqual(again.exit, 6)
    assert.match(again.stderr, /^BinaryError: plan\.md: it exists already/)
  })

  it("of a step has the header of the contract and fits on a screen of 25 lines", async ({ world }) => {
    for (const line of ["--uncomitted", "stauts", "-v"]) {
      const { exit, stderr } = await world.step(line)
      assert.strictEqual(exit, 64)
      assert.match(stderr, /^UsageError: .* \(did you mean (--uncommitted|status|--version)\?\)\n/)
      assert.isAtMost(stderr.trimEnd().split("\n").length, 25)
    }
  })

  it("and a failure are documents, too, with --json", async ({ world }) => {
    for (const [argv, code, tag] of [[["findings", "--x"], 64, "UsageError"], [["audit"], 6, "NoSuchRun"]] as const) {
      const { exit, stderr, stdout } = await world.step(...argv, "--json")
      assert.strictEqual(exit, code)
      assert.match(stderr, /^error: /)
      assert.deepInclude(JSON.parse(stdout), { schema: 1 })
      assert.deepInclude(JSON.parse(stdout).error, { tag, exitCode: code })
    }
  })
})

describe.concurrent("a target that does not resolve", () => {
  const nothingOf = (world: World) => assert.deepEqual([existsSync(world.stateRoot), world.calls()], [false, []])

  it("writes nothing, names the branch that was meant, and hides no run", async ({ world }) => {
    for (const argv of [["converge", "--base", "mian", "--no-test"], ["--base", "mian", "--strict"]]) {
      const { exit, stderr } = await world.step(...argv)
      assert.strictEqual(exit, 6)
      assert.match(
        stderr,
        /BinaryError: base branch mian cannot be resolved .*; did you mean main\?\n$/
      )
    }
    for (const argv of [["converge", "--uncommitted", "--no-test"], ["--uncommitted", "--strict"]]) {
      const { exit, stderr } = await world.step(...argv)
      assert.strictEqual(exit, 6)
      assert.match(stderr, /BinaryError: nothing to review: [^\n]+\n$/)
    }
    nothingOf(world)
  })
})

describe.concurrent("a ladder that was begun", () => {
  it(
    "is not silently begun anew from another level: the refusal names both commands, whole",
    { tags: "slow" },
    async ({ world }) => {
      const plan = "---\ntasks:\n  - title: A\n    description: B\n    done: true\n---\n"
      writeFileSync(join(world.repo, "plan.md"), plan)
      world.git("add", "plan.md")
      world.git("commit", "-qm", "Plan")
      writeFileSync(join(world.repo, "a.txt"), "two\n")
      world.scenario("default", "issues 1")
      const strict = ["--uncommitted", "--strict", "-n", "1"]
      assert.strictEqual((await world.step(...strict, "--level", "medium")).exit, 5)
      const refused = async (...argv: ReadonlyArray<string>) => {
        const { exit, stderr } = await world.step(...argv)
        assert.strictEqual(exit, 6)
        const ways = /BinaryError: run \S+ .*: continue it \[(.*)\], or begin a new run \[(.*)\]\n$/.exec(stderr)
        assert.isNotNull(ways, stderr)
        return ways.slice(1).map((line) => line.replace("ooda-codex-review ", ""))
      }
      const quoted = "'a'\\''b'"
      assert.deepEqual(await refused("converge", "--level=low", "--uncommitted", "-n", "1", "--test", "a'b"), [
        `converge --uncommitted -n 1 --test ${quoted} --level medium`,
        `converge --level=low --uncommitted -n 1 --test ${quoted} --fresh`
      ])
      const implement = "implement plan.md --no-test --then converge -n 1"
      assert.deepEqual(await refused(...implement.split(" ")), [`${implement} --level medium`, `${implement} --fresh`])
      const [goOn = "", fresh = ""] = await refused(...strict, "--level", "low")
      assert.deepEqual([world.runs().length, world.calls().length], [1, 1])
      assert.strictEqual(goOn, "--uncommitted --strict -n 1 --level medium")
      assert.strictEqual((await world.step(...goOn.split(" "))).exit, 5)
      assert.strictEqual((await world.step(...fresh.split(" "))).exit, 5)
      assert.lengthOf(world.runs(), 2)
    }
  )

  it("holds up no one who has changed the code since", { tags: "slow" }, async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    world.scenario("default", "issues 1")
    const strict = ["--uncommitted", "--strict", "-n", "1"]
    assert.strictEqual((await world.step(...strict, "--level", "medium")).exit, 5)
    writeFileSync(join(world.repo, "a.txt"), "three\n")
    assert.strictEqual((await world.step(...strict)).exit, 5)
    assert.lengthOf(world.runs(), 2)
  })
})

describe.concurrent("tests that fail from the start", () => {
  it("end converge before a review is paid", async ({ world }) => {
    writeFileSync(join(world.repo, "a.txt"), "two\n")
    world.scenario("default", "clean")
    const run = ["converge", "--uncommitted", "-n", "1", "--ceiling", "low"]
    const { exit, stderr } = await world.step(...run, "--test", "nmp test")
    assert.strictEqual(exit, 3)
    assert.match(stderr, /nmp test failed: command not found/)
    assert.isEmpty(world.calls())
    // Green tests are not run again while the code is the same.
    const ranFile = world.path("ran")
    assert.match((await world.step(...run, "--test", `echo >>'${ranFile}'`)).stderr, /\nDoneFixedPoint\n$/)
    assert.strictEqual(readFileSync(ranFile, "utf8"), "\n")
  })
})

describe.concurrent("a plan with keys that are not known", () => {
  it("is worked through after a warning that names the key that was meant", async ({ world }) => {
    const tasks = "tasks:\n  - title: A\n    description: B\n  - title: C\n    description: D\n    depends: [0]\n"
    writeFileSync(join(world.repo, "plan.md"), `---\nbasebranch: main\n${tasks}---\n`)
    const { stderr } = await world.step("implement", "plan.md", "--no-test", "--inspect")
    assert.include(stderr, "warning: unknown key basebranch of the plan (did you mean baseBranch?)\n")
    assert.include(stderr, "warning: unknown key depends of task 1 (did you mean dependencies?)\n")
  })
})

describe.concurrent("a commit that is named as git names it", () => {
  it("is recorded by its whole id, with --strict and by subcommands; a step without keeps to ids", async ({ world }) => {
    world.scenario("default", "clean")
    const sha = world.git("rev-parse", "HEAD").trim()
    const ladder = ["--strict", "-n", "1", "--ceiling", "low"]
    assert.strictEqual((await world.step("--commit", "HEAD", ...ladder)).header, "DoneFixedPoint")
    assert.strictEqual((await world.step(`--commit=${sha.slice(0, 8)}`, ...ladder)).header, "DoneFixedPoint")
    assert.lengthOf(world.runs(`commit/${sha}`), 1)
    assert.strictEqual((await world.step("findings", "--commit", "HEAD")).exit, 0)
    const expected = "expected a full commit id of 40 hexadecimal digits"
    for (const argv of [["--commit", "none", "--strict"], ["--commit", "HEAD"]]) {
      const { exit, header } = await world.step(...argv)
      assert.deepEqual([exit, header], [64, `UsageError: --commit "${argv[1]}": ${expected}`])
    }
    assert.strictEqual((await world.step("findings", "--commit", "none")).header, `error: --commit "none": ${expected}`)
  })

  it("may have the 64 digits of SHA-256", { tags: "slow" }, async ({ world }) => {
    world.scenario("default", "clean")
    rmSync(join(world.repo, ".git"), { recursive: true })
    world.git("init", "-q", "-b", "main", "--object-format=sha256")
    world.git("add", ".")
    world.git("commit", "-qm", "One")
    const sha = world.git("rev-parse", "HEAD").trim()
    assert.lengthOf(sha, 64)
    for (const strict of [[], ["--strict"]]) {
      const { exit, header } = await world.step("--commit", sha, "-n", "1", "--ceiling", "low", ...strict)
      assert.deepStrictEqual([exit, header], [0, "DoneFixedPoint"])
    }
    assert.strictEqual((await world.step("findings", "--commit", "HEAD")).exit, 0)
  })
})
